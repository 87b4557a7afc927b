package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// CheckInvSqrt returns what is wrong with the arguments of InvSqrt.
func CheckInvSqrt(dst, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	ck := checks{op: "InvSqrt"}
	ck.squares(k, "dst", dst)
	ck.regularisation(eps, rule)
	return ck.err
}

// CheckInvSqrtGrad returns what is wrong with the arguments of InvSqrtGrad.
func CheckInvSqrtGrad(kGrad, dstGrad, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	ck := checks{op: "InvSqrtGrad"}
	ck.squares(k, "dstGrad", dstGrad)
	ck.squares(k, "kGrad", kGrad)
	ck.regularisation(eps, rule)
	return ck.err
}

// squares wants k to hold square matrices, t to have its shape, and both to be Float64.
func (c *checks) squares(k *tensor.Dense, name string, t *tensor.Dense) {
	if !c.dims("k", k, 3) {
		return
	}
	c.that(k.Shape()[1] == k.Shape()[2], "matrices of shape %v are not square", k.Shape())
	c.shape(name, t, k.Shape()...)
	c.that(c.err != nil || k.Dtype() == tensor.Float64 && t.Dtype() == tensor.Float64, "want dtype float64")
}

func (c *checks) regularisation(eps float64, rule InvSqrtRule) {
	c.that(eps >= 0 && !math.IsInf(eps, 0), "the regularisation is %v, it must be a number >= 0", eps)
	c.that(rule == AfterRoot || rule == InsideRoot, "unknown rule %d", rule)
}
