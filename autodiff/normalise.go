package autodiff

import (
	"errors"
	"math"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// training reports whether the graph is of steps.
func (g *Graph) training() bool { return g.network != nil && g.kind == training }

// BatchNorm adds the columns of x normalised by the mean and variance of the batch, in steps, and by the moving
// averages b.Mean and b.Variance otherwise, times scale plus shift (1 x d each; Ioffe and Szegedy, ICML 2015), and with
// b.Rectify the larger of that and 0. Set these and b.Momentum and b.Epsilon; b.Mean and b.Variance belong to the State
// of the network.
func (g *Graph) BatchNorm(x, scale, shift *G.Node, b engine.BatchNorm) *G.Node {
	shape := g.dims("BatchNorm", x, 2)
	d := shape[1]
	for _, row := range []*G.Node{scale, shift} {
		s := g.dims("BatchNorm", row, 2)
		g.want(s[0] == 1 && s[1] == d, "BatchNorm: scale or shift of shape %v, want (1, %d)", s, d)
	}
	if g.network != nil && g.kind == explained && g.err == nil {
		return g.folded(x, scale, shift, b)
	}
	op := &operation{name: "batch normalisation", shape: shape, wrt: []bool{true, true, true}}
	m, mean, deviation := op.newMemory(), op.newMemory(), op.newMemory()
	b.Training = g.training()
	op.compute = func(in []G.Value) (G.Value, error) {
		b.Scale, b.Shift = dense(in[1]), dense(in[2])
		if b.Training {
			b.BatchMean, b.BatchDeviation = mean.tensor(g.engine, g.dtype, 1, d), deviation.tensor(g.engine, g.dtype, 1, d)
		}
		out := m.tensor(g.engine, g.dtype, in[0].Shape()...)
		return out, g.engine.BatchNorm(out, dense(in[0]), &b)
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		shapes := []tensor.Shape{shape, {1, d}, {1, d}}
		return g.parts("gradient of "+op.name, shapes, func(to []*tensor.Dense, in []G.Value) error {
			return g.engine.BatchNormGrad(to[0], to[1], to[2], dense(in[2]), dense(in[0]), dense(in[1]), &b)
		}, in[0], out, grad)
	}
	return g.add(op, x, scale, shift)
}

// folded adds the normalisation by moving averages as a linear layer, whose gradient with respect to x is that of any:
// y = x diag(a) + (shift - mean a) with a = scale / sqrt(variance + epsilon). It is computed in host memory.
func (g *Graph) folded(x, scale, shift *G.Node, b engine.BatchNorm) *G.Node {
	d := scale.Shape()[1]
	fold := func(out []float64, in []G.Value, each func(j int, factor, shift float64)) (*tensor.Dense, error) {
		var values [4][]float64
		for i, t := range []*tensor.Dense{dense(in[0]), dense(in[1]), b.Mean, b.Variance} {
			var err error
			if values[i], err = engine.Float64s(t); err != nil {
				return nil, err
			}
		}
		for j := range d {
			factor := values[0][j] / math.Sqrt(values[3][j]+b.Epsilon)
			each(j, factor, values[1][j]-values[2][j]*factor)
		}
		return tensor.New(tensor.WithShape(len(out)/d, d), tensor.WithBacking(out)), nil
	}
	place := func(m *memory, of *tensor.Dense, err error) (G.Value, error) {
		if err != nil {
			return nil, err
		}
		out := m.tensor(g.engine, g.dtype, of.Shape()...)
		return out, g.engine.Convert(out, of)
	}
	toWeight := func(m *memory, in []G.Value) (G.Value, error) {
		out := make([]float64, d*d)
		of, err := fold(out, in, func(j int, factor, _ float64) { out[j*d+j] = factor })
		return place(m, of, err)
	}
	toBias := func(m *memory, in []G.Value) (G.Value, error) {
		out := make([]float64, d)
		of, err := fold(out, in, func(j int, _, shift float64) { out[j] = shift })
		return place(m, of, err)
	}
	weight := g.derived("folded scale", tensor.Shape{d, d}, toWeight, scale, shift)
	bias := g.derived("folded shift", tensor.Shape{1, d}, toBias, scale, shift)
	y := g.Linear(x, weight, bias)
	if b.Rectify {
		y = g.ReLU(y, nil)
	}
	return y
}

// parts adds the parts of a gradient that one operation computes, of the given shapes with the rows of the first child
// where the first dimension varies. It returns a node for each.
func (g *Graph) parts(
	name string, shapes []tensor.Shape, compute func(to []*tensor.Dense, in []G.Value) error, children ...*G.Node,
) G.Nodes {
	op := &operation{name: name, shape: tensor.Shape{varying, varying}}
	memories, to := make([]*memory, len(shapes)), make([]*tensor.Dense, len(shapes))
	for i := range shapes {
		if shapes[i] != nil {
			memories[i] = op.newMemory()
		}
	}
	op.compute = func(in []G.Value) (G.Value, error) {
		for i, shape := range shapes {
			if shape == nil {
				continue
			}
			s := shape.Clone()
			if i == 0 {
				s[0] = in[0].Shape()[0]
			}
			to[i] = memories[i].tensor(g.engine, g.dtype, s...)
		}
		if err := compute(to, in); err != nil {
			return nil, err
		}
		for _, t := range to {
			if t != nil {
				return t, nil
			}
		}
		return nil, errors.New("a gradient of nothing")
	}
	all := g.add(op, children...)
	out := make(G.Nodes, len(shapes))
	for i, shape := range shapes {
		if shape != nil {
			out[i] = g.part(all, shape, func(*memory, *tensor.Dense) *tensor.Dense { return to[i] })
		}
	}
	return out
}

// Dropout adds x with every element either dropped, with probability rate, or divided by 1 - rate (Srivastava et al.,
// JMLR 2014), in steps; otherwise it is x. The random numbers follow from the seed of the network, the number of the
// step and the place of the node in the graph: they are the same on every device.
func (g *Graph) Dropout(x *G.Node, rate float64) *G.Node {
	shape := g.dims("Dropout", x, 2)
	g.want(rate >= 0 && rate < 1, "Dropout: rate %g, want 0 to 1, 1 left out", rate)
	stream := g.dropouts
	g.dropouts++
	if !g.training() || rate == 0 {
		return x
	}
	now := func() engine.Dropout {
		return engine.Dropout{Rate: rate, Seed: g.seed, Step: g.network.steps, Stream: stream}
	}
	op := &operation{name: "dropout", shape: shape, wrt: []bool{g.differentiable(x)}}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		out := m.tensor(g.engine, g.dtype, in[0].Shape()...)
		return out, g.engine.Dropout(out, dense(in[0]), now())
	}
	op.gradient = func(_ G.Nodes, _, grad *G.Node) G.Nodes {
		back := func(m *memory, in []G.Value) (G.Value, error) {
			out := m.tensor(g.engine, g.dtype, in[0].Shape()...)
			return out, g.engine.Dropout(out, dense(in[0]), now())
		}
		return G.Nodes{g.derived("gradient of dropout", shape, back, grad)}
	}
	return g.add(op, x)
}

