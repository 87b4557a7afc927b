package engine

import (
	"fmt"

	"slices"

	"gorgonia.org/tensor"
)

// within wants every entry of an index to be one of 0 to limit-1. The words about one that is not take its place, the
// entry and the limit.
func (c *checks) within(index []int32, limit int, words string) {
	most := uint32(0) // a negative entry is a large one
	for _, r := range index {
		most = max(most, uint32(r))
	}
	if uint64(most) < uint64(max(limit, 0)) || len(index) == 0 {
		return
	}
	i := slices.IndexFunc(index, func(r int32) bool { return r < 0 || int(r) >= limit })
	c.that(false, words, i, index[i], limit)
}

// rowsOf wants every entry of an index to be a row of a table.
func (c *checks) rowsOf(index []int32, rows int) {
	c.within(index, rows, "entry %d of the index is row %d of a table of %d")
}

// CheckGemm returns the sizes of a matrix product, C (m x n) with k terms in each element, or what is
// wrong with its arguments.
func CheckGemm(c, a, b *tensor.Dense, opt Gemm) (m, n, k int, err error) {
	ck := checks{op: "Gemm"}
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
	ck.that(opt.Precision >= Full && opt.Precision <= BFloat16, "precision %d is unknown", int(opt.Precision))
	ck.shape("C", c, m, n)
	ck.float(a, b, c)
	return m, n, k, ck.err
}

// CheckNormalizeRows returns what is wrong with the arguments of NormalizeRows.
func CheckNormalizeRows(dst, norms, x *tensor.Dense) error {
	ck := checks{op: "NormalizeRows"}
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	ck.shape("dst", dst, x.Shape()...)
	ck.optional("norms", norms, x.Shape()[0])
	ck.float(x, dst, norms)
	return ck.err
}

// CheckGram returns what is wrong with the arguments of Gram.
func CheckGram(out, z *tensor.Dense, allLengths bool) error {
	ck := checks{op: "Gram"}
	if !ck.dims("Z", z, 3) {
		return ck.err
	}
	lengths, q := 1, z.Shape()[1]
	if allLengths {
		lengths = z.Shape()[0]
	}
	ck.that(z.Shape()[0] > 0, "anchors of no positions")
	ck.shape("out", out, lengths, q, q)
	ck.float(z)
	ck.that(out == nil || out.Dtype() == tensor.Float64, "out must have dtype float64")
	return ck.err
}

// CheckGramGrad returns what is wrong with the arguments of GramGrad.
func CheckGramGrad(zGrad, plus, z, kGrad, k *tensor.Dense, allLengths bool) error {
	if err := CheckGram(k, z, allLengths); err != nil {
		return fmt.Errorf("gradient: %w", err)
	}
	ck := checks{op: "GramGrad"}
	ck.shape("the gradient of Z", zGrad, z.Shape()...)
	ck.optional("what is added to it", plus, z.Shape()...)
	ck.shape("the gradient of the kernel matrices", kGrad, k.Shape()...)
	ck.float(z, zGrad, plus)
	ck.float(k, kGrad)
	return ck.err
}

// CheckAssign returns what is wrong with the arguments of Assign. It reads all rows of the points.
func CheckAssign(index []int32, best *tensor.Dense, points Points, z *tensor.Dense) error {
	ck := checks{op: "Assign"}
	if !ck.dims("Z", z, 3) || !ck.dims("table", points.Table, 2) {
		return ck.err
	}
	ck.that(z.Shape()[0] == points.Size && points.Size > 0, "anchors of %d positions, points of %d",
		z.Shape()[0], points.Size)
	ck.that(z.Shape()[1] > 0, "no anchors")
	ck.that(z.Shape()[2] == points.Table.Shape()[1], "anchors of dimension %d, points of %d",
		z.Shape()[2], points.Table.Shape()[1])
	ck.that(points.Rows != nil || points.Size == 1, "points without rows have size 1, not %d", points.Size)
	if ck.err != nil {
		return ck.err
	}
	ck.that(len(points.Rows)%points.Size == 0, "%d rows for points of %d", len(points.Rows), points.Size)
	ck.that(len(index) == points.Len(), "index of length %d for %d points", len(index), points.Len())
	ck.rowsOf(points.Rows, points.Table.Shape()[0])
	if columns := bestColumns(best); columns == 2 {
		ck.shape("best", best, points.Len(), columns)
	} else {
		ck.optional("best", best, points.Len())
	}
	ck.float(z, points.Table, best)
	return ck.err
}

// bestColumns returns how many of the largest similarities of a point are wanted.
func bestColumns(best *tensor.Dense) int {
	if best == nil {
		return 0
	}
	return min(best.Dims(), 2)
}

// CheckSegmentReduce returns what is wrong with the arguments of SegmentReduce. It reads all offsets and
// the whole index.
func CheckSegmentReduce(out, x *tensor.Dense, s Segments, pool Pooling) error {
	ck := checks{op: "SegmentReduce"}
	ck.that(pool >= Sum && pool <= Max, "pooling %d is unknown", int(pool))
	ck.that(s.Weights == nil || pool != Max, "weights for a maximum")
	return ck.segments(out, x, s)
}

