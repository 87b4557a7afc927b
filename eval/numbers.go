package eval

import "math"

// RMSE returns the square root of the mean squared difference of two slices of equal length, NaN for none.
func RMSE(predicted, truth []float64) float64 {
	return math.Sqrt(squares(predicted, truth) / float64(len(truth)))
}

// squares sums the squared differences.
func squares(predicted, truth []float64) float64 {
	sum := 0.0
	for i, y := range truth {
		sum += (predicted[i] - y) * (predicted[i] - y)
	}
	return sum
}

// MAE returns the mean absolute difference of two slices of equal length, NaN for none.
func MAE(predicted, truth []float64) float64 {
	sum := 0.0
	for i, y := range truth {
		sum += math.Abs(predicted[i] - y)
	}
	return sum / float64(len(truth))
}

// R2 returns the coefficient of determination, 1 - sum (predicted - truth)^2 / sum (truth - mean of truth)^2. Where
// all truths are equal it is 1 if they are predicted exactly, else 0; it is NaN for fewer than two.
func R2(predicted, truth []float64) float64 {
	if len(truth) < 2 {
		return math.NaN()
	}
	mean := 0.0
	for _, y := range truth {
		mean += y / float64(len(truth))
	}
	total := 0.0
	for _, y := range truth {
		total += (y - mean) * (y - mean)
	}
	left := squares(predicted, truth)
	switch {
	case left == 0:
		return 1
	case total == 0:
		return 0
	}
	return 1 - left/total
}
