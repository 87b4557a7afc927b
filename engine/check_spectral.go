package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// CheckInvSqrt returns what is wrong with the arguments of InvSqrt.
func CheckInvSqrt(dst *tensor.Dense, spectrum *Spectrum, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	ck := checks{op: "InvSqrt"}
	ck.squares(k, "dst", dst)
	if spectrum != nil {
		ck.spectrum(spectrum, k)
	}
	ck.regularisation(eps, rule)
	return ck.err
}

// CheckInvSqrtGrad returns what is wrong with the arguments of InvSqrtGrad.
func CheckInvSqrtGrad(kGrad, dstGrad *tensor.Dense, s *Spectrum, eps float64, rule InvSqrtRule) error {
	ck := checks{op: "InvSqrtGrad"}
	ck.squares(dstGrad, "kGrad", kGrad)
	ck.that(s != nil, "the spectrum is nil: have InvSqrt keep it")
	ck.spectrum(s, dstGrad)
	ck.regularisation(eps, rule)
	return ck.err
}

// spectrum wants eigendecompositions of matrices of the shape of k.
func (c *checks) spectrum(s *Spectrum, k *tensor.Dense) {
	if c.err != nil {
		return
	}
	c.shape("vectors", s.Vectors, k.Shape()...)
	c.shape("values", s.Values, k.Shape()[0], k.Shape()[1])
	c.that(c.err != nil || s.Values.Dtype() == tensor.Float64 && s.Vectors.Dtype() == tensor.Float64, "want dtype float64")
}

// squares wants k to hold square matrices, t to have its shape, and both to be Float64.
func (c *checks) squares(k *tensor.Dense, name string, t *tensor.Dense) {
	if !c.dims("matrices", k, 3) {
		return
	}
	c.that(k.Shape()[1] == k.Shape()[2], "matrices of shape %v are not square", k.Shape())
	c.shape(name, t, k.Shape()...)
	c.that(c.err != nil || k.Dtype() == tensor.Float64 && t.Dtype() == tensor.Float64, "want dtype float64")
}

func (c *checks) regularisation(eps float64, rule InvSqrtRule) {
	c.that(eps >= 0 && !math.IsInf(eps, 0), "the regularisation is %v, it must be a number >= 0", eps)
	c.that(rule >= AfterRoot && rule <= Published, "unknown rule %d", rule)
}
