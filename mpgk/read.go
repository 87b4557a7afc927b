package mpgk

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// reader reads tensors of a file and keeps the first error.
type reader struct {
	file *modelfile.File
	err  error
}

// floats returns a list of numbers; a tensor that is not there is an empty list.
func (r *reader) floats(name string) []float64 {
	x := r.file.Take(name)
	if x == nil || r.err != nil {
		return nil
	}
	if x.Dims() != 1 || x.Dtype() != tensor.Float64 {
		r.err = damaged("%s is no list of numbers", name)
		return nil
	}
	return x.Float64s()
}

// numbers returns a list of whole numbers from low to high.
func (r *reader) numbers(name string, low, high int) []int {
	var out []int
	for _, v := range r.floats(name) {
		if !(v >= float64(low) && v <= float64(high)) || v != math.Trunc(v) {
			r.err = damaged("%s holds %g, want whole numbers from %d to %d", name, v, low, high)
			return nil
		}
		out = append(out, int(v))
	}
	return out
}

// ints is numbers in 32 bits, of a given length; -1 is any length.
func (r *reader) ints(name string, length, low, high int) []int32 {
	wide := r.numbers(name, low, high)
	if r.err == nil && length >= 0 && len(wide) != length {
		r.err = damaged("%s has %d entries, want %d", name, len(wide), length)
	}
	out := make([]int32, len(wide))
	for i, v := range wide {
		out[i] = int32(v)
	}
	return out
}

// ascending wants a list that starts at 0, does not fall and ends at last; -1 is any end.
func (r *reader) ascending(name string, x []int32, last int) {
	if r.err == nil && (len(x) == 0 || x[0] != 0 || !slices.IsSorted(x) || last >= 0 && int(x[len(x)-1]) != last) {
		r.err = damaged("%s does not ascend from 0 to its end", name)
	}
}

// batch returns the graphs that the model was fitted on.
func (r *reader) batch(in Input) *graph.Batch {
	b := &graph.Batch{Directed: true, Offsets: r.ints(nameOffsets, -1, 0, math.MaxInt32)}
	r.ascending(nameOffsets, b.Offsets, -1)
	if r.err != nil {
		return b
	}
	n := int(b.Offsets[len(b.Offsets)-1])
	b.RowPtr = r.ints(nameRows, n+1, 0, math.MaxInt32)
	b.Col = r.ints(nameArcs, -1, 0, max(n-1, 0))
	r.ascending(nameRows, b.RowPtr, len(b.Col))
	for g := 0; g < b.NumGraphs() && r.err == nil; g++ {
		from, to := b.Vertices(g)
		for _, u := range b.Col[b.RowPtr[from]:b.RowPtr[to]] {
			if u < from || u >= to {
				r.err = damaged("an arc of graph %d leads to vertex %d of another", g, u)
			}
		}
	}
	if n == 0 && r.err == nil {
		r.err = damaged("its graphs have no vertices")
	}
	switch {
	case in.Attributes > 0:
		b.AttributeDim, b.Attributes = in.Attributes, r.floats(nameAttributes)
		if r.err == nil && (len(b.Attributes)%in.Attributes != 0 || len(b.Attributes)/in.Attributes != n) {
			r.err = damaged("%d attributes of %d vertices", len(b.Attributes), n)
		}
		if r.err == nil && in.check(b) != nil {
			r.err = modelfile.Damaged(in.check(b))
		}
	case in.Labels > 0:
		b.NumLabels, b.Labels = in.Labels, r.ints(nameLabels, n, 0, in.Labels)
	}
	return b
}

// storedIteration is what a file holds of an iteration.
type storedIteration struct {
	hierarchy *hierarchy
	leaves    []int32 // of the vertices
	strays    []int32
	landmarks []int32 // vertices
}

func (r *reader) iteration(t int, o *Options, b *graph.Batch) storedIteration {
	var s storedIteration
	if r.err != nil {
		return s
	}
	n := b.NumVertices()
	s.landmarks = r.ints(fmt.Sprintf(nameLandmarks, t), -1, 0, n-1)
	if r.err == nil && (o.Landmarks > 0 && t > 0) != (len(s.landmarks) > 0) {
		r.err = damaged("%d landmarks of iteration %d", len(s.landmarks), t)
	}
	if !o.grows(t) || r.err != nil {
		return s
	}
	parents := r.ints(fmt.Sprintf(nameParents, t), -1, -1, math.MaxInt32)
	if s.hierarchy = r.hierarchy(parents, o); r.err != nil {
		return s
	}
	first, past := s.hierarchy.children()
	s.leaves = r.ints(fmt.Sprintf(nameLeaves, t), n, 0, len(parents)-1)
	for _, l := range s.leaves {
		if first[l] != past[l] && r.err == nil {
			r.err = damaged("vertices are at node %d of iteration %d, which is no leaf", l, t)
		}
	}
	s.strays = r.ints(fmt.Sprintf(nameStrays, t), -1, 0, max(n, len(parents))-1)
	if r.err == nil && len(s.strays)%3 != 0 {
		r.err = damaged("strays of iteration %d", t)
	}
	for i := 0; i+2 < len(s.strays) && r.err == nil; i += 3 {
		node, vertex, child := int(s.strays[i]), int(s.strays[i+1]), s.strays[i+2]
		if node >= len(parents) || vertex >= n || child < first[node] || child >= past[node] {
			r.err = damaged("stray %d of iteration %d", i/3, t)
		}
	}
	return s
}

// hierarchy checks that parents come level by level and have neither too many children nor too deep ones.
func (r *reader) hierarchy(parents []int32, o *Options) *hierarchy {
	if len(parents) == 0 || parents[0] != -1 {
		r.err = damaged("a hierarchy has no root")
		return nil
	}
	for i := 1; i < len(parents); i++ {
		if parents[i] < max(parents[i-1], 0) || int(parents[i]) >= i {
			r.err = damaged("node %d of a hierarchy has the parent %d", i, parents[i])
			return nil
		}
	}
	h := newHierarchy(parents)
	first, past := h.children()
	for i := range parents {
		if int(h.depth[i]) > o.Depth || int(past[i]-first[i]) > o.Branching {
			r.err = damaged("node %d of a hierarchy has depth %d and %d children", i, h.depth[i], past[i]-first[i])
			return nil
		}
	}
	return h
}

// replayer puts the vertices of Fit where the file says they were.
type replayer struct {
	*Model
	stored []storedIteration
}

func (r replayer) leaves(_ context.Context, t int, s *state) ([]int32, error) {
	from := &r.stored[t]
	h := &fittedHierarchy{hierarchy: from.hierarchy, leaf: make([]int32, s.len())}
	for v, c := range s.class {
		h.leaf[c] = from.leaves[v]
	}
	for i := 0; i < len(from.strays); i += 3 {
		h.strays = append(h.strays, stray{from.strays[i], s.class[from.strays[i+1]], from.strays[i+2]})
	}
	r.setHierarchy(t, s, h)
	return h.leaf, nil
}

func (r replayer) landmarks(t int, s *state) (*vertexMap, error) {
	var marks []int32
	for _, v := range r.stored[t].landmarks {
		marks = append(marks, s.class[v])
	}
	slices.Sort(marks)
	return r.setLandmarks(t, s, slices.Compact(marks))
}
