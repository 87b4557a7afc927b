package eval

import "math"

// Accuracy returns the fraction of entries in which predicted and truth, of equal length, agree. It is
// NaN for none.
func Accuracy(predicted, truth []int) float64 {
	right := 0
	for i, class := range truth {
		if predicted[i] == class {
			right++
		}
	}
	return float64(right) / float64(len(truth))
}

// Confusion counts predictions, both slices of equal length with classes from 0 to classes-1: entry
// [i][j] is the number of graphs of class i that were predicted to be of class j.
func Confusion(predicted, truth []int, classes int) [][]int {
	counts := make([][]int, classes)
	for i := range counts {
		counts[i] = make([]int, classes)
	}
	for i, class := range truth {
		counts[class][predicted[i]]++
	}
	return counts
}

// MeanStd returns the mean and the population standard deviation (divisor n) of values, and NaN for
// none.
func MeanStd(values []float64) (mean, std float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		std += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(std / float64(len(values)))
}
