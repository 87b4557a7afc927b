package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

// GramGrader is a capability of some engines, see [Capabilities].
type GramGrader interface {
	// GramGrad is the gradient of a scalar through Gram: from kGrad, its gradient with respect to the kernel matrices
	// k of anchors z (p x q x d), it computes the gradient with respect to z,
	//
	//	zGrad_i = sum_{j>=i} scale_j (K_j o G_j + (K_j o G_j)^T) Z_i
	//
	// over the lengths j that have a matrix. k and kGrad are J x q x q and Float64; sums are in float64 for either
	// dtype of z.
	GramGrad(zGrad, z, kGrad, k *tensor.Dense, kernel Kernel, allLengths bool) error
}

// GramGrad implements [GramGrader].
func (e *CPU) GramGrad(zGrad, z, kGrad, k *tensor.Dense, kernel Kernel, allLengths bool) error {
	if err := CheckGram(k, z, allLengths); err != nil {
		return err
	}
	ck := checks{op: "GramGrad"}
	ck.shape("the gradient of Z", zGrad, z.Shape()...)
	ck.shape("the gradient of the kernel matrices", kGrad, k.Shape()...)
	ck.float(z, zGrad)
	ck.float(k, kGrad)
	if ck.err != nil {
		return ck.err
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