// CheckAddRows returns what is wrong with the arguments of AddRows. It reads all offsets and the whole index.
func CheckAddRows(sums, x *tensor.Dense, s Segments) error {
	ck := checks{op: "AddRows"}
	ck.that(sums == nil || sums.Dtype() == tensor.Float64, "sums want to be float64")
	return ck.segments(sums, x, s)
}

// segments wants out to have a row for each segment of the rows of x.
func (ck *checks) segments(out, x *tensor.Dense, s Segments) error {
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	ck.that(len(s.Offsets) > 0, "no offsets")
	if ck.err != nil {
		return ck.err
	}
	ck.shape("out", out, len(s.Offsets)-1, x.Shape()[1])
	last := int32(0)
	for g, at := range s.Offsets {
		if at < last {
			ck.that(false, "offset %d of segment %d after %d, want ascending ones from 0", at, g, last)
			break
		}
		last = at
	}
	items := int(last)
	ck.that(s.Index != nil || items <= x.Shape()[0], "segments end at item %d, x has %d rows", items, x.Shape()[0])
	ck.that(s.Index == nil || items <= len(s.Index), "segments end at item %d, the index has %d", items, len(s.Index))
	ck.that(s.Weights == nil || items <= len(s.Weights), "segments end at item %d, there are %d weights",
		items, len(s.Weights))
	ck.rowsOf(s.Index, x.Shape()[0])
	ck.float(x)
	ck.that(ck.err != nil || out.Dtype() == x.Dtype() || out.Dtype() == tensor.Float64,
		"a result of %v for rows of %v", out.Dtype(), x.Dtype())
	return ck.err
}

// CheckSoftmaxCrossEntropy returns what is wrong with the arguments of SoftmaxCrossEntropy.
func CheckSoftmaxCrossEntropy(loss, grad, logits *tensor.Dense, target []int32, weights []float64) error {
	ck := checks{op: "SoftmaxCrossEntropy"}
	if !ck.dims("logits", logits, 2) {
		return ck.err
	}
	n, c := logits.Shape()[0], logits.Shape()[1]
	ck.losses(loss, n, weights)
	ck.optional("grad", grad, n, c)
	ck.that(len(target) == n, "%d targets for %d rows", len(target), n)
	ck.within(target, c, "target %[2]d of row %[1]d, there are %[3]d classes")
	ck.float(logits, loss, grad)
	return ck.err
}

// CheckAdam returns what is wrong with the arguments of Adam.
func CheckAdam(of []AdamState, step Adam) error {
	ck := checks{op: "Adam"}
	for _, t := range of {
		ck.that(t.Parameter != nil && t.Moment1 != nil && t.Moment2 != nil && t.Gradient != nil, "nil tensor")
		if ck.err != nil {
			return ck.err
		}
		n := t.Parameter.DataSize()
		ck.that(t.Moment1.DataSize() == n && t.Moment2.DataSize() == n && t.Gradient.DataSize() == n,
			"%d parameters, moments of %d and %d elements, a gradient of %d",
			n, t.Moment1.DataSize(), t.Moment2.DataSize(), t.Gradient.DataSize())
		ck.float(of[0].Parameter, t.Parameter, t.Moment1, t.Moment2, t.Gradient)
	}
	ck.that(step.Step >= 1, "step %d, want them counted from 1", step.Step)
	ck.that(step.Beta1 >= 0 && step.Beta1 < 1 && step.Beta2 >= 0 && step.Beta2 < 1,
		"decay rates %g and %g, want at least 0 and below 1", step.Beta1, step.Beta2)
	return ck.err
}

// CheckPlace returns the number of rows to place, or what is wrong with the arguments of Place. It reads
// the whole index.
func CheckPlace(dst, src *tensor.Dense, index []int32, at Placement) (rows int, err error) {
	ck := checks{op: "Place"}
	if !ck.dims("dst", dst, 2) || !ck.dims("src", src, 2) {
		return 0, ck.err
	}
	rows, q := src.Shape()[0], src.Shape()[1]
	if index != nil {
		rows = len(index)
	}
	ck.that(at.Row >= 0 && at.Column >= 0 && at.Stride >= 1,
		"row %d, column %d, stride %d: want them not negative, and the stride positive", at.Row, at.Column, at.Stride)
	ck.that(at.Row <= dst.Shape()[0]-rows, "rows %d to %d of a matrix of %d", at.Row, at.Row+rows, dst.Shape()[0])
	ck.that(q == 0 || at.Column+(q-1)*at.Stride < dst.Shape()[1], "%d columns from %d on in strides of %d, dst has %d",
		q, at.Column, at.Stride, dst.Shape()[1])
	ck.rowsOf(index, src.Shape()[0])
	ck.float(dst, src)
	return rows, ck.err
}

// CheckConvert returns what is wrong with the arguments of Convert.
func CheckConvert(dst, src *tensor.Dense) error {
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
