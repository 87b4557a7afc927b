package engine

import (
	"gorgonia.org/tensor"
)

// CheckBatchNorm returns what is wrong with the arguments of BatchNorm.
func CheckBatchNorm(y, x *tensor.Dense, b *BatchNorm) error {
	ck := checks{op: "BatchNorm"}
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	n, d := x.Shape()[0], x.Shape()[1]
	ck.shape("y", y, n, d)
	ck.shape("the scale", b.Scale, 1, d)
	ck.shape("the shift", b.Shift, 1, d)
	ck.shape("the mean", b.Mean, 1, d)
	ck.shape("the variance", b.Variance, 1, d)
	ck.float(x, y, b.Scale, b.Shift, b.Mean, b.Variance)
	ck.that(b.Epsilon > 0, "epsilon %g, want a positive number", b.Epsilon)
	if b.Training {
		ck.batch(n, d, x, b)
		ck.that(b.Momentum >= 0 && b.Momentum <= 1, "momentum %g, want one from 0 to 1", b.Momentum)
	}
	return ck.err
}

// batch wants x to be a batch that has moments.
func (c *checks) batch(n, d int, x *tensor.Dense, b *BatchNorm) {
	c.that(n > 0, "a batch of no rows has no mean")
	c.shape("the mean of the batch", b.BatchMean, 1, d)
	c.shape("the deviation of the batch", b.BatchDeviation, 1, d)
	c.float(x, b.BatchMean, b.BatchDeviation)
}

// CheckBatchNormGrad returns what is wrong with the arguments of BatchNormGrad.
func CheckBatchNormGrad(xGrad, scaleGrad, shiftGrad, yGrad, x, y *tensor.Dense, b *BatchNorm) error {
	ck := checks{op: "BatchNormGrad"}
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	n, d := x.Shape()[0], x.Shape()[1]
	ck.that(b.Training, "a gradient without training")
	ck.batch(n, d, x, b)
	ck.shape("the scale", b.Scale, 1, d)
	ck.shape("the gradient of x", xGrad, n, d)
	ck.shape("the gradient of y", yGrad, n, d)
	ck.shape("the gradient of the scale", scaleGrad, 1, d)
	ck.shape("the gradient of the shift", shiftGrad, 1, d)
	ck.float(x, b.Scale, xGrad, scaleGrad, shiftGrad, yGrad)
	if b.Rectify {
		ck.shape("y", y, n, d)
		ck.float(x, y)
	}
	return ck.err
}

// CheckRectify returns what is wrong with the arguments of Rectify.
func CheckRectify(y, x, bias *tensor.Dense) error {
	ck := checks{op: "Rectify"}
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	ck.shape("y", y, x.Shape()...)
	ck.optional("bias", bias, 1, x.Shape()[1])
	ck.float(x, y, bias)
	return ck.err
}

// CheckRectifyGrad returns what is wrong with the arguments of RectifyGrad.
func CheckRectifyGrad(xGrad, biasGrad, yGrad, y *tensor.Dense) error {
	ck := checks{op: "RectifyGrad"}
	if !ck.dims("y", y, 2) {
		return ck.err
	}
	ck.shape("the gradient of x", xGrad, y.Shape()...)
	ck.shape("the gradient of y", yGrad, y.Shape()...)
	ck.optional("the gradient of the bias", biasGrad, 1, y.Shape()[1])
	ck.float(y, xGrad, biasGrad, yGrad)
	return ck.err
}

// CheckDropout returns what is wrong with the arguments of Dropout.
func CheckDropout(y, x *tensor.Dense, d Dropout) error {
	ck := checks{op: "Dropout"}
	ck.that(x != nil, "x is nil")
	if ck.err != nil {
		return ck.err
	}
	ck.shape("y", y, x.Shape()...)
	ck.float(x, y)
	ck.that(d.Rate >= 0 && d.Rate < 1, "rate %g, want at least 0 and below 1", d.Rate)
	return ck.err
}

// CheckLinearGrad returns what is wrong with the arguments of LinearGrad.
func CheckLinearGrad(xGrad, weightGrad, biasGrad, yGrad, x, weight *tensor.Dense) error {
	ck := checks{op: "LinearGrad"}
	if !ck.dims("x", x, 2) || !ck.dims("weight", weight, 2) {
		return ck.err
	}
	outputs, n, d := weight.Shape()[0], x.Shape()[0], x.Shape()[1]
	ck.shape("weight", weight, outputs, d)
	ck.shape("the gradient of y", yGrad, n, outputs)
	ck.optional("the gradient of x", xGrad, n, d)
	ck.optional("the gradient of the weight", weightGrad, outputs, d)
	ck.optional("the gradient of the bias", biasGrad, 1, outputs)
	ck.float(x, weight, yGrad, xGrad, weightGrad, biasGrad)
	return ck.err
}
