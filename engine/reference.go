package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// Reference computes every operation as its formula reads, in float64 and one goroutine. It is the
// measure that the other engines are checked against; do not train with it.
type Reference struct{ tensor.StdEng }

// String returns "reference".
func (Reference) String() string { return "reference" }

// Describe returns "reference".
func (Reference) Describe() string { return "reference" }

// Workers returns 1.
func (Reference) Workers() int { return 1 }

// WithWorkers implements [Engine].
func (r Reference) WithWorkers(int) Engine { return r }

// Host implements [Engine].
func (r Reference) Host() Engine { return r }

// Capabilities implements [Engine]; there are none.
func (Reference) Capabilities() Capabilities { return Capabilities{} }

// Synchronize implements [Engine].
func (Reference) Synchronize() error { return nil }

// New implements [Memory].
func (r Reference) New(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return newOnHost(r, dtype, shape...)
}

// Scratch implements [Memory].
func (r Reference) Scratch(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return r.New(dtype, shape...)
}

// View implements [Memory].
func (Reference) View(t *tensor.Dense, first int, shape ...int) *tensor.Dense {
	return viewOnHost(t, first, shape...)
}

// Release implements [Memory].
func (Reference) Release(...*tensor.Dense) {}

// Mirror implements [Memory]: it returns t.
func (Reference) Mirror(t *tensor.Dense) *tensor.Dense { return t }

// Available implements [Memory].
func (Reference) Available() (int64, error) { return math.MaxInt64, nil }

// Close implements [Memory].
func (Reference) Close() error { return nil }

// values returns the elements of t as float64.
func values(t *tensor.Dense) []float64 {
	if t.Dtype() == tensor.Float64 {
		return t.Float64s()
	}
	out := make([]float64, t.DataSize())
	for i, v := range t.Float32s() {
		out[i] = float64(v)
	}
	return out
}

// store writes v to t, rounding to its dtype.
func store(t *tensor.Dense, v []float64) {
	if t.Dtype() == tensor.Float64 {
		copy(t.Float64s(), v)
		return
	}
	out := t.Float32s()
	for i, x := range v {
		out[i] = float32(x)
	}
}

// Gemm implements [Engine].
func (Reference) Gemm(c, a, b *tensor.Dense, opt Gemm) error {
	m, n, k, err := CheckGemm(c, a, b, opt)
	if err != nil {
		return err
	}
	av, bv, old := values(a), values(b), values(c)
	at := func(i, j int) float64 { return av[i*k+j] }
	if opt.TransA {
		at = func(i, j int) float64 { return av[j*m+i] }
	}
	bt := func(i, j int) float64 { return bv[i*n+j] }
	if opt.TransB {
		bt = func(i, j int) float64 { return bv[j*k+i] }
	}
	out := make([]float64, m*n)
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += at(i, l) * bt(l, j)
			}
			out[i*n+j] = opt.Alpha * sum
			if opt.Beta != 0 {
				out[i*n+j] += opt.Beta * old[i*n+j]
			}
		}
	}
	store(c, out)
	return nil
}

// NormalizeRows implements [Engine].
func (Reference) NormalizeRows(dst, norms, x *tensor.Dense, eps float64) error {
	if err := CheckNormalizeRows(dst, norms, x); err != nil {
		return err
	}
	n, d := x.Shape()[0], x.Shape()[1]
	xv := values(x)
	out, norm := make([]float64, n*d), make([]float64, n)
	for r := range n {
		sum := 0.0
		for _, v := range xv[r*d : (r+1)*d] {
			sum += v * v
		}
		norm[r] = math.Sqrt(sum)
		for i := r * d; i < (r+1)*d; i++ {
			out[i] = xv[i] / max(norm[r], eps)
		}
	}
	store(dst, out)
	if norms != nil {
		store(norms, norm)
	}
	return nil
}

// PathPool implements [Engine] by visiting every path.
func (Reference) PathPool(out []*tensor.Dense, scores, norms *tensor.Dense, p *PathPooling) error {
	q, err := CheckPathPool(out, scores, norms, p)
	if err != nil {
		return err
	}
	table := values(scores)
	var norm []float64
	if norms != nil {
		norm = values(norms)
	}
	row := func(v int32) int {
		if p.Index == nil {
			return int(v)
		}
		return int(p.Index[v])
	}
	sum := make([]float64, q)
	kernel := func(path []int32) []float64 {
		clear(sum)
		for i, v := range path {
			for f := range q {
				sum[f] += table[(row(v)*p.Size+i)*q+f]
			}
		}
		scale, shift := p.Kernel.Scale(len(path))
		for f := range q {
			sum[f] = math.Exp(scale*sum[f] + shift)
		}
		return sum
	}
	for i, j := range p.Lengths() {
		pooled := make([]float64, out[i].DataSize())
		for r := range out[i].Shape()[0] {
			root := int32(r)
			if p.Roots != nil && p.Roots[i] != nil {
				root = p.Roots[i][r]
			}
			dst := pooled[r*q : (r+1)*q]
			count := 0
			visit := func(path []int32) {
				if len(path) == j {
					poolInto(dst, kernel(path), p.Pool, count == 0)
					count++
				}
			}
			switch {
			case p.Graph == nil:
				visit([]int32{root})
			default:
				p.Graph.Visit(p.Route, root, j, visit)
			}
			for f := range dst {
				if p.Pool == Mean && count > 0 {
					dst[f] /= float64(count)
				}
				if norm != nil {
					dst[f] *= norm[row(root)]
				}
			}
		}
		store(out[i], pooled)
	}
	return nil
}

