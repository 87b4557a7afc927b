package engine

import (
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// Trees are fitted trees of TREE-G, through which examples are sent.
type Trees struct {
	Offsets  []int32       // as in [SplitSearch]
	Matrices []*Sparse     // of steps of walks, n x n
	Factors  *tensor.Dense // as in [SplitSearch]
	Shifts   []float64     // as in [Subsets], for each feature

	Roots []int32 // of the trees, in Nodes, ascending
	Nodes []TreeNode
}

// TreeNode is a node of a tree. Of its split [Search] says what is looked at: Vector is the feature, and Subset is 2r
// for the vertices above the threshold of the split of node r, an ancestor, and 2r+1 for those below it.
type TreeNode struct {
	Search
	Steps, Matrix int  // of walks of the feature; 0 steps: none
	All           bool // they begin in all vertices, else in the subset
	Aggregation   Aggregation
	Threshold     float64
	MissingAbove  bool  // a missing value counts as above the threshold
	Below, Above  int32 // children, which come after the node; 0: a leaf
}

// Leaf reports whether the node has no children.
func (n *TreeNode) Leaf() bool { return n.Below == 0 }

// exceeded reports whether a value counts as above a threshold.
func (n *TreeNode) exceeded(value, threshold float64) bool {
	return value > threshold || value != value && n.MissingAbove
}

// Examples returns the number of examples, x being the features.
func (t *Trees) Examples(x *tensor.Dense) int {
	if t.Offsets == nil {
		return x.Shape()[1]
	}
	return len(t.Offsets) - 1
}

// CheckDescend returns what is wrong with the arguments of Descend.
func CheckDescend(leaves []int32, x *tensor.Dense, t *Trees) error {
	ck := checks{op: "Descend"}
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	ck.double(x)
	features, n := x.Shape()[0], x.Shape()[1]
	if t.Offsets != nil {
		last := max(len(t.Offsets)-1, 0)
		ck.that(len(t.Offsets) > 0 && int(t.Offsets[last]) == n, "graphs of other vertices than %d", n)
	}
	ck.that(t.Shifts == nil || len(t.Shifts) == features, "%d shifts for %d features", len(t.Shifts), features)
	for i, a := range t.Matrices {
		ck.that(a.Rows() == n && a.Cols == n, "matrix %d is %d x %d for %d vertices", i, a.Rows(), a.Cols, n)
	}
	if ck.err != nil {
		return ck.err
	}
	want := t.Examples(x) * len(t.Roots)
	ck.that(len(leaves) == want, "%d leaves, want one for each of %d examples and trees", len(leaves), want)
	factors := 0
	if n > 0 && t.Factors != nil {
		factors = t.Factors.Shape().TotalSize() / n
	}
	tree := -1
	for i := range t.Nodes {
		if tree+1 < len(t.Roots) && int(t.Roots[tree+1]) == i {
			tree++
		}
		ck.node(t, i, tree, features, factors)
	}
	ck.that(tree == len(t.Roots)-1, "%d roots in %d nodes", len(t.Roots), len(t.Nodes))
	return ck.err
}

// node wants a leaf, or a split of a feature that exists by a node of the same tree.
func (c *checks) node(t *Trees, i, tree, features, factors int) {
	n := &t.Nodes[i]
	c.that(tree >= 0, "node %d is of no tree", i)
	if c.err != nil || n.Leaf() {
		return
	}
	end := len(t.Nodes)
	if tree+1 < len(t.Roots) {
		end = int(t.Roots[tree+1])
	}
	for _, child := range []int32{n.Below, n.Above} {
		c.that(int(child) > i && int(child) < end, "node %d has the child %d, want one after it in its tree", i, child)
	}
	c.that(n.Vector >= 0 && int(n.Vector) < features && int(n.Factor) < factors,
		"node %d: feature %d of %d, factor %d of %d", i, n.Vector, features, n.Factor, factors)
	c.that(n.Subset < 0 || n.Subset/2 >= t.Roots[tree] && int(n.Subset/2) < i, "node %d: subset %d", i, n.Subset)
	c.that(n.Steps >= 0 && (n.Steps == 0 || n.Matrix >= 0 && n.Matrix < len(t.Matrices)),
		"node %d: %d steps along matrix %d of %d", i, n.Steps, n.Matrix, len(t.Matrices))
	c.that(n.Over >= Within && n.Over <= Everywhere && n.Aggregation >= SumOf && n.Aggregation <= MaxOf,
		"node %d: entries %d, aggregation %d", i, n.Over, n.Aggregation)
}

// Descend implements [Engine].
func (e *CPU) Descend(leaves []int32, x *tensor.Dense, t *Trees) error {
	return descendOnHost(leaves, x, t, e.workers)
}

// Descend implements [Engine].
func (Reference) Descend(leaves []int32, x *tensor.Dense, t *Trees) error {
	return descendOnHost(leaves, x, t, 1)
}

func descendOnHost(leaves []int32, x *tensor.Dense, t *Trees, workers int) error {
	if err := CheckDescend(leaves, x, t); err != nil {
		return err
	}
	n, examples := x.Shape()[1], t.Examples(x)
	graphs := t.Offsets
	if graphs == nil {
		graphs = []int32{0, int32(n)}
	}
	parallel.For(workers, len(t.Roots)*(len(graphs)-1), func(item int) {
		tree, graph := item/(len(graphs)-1), item%(len(graphs)-1)
		d := &descent{Trees: t, n: n, x: x.Float64s(), factors: data[float64](t.Factors), first: int(graphs[graph]),
			last: int(graphs[graph+1]), leaves: leaves[tree*examples : (tree+1)*examples], sides: map[int32][]uint8{}}
		of := []int32{int32(graph)}
		if t.Offsets == nil {
			of = of[:0]
			for v := range int32(n) {
				of = append(of, v)
			}
		}
		d.send(t.Roots[tree], of)
	})
	return nil
}

// descent sends examples of one graph, or the vertices of all, through one tree.
type descent struct {
	*Trees
	n, first, last int // vertices
	x, factors     []float64
	leaves         []int32
	sides          map[int32][]uint8 // of the nodes above, as in Subsets
}

// in reports whether a vertex is in a subset.
func (d *descent) in(subset int32, v int) bool {
	return subset < 0 || d.sides[subset/2][v-d.first]>>(subset%2)&1 != 0
}

// send sends examples to the leaves below a node.
func (d *descent) send(at int32, examples []int32) {
	n := &d.Nodes[at]
	if n.Leaf() || len(examples) == 0 {
		for _, i := range examples {
			d.leaves[i] = at
		}
		return
	}
	v := d.vector(n)
	value, size := d.value(n, v)
	bound := n.Threshold
	if d.Offsets != nil && n.Aggregation == SumOf {
		bound /= float64(size)
	}
	sides := make([]uint8, d.last-d.first)
	for j := range sides {
		switch {
		case !d.in(n.Subset, d.first+j):
		case n.exceeded(v[j], bound):
			sides[j] = 1
		default:
			sides[j] = 2
		}
	}
	d.sides[at] = sides
	var lists [2][]int32
	for _, i := range examples {
		up := 0
		if d.Offsets == nil {
			value = v[i]
		}
		if n.exceeded(value, n.Threshold) {
			up = 1
		}
		lists[up] = append(lists[up], i)
	}
	d.send(n.Below, lists[0])
	d.send(n.Above, lists[1])
}

// vector returns the entries of a split.
func (d *descent) vector(n *TreeNode) []float64 {
	shift, x := shiftOf(d.Shifts, int(n.Vector)), d.x[int(n.Vector)*d.n:][d.first:d.last]
	for step := range n.Steps {
		y, a := make([]float64, len(x)), d.Matrices[n.Matrix]
		for i := range y {
			for p := a.RowPtr[d.first+i]; p < a.RowPtr[d.first+i+1]; p++ {
				j := int(a.Col[p])
				if value := x[j-d.first]; value == value && (step > 0 || n.All || d.in(n.Subset, j)) {
					y[i] += round(a.value(p)*value, shift)
				}
			}
		}
		x = y
	}
	out := make([]float64, len(x))
	for i, value := range x {
		switch {
		case n.Over != Everywhere && !d.in(n.Subset, d.first+i):
		case n.Factor >= 0:
			out[i] = round(d.factors[int(n.Factor)*d.n+d.first+i]*value, shift)
		default:
			out[i] = value
		}
	}
	return out
}

// value aggregates the entries of a graph, and returns the size of the subset.
func (d *descent) value(n *TreeNode, v []float64) (value float64, size int) {
	var entries []float64
	for i, x := range v {
		in := d.in(n.Subset, d.first+i)
		if in {
			size++
		}
		if x == x && (in || n.Over != Within) {
			entries = append(entries, x)
		}
	}
	if size == 0 {
		return n.Empty, 0
	}
	return aggregate(entries, n.Aggregation), size
}
