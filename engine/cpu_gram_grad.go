package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

// GramGrad implements [Engine].
func (e *CPU) GramGrad(zGrad, plus, z, kGrad, k *tensor.Dense, kernel Kernel, allLengths bool) error {
	if err := CheckGramGrad(zGrad, plus, z, kGrad, k, allLengths); err != nil {
		return err
	}
	p, q, d := z.Shape()[0], z.Shape()[1], z.Shape()[2]
	wide := e.Scratch(tensor.Float64, q*q+2*p*q*d)
	defer e.Release(wide)
	space := wide.Float64s()
	sum, from, to := space[:q*q], space[q*q:q*q+p*q*d], space[q*q+p*q*d:]
	single := z.Dtype() == tensor.Float32
	if single {
		convert(e.workers, from, z.Float32s())
	} else {
		from, to = z.Float64s(), zGrad.Float64s()
	}
	clear(sum)
	kv, gv := k.Float64s(), kGrad.Float64s()
	for i := p; i >= 1; i-- {
		if slot := i - 1; allLengths || i == p {
			if !allLengths {
				slot = 0
			}
			scale, _ := kernel.Scale(i)
			addSymmetric(q, sum, scale, kv[slot*q*q:(slot+1)*q*q], gv[slot*q*q:(slot+1)*q*q])
		}
		at := (i - 1) * q * d
		simd.Gemm(e.workers, false, false, q, d, q, 1, sum, max(q, 1), from[at:at+q*d], max(d, 1), 0, to[at:at+q*d],
			max(d, 1))
	}
	if single {
		convert(e.workers, zGrad.Float32s(), to)
	}
	if plus != nil {
		typed(z, addTo[float32], addTo[float64])(zGrad, plus)
	}
	return nil
}

// addSymmetric adds scale (K o G + (K o G)^T) to a symmetric matrix of order q.
func addSymmetric(q int, sum []float64, scale float64, k, g []float64) {
	for i := range q {
		for j := range i + 1 {
			at, mirrored := i*q+j, j*q+i
			sum[at] += scale * (k[at]*g[at] + k[mirrored]*g[mirrored])
			sum[mirrored] = sum[at]
		}
	}
}

// addTo adds the elements of x to those of y.
func addTo[T simd.Float](y, x *tensor.Dense) { simd.Add(data[T](y), data[T](x), data[T](y)) }
