package model

import (
	"github.com/grove-graph/grove/split"
	"gorgonia.org/tensor"
)

// Predictions are what a model says of examples. Its matrices are of Float64 with a row for each example; which of them
// there are depends on the model.
type Predictions struct {
	Classes []int // of each example, an index of the names of the classes; nil in a regression

	// Decisions are the decision values of a classifier: with two classes one, which speaks for the second where it
	// is positive, else one for each class, of which the largest wins.
	Decisions *tensor.Dense
	// Probabilities are those of all classes, of sum 1: the largest wins.
	Probabilities *tensor.Dense
	// Values are the predicted targets of a regression.
	Values *tensor.Dense
}

// Decide returns the predictions that decision values speak for, of equal ones for the first class.
func Decide(decisions *tensor.Dense) *Predictions {
	width, values := decisions.Shape()[1], decisions.Float64s()
	p := &Predictions{Classes: make([]int, decisions.Shape()[0]), Decisions: decisions}
	for i := range p.Classes {
		row, best := values[i*width:(i+1)*width], 0
		for c, v := range row {
			if v > row[best] {
				best = c
			}
		}
		if width == 1 && row[0] > 0 {
			best = 1
		}
		p.Classes[i] = best
	}
	return p
}

// Len returns the number of examples.
func (p *Predictions) Len() int {
	if p.Values != nil {
		return p.Values.Shape()[0]
	}
	return len(p.Classes)
}

// Of returns what is said of some examples, in their order.
func (p *Predictions) Of(examples []int) *Predictions {
	return &Predictions{
		Classes: split.Select(p.Classes, examples), Decisions: Rows(p.Decisions, examples),
		Probabilities: Rows(p.Probabilities, examples), Values: Rows(p.Values, examples),
	}
}

// Rows returns some rows of a Float64 matrix, nil of nil.
func Rows(x *tensor.Dense, rows []int) *tensor.Dense {
	if x == nil {
		return nil
	}
	width := x.Shape()[1]
	picked := make([]float64, 0, len(rows)*width)
	for _, r := range rows {
		picked = append(picked, x.Float64s()[r*width:(r+1)*width]...)
	}
	return tensor.New(tensor.WithShape(len(rows), width), tensor.WithBacking(picked))
}

// Column returns numbers as a matrix of one column.
func Column(values []float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(values), 1), tensor.WithBacking(values))
}