// ReLU adds max(0, x + bias) for the rows of x, with a bias of one row or nil.
func (g *Graph) ReLU(x, bias *G.Node) *G.Node {
	shape := g.dims("ReLU", x, 2)
	children, wrt := []*G.Node{x}, []bool{true}
	if bias != nil {
		s := g.dims("ReLU", bias, 2)
		g.want(s[0] == 1 && s[1] == shape[1], "ReLU: bias of shape %v, want (1, %d)", s, shape[1])
		children, wrt = append(children, bias), append(wrt, true)
	}
	op := &operation{name: "rectifier", shape: shape, wrt: wrt}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		var row *tensor.Dense
		if bias != nil {
			row = dense(in[1])
		}
		out := m.tensor(g.engine, g.dtype, in[0].Shape()...)
		return out, g.engine.Rectify(out, dense(in[0]), row)
	}
	op.gradient = func(_ G.Nodes, out, grad *G.Node) G.Nodes {
		shapes := []tensor.Shape{shape, nil}
		if bias != nil {
			shapes[1] = tensor.Shape{1, shape[1]}
		}
		return g.parts("gradient of rectifier", shapes, func(to []*tensor.Dense, in []G.Value) error {
			return g.engine.RectifyGrad(to[0], to[1], dense(in[1]), dense(in[0]))
		}, out, grad)[:len(children)]
	}
	return g.add(op, children...)
}

// differentiable reports whether a node depends on an input.
func (g *Graph) differentiable(x *G.Node) bool {
	if g.err != nil || x == nil {
		return false
	}
	if x.Op() == nil {
		return true
	}
	for i, child := range g.children(x) {
		if of, ok := x.Op().(*operation); ok && (i >= len(of.wrt) || !of.wrt[i]) {
			continue
		}
		if g.differentiable(child) {
			return true
		}
	}
	return false
}

// weighted adds a scalar whose gradient with respect to the logits are the weights of the batch, see [Network.Explain].
// It is their sum by these weights, and is not computed: nobody looks at it.
func (g *Graph) weighted(logits *G.Node) *G.Node {
	op := &operation{name: "weighted logits", wrt: []bool{true}}
	op.compute = func([]G.Value) (G.Value, error) { return g.batch.layout.seeds, nil }
	op.gradient = func(_ G.Nodes, out, grad *G.Node) G.Nodes {
		back := func(_ *memory, in []G.Value) (G.Value, error) { return in[0], nil }
		return G.Nodes{g.derived("weights of logits", logits.Shape(), back, out, grad)}
	}
	return g.add(op, logits)
}
