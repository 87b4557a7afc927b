package mpgk

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/memory"
	"gorgonia.org/tensor"
)

// Graphs are the explicit features of some graphs under a fitted kernel, for every number of iterations.
type Graphs struct {
	engine engine.Engine
	opt    *Options
	n      int
	levels []level // of k^0, ..., k^T; nil where graphs are not compared by it
}

// level holds the features of graphs for the graph kernel of one k^t.
type level interface {
	// cross returns the kernel of these graphs (rows) and others (columns), in host memory.
	cross(e engine.Engine, other level) (*tensor.Dense, error)
	// self returns the kernel of every graph with itself.
	self() []float64
	// some returns the given graphs.
	some(graphs []int) level
	// expand returns the graphs as vectors.
	expand() expansion
}

// Len returns the number of graphs.
func (g *Graphs) Len() int { return g.n }

// Select returns the given graphs in the given order. It panics for an index that is not a graph.
func (g *Graphs) Select(graphs []int) *Graphs {
	s := &Graphs{engine: g.engine, opt: g.opt, n: len(graphs), levels: make([]level, len(g.levels))}
	for t, l := range g.levels {
		if l != nil {
			s.levels[t] = l.some(graphs)
		}
	}
	return s
}

// under returns the same graphs for a model of the given options, whose iterations are the first of those of g.
func (g *Graphs) under(o *Options) *Graphs {
	return &Graphs{engine: g.engine, opt: o, n: g.n, levels: g.levels[:o.Iterations+1]}
}

// Gram returns the kernel matrix of the graphs after t iterations, 1 to Options.Iterations: Len x Len, Float64, in
// host memory.
func (g *Graphs) Gram(t int) (*tensor.Dense, error) { return g.Cross(g, t) }

// Cross returns the kernel of every graph of g (rows) with every graph of other (columns) after t iterations.
// Both must come from one model.
func (g *Graphs) Cross(other *Graphs, t int) (*tensor.Dense, error) {
	if err := g.check(other, t); err != nil {
		return nil, err
	}
	copies := 1
	if g.opt.SumIterations && t > 1 {
		copies = 2
	}
	if err := memory.ForMatrices("kernel matrix", copies, g.n, other.n); err != nil {
		return nil, err
	}
	var sum *tensor.Dense
	for s := range g.levels[:t+1] {
		if !g.counts(s, t) {
			continue
		}
		k, err := g.levels[s].cross(g.engine, other.levels[s])
		if err != nil {
			return nil, err
		}
		sum = plus(sum, k)
	}
	g.normalise(sum, other, t)
	return sum, nil
}

// EachGram calls visit with the kernel matrix of the graphs after t = 1, ..., Options.Iterations updates. The matrix
// is good until visit returns.
func (g *Graphs) EachGram(visit func(t int, k *tensor.Dense) error) error {
	copies := 1
	if g.opt.SumIterations { // the sum, and a term of it or what normalising makes of it
		copies = 2
	}
	if err := memory.ForMatrices("kernel matrix", copies, g.n, g.n); err != nil {
		return err
	}
	var sum *tensor.Dense // of all levels so far
	for t := 1; t < len(g.levels); t++ {
		var k *tensor.Dense
		var err error
		if !g.opt.SumIterations {
			k, err = g.Gram(t)
		} else if k, err = g.levels[t-1].cross(g.engine, g.levels[t-1]); err == nil {
			sum = plus(sum, k)
			k = sum
			if g.opt.Normalise {
				k = sum.Clone().(*tensor.Dense)
				g.normalise(k, g, t)
			}
		}
		if err != nil {
			return err
		}
		if err := visit(t, k); err != nil {
			return err
		}
	}
	return nil
}

// counts reports whether the kernel of k^s is part of the graph kernel after t iterations.
func (g *Graphs) counts(s, t int) bool {
	if g.opt.SumIterations {
		return s < t
	}
	return s == t
}

func (g *Graphs) check(other *Graphs, t int) error {
	switch {
	case t < 1 || t > g.opt.Iterations:
		return fmt.Errorf("kernel after %d iterations: the model has 1 to %d", t, g.opt.Iterations)
	case g.opt != other.opt:
		return fmt.Errorf("graphs of two models cannot be compared")
	}
	return nil
}

// self returns the kernel of every graph with itself after t iterations.
func (g *Graphs) self(t int) []float64 {
	total := make([]float64, g.n)
	for s := range g.levels[:t+1] {
		if g.counts(s, t) {
			for i, v := range g.levels[s].self() {
				total[i] += v
			}
		}
	}
	return total
}

