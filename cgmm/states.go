package cgmm

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"gorgonia.org/tensor"
)

// States are the hidden states of the vertices of a batch in the layers of a model.
type States struct {
	batch      *graph.Batch
	shown      *observations
	neighbours *neighbours
	layers     []*assignment
}

// newStates reads what a model wants of a batch; layers are added one by one.
func newStates(in *Input, s standard, b *graph.Batch) (*States, error) {
	shown, err := in.observe(b)
	if err != nil {
		return nil, err
	}
	s.apply(shown)
	n, err := in.neighbours(b)
	if err != nil {
		return nil, err
	}
	return &States{batch: b, shown: shown, neighbours: n}, nil
}

// contexts returns what a layer on top of the given ones sees.
func (s *States) contexts(previous []int, arcs int, soft bool) (*contexts, error) {
	if len(previous) == 0 {
		return withoutContext(s.shown), nil
	}
	return gather(s.shown, s.neighbours, arcs, s.at(previous), soft)
}

// at returns what some layers say.
func (s *States) at(layers []int) (all []*assignment) {
	for _, l := range layers {
		all = append(all, s.layers[l])
	}
	return all
}

// add infers the states of the next layer.
func (s *States) add(e engine.Engine, y *layer, soft bool) error {
	c, err := s.contexts(y.previous, y.arcs, soft)
	if err != nil {
		return err
	}
	a, err := y.assign(e, s.shown, c)
	if err != nil {
		return err
	}
	s.layers = append(s.layers, a)
	return nil
}

// Layers returns the number of layers.
func (s *States) Layers() int { return len(s.layers) }

// NumStates returns the number of states C of a layer.
func (s *States) NumStates(layer int) int { return s.layers[layer].states }

// Of returns the most likely state of every vertex in a layer, counted from 0 (Eqs. 4 and 5).
func (s *States) Of(layer int) []int32 {
	a := s.layers[layer]
	states := make([]int32, len(a.of))
	for v, r := range a.of {
		states[v] = a.state[r]
	}
	return states
}

// Posterior returns P(Q_u=i) of vertex u in a layer, given what it shows and its context. It is part of the
// states.
func (s *States) Posterior(layer int, u int32) []float64 {
	a := s.layers[layer]
	r := int(a.of[u])
	return a.posterior[r*a.states : (r+1)*a.states]
}

// Dim returns the columns of a fingerprint.
func (s *States) Dim(f Fingerprint) int {
	return f.dim(len(s.layers), s.NumStates)
}

// Fingerprints returns the fingerprint of every graph, NumGraphs x [States.Dim]. A graph without vertices
// has zeros.
func (s *States) Fingerprints(f Fingerprint) (*tensor.Dense, error) {
	graphs := s.batch.NumGraphs()
	out, dim, err := s.table("fingerprints", graphs, f)
	if err != nil {
		return nil, err
	}
	for g := range graphs {
		from, to := s.batch.Vertices(g)
		row := out[g*dim : (g+1)*dim]
		for v := from; v < to; v++ {
			s.addVertex(row, v, f, 1, 1)
		}
		if f.Frequencies {
			s.divide(row, f, float64(to-from), float64(s.neighbours.ptr[to]-s.neighbours.ptr[from]))
		}
	}
	return tensor.New(tensor.WithShape(graphs, dim), tensor.WithBacking(out)), nil
}

// VertexFeatures returns the share of every vertex in the fingerprint of its graph, NumVertices x [States.Dim]:
// the rows of the vertices of a graph add up to its fingerprint.
func (s *States) VertexFeatures(f Fingerprint) (*tensor.Dense, error) {
	out, dim, err := s.table("features of vertices", s.batch.NumVertices(), f)
	if err != nil {
		return nil, err
	}
	for g := range s.batch.NumGraphs() {
		from, to := s.batch.Vertices(g)
		one, pair := 1.0, 1.0
		if f.Frequencies {
			one = 1 / float64(to-from)
			pair = 1 / float64(max(s.neighbours.ptr[to]-s.neighbours.ptr[from], 1))
		}
		for v := from; v < to; v++ {
			s.addVertex(out[int(v)*dim:int(v+1)*dim], v, f, one, pair)
		}
	}
	return tensor.New(tensor.WithShape(s.batch.NumVertices(), dim), tensor.WithBacking(out)), nil
}

