package model

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/split"
	"gorgonia.org/tensor"
)

// Predictions are what a model says of examples. Its matrices are of Float64 with a row for each example; which of them
// there are depends on the model.
type Predictions struct {
	Classes []int // of each example, an index of the names of the classes; nil in a regression

	// Decisions are the decision values of a classifier: with two classes one, which speaks for the second where it
	// is positive, else one for each class, of which the largest wins. A class that was not there to be learned has
	// the value [NeverSeen].
	Decisions *tensor.Dense
	// Probabilities are those of all classes, of sum 1: one of the largest wins. That of a class that was not there is 0.
	Probabilities *tensor.Dense
	// Values are the predicted targets of a regression.
	Values *tensor.Dense
}

// NeverSeen is the decision about a class that no example of the training had: the lowest number. Its probability is 0.
const NeverSeen = -math.MaxFloat64

// Decide returns the predictions that decision values speak for, of equal ones for the first class. They are about some
// of so many classes, ascending, which the training knew; about the others they become [NeverSeen].
func Decide(decisions *tensor.Dense, known []int, classes int) *Predictions {
	n, width, values := decisions.Shape()[0], decisions.Shape()[1], decisions.Float64s()
	if len(known) < classes {
		scores := slices.Repeat([]float64{NeverSeen}, n*classes)
		for i := range n {
			from, to := values[i*width:(i+1)*width], scores[i*classes:(i+1)*classes]
			if len(known) == 2 {
				to[known[0]], to[known[1]] = 0-from[0], from[0]
				continue
			}
			for k, c := range known {
				to[c] = from[k]
			}
		}
		return Largest(tensor.New(tensor.WithShape(n, classes), tensor.WithBacking(scores)))
	}
	if width > 1 {
		return Largest(decisions)
	}
	p := &Predictions{Classes: make([]int, n), Decisions: decisions}
	for i, v := range values {
		if v > 0 {
			p.Classes[i] = 1
		}
	}
	return p
}

// Largest returns the predictions that scores of all classes speak for, a column for each: the largest wins, of equal
// ones the first. Of two classes the decision is the score of the second less that of the first.
func Largest(scores *tensor.Dense) *Predictions {
	n, width := scores.Shape()[0], scores.Shape()[1]
	p, margins := &Predictions{Classes: make([]int, n), Decisions: scores}, make([]float64, n)
	for i := range n {
		row := scores.Float64s()[i*width : (i+1)*width]
		p.Classes[i], margins[i] = ArgMax(row), row[width-1]-row[0]
	}
	if width == 2 {
		p.Decisions = Column(margins)
	}
	return p
}

// Vote returns what several models say together, the one to trust most first: of every example the class that most of
// them name, of classes with as many votes the one that is named first. Its probabilities are the shares of the votes.
// All say something of the same examples and of so many classes.
func Vote(said []*Predictions, classes int) *Predictions {
	n := said[0].Len()
	p, shares := &Predictions{Classes: make([]int, n)}, make([]float64, n*classes)
	for i := range n {
		votes := shares[i*classes : (i+1)*classes]
		for _, s := range said {
			votes[s.Classes[i]]++
		}
		most := slices.Max(votes)
		first := slices.IndexFunc(said, func(s *Predictions) bool { return votes[s.Classes[i]] == most })
		p.Classes[i] = said[first].Classes[i]
		for c := range votes {
			votes[c] /= float64(len(said))
		}
	}
	p.Probabilities = tensor.New(tensor.WithShape(n, classes), tensor.WithBacking(shares))
	return p
}

// ArgMax returns the place of the largest number, of equal ones the first.
func ArgMax(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
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
	selected := make([]float64, 0, len(rows)*width)
	for _, r := range rows {
		selected = append(selected, x.Float64s()[r*width:(r+1)*width]...)
	}
	return tensor.New(tensor.WithShape(len(rows), width), tensor.WithBacking(selected))
}

// Column returns numbers as a matrix of one column.
func Column(values []float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(values), 1), tensor.WithBacking(values))
}
