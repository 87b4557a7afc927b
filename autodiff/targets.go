package autodiff

import (
	"errors"
	"fmt"

	"gorgonia.org/tensor"
)

// targets are the [Targets] of a batch in the form that a loss takes.
type targets struct {
	loss    Loss
	classes []int32
	values  *tensor.Dense // items x outputs, for the losses of single outputs
	weights []float64     // of the items, with sum 1 (1 / outputs for the logistic loss)
}

// newTargets checks and lays out the targets of a batch, but for the values, which are in host memory.
func (n *Network) newTargets(t Targets, items int) (targets, *tensor.Dense, error) {
	outputs := n.outputs
	out := targets{loss: n.loss, classes: t.Classes, weights: make([]float64, items)}
	total := 0.0
	for i := range out.weights {
		out.weights[i] = 1
		if t.Weights != nil && len(t.Weights) == items {
			out.weights[i] = t.Weights[i]
		}
		total += out.weights[i]
	}
	if n.loss == Logistic {
		total *= float64(outputs)
	}
	for i := range out.weights {
		out.weights[i] /= total
	}
	switch {
	case t.Classes != nil && t.Values != nil:
		return out, nil, errors.New("targets as classes and as values: give one of them")
	case t.Weights != nil && len(t.Weights) != items:
		return out, nil, fmt.Errorf("weights of %d items for %d", len(t.Weights), items)
	case items > 0 && !(total > 0):
		return out, nil, fmt.Errorf("the weights of the items add up to %g, want a positive number", total)
	case n.loss == CrossEntropy && t.Classes == nil:
		return out, nil, fmt.Errorf("the %s loss wants classes", n.loss)
	case n.loss == Squared && t.Values == nil:
		return out, nil, fmt.Errorf("the %s loss wants values", n.loss)
	case t.Classes != nil && len(t.Classes) != items:
		return out, nil, fmt.Errorf("classes of %d items for %d", len(t.Classes), items)
	case n.loss == CrossEntropy:
		return out, nil, nil
	}
	values := t.Values
	if t.Classes != nil {
		of, err := n.loss.codes(t.Classes, outputs)
		if err != nil {
			return out, nil, err
		}
		values = tensor.New(tensor.WithShape(items, outputs), tensor.WithBacking(of))
	}
	if !values.Shape().Eq(tensor.Shape{items, outputs}) {
		return out, nil, fmt.Errorf("target values of shape %v, want (%d, %d)", values.Shape(), items, outputs)
	}
	return out, values, nil
}

// codes returns the targets of the single outputs for classes: 1 for the class and 0 (logistic loss) or -1
// (squared hinge) elsewhere. A single output stands for class 1 of two.
func (l Loss) codes(classes []int32, outputs int) ([]float64, error) {
	values, other := make([]float64, len(classes)*outputs), 0.0
	if l == SquaredHinge {
		other = -1
	}
	for i, class := range classes {
		if class < 0 || int(class) >= max(outputs, 2) {
			return nil, fmt.Errorf("item %d has class %d, there are %d", i, class, max(outputs, 2))
		}
		for j := range outputs {
			values[i*outputs+j] = other
			if int(class) == j && outputs > 1 || class == 1 && outputs == 1 {
				values[i*outputs+j] = 1
			}
		}
	}
	return values, nil
}

// check says what is missing for a loss of n items with the given number of outputs.
func (t *targets) check(loss Loss, n, outputs int) error {
	switch {
	case len(t.weights) != n:
		return fmt.Errorf("the batch has targets for %d items of %d: prepare it with targets", len(t.weights), n)
	case t.loss != loss:
		return fmt.Errorf("the batch was prepared for the %s loss", t.loss)
	case t.values != nil && t.values.Shape()[1] != outputs:
		return fmt.Errorf("the batch has targets for %d outputs, the network has %d", t.values.Shape()[1], outputs)
	}
	return nil
}