// poolInto adds x to the pooled dst, or takes the maximum.
func poolInto(dst, x []float64, pool Pooling, first bool) {
	for f, v := range x {
		if pool != Max {
			dst[f] += v
		} else if first || v > dst[f] {
			dst[f] = v
		}
	}
}

// Gram implements [Engine].
func (Reference) Gram(out, z *tensor.Dense, kernel Kernel, allLengths bool) error {
	if err := CheckGram(out, z, allLengths); err != nil {
		return err
	}
	p, q, d := z.Shape()[0], z.Shape()[1], z.Shape()[2]
	zv, k := values(z), out.Float64s()
	sum := make([]float64, q*q)
	for i := range p {
		for f := range q {
			for g := range q {
				for c := range d {
					sum[f*q+g] += zv[(i*q+f)*d+c] * zv[(i*q+g)*d+c]
				}
			}
		}
		slot := 0
		if allLengths {
			slot = i
		} else if i < p-1 {
			continue
		}
		scale, shift := kernel.Scale(i + 1)
		for e, s := range sum {
			k[slot*q*q+e] = math.Exp(scale*s + shift)
		}
	}
	return nil
}

// Assign implements [Engine].
func (Reference) Assign(index []int32, best *tensor.Dense, points Points, z *tensor.Dense) error {
	if err := CheckAssign(index, best, points, z); err != nil {
		return err
	}
	p, q, d := z.Shape()[0], z.Shape()[1], z.Shape()[2]
	table, zv := values(points.Table), values(z)
	columns := bestColumns(best)
	var similarity []float64
	for i := range index {
		first, second := math.Inf(-1), math.Inf(-1)
		for f := range q {
			sim := 0.0
			for j := range p {
				row := i
				if points.Rows != nil {
					row = int(points.Rows[i*p+j])
				}
				for c := range d {
					sim += table[row*d+c] * zv[(j*q+f)*d+c]
				}
			}
			if f == 0 || sim > first {
				index[i], first, second = int32(f), sim, first
			} else {
				second = max(second, sim)
			}
		}
		similarity = append(similarity, []float64{first, second}[:columns]...)
	}
	if best != nil {
		store(best, similarity)
	}
	return nil
}

// SegmentReduce implements [Engine].
func (Reference) SegmentReduce(out, x *tensor.Dense, s Segments, pool Pooling) error {
	if err := CheckSegmentReduce(out, x, s, pool); err != nil {
		return err
	}
	q := x.Shape()[1]
	xv, pooled := values(x), make([]float64, out.DataSize())
	for g := range len(s.Offsets) - 1 {
		from, to := int(s.Offsets[g]), int(s.Offsets[g+1])
		dst, total := pooled[g*q:(g+1)*q], 0.0
		for i := from; i < to; i++ {
			row := i
			if s.Index != nil {
				row = int(s.Index[i])
			}
			src, w := xv[row*q:(row+1)*q], 1.0
			if s.Weights != nil {
				w = s.Weights[i]
				scaled := make([]float64, q)
				for f := range src {
					scaled[f] = w * src[f]
				}
				src = scaled
			}
			poolInto(dst, src, pool, i == from)
			total += w
		}
		for f := range dst {
			switch {
			case pool == Mean && total != 0:
				dst[f] /= total
			case pool == Mean:
				dst[f] = 0
			}
		}
	}
	store(out, pooled)
	return nil
}

// AddRows implements [Engine].
func (Reference) AddRows(sums, x *tensor.Dense, s Segments) error {
	if err := CheckAddRows(sums, x, s); err != nil {
		return err
	}
	q, to, from := x.Shape()[1], sums.Float64s(), values(x)
	for g := range len(s.Offsets) - 1 {
		for i := s.Offsets[g]; i < s.Offsets[g+1]; i++ {
			for f := range q {
				product := from[s.row(i)*q+f]
				if s.Weights != nil {
					product *= s.Weights[i]
				}
				to[g*q+f] += float64(product)
			}
		}
	}
	return nil
}

// Convert implements [Engine].
func (Reference) Convert(dst, src *tensor.Dense) error {
	if err := CheckConvert(dst, src); err != nil {
		return err
	}
	store(dst, values(src))
	return nil
}

var _ Engine = Reference{}
