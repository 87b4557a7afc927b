package engine

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

// BatchNorm implements [Engine].
func (Reference) BatchNorm(y, x *tensor.Dense, b *BatchNorm) error {
	if err := CheckBatchNorm(y, x, b); err != nil {
		return err
	}
	n, d := x.Shape()[0], x.Shape()[1]
	xv, scale, shift, out := values(x), values(b.Scale), values(b.Shift), make([]float64, n*d)
	mean, variance := values(b.Mean), values(b.Variance)
	if b.Training {
		mean, variance = b.update(xv, n, d)
	}
	for i := range out {
		j := i % d
		out[i] = max(b.least(), (xv[i]-mean[j])/math.Sqrt(variance[j]+b.Epsilon)*scale[j]+shift[j])
	}
	store(y, out)
	return nil
}

// update returns the moments of a batch, after it moved the averages and stored what the gradient wants.
func (b *BatchNorm) update(x []float64, n, d int) (mean, variance []float64) {
	mean, variance = make([]float64, d), make([]float64, d)
	for i, v := range x {
		mean[i%d] += v / float64(n)
	}
	for i, v := range x {
		variance[i%d] += (v - mean[i%d]) * (v - mean[i%d]) / float64(n)
	}
	means, variances, deviations := values(b.Mean), values(b.Variance), make([]float64, d)
	for j := range d {
		deviations[j] = 1 / math.Sqrt(variance[j]+b.Epsilon)
		means[j] = (1-b.Momentum)*means[j] + b.Momentum*mean[j]
		variances[j] = (1-b.Momentum)*variances[j] + b.Momentum*variance[j]*unbiased(n)
	}
	store(b.BatchMean, mean)
	store(b.BatchDeviation, deviations)
	store(b.Mean, means)
	store(b.Variance, variances)
	return mean, variance
}

// unbiased returns the factor that corrects the variance of n rows about their own mean.
func unbiased(n int) float64 { return float64(n) / float64(max(n-1, 1)) }

// BatchNormGrad implements [Engine].
func (Reference) BatchNormGrad(xGrad, scaleGrad, shiftGrad, yGrad, x, y *tensor.Dense, b *BatchNorm) error {
	if err := CheckBatchNormGrad(xGrad, scaleGrad, shiftGrad, yGrad, x, y, b); err != nil {
		return err
	}
	n, d := x.Shape()[0], x.Shape()[1]
	xv, scale, mean, deviation := values(x), values(b.Scale), values(b.BatchMean), values(b.BatchDeviation)
	g, u, out := values(yGrad), make([]float64, n*d), make([]float64, n*d)
	if b.Rectify {
		g = positive(g, values(y))
	}
	ofScale, ofShift := make([]float64, d), make([]float64, d)
	for i := range g {
		j := i % d
		u[i] = (xv[i] - mean[j]) * deviation[j]
		ofShift[j] += g[i]
		ofScale[j] += g[i] * u[i]
	}
	for i := range out {
		j := i % d
		out[i] = scale[j] * deviation[j] * (g[i] - (ofShift[j]+u[i]*ofScale[j])/float64(n))
	}
	store(xGrad, out)
	store(scaleGrad, ofScale)
	store(shiftGrad, ofShift)
	return nil
}

// positive returns the elements of g where those of y are positive, and zeros elsewhere.
func positive(g, y []float64) []float64 {
	out := make([]float64, len(g))
	for i, v := range y {
		if v > 0 {
			out[i] = g[i]
		}
	}
	return out
}

// columnSums returns the sums of the columns of a matrix with d columns.
func columnSums(x []float64, d int) []float64 {
	sums := make([]float64, d)
	for i, v := range x {
		sums[i%d] += v
	}
	return sums
}

// Rectify implements [Engine].
func (Reference) Rectify(y, x, bias *tensor.Dense) error {
	if err := CheckRectify(y, x, bias); err != nil {
		return err
	}
	d, out := x.Shape()[1], make([]float64, x.DataSize())
	shift := make([]float64, d)
	if bias != nil {
		shift = values(bias)
	}
	for i, v := range values(x) {
		out[i] = max(0, v+shift[i%d])
	}
	store(y, out)
	return nil
}

// RectifyGrad implements [Engine].
func (Reference) RectifyGrad(xGrad, biasGrad, yGrad, y *tensor.Dense) error {
	if err := CheckRectifyGrad(xGrad, biasGrad, yGrad, y); err != nil {
		return err
	}
	out := positive(values(yGrad), values(y))
	store(xGrad, out)
	if biasGrad != nil {
		store(biasGrad, columnSums(out, y.Shape()[1]))
	}
	return nil
}

// Dropout implements [Engine].
func (Reference) Dropout(y, x *tensor.Dense, d Dropout) error {
	if err := CheckDropout(y, x, d); err != nil {
		return err
	}
	out := make([]float64, x.DataSize())
	for i, v := range values(x) {
		if u := float64(simd.Philox(d.counter(uint32(i/4)), d.key())[i%4]) / 0x1p32; u >= d.Rate {
			out[i] = v / (1 - d.Rate)
		}
	}
	store(y, out)
	return nil
}

// LinearGrad implements [Engine].
func (Reference) LinearGrad(xGrad, weightGrad, biasGrad, yGrad, x, weight *tensor.Dense) error {
	if err := CheckLinearGrad(xGrad, weightGrad, biasGrad, yGrad, x, weight); err != nil {
		return err
	}
	n, outputs, d := x.Shape()[0], weight.Shape()[0], x.Shape()[1]
	g, xv, w := values(yGrad), values(x), values(weight)
	ofX, ofWeight := make([]float64, n*d), make([]float64, outputs*d)
	for i := range n {
		for o := range outputs {
			for k := range d {
				ofX[i*d+k] += g[i*outputs+o] * w[o*d+k]
				ofWeight[o*d+k] += g[i*outputs+o] * xv[i*d+k]
			}
		}
	}
	if xGrad != nil {
		store(xGrad, ofX)
	}
	if weightGrad != nil {
		store(weightGrad, ofWeight)
	}
	if biasGrad != nil {
		store(biasGrad, columnSums(g, outputs))
	}
	return nil
}