// Largest returns the largest value of the kernel, that of a graph with itself.
func (m *Model) Largest() float64 {
	if m.opt.Normalise {
		return 1
	}
	return slices.Max(append(m.train.self(m.opt.Iterations), 0))
}

// normalise divides k by the roots of the self values, where the options ask for it.
func (g *Graphs) normalise(k *tensor.Dense, other *Graphs, t int) {
	if !g.opt.Normalise {
		return
	}
	own := inverseRoots(g.self(t))
	theirs := own
	if other != g {
		theirs = inverseRoots(other.self(t))
	}
	x := k.Float64s()
	for i, a := range own {
		for j, b := range theirs {
			x[i*len(theirs)+j] *= a * b
		}
		if other == g && a > 0 {
			x[i*len(theirs)+i] = 1
		}
	}
}

func inverseRoots(self []float64) []float64 {
	out := make([]float64, len(self))
	for i, v := range self {
		if v > 0 {
			out[i] = 1 / math.Sqrt(v)
		}
	}
	return out
}

// plus adds k to a sum, which may be nil.
func plus(sum, k *tensor.Dense) *tensor.Dense {
	if sum == nil {
		return k
	}
	x := sum.Float64s()
	for i, v := range k.Float64s() {
		x[i] += v
	}
	return sum
}

// histogramLevel compares graphs by an assignment: rows of omega times the number of vertices below each node of
// the hierarchy (Eq. 9).
type histogramLevel struct {
	*engine.Sparse
	omega []float64 // of the columns
}

// newHistogramLevel counts the vertices of each graph in a hierarchy with the given leaves of the points of s.
func newHistogramLevel(s *state, h *hierarchy, omega []float64, leaf []int32) histogramLevel {
	out := &engine.Sparse{Cols: len(omega), RowPtr: make([]int32, 1, s.batch.NumGraphs()+1), Values: []float64{}}
	tally := newTally(h, omega)
	for g := range s.batch.NumGraphs() {
		from, to := s.batch.Vertices(g)
		for _, c := range s.class[from:to] {
			tally.add(leaf[c])
		}
		tally.each(func(node, count int32) {
			out.Col, out.Values = append(out.Col, node), append(out.Values, omega[node]*float64(count))
		})
		out.RowPtr = append(out.RowPtr, int32(len(out.Col)))
	}
	return histogramLevel{out, omega}
}

// count returns the number of vertices behind an entry.
func (l histogramLevel) count(e int) int32 { return int32(math.Round(l.Values[e] / l.omega[l.Col[e]])) }

func (l histogramLevel) cross(e engine.Engine, other level) (*tensor.Dense, error) {
	b := other.(histogramLevel)
	if l.Rows() == 0 || b.Rows() == 0 {
		return e.Host().New(tensor.Float64, l.Rows(), b.Rows()), nil
	}
	out := e.Scratch(tensor.Float64, l.Rows(), b.Rows())
	if err := e.HistogramIntersection(out, l.Sparse, b.Sparse); err != nil {
		return nil, err
	}
	return takeHome(e, out)
}

// takeHome returns a tensor in host memory and gives its memory on a device back.
func takeHome(e engine.Engine, t *tensor.Dense) (*tensor.Dense, error) {
	home, err := engine.ToHost(t)
	if home != t {
		e.Release(t)
	}
	return home, err
}

func (l histogramLevel) self() []float64 {
	sums := make([]float64, l.Rows())
	for i := range sums {
		for _, v := range l.Values[l.RowPtr[i]:l.RowPtr[i+1]] {
			sums[i] += v
		}
	}
	return sums
}

func (l histogramLevel) some(graphs []int) level {
	out := &engine.Sparse{Cols: l.Cols, RowPtr: make([]int32, 1, len(graphs)+1), Values: []float64{}}
	for _, g := range graphs {
		out.Col = append(out.Col, l.Col[l.RowPtr[g]:l.RowPtr[g+1]]...)
		out.Values = append(out.Values, l.Values[l.RowPtr[g]:l.RowPtr[g+1]]...)
		out.RowPtr = append(out.RowPtr, int32(len(out.Col)))
	}
	return histogramLevel{out, l.omega}
}

// classesByGraph returns the sorted classes of the vertices of each graph.
func (s *state) classesByGraph() *lists {
	l := &lists{start: s.batch.Offsets, items: slices.Clone(s.class)}
	for g := range l.len() {
		slices.Sort(l.at(g))
	}
	return l
}
