package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/model/param"
)

// Options say how a network is trained: by Adam on shuffled batches. A family embeds them in its own options.
type Options struct {
	Loss         autodiff.Loss `json:"loss"`          // "" is cross-entropy for classes and squared for targets
	Epochs       int           `json:"epochs"`        // passes over the training items
	BatchSize    int           `json:"batch_size"`    // items of a step; 0: as many as the family says
	Rate         float64       `json:"rate"`          // of Adam in the first epochs
	HalveEvery   int           `json:"halve_every"`   // epochs after which the rate is halved; 0: never
	Decay        float64       `json:"decay"`         // L2 penalty lambda of the classifier
	ClassWeights []float64     `json:"class_weights"` // of the items of each class in the loss; nil: ones
	Patience     int           `json:"patience"`      // epochs it waits for a better validation score; 0: without end
	// MaxLoss is the multiple of the loss of a classifier of zeros beyond which a batch has diverged.
	MaxLoss float64 `json:"max_loss"`

	// In a task on vertices: arcs that are drawn at most in a step at every vertex that is reached, for each step away
	// from a vertex that is learned from, or one number for all of them; nil: all arcs.
	FanOut []int `json:"fan_out,omitempty"`
	// The same where vertices are scored or predicted, with one sample for all epochs; nil: all arcs.
	PredictFanOut []int `json:"predict_fan_out,omitempty"`
}

// Check reports the first option that makes no sense.
func (o *Options) Check() error {
	steps := o.steps(autodiff.TrainOptions{})
	steps.BatchSize = cmp.Or(steps.BatchSize, 1)
	if err := steps.Check(); err != nil {
		return err
	}
	if o.Loss != "" {
		if _, err := autodiff.ParseLoss(string(o.Loss)); err != nil {
			return err
		}
	}
	for _, fanOut := range [][]int{o.FanOut, o.PredictFanOut} {
		for _, arcs := range fanOut {
			if arcs < 1 {
				return fmt.Errorf("a fan-out of %d arcs: want at least 1", arcs)
			}
		}
	}
	for c, w := range o.ClassWeights {
		if !(w > 0) || math.IsInf(w, 0) {
			return fmt.Errorf("weight %g of class %d: want a positive number", w, c)
		}
	}
	return nil
}

// settle fills in the loss and reports options that do not fit the examples.
func (o *Options) settle(x *Examples) error {
	classes := !x.Targets.Regression()
	if o.Loss == "" {
		o.Loss = autodiff.Squared
		if classes {
			o.Loss = autodiff.CrossEntropy
		}
	}
	if err := o.Check(); err != nil {
		return err
	}
	if o.Samples() && !x.Vertices() {
		name := "fanout"
		if o.FanOut == nil {
			name = "predict-fanout"
		}
		return param.Errorf(name, nil, "it is for tasks on vertices; graphs are learned from as a whole")
	}
	if classes == (o.Loss == autodiff.Squared) {
		return fmt.Errorf("the %s loss does not fit: the squared loss is for targets, the others for classes", o.Loss)
	}
	if w := o.ClassWeights; w != nil && (!classes || len(w) != x.Outputs()) {
		return fmt.Errorf("weights of %d classes for %d outputs", len(w), x.Outputs())
	}
	return nil
}

// Samples reports whether a fan-out is given.
func (o *Options) Samples() bool { return o.FanOut != nil || o.PredictFanOut != nil }

// FanOuts returns the fan-outs of training and of prediction for vertices that see so many steps far, nil for all arcs.
func (o *Options) FanOuts(hops int) (steps, predicted []int, err error) {
	if steps, err = spread("fanout", o.FanOut, hops); err == nil {
		predicted, err = spread("predict-fanout", o.PredictFanOut, hops)
	}
	return steps, predicted, err
}

// spread returns a number for each step away from a vertex.
func spread(name string, fanOut []int, hops int) ([]int, error) {
	switch {
	case len(fanOut) == hops || fanOut == nil:
		return fanOut, nil
	case len(fanOut) == 1:
		return slices.Repeat(fanOut, hops), nil
	}
	return nil, param.Errorf(name, nil, "%d numbers for a network that sees %d steps far: want %d, or one for all",
		len(fanOut), hops, hops)
}

// steps returns options of a trainer with those of the steps that are known here.
func (o *Options) steps(s autodiff.TrainOptions) autodiff.TrainOptions {
	s.Epochs, s.BatchSize, s.Rate, s.HalveEvery, s.Decay = o.Epochs, o.BatchSize, o.Rate, o.HalveEvery, o.Decay
	s.Patience, s.MaxLoss = o.Patience, o.MaxLoss
	return s
}

// Lasting returns the options without those that may be others when a training goes on from its checkpoint: the number
// of epochs, the patience and the largest loss.
func (o Options) Lasting() Options {
	o.Epochs, o.Patience, o.MaxLoss = 0, 0, 0
	return o
}

// BalancedWeights returns weights that give all classes the same share of a loss: items / (outputs * items of
// the class). A class of no items has weight 1, items of class -1 do not count.
func BalancedWeights(classes []int, outputs int) []float64 {
	sizes, total := make([]float64, outputs), 0.0
	for _, c := range classes {
		if c >= 0 && c < outputs {
			sizes[c]++
			total++
		}
	}
	for c, size := range sizes {
		if sizes[c] = 1; size > 0 {
			sizes[c] = total / (float64(outputs) * size)
		}
	}
	return sizes
}
