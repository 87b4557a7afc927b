package svm

import (
	"context"
	"fmt"
	"slices"

	"gorgonia.org/tensor"
)

// Classifier holds classifiers for a grid of C, trained on the same rows.
type Classifier struct {
	Classes  []int     // the classes of the training rows, ascending
	C        []float64 // the grid
	Scaler   *Scaler
	Problems []*Path // one for two classes, one for each class for more, none for a single class
}

// FitClassifier standardises the features on the given rows and solves one problem for two classes
// (the larger one is +1), or each class against the rest for more, for every C of an ascending grid.
//
// x is N x d, Float32 or Float64, contiguous by rows; classes holds the class of each of the N rows,
// any integers; rows selects the training rows, nil means all. A class that none of them has is never
// predicted; where all have the same class, that one always is. Errors are those of [FitPath].
func FitClassifier(
	ctx context.Context, x *tensor.Dense, rows, classes []int, grid []float64, o Options,
) (*Classifier, error) {
	d, err := newDesign(x, rows)
	if err != nil {
		return nil, err
	}
	if len(classes) != x.Shape()[0] {
		return nil, fmt.Errorf("%d classes for a matrix of %d rows", len(classes), x.Shape()[0])
	}
	if err := checkGrid(grid); err != nil {
		return nil, err
	}
	scaler, err := d.fitScaler(o.OneScale)
	if err != nil {
		return nil, err
	}
	d.scaler = scaler
	c := &Classifier{C: slices.Clone(grid), Scaler: scaler}
	for _, r := range d.rows {
		c.Classes = append(c.Classes, classes[r])
	}
	slices.Sort(c.Classes)
	c.Classes = slices.Compact(c.Classes)
	o = o.withDefaults()
	count := problems(len(c.Classes))
	if count == 0 {
		return c, nil
	}
	space := newSpace(d, o)
	labels := make([]float64, d.numRows())
	for k := range count {
		positive := c.Classes[len(c.Classes)-count+k]
		for i, r := range d.rows {
			labels[i] = -1
			if classes[r] == positive {
				labels[i] = 1
			}
		}
		path, err := fitSpace(ctx, space, labels, grid, o)
		if err != nil {
			return nil, fmt.Errorf("class %d against the rest: %w", positive, err)
		}
		c.Problems = append(c.Problems, path)
	}
	return c, nil
}

// Model returns the classifier at value k of the grid.
func (c *Classifier) Model(k int) *Model {
	m := &Model{Classes: slices.Clone(c.Classes), C: c.C[k], Scaler: *c.Scaler}
	for _, p := range c.Problems {
		m.Weights = append(m.Weights, p.Weight[k])
		m.Bias = append(m.Bias, p.Bias[k])
	}
	return m
}

// Decisions returns the decision values of the rows of x (N x d; nil: all rows) for every C: element k is what
// Model(k).Decisions returns for them. The rows are read and standardised once.
func (c *Classifier) Decisions(x *tensor.Dense, rows []int) ([]*tensor.Dense, error) {
	d, err := newDesign(x, rows)
	if err != nil {
		return nil, err
	}
	if err := d.standardise(c.Scaler); err != nil {
		return nil, err
	}
	var weights [][]float64
	var bias []float64
	for k := range c.C {
		for _, p := range c.Problems {
			weights = append(weights, p.Weight[k])
			bias = append(bias, p.Bias[k])
		}
	}
	n, width := d.numRows(), len(c.Problems)
	values := make([]float64, n*len(weights))
	d.decisions(weights, bias, values, len(weights))
	out := make([]*tensor.Dense, len(c.C))
	for k := range out {
		of := make([]float64, n*max(width, 1)) // of a single class zeros
		for i := range n {
			copy(of[i*width:(i+1)*width], values[i*len(weights)+k*width:])
		}
		out[k] = tensor.New(tensor.WithShape(n, max(width, 1)), tensor.WithBacking(of))
	}
	return out, nil
}

// Predict returns the classes of the rows of x (N x d; nil: all rows) for every C: element [k][i] is
// what Model(k) predicts for rows[i].
func (c *Classifier) Predict(x *tensor.Dense, rows []int) ([][]int, error) {
	decisions, err := c.Decisions(x, rows)
	if err != nil {
		return nil, err
	}
	out := make([][]int, len(c.C))
	for k, of := range decisions {
		width, values := of.Shape()[1], of.Float64s()
		out[k] = make([]int, of.Shape()[0])
		for i := range out[k] {
			out[k][i] = choose(c.Classes, values[i*width:(i+1)*width])
		}
	}
	return out, nil
}