// table returns the numbers of so many rows of a fingerprint, zeros, and its columns.
func (s *States) table(what string, rows int, f Fingerprint) (numbers []float64, dim int, err error) {
	if err := f.Check(max(len(s.layers), f.Depth)); err != nil {
		return nil, 0, err
	}
	dim = s.Dim(f)
	if err := memory.ForMatrices(what, 1, rows, dim); err != nil {
		return nil, 0, err
	}
	return make([]float64, rows*dim), dim, nil
}

// addVertex adds what a vertex counts for: one in the column of its state, and pair in that of its and each
// neighbour's state.
func (s *States) addVertex(row []float64, v int32, f Fingerprint, one, pair float64) {
	n := s.neighbours
	from, to := f.span(len(s.layers))
	for l := from; l < to; l++ {
		a := s.layers[l]
		block := row[:f.width(a.states)]
		row = row[len(block):]
		if f.Soft {
			s.addSoft(block, l, v, f.Bigrams, one, pair)
			continue
		}
		i := int(a.stateOf(v))
		block[i] += one
		if f.Bigrams {
			for _, w := range n.tail[n.ptr[v]:n.ptr[v+1]] {
				block[a.states+i*a.states+int(a.stateOf(w))] += pair
			}
		}
	}
}

func (s *States) addSoft(block []float64, l int, v int32, bigrams bool, one, pair float64) {
	n, states, own := s.neighbours, s.layers[l].states, s.Posterior(l, v)
	for i, p := range own {
		block[i] += one * p
	}
	if !bigrams {
		return
	}
	for _, w := range n.tail[n.ptr[v]:n.ptr[v+1]] {
		other := s.Posterior(l, w)
		for i, p := range own {
			if p == 0 {
				continue
			}
			to := block[states+i*states:]
			for j, q := range other {
				to[j] += pair * p * q
			}
		}
	}
}

// divide turns the counts of a graph into frequencies.
func (s *States) divide(row []float64, f Fingerprint, vertices, arcs float64) {
	from, to := f.span(len(s.layers))
	for _, a := range s.layers[from:to] {
		for c := range f.width(a.states) {
			switch {
			case row[c] == 0:
			case c < a.states:
				row[c] /= vertices
			default:
				row[c] /= arcs
			}
		}
		row = row[f.width(a.states):]
	}
}

// ClassMeans returns the mean frequency of every state of a layer over the graphs of each class, numClasses
// x C (the paper's figure 5). A class without graphs has zeros. classes holds the class of every graph; one
// that is negative counts for none.
func (s *States) ClassMeans(layer int, classes []int, numClasses int) ([]float64, error) {
	if len(classes) != s.batch.NumGraphs() {
		return nil, fmt.Errorf("%d classes for %d graphs", len(classes), s.batch.NumGraphs())
	}
	a := s.layers[layer]
	sums, graphs := make([]float64, numClasses*a.states), make([]float64, numClasses)
	for g, class := range classes {
		if class >= numClasses {
			return nil, fmt.Errorf("graph %d has class %d of %d", g, class, numClasses)
		}
		from, to := s.batch.Vertices(g)
		if class < 0 || from == to {
			continue
		}
		graphs[class]++
		for v := from; v < to; v++ {
			sums[class*a.states+int(a.stateOf(v))] += 1 / float64(to-from)
		}
	}
	for c := range sums {
		if n := graphs[c/a.states]; n > 0 {
			sums[c] /= n
		}
	}
	return sums, nil
}
