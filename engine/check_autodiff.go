package engine

import (
	"fmt"

	"gorgonia.org/tensor"
)

// Loss is a loss that is a sum over the outputs of an item.
type Loss int

// The losses of one output x with the target y.
const (
	SquaredLoss  Loss = iota // 1/2 (x - y)^2
	LogisticLoss             // log(1 + exp(x)) - y x, 0 <= y <= 1: cross-entropy of the logit x
	SquaredHinge             // 1/2 max(0, 1 - y x)^2, y = +1 or -1
)

var lossNames = [...]string{"squared", "logistic", "squared hinge"}

func (l Loss) String() string {
	if l < 0 || int(l) >= len(lossNames) {
		return fmt.Sprintf("unknown loss %d", int(l))
	}
	return lossNames[l]
}

// CheckNormalizeRowsGrad returns what is wrong with the arguments of NormalizeRowsGrad.
func CheckNormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error {
	ck := checks{op: "NormalizeRowsGrad"}
	if !ck.dims("unit", unit, 2) {
		return ck.err
	}
	n, d := unit.Shape()[0], unit.Shape()[1]
	ck.shape("norms", norms, n)
	ck.shape("the gradient of x", xGrad, n, d)
	ck.shape("the gradient of the unit rows", unitGrad, n, d)
	if normGrad != nil {
		ck.shape("the gradient of the norms", normGrad, n)
	}
	ck.that(eps > 0, "eps %g, want a positive number", eps)
	ck.float(unit, norms, xGrad, unitGrad, normGrad)
	return ck.err
}

// CheckSegmentReduceGrad returns what is wrong with the arguments of SegmentReduceGrad. It reads all
// offsets and the whole index.
func CheckSegmentReduceGrad(xGrad, outGrad, x *tensor.Dense, s Segments, pool Pooling) error {
	if err := CheckSegmentReduce(outGrad, x, s, pool); err != nil {
		return fmt.Errorf("gradient: %w", err)
	}
	ck := checks{op: "SegmentReduceGrad"}
	ck.shape("the gradient of x", xGrad, x.Shape()...)
	ck.float(x, xGrad)
	return ck.err
}

// CheckOutputLoss returns what is wrong with the arguments of OutputLoss.
func CheckOutputLoss(loss, grad, x, y *tensor.Dense, kind Loss) error {
	ck := checks{op: "OutputLoss"}
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	n, c := x.Shape()[0], x.Shape()[1]
	ck.that(kind >= SquaredLoss && kind <= SquaredHinge, "loss %d is unknown", int(kind))
	ck.shape("y", y, n, c)
	ck.shape("loss", loss, n)
	if grad != nil {
		ck.shape("grad", grad, n, c)
	}
	ck.float(x, y, loss, grad)
	return ck.err
}

// CheckInvSqrtFactors returns what is wrong with the arguments of InvSqrtFactors.
func CheckInvSqrtFactors(dst, values, vectors, k *tensor.Dense, eps float64) error {
	ck := checks{op: "InvSqrtFactors"}
	ck.squares(k, "dst", dst)
	ck.factors(values, vectors, k)
	ck.regularisation(eps, AfterRoot)
	return ck.err
}

// CheckInvSqrtFactorsGrad returns what is wrong with the arguments of InvSqrtFactorsGrad.
func CheckInvSqrtFactorsGrad(kGrad, dstGrad, values, vectors *tensor.Dense, eps float64) error {
	ck := checks{op: "InvSqrtFactorsGrad"}
	ck.squares(vectors, "dstGrad", dstGrad)
	ck.squares(vectors, "kGrad", kGrad)
	ck.factors(values, vectors, vectors)
	ck.regularisation(eps, AfterRoot)
	ck.that(eps > 0, "the regularisation is 0: eigenvalues of zero have no slope")
	return ck.err
}

// factors wants eigenvalues and eigenvectors of matrices of the shape of k.
func (c *checks) factors(values, vectors, k *tensor.Dense) {
	if c.err != nil {
		return
	}
	c.shape("vectors", vectors, k.Shape()...)
	c.shape("values", values, k.Shape()[0], k.Shape()[1])
	c.that(c.err != nil || values.Dtype() == tensor.Float64 && vectors.Dtype() == tensor.Float64, "want dtype float64")
}
