package engine

import (
	"fmt"

	"gorgonia.org/tensor"
)

// checks collects the first mismatch of an operation's arguments.
type checks struct {
	op  string
	err error
}

func (c *checks) that(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf("%s: %s", c.op, fmt.Sprintf(format, args...))
	}
}

// shape wants t to have the given shape; nil tensors fail.
func (c *checks) shape(name string, t *tensor.Dense, want ...int) {
	if t == nil {
		c.that(false, "%s is nil", name)
		return
	}
	got := t.Shape()
	same := len(got) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = got[i] == want[i]
	}
	c.that(same, "%s has shape %v, want %v", name, got, want)
}

// dims wants t to have n dimensions.
func (c *checks) dims(name string, t *tensor.Dense, n int) bool {
	c.that(t != nil && t.Dims() == n, "%s must have %d dimensions", name, n)
	return c.err == nil
}

// float wants all tensors to share the dtype Float32 or Float64; nil ones are left out.
func (c *checks) float(tensors ...*tensor.Dense) {
	for _, t := range tensors {
		if t == nil {
			continue
		}
		c.that(t.Dtype() == tensor.Float32 || t.Dtype() == tensor.Float64, "dtype %v, want float32 or float64", t.Dtype())
		c.that(t.Dtype() == tensors[0].Dtype(), "dtypes %v and %v in one call", tensors[0].Dtype(), t.Dtype())
	}
}

func checkMatMul(c, a, b *tensor.Dense, opt MatMul) (m, n, k int, err error) {
	ck := checks{op: "MatMul"}
	if !ck.dims("A", a, 2) || !ck.dims("B", b, 2) {
		return 0, 0, 0, ck.err
	}
	m, k = a.Shape()[0], a.Shape()[1]
	if opt.TransA {
		m, k = k, m
	}
	kb, n := b.Shape()[0], b.Shape()[1]
	if opt.TransB {
		kb, n = n, kb
	}
	ck.that(k == kb, "inner dimensions %d and %d differ", k, kb)
	ck.shape("C", c, m, n)
	ck.float(c, a, b)
	return m, n, k, ck.err
}

func checkSparseMatMul(y *tensor.Dense, a *Sparse, x *tensor.Dense) error {
	ck := checks{op: "SparseMatMul"}
	if !ck.dims("X", x, 2) {
		return ck.err
	}
	ck.that(x.Shape()[0] == a.Cols, "A has %d columns, X has %d rows", a.Cols, x.Shape()[0])
	ck.shape("Y", y, len(a.RowPtr)-1, x.Shape()[1])
	ck.that(a.Values == nil || len(a.Values) == len(a.Col), "%d values for %d entries", len(a.Values), len(a.Col))
	ck.float(y, x)
	return ck.err
}

func checkNormalizeRows(dst, norms, x *tensor.Dense) error {
	ck := checks{op: "NormalizeRows"}
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	ck.shape("dst", dst, x.Shape()...)
	if norms != nil {
		ck.shape("norms", norms, x.Shape()[0])
	}
	ck.float(dst, x, norms)
	return ck.err
}

