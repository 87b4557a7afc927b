package engine

import "gorgonia.org/tensor"

// CheckInvSqrt returns what is wrong with the arguments of InvSqrt.
func CheckInvSqrt(dst, k *tensor.Dense) error {
	ck := checks{op: "InvSqrt"}
	ck.squares(k, "dst", dst)
	return ck.err
}

// CheckInvSqrtGrad returns what is wrong with the arguments of InvSqrtGrad.
func CheckInvSqrtGrad(kGrad, dstGrad, k *tensor.Dense) error {
	ck := checks{op: "InvSqrtGrad"}
	ck.squares(k, "dstGrad", dstGrad)
	ck.squares(k, "kGrad", kGrad)
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
