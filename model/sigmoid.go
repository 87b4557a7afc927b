package model

import (
	"errors"
	"fmt"
	"math"

	"gorgonia.org/tensor"
)

// Sigmoid makes a probability of a decision s: 1 / (1 + exp(Slope s + Offset)) (Platt 1999).
type Sigmoid struct {
	Slope  float64 `json:"slope"`
	Offset float64 `json:"offset"`
}

// At returns the probability at a decision.
func (s Sigmoid) At(decision float64) float64 {
	return 1 / (1 + math.Exp(s.Slope*Bounded(decision)+s.Offset))
}

// Bounded keeps decisions, that about a class that was never seen too, in the range in which squares do not overflow.
func Bounded(decision float64) float64 { return max(-1e100, min(decision, 1e100)) }

// Sigmoids make probabilities of what a model says, one for each class of [ToldApart]. They bring models together whose
// decisions have no unit in common.
type Sigmoids []Sigmoid

// Check returns an error where they are none for so many classes.
func (s Sigmoids) Check(classes int) error {
	if want := len(ToldApart(classes)); len(s) != want {
		return fmt.Errorf("%d sigmoids for %d classes: want %d", len(s), classes, want)
	}
	for _, one := range s {
		if math.IsNaN(one.Slope-one.Slope) || math.IsNaN(one.Offset-one.Offset) {
			return errors.New("a sigmoid that is no number")
		}
	}
	return nil
}

// Probabilities returns those of so many classes, see [Calibrated].
func (s Sigmoids) Probabilities(said *Predictions, classes int) *tensor.Dense {
	return Calibrated(said, classes, func(k int, decision float64) float64 { return s[k].At(decision) })
}

// ToldApart lists the classes that scores tell from the rest: of two the second alone.
func ToldApart(classes int) []int {
	var list []int
	for class := range classes {
		if classes != 2 || class == 1 {
			list = append(list, class)
		}
	}
	return list
}

// Calibrated returns the probabilities of so many classes, a row of sum 1 for each example. of makes that of a class of
// its score, see [Predictions.Score]; class is its place in [ToldApart]. Those of three and more classes are divided by
// their sum.
func Calibrated(said *Predictions, classes int, of func(class int, score float64) float64) *tensor.Dense {
	n := said.scored().Shape()[0]
	rows := make([]float64, n*classes)
	for i := range n {
		row := rows[i*classes : (i+1)*classes]
		if classes == 2 {
			p := of(0, said.Score(i, 1))
			row[0], row[1] = 1-p, p
			continue
		}
		sum := 0.0
		for k := range row {
			row[k] = of(k, said.Score(i, k))
			sum += row[k]
		}
		for k := range row {
			if row[k] /= sum; sum == 0 {
				row[k] = 1 / float64(classes)
			}
		}
	}
	return tensor.New(tensor.WithShape(n, classes), tensor.WithBacking(rows))
}

// Score returns how strongly predictions of an example speak for a class: its probability, else its decision.
func (p *Predictions) Score(example, class int) float64 {
	x := p.scored()
	width, values := x.Shape()[1], x.Float64s()
	switch {
	case width > 1:
		return values[example*width+class]
	case class == 1:
		return values[example]
	}
	return -values[example]
}

// scored returns the probabilities, else the decisions.
func (p *Predictions) scored() *tensor.Dense {
	if p.Probabilities != nil {
		return p.Probabilities
	}
	return p.Decisions
}

// Scores returns those of all examples for a class.
func (p *Predictions) Scores(class int) []float64 {
	scores := make([]float64, p.scored().Shape()[0])
	for i := range scores {
		scores[i] = p.Score(i, class)
	}
	return scores
}

// Average returns what several models say together: of every class the mean of its probabilities, and of every example
// the class whose mean is the largest, of equal ones the first. All say something of the same examples.
func Average(said []*Predictions) *Predictions {
	n, classes := said[0].Len(), said[0].Probabilities.Shape()[1]
	p, means := &Predictions{Classes: make([]int, n)}, make([]float64, n*classes)
	for _, s := range said {
		for k, v := range s.Probabilities.Float64s() {
			means[k] += v / float64(len(said))
		}
	}
	for i := range n {
		p.Classes[i] = ArgMax(means[i*classes : (i+1)*classes])
	}
	p.Probabilities = tensor.New(tensor.WithShape(n, classes), tensor.WithBacking(means))
	return p
}