func checkPathPool(out []*tensor.Dense, scores, norms *tensor.Dense, p *PathPooling) (q int, err error) {
	ck := checks{op: "PathPool"}
	ck.that(p.Size >= 1, "path size %d, want at least 1", p.Size)
	if !ck.dims("scores", scores, 2) {
		return 0, ck.err
	}
	rows, cols := scores.Shape()[0], scores.Shape()[1]
	ck.that(cols%p.Size == 0, "%d score columns for paths of %d vertices", cols, p.Size)
	if ck.err != nil {
		return 0, ck.err
	}
	q = cols / p.Size
	lengths := len(p.Lengths())
	ck.that(len(out) == lengths, "%d outputs for %d lengths", len(out), lengths)
	ck.that(p.Roots == nil || len(p.Roots) == lengths, "roots of %d lengths, want %d", len(p.Roots), lengths)
	ck.that(p.Graph != nil || (p.Size == 1 && p.Index == nil && p.Roots == nil), "no graph")
	if ck.err != nil {
		return 0, ck.err
	}
	vertices := rows
	if p.Graph != nil {
		vertices = p.Graph.NumVertices()
		ck.that(p.Index != nil || rows == vertices, "%d score rows for %d vertices", rows, vertices)
		ck.that(p.Index == nil || len(p.Index) == vertices, "index of %d vertices, want %d", len(p.Index), vertices)
	}
	for i, o := range out {
		n := vertices
		if p.Roots != nil && p.Roots[i] != nil {
			n = len(p.Roots[i])
		}
		ck.shape("out", o, n, q)
		ck.float(scores, o)
	}
	if norms != nil {
		ck.shape("norms", norms, rows)
	}
	ck.float(scores, norms)
	return q, ck.err
}

func checkGram(out, z *tensor.Dense, allLengths bool) error {
	ck := checks{op: "Gram"}
	if !ck.dims("Z", z, 3) {
		return ck.err
	}
	lengths, q := 1, z.Shape()[1]
	if allLengths {
		lengths = z.Shape()[0]
	}
	ck.shape("out", out, lengths, q, q)
	ck.float(z)
	ck.that(out.Dtype() == tensor.Float64, "out has dtype %v, want float64", out.Dtype())
	return ck.err
}

func checkInvSqrt(dst, k *tensor.Dense) error {
	ck := checks{op: "InvSqrt"}
	if !ck.dims("k", k, 3) {
		return ck.err
	}
	ck.that(k.Shape()[1] == k.Shape()[2], "matrices of shape %v are not square", k.Shape())
	ck.shape("dst", dst, k.Shape()...)
	ck.that(k.Dtype() == tensor.Float64 && dst.Dtype() == tensor.Float64, "want dtype float64")
	return ck.err
}

func checkAssign(index []int32, best *tensor.Dense, points Points, z *tensor.Dense) error {
	ck := checks{op: "Assign"}
	if !ck.dims("Z", z, 3) || !ck.dims("table", points.Table, 2) {
		return ck.err
	}
	ck.that(z.Shape()[0] == points.Size, "anchors of %d positions, points of %d", z.Shape()[0], points.Size)
	ck.that(z.Shape()[1] > 0, "no anchors")
	ck.that(z.Shape()[2] == points.Table.Shape()[1], "anchors of dimension %d, points of %d", z.Shape()[2], points.Table.Shape()[1])
	ck.that(points.Rows != nil || points.Size == 1, "points without rows have size 1, not %d", points.Size)
	ck.that(len(index) == points.Len(), "index of length %d for %d points", len(index), points.Len())
	if best != nil {
		ck.shape("best", best, points.Len())
	}
	ck.float(z, points.Table, best)
	return ck.err
}

func checkSegmentReduce(out, x *tensor.Dense, s Segments) error {
	ck := checks{op: "SegmentReduce"}
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	ck.that(len(s.Offsets) > 0, "no offsets")
	if ck.err != nil {
		return ck.err
	}
	ck.shape("out", out, len(s.Offsets)-1, x.Shape()[1])
	items := int(s.Offsets[len(s.Offsets)-1])
	ck.that(s.Index != nil || items <= x.Shape()[0], "segments end at item %d, x has %d rows", items, x.Shape()[0])
	ck.that(s.Index == nil || items <= len(s.Index), "segments end at item %d, the index has %d", items, len(s.Index))
	ck.float(out, x)
	return ck.err
}

func checkConvert(dst, src *tensor.Dense) error {
	ck := checks{op: "Convert"}
	ck.that(dst != nil && src != nil, "nil tensor")
	if ck.err != nil {
		return ck.err
	}
	ck.that(dst.DataSize() == src.DataSize(), "%d and %d elements", dst.DataSize(), src.DataSize())
	ck.float(dst)
	ck.float(src)
	return ck.err
}
