package autodiff

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Standard says how columns are standardised: by means and variances that training does not change.
type Standard struct {
	engine         engine.Engine
	mean, variance *tensor.Dense // 1 x d
	ones, zeros    *tensor.Dense
}

// NewStandard returns a standard of means 0 and variances 1 for d columns. Give it back with [Standard.Release].
func NewStandard(e engine.Engine, dtype tensor.Dtype, d int) (*Standard, error) {
	s := &Standard{e, e.New(dtype, 1, d), e.New(dtype, 1, d), e.New(dtype, 1, d), e.New(dtype, 1, d)}
	one := slices.Repeat([]float64{1}, d)
	for to, values := range map[*tensor.Dense][]float64{s.zeros: make([]float64, d), s.ones: one} {
		if err := e.Convert(to, tensor.New(tensor.WithShape(1, d), tensor.WithBacking(values))); err != nil {
			return nil, err
		}
	}
	return s, s.Set(Affine{make([]float64, d), one})
}

// Set takes means and scales, the roots of the variances.
func (s *Standard) Set(a Affine) error {
	variances := make([]float64, len(a.Scale))
	for j, scale := range a.Scale {
		variances[j] = scale * scale
	}
	for to, values := range map[*tensor.Dense][]float64{s.mean: a.Mean, s.variance: variances} {
		if err := s.engine.Convert(to, tensor.New(tensor.WithShape(1, len(values)), tensor.WithBacking(values))); err != nil {
			return err
		}
	}
	return nil
}

// Affine returns means and scales.
func (s *Standard) Affine() (a Affine, err error) {
	if a.Mean, err = engine.Float64s(s.mean); err != nil {
		return a, err
	}
	variances, err := engine.Float64s(s.variance)
	for _, v := range variances {
		a.Scale = append(a.Scale, math.Sqrt(v))
	}
	return a, err
}

// Release gives the memory back.
func (s *Standard) Release() { s.engine.Release(s.mean, s.variance, s.ones, s.zeros) }

// leastVariance keeps the root of a variance from being zero.
const leastVariance = 1e-30

// by is a normalisation by the standard, with another mean.
func (s *Standard) by(mean *tensor.Dense) *engine.BatchNorm {
	return &engine.BatchNorm{Scale: s.ones, Shift: s.zeros, Mean: mean, Variance: s.variance, Epsilon: leastVariance}
}

// Standardise adds (x - mean) / scale for the columns of x, by a standard that is no part of what is differentiated.
func (g *Graph) Standardise(x *G.Node, s *Standard) *G.Node {
	shape := g.dims("Standardise", x, 2)
	g.want(shape[1] == s.mean.Shape()[1], "Standardise: %d columns, a standard for %d", shape[1], s.mean.Shape()[1])
	op := &operation{name: "standardisation", shape: shape, wrt: []bool{true}}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		out := m.tensor(g.engine, g.dtype, in[0].Shape()...)
		return out, g.engine.BatchNorm(out, dense(in[0]), s.by(s.mean))
	}
	op.gradient = func(_ G.Nodes, _, grad *G.Node) G.Nodes {
		back := func(m *memory, in []G.Value) (G.Value, error) {
			out := m.tensor(g.engine, g.dtype, in[0].Shape()...)
			return out, g.engine.BatchNorm(out, dense(in[0]), s.by(s.zeros))
		}
		return G.Nodes{g.derived("gradient of "+op.name, shape, back, grad)}
	}
	return g.add(op, x)
}
