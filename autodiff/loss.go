package autodiff

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Loss says what a network is trained for. Every loss is a mean over the items of a batch, by their weights.
type Loss string

// The losses, for the logits x of an item.
const (
	CrossEntropy Loss = "cross-entropy" // -log softmax(x)_class
	Logistic     Loss = "logistic"      // mean over the outputs of log(1 + exp(x)) - y x, y one-hot
	SquaredHinge Loss = "squared-hinge" // sum over the outputs of 1/2 max(0, 1 - t x)^2, t = +1 for the class and else -1
	Squared      Loss = "squared"       // sum over the outputs of 1/2 (x - y)^2
)

// ParseLoss reads the name of a loss.
func ParseLoss(name string) (Loss, error) {
	switch l := Loss(name); l {
	case CrossEntropy, Logistic, SquaredHinge, Squared:
		return l, nil
	}
	return "", fmt.Errorf("loss %q: want %s, %s, %s or %s", name, CrossEntropy, Logistic, SquaredHinge, Squared)
}

// engine returns the engine's loss; cross-entropy has an operation of its own.
func (l Loss) engine() engine.Loss {
	switch l {
	case Logistic:
		return engine.LogisticLoss
	case SquaredHinge:
		return engine.SquaredHinge
	}
	return engine.SquaredLoss
}

// Loss adds the loss of the logits (items x outputs) against the targets of the batch, a scalar: the mean by the
// items' weights. Its value is a 1 x 1 tensor on the engine. It has a gradient where it is itself what is
// differentiated.
func (g *Graph) Loss(logits *G.Node, loss Loss) *G.Node {
	shape := g.dims("Loss", logits, 2)
	if _, err := ParseLoss(string(loss)); err != nil {
		g.want(false, "%v", err)
	}
	op := &operation{name: string(loss) + " loss", wrt: []bool{true}}
	total, slopes := op.newMemory(), op.newMemory()
	var slope *tensor.Dense // of the loss, from the last run
	op.compute = func(in []G.Value) (G.Value, error) {
		x, t := dense(in[0]), &g.batch.targets
		n := x.Shape()[0]
		if err := t.check(loss, n, shape[1]); err != nil {
			return nil, err
		}
		out := total.tensor(g.engine, g.dtype, 1, 1)
		slope = slopes.tensor(g.engine, g.dtype, n, shape[1])
		if loss == CrossEntropy {
			return out, g.engine.SoftmaxCrossEntropy(out, slope, x, t.classes, t.weights)
		}
		return out, g.engine.OutputLoss(out, slope, x, t.values, loss.engine(), t.weights)
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		back := func(_ *memory, in []G.Value) (G.Value, error) {
			if number(in[1]) != 1 {
				return nil, errors.New("the loss is not what is differentiated")
			}
			return slope, nil
		}
		// out: the slopes of this run are known
		return G.Nodes{g.derived("gradient of "+op.name, shape, back, out, grad)}
	}
	return g.add(op, logits)
}

// class returns the class that outputs speak for: the first largest one; for a single output 1 where it is positive,
// unless one class is all there is.
func (l Loss) class(outputs []float64) int32 {
	if len(outputs) == 1 && l != CrossEntropy && outputs[0] > 0 {
		return 1
	}
	best := 0
	for j, v := range outputs {
		if v > outputs[best] {
			best = j
		}
	}
	return int32(best)
}

// number returns the value of a scalar that gorgonia made, such as the gradient of the cost.
func number(v G.Value) float64 {
	switch v := v.(type) {
	case *G.F64:
		return float64(*v)
	case *G.F32:
		return float64(*v)
	}
	panic("autodiff: the gradient of a loss is no number of gorgonia")
}
