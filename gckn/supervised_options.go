package gckn

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
)

// SupervisedOptions say how a network and its linear classifier are trained together (sections 3.5 and
// 5.1). Start from [DefaultSupervised].
type SupervisedOptions struct {
	Network Options `json:"network"` // poolings sum, mean and max; layers are not concatenated

	Loss         autodiff.Loss `json:"loss"`          // "" is cross-entropy for classes and squared for targets
	Epochs       int           `json:"epochs"`        // passes over the training items
	BatchSize    int           `json:"batch_size"`    // items of a step
	Rate         float64       `json:"rate"`          // of Adam in the first epochs
	HalveEvery   int           `json:"halve_every"`   // epochs after which the rate is halved; 0: never
	Decay        float64       `json:"decay"`         // L2 penalty lambda of the classifier
	ClassWeights []float64     `json:"class_weights"` // of the items of each class in the loss; nil: ones
	Patience     int           `json:"patience"`      // epochs it waits for a better validation score; 0: without end

	// Alternate solves for the classifier exactly after every epoch, whose steps train the anchors alone.
	Alternate bool `json:"alternate"`
	// ExactGradient takes the true derivative of the inverse square roots in place of that of the published
	// code (docs/conventions.md, 17).
	ExactGradient bool `json:"exact_gradient"`
	// StartGraphs is the number of training graphs that the unsupervised start, anchors and first classifier, is
	// learned from, drawn from the seed. The start holds them in memory at once. 0: all, or of graphs that are not
	// in memory at most [StreamedStart].
	StartGraphs int `json:"start_graphs"`
	// MaxLoss is the multiple of the loss of a classifier of zeros beyond which a batch has diverged.
	MaxLoss float64 `json:"max_loss"`
	// Precision is that of the inner products with anchors and of their gradients while training, on a GPU by
	// its tensor cores; in host memory their factors are rounded, which makes nothing faster. The model is
	// scored and predicts in full precision.
	Precision engine.Precision `json:"precision"`
}

// DefaultSupervised returns the settings of section 5.1 and appendix B.1 for a network: Adam at rate 0.01,
// halved every 50 epochs, batches of 32, at most 350 epochs.
func DefaultSupervised(network Options) SupervisedOptions {
	return SupervisedOptions{
		Network: network, Epochs: 350, BatchSize: 32, Rate: 0.01, HalveEvery: 50, Decay: 1e-4, MaxLoss: 1e4,
	}
}

// Check reports the first option that makes no sense.
func (o *SupervisedOptions) Check() error {
	if err := o.Network.Check(); err != nil {
		return err
	}
	train := o.train()
	if err := train.Check(); err != nil {
		return err
	}
	if o.Loss != "" {
		if _, err := autodiff.ParseLoss(string(o.Loss)); err != nil {
			return err
		}
	}
	for i, l := range o.Network.Layers {
		if l.Pooling == GeneralizedMax {
			return fmt.Errorf("layer %d: generalised max pooling cannot be trained: want sum, mean or max", i+1)
		}
	}
	for c, w := range o.ClassWeights {
		if !(w > 0) || math.IsInf(w, 0) {
			return fmt.Errorf("weight %g of class %d: want a positive number", w, c)
		}
	}
	switch {
	case o.Network.GlobalPooling == GeneralizedMax:
		return fmt.Errorf("generalised max pooling cannot be trained: want sum, mean or max over the vertices")
	case o.Network.Concat && len(o.Network.Layers) > 1:
		return fmt.Errorf("concatenated layers cannot be trained: leave Concat out")
	case o.StartGraphs < 0:
		return fmt.Errorf("a start from %d graphs: want 0 (all) or more", o.StartGraphs)
	case o.Precision < engine.Full || o.Precision > engine.BFloat16:
		return fmt.Errorf("unknown precision %d", o.Precision)
	}
	return nil
}

// train returns the options of the steps.
func (o *SupervisedOptions) train() autodiff.TrainOptions {
	return autodiff.TrainOptions{
		Epochs: o.Epochs, BatchSize: o.BatchSize, Rate: o.Rate, HalveEvery: o.HalveEvery, Decay: o.Decay,
		AnchorsOnly: o.Alternate, Patience: o.Patience, MaxLoss: o.MaxLoss, Seed: o.Network.Seed,
	}
}

// autodiff returns the network and its loss as package autodiff takes them.
func (o *SupervisedOptions) autodiff() autodiff.Options {
	opt := o.Network.network()
	opt.Loss, opt.Precision, opt.Concat = o.Loss, o.Precision, false
	if o.ExactGradient {
		opt.InvSqrtGradient = autodiff.Exact
	}
	return opt
}

// String lists what a search varies: the network's options, loss and decay.
func (o SupervisedOptions) String() string {
	text := fmt.Sprintf("%s, decay %g", o.Network, o.Decay)
	if o.Loss != "" {
		text += ", loss " + string(o.Loss)
	}
	if o.Alternate {
		text += ", alternating"
	}
	return text
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
