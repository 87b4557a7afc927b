package engine

import "errors"

// CheckGrow returns what is wrong with the features of trees.
func CheckGrow(f *TreeFeatures) error {
	ck := checks{op: "Grow"}
	vectors := 1 + len(f.Matrices)*f.Length
	n := f.Vertices()
	for i, b := range f.Blocks {
		if !ck.dims("vectors", b.Vectors, 3) {
			return ck.err
		}
		ck.shape("vectors", b.Vectors, vectors, n, len(b.Features))
		ck.double(b.Vectors)
		ck.that(b.Shifts == nil || len(b.Shifts) == len(b.Features), "block %d: %d shifts for %d features", i,
			len(b.Shifts), len(b.Features))
	}
	for i, a := range f.Matrices {
		ck.that(a.Rows() == n && a.Cols == n, "matrix %d is %d x %d for %d vertices", i, a.Rows(), a.Cols, n)
	}
	ck.that(f.Offsets == nil || len(f.Aggregations) > 0, "graphs without aggregations")
	ck.that(f.Impurity >= Variance && f.Impurity <= Entropy, "impurity %d", f.Impurity)
	if f.Draws != nil {
		ck.that(len(f.Draws.Aggregations) == f.Kinds() && len(f.Draws.Features) >= f.Features(),
			"%d streams of aggregations and %d of features, want %d and %d", len(f.Draws.Aggregations),
			len(f.Draws.Features), f.Kinds(), f.Features())
	}
	return ck.err
}

// CheckPlant returns what is wrong with the examples of a tree.
func CheckPlant(f *TreeFeatures, t *TreeExamples) error {
	ck := checks{op: "Plant"}
	limit, m := f.Vertices(), len(t.Examples)
	if f.Offsets != nil {
		limit = len(f.Offsets) - 1
	}
	ck.within(t.Examples, limit, "entry %d of the examples is example %d of %d")
	ck.that(t.Bins >= 0, "%d bins", t.Bins)
	s := &SplitSearch{Nodes: []int32{0, int32(m)}, Examples: t.Examples, Weights: t.Weights, Targets: t.Values,
		Classes: t.Classes, Number: f.Number, Impurity: f.Impurity}
	ck.examples(s)
	if s.Bins = t.Bins; s.Bins > 0 {
		ck.weights(s)
	}
	return ck.err
}

// CheckLevel returns what is wrong with a level of a tree that was planted with so many examples, -1 where none was.
func CheckLevel(f *TreeFeatures, examples int, l *Level) error {
	if examples < 0 {
		return errors.New("Split: no tree is planted")
	}
	ck := checks{op: "Split"}
	for i, node := range l.Nodes {
		ck.that(0 <= node.From && node.From <= node.To && node.To <= examples && node.Depth >= 0,
			"node %d has examples %d to %d of %d below %d splits", i, node.From, node.To, examples, node.Depth)
	}
	features := f.Features()
	for i, mask := range l.Masks {
		ck.that(len(mask) == features, "mask %d has %d entries for %d features", i, len(mask), features)
	}
	vectors, factors, n, last := 1+len(f.Matrices)*f.Length, 0, f.Vertices(), int32(0)
	if n > 0 && f.Factors != nil {
		factors = f.Factors.Shape().TotalSize() / n
	}
	for i, s := range l.Searches {
		ck.that(s.Node >= last && int(s.Node) < len(l.Nodes), "search %d: node %d of %d after node %d", i, s.Node,
			len(l.Nodes), last)
		last = s.Node
		ck.that(s.Vector >= 0 && int(s.Vector) < vectors, "search %d: vector %d of %d", i, s.Vector, vectors)
		ck.that(int(s.Factor) < factors, "search %d: factor %d of %d", i, s.Factor, factors)
		ck.that(s.Over >= Within && s.Over <= Everywhere, "search %d: entries %d", i, s.Over)
		ck.that(l.Masks == nil || s.Mask >= 0 && int(s.Mask) < len(l.Masks), "search %d: mask %d of %d", i, s.Mask,
			len(l.Masks))
		ck.that(s.Steps == 0 || s.Steps > 0 && s.Steps <= f.Length && s.Subset >= 0 && s.Matrix >= 0 &&
			s.Matrix < len(f.Matrices), "search %d: %d steps of %d along matrix %d of %d from subset %d", i, s.Steps,
			f.Length, s.Matrix, len(f.Matrices), s.Subset)
	}
	return ck.err
}
