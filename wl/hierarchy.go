package wl

import (
	"slices"

	"github.com/grove-graph/grove/parallel"
)

// hierarchy is the tree of all colours over some objects (graphs) as a family of kernels (package mkl): the kernel
// of a colour is min(a_i, a_j), for a_i occurrences in object i, and that of a group of colours is the sum of
// theirs. Since min(a_i, a_j) = sum_l [a_i >= l][a_j >= l], a product with a vector z and a quadratic form need
// the sums S_l of z over the objects with a_i >= l alone: both are linear in the entries, and no kernel matrix
// is made.
//
// Most colours occur just where another one does, as the only child of its parent. Nodes that occur alike
// share a shape, and work is done for each shape once.
type hierarchy struct {
	objects int
	shape   []int32 // of each node
	nodes   []int32 // with each shape
	entries []posting
	ptr     []int     // of each shape in entries, which descend by count; graph is an object
	root    []float64 // factor of each object, for normalised kernels; nil: ones
	group   []int32   // group of each shape, -1 for none; nil: each node is a kernel of its own
	groups  int
	cuts    []int // shapes at which sections begin, and the number of shapes
	workers int
}

// sectionEntries is the number of entries of a piece of parallel work, which does not depend on the workers.
const sectionEntries = 1 << 16

// newHierarchy returns the tree of the colours of an inverted index of every round over the given graphs, which are
// the objects 0, 1, .... Nodes are numbered round by round.
func newHierarchy(rounds []*index, graphs []int, numGraphs, workers int) *hierarchy {
	t := &hierarchy{objects: len(graphs), workers: workers}
	object := slices.Repeat([]int32{-1}, numGraphs)
	for i, g := range graphs {
		object[g] = int32(i)
	}
	shapes := newDictionary()
	var node []uint64 // its entries, packed
	for _, x := range rounds {
		for c := range int32(len(x.ptr) - 1) {
			node = node[:0]
			for _, p := range x.of(c) {
				if i := object[p.graph]; i >= 0 {
					node = append(node, uint64(i)<<32|uint64(p.count))
				}
			}
			s := shapes.number(node, hash(node))
			if t.shape = append(t.shape, s); int(s) == len(t.nodes) {
				t.nodes = append(t.nodes, 0)
			}
			t.nodes[s]++
		}
	}
	t.ptr = shapes.start
	t.entries = make([]posting, len(shapes.items))
	for e, item := range shapes.items {
		t.entries[e] = posting{int32(item >> 32), int32(item & numberMask)}
	}
	for s := range t.nodes {
		descend(t.of(s))
	}
	t.cut()
	return t
}

// descend sorts postings by descending count.
func descend(entries []posting) {
	slices.SortStableFunc(entries, func(a, b posting) int { return int(b.count) - int(a.count) })
}

// cut divides the shapes into sections of similar work.
func (t *hierarchy) cut() {
	t.cuts = []int{0}
	for s := range t.nodes {
		if t.ptr[s+1]-t.ptr[t.cuts[len(t.cuts)-1]] >= sectionEntries {
			t.cuts = append(t.cuts, s+1)
		}
	}
	t.cuts = append(t.cuts, len(t.nodes))
}

// of returns the entries of a shape.
func (t *hierarchy) of(shape int) []posting { return t.entries[t.ptr[shape]:t.ptr[shape+1]] }

// Objects implements [mkl.Family].
func (t *hierarchy) Objects() int { return t.objects }

// Kernels implements [mkl.Family].
func (t *hierarchy) Kernels() int {
	if t.group == nil {
		return len(t.shape)
	}
	return t.groups
}

// kernelOf returns the kernel that a node belongs to, or -1.
func (t *hierarchy) kernelOf(node int) int32 {
	if t.group == nil {
		return int32(node)
	}
	return t.group[t.shape[node]]
}

// level is a run of equal counts within the entries of a shape; sum is that of z over the entries up to end.
type level struct {
	sum float64
	end int
}

