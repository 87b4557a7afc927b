package svm

import (
	"fmt"
	"math"
)

const gridSize = 60 // docs/conventions.md, 14

// CGrid returns the grid of the published experiments: 60 values of C from 1e-4 to 1e4, equally
// spaced in the logarithm (docs/conventions.md, 14).
func CGrid() []float64 {
	return logGrid(-4, 4)
}

// PaperGrid returns the grid of the paper (table 3), lambda = 1/n * logspace(-3, 4, 60), as values
// of C, ascending. With lambda = 1/(2 n C) the number of rows cancels: C runs from 5e-5 to 500.
func PaperGrid() []float64 {
	scaled := logGrid(-3, 4) // n * lambda
	grid := make([]float64, len(scaled))
	for i, l := range scaled {
		grid[len(grid)-1-i] = 1 / (2 * l)
	}
	return grid
}

func logGrid(from, to float64) []float64 {
	grid := make([]float64, gridSize)
	for i := range grid {
		grid[i] = math.Pow(10, from+(to-from)*float64(i)/(gridSize-1))
	}
	return grid
}

func checkGrid(grid []float64) error {
	if len(grid) == 0 {
		return fmt.Errorf("the grid of C is empty: give at least one value")
	}
	last := 0.0
	for i, c := range grid {
		if !(c > last) || math.IsInf(c, 0) {
			return fmt.Errorf("value %d of the grid of C is %g: give positive numbers in ascending order", i, c)
		}
		last = c
	}
	return nil
}
