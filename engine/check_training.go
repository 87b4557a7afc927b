package engine

import (
	"fmt"

	"gorgonia.org/tensor"
)

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
	ck.optional("the gradient of the norms", normGrad, n)
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
	ck.float(x, xGrad, outGrad)
	return ck.err
}

// CheckOutputLoss returns what is wrong with the arguments of OutputLoss.
func CheckOutputLoss(loss, grad, x, y *tensor.Dense, kind Loss, weights []float64) error {
	ck := checks{op: "OutputLoss"}
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	n, c := x.Shape()[0], x.Shape()[1]
	ck.that(kind >= SquaredLoss && kind <= SquaredHinge, "loss %d is unknown", int(kind))
	ck.shape("y", y, n, c)
	ck.losses(loss, n, weights)
	ck.optional("grad", grad, n, c)
	ck.float(x, y, loss, grad)
	return ck.err
}

// losses wants one for each of n rows, or the sum by their weights.
func (c *checks) losses(loss *tensor.Dense, n int, weights []float64) {
	if weights == nil {
		c.shape("loss", loss, n)
		return
	}
	c.that(len(weights) == n, "%d weights for %d rows", len(weights), n)
	c.that(loss != nil && loss.DataSize() == 1, "the loss must have one entry")
}

// CheckLinear returns what is wrong with the arguments of Linear.
func CheckLinear(y, x, weight, bias *tensor.Dense) error {
	ck := checks{op: "Linear"}
	if !ck.dims("x", x, 2) || !ck.dims("weight", weight, 2) {
		return ck.err
	}
	outputs, d := weight.Shape()[0], x.Shape()[1]
	ck.shape("weight", weight, outputs, d)
	ck.optional("bias", bias, 1, outputs)
	ck.shape("y", y, x.Shape()[0], outputs)
	ck.float(x, weight, bias, y)
	return ck.err
}