// levels appends the levels of descending entries for z.
func levels(to []level, entries []posting, z []float64) []level {
	sum := 0.0
	for e, p := range entries {
		sum += z[p.graph]
		if e+1 == len(entries) || entries[e+1].count != p.count {
			to = append(to, level{sum, e + 1})
		}
	}
	return to
}

// Sum implements [mkl.Family].
func (t *hierarchy) Sum(weights []float64) func(dst, z []float64) {
	total := make([]float64, len(t.nodes)) // weight of all nodes with a shape
	for node, s := range t.shape {
		if k := t.kernelOf(node); weights == nil {
			total[s]++
		} else if k >= 0 {
			total[s] += weights[k]
		}
	}
	sections := len(t.cuts) - 1
	partial := make([]float64, sections*t.objects)
	return func(dst, z []float64) {
		z = t.rooted(z)
		clear(partial)
		parallel.Each(t.workers, sections, func() func(int) {
			var runs []level
			return func(i int) {
				sum := partial[i*t.objects : (i+1)*t.objects]
				for s := t.cuts[i]; s < t.cuts[i+1]; s++ {
					if total[s] != 0 {
						runs = addProduct(sum, z, total[s], t.of(s), runs)
					}
				}
			}
		})
		clear(dst)
		for i := range sections {
			for o, v := range partial[i*t.objects : (i+1)*t.objects] {
				dst[o] += v
			}
		}
		for i, r := range t.root {
			dst[i] *= r
		}
	}
}

// addProduct adds w K z to dst for the kernel K of descending entries. runs is scratch space, which it returns.
func addProduct(dst, z []float64, w float64, entries []posting, runs []level) []level {
	if len(entries) == 1 {
		p := entries[0]
		dst[p.graph] += w * float64(p.count) * z[p.graph]
		return runs
	}
	runs = levels(runs[:0], entries, z)
	value, below := 0.0, int32(0)
	for r := len(runs) - 1; r >= 0; r-- {
		from := 0
		if r > 0 {
			from = runs[r-1].end
		}
		count := entries[from].count
		value += w * runs[r].sum * float64(count-below)
		below = count
		for _, p := range entries[from:runs[r].end] {
			dst[p.graph] += value
		}
	}
	return runs
}

// rooted returns z times the factors of the objects.
func (t *hierarchy) rooted(z []float64) []float64 {
	if t.root == nil {
		return z
	}
	scaled := make([]float64, len(z))
	for i, r := range t.root {
		scaled[i] = r * z[i]
	}
	return scaled
}

// QuadraticForms implements [mkl.Family].
func (t *hierarchy) QuadraticForms(dst, z []float64) {
	z = t.rooted(z)
	t.perShape(dst, func(entries []posting) float64 {
		sum, form := 0.0, 0.0
		for e, p := range entries {
			sum += z[p.graph]
			below := int32(0)
			if e+1 < len(entries) {
				below = entries[e+1].count
			}
			form += sum * sum * float64(p.count-below)
		}
		return form
	})
}

// MeanDiagonals implements [mkl.Family].
func (t *hierarchy) MeanDiagonals(dst []float64) {
	t.perShape(dst, func(entries []posting) float64 {
		trace := 0.0
		for _, p := range entries {
			v := float64(p.count)
			if t.root != nil {
				v *= t.root[p.graph] * t.root[p.graph]
			}
			trace += v
		}
		return trace / float64(t.objects)
	})
}

// perShape sets every kernel to the sum of the values of the shapes of its nodes.
func (t *hierarchy) perShape(dst []float64, value func(entries []posting) float64) {
	values := make([]float64, len(t.nodes))
	parallel.For(t.workers, len(t.cuts)-1, func(i int) {
		for s := t.cuts[i]; s < t.cuts[i+1]; s++ {
			values[s] = value(t.of(s))
		}
	})
	clear(dst)
	for node, s := range t.shape {
		if k := t.kernelOf(node); k >= 0 {
			dst[k] += values[s]
		}
	}
}
