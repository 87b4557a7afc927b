package autodiff

import (
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
// items' weights. Its value is a 1 x 1 tensor on the engine.
func (g *Graph) Loss(logits *G.Node, loss Loss) *G.Node {
	shape := g.dims("Loss", logits, 2)
	if _, err := ParseLoss(string(loss)); err != nil {
		g.want(false, "%v", err)
	}
	op := &operation{name: string(loss) + " loss", wrt: []bool{true}}
	total, losses, slopes := op.newMemory(), op.newMemory(), op.newMemory()
	var slope *tensor.Dense // of the loss of each item, from the last run
	op.compute = func(in []G.Value) (G.Value, error) {
		x := dense(in[0])
		n := x.Shape()[0]
		if err := g.batch.targets.check(loss, n, shape[1]); err != nil {
			return nil, err
		}
		each := losses.tensor(g.engine, g.dtype, n)
		slope = slopes.tensor(g.engine, g.dtype, n, shape[1])
		var err error
		if loss == CrossEntropy {
			err = g.engine.SoftmaxCrossEntropy(each, slope, x, g.batch.targets.classes)
		} else {
			err = g.engine.OutputLoss(each, slope, x, g.batch.targets.values, loss.engine())
		}
		if err != nil {
			return nil, err
		}
		out := total.tensor(g.engine, g.dtype, 1, 1)
		all := engine.Segments{Offsets: []int32{0, int32(n)}, Weights: g.batch.targets.weights}
		return out, g.engine.SegmentReduce(out, losses.view(each, 0, n, 1), all, engine.Sum)
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		one := 0.0            // the number that the weights were multiplied by
		var weights []float64 // of the batch, times that number
		var of *Batch
		back := func(m *memory, in []G.Value) (G.Value, error) {
			if f := number(in[1]); of != g.batch || one != f {
				one, of, weights = f, g.batch, make([]float64, len(g.batch.targets.weights))
				for i, w := range of.targets.weights {
					weights[i] = w * f
				}
			}
			dst := m.tensor(g.engine, g.dtype, slope.Shape()...)
			items := engine.Segments{Offsets: g.batch.targets.offsets, Weights: weights}
			return dst, g.engine.SegmentReduce(dst, slope, items, engine.Sum)
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
