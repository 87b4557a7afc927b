package gckn

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/train"
)

// SupervisedOptions say how a network and its linear classifier are trained together (sections 3.5 and
// 5.1). Start from [DefaultSupervised].
type SupervisedOptions struct {
	Network Options `json:"network"` // layers are not concatenated

	train.Options

	// Alternate solves for the classifier exactly after every epoch, whose steps train the anchors alone.
	Alternate bool `json:"alternate"`
	// ExactGradient takes the true derivative of the inverse square roots in place of that of the published
	// code (docs/conventions.md, 17).
	ExactGradient bool `json:"exact_gradient"`
	// StartGraphs is the number of training graphs that the unsupervised start, anchors and first classifier, is
	// learned from, drawn from the seed. The start holds them in memory at once. 0: all, or of graphs that are not
	// in memory at most [StreamedStart].
	StartGraphs int `json:"start_graphs"`
	// Precision is that of the inner products with anchors and of their gradients while training, on a GPU by
	// its tensor cores; in host memory their factors are rounded, which makes nothing faster. The model is
	// scored and predicts in full precision.
	Precision engine.Precision `json:"precision"`
	// Standardise makes the classifier see every number of the representation with mean 0 and standard deviation 1
	// over the training items at the start, and its first solution minimise what the steps do, the mean of the losses
	// plus Decay/2 |W|^2, in place of their sum. The model that comes out has it inside its classifier.
	Standardise bool `json:"standardise,omitempty"`

	// Decays, unless nil, are those of which the start chooses Decay, in five parts of the training items: the one of the
	// best first classifier, of equals the largest. It takes Standardise and Alternate.
	Decays []float64 `json:"decays,omitempty"`

	From       *Origin `json:"from,omitempty"`        // of the anchors that the training starts from; nil: k-means
	Freeze     int     `json:"freeze,omitempty"`      // number of layers, from the bottom, whose anchors steps leave alone
	AnchorRate float64 `json:"anchor_rate,omitempty"` // of Adam for anchors, in place of Rate; 0: as Rate
}

// DefaultSupervised returns the settings of section 5.1 and appendix B.1 for a network: Adam at rate 0.01,
// halved every 50 epochs, batches of 32 graphs, at most 350 epochs.
func DefaultSupervised(network Options) SupervisedOptions {
	return SupervisedOptions{Network: network, Options: train.Options{
		Epochs: 350, Rate: 0.01, HalveEvery: 50, Decay: 1e-4, MaxLoss: 1e4,
	}}
}

// TunedSupervised returns the settings that the models of graphs start from by name: a standardised representation, so
// that the start is as good as the unsupervised model, a classifier that is solved for exactly after every epoch, so
// that steps cannot lose what it knows, and a penalty that is chosen as the unsupervised model chooses its C. See
// docs/results/gckn.md for how they were chosen.
func TunedSupervised(network Options) SupervisedOptions {
	o := tunedSteps(network)
	o.Alternate, o.Epochs, o.Decays = true, 10, []float64{0.1, 0.01, 0.001}
	return o
}

// tunedSteps returns the settings by name where the classifier is trained in the steps: of vertices, of which all are
// one step, and of so many graphs that their representation is better not held at once.
func tunedSteps(network Options) SupervisedOptions {
	o := DefaultSupervised(network)
	o.Standardise, o.Rate, o.Decay, o.Epochs = true, 0.003, 0.01, 100
	return o
}

// defaultBatch is the number of graphs of a step.
const defaultBatch = 32

// MarshalJSON writes the options in the order that files of models have had from the first, and checkpoints, which
// compare them as text.
func (o SupervisedOptions) MarshalJSON() ([]byte, error) {
	type fields SupervisedOptions
	return json.Marshal(struct {
		fields
		MaxLoss   float64          `json:"max_loss"`
		Precision engine.Precision `json:"precision"`

		Standardise bool      `json:"standardise,omitempty"`
		From        *Origin   `json:"from,omitempty"`
		Freeze      int       `json:"freeze,omitempty"`
		AnchorRate  float64   `json:"anchor_rate,omitempty"`
		Decays      []float64 `json:"decays,omitempty"`
	}{fields(o), o.MaxLoss, o.Precision, o.Standardise, o.From, o.Freeze, o.AnchorRate, o.Decays})
}

// Check reports the first option that makes no sense.
func (o *SupervisedOptions) Check() error {
	if err := o.Network.Check(); err != nil {
		return err
	}
	if err := o.Options.Check(); err != nil {
		return err
	}
	switch {
	case o.Network.Concat && len(o.Network.Layers) > 1:
		return fmt.Errorf("concatenated layers cannot be trained: leave Concat out")
	case o.StartGraphs < 0:
		return fmt.Errorf("a start from %d graphs: want 0 (all) or more", o.StartGraphs)
	case o.Freeze < 0 || o.Freeze > len(o.Network.Layers):
		return fmt.Errorf("%d layers to freeze: the network has %d", o.Freeze, len(o.Network.Layers))
	case !(o.AnchorRate >= 0) || math.IsInf(o.AnchorRate, 0):
		return fmt.Errorf("rate %g of the anchors: want a positive number, or 0 for that of the classifier", o.AnchorRate)
	case o.Decays != nil && (!o.Standardise || !o.Alternate || len(o.Decays) == 0):
		return fmt.Errorf("a choice among decays takes some, a standardised representation and an exact classifier")
	case slices.ContainsFunc(o.Decays, func(d float64) bool { return !(d >= 0) || math.IsInf(d, 0) }):
		return fmt.Errorf("decays %v: want numbers from 0 on", o.Decays)
	case o.Precision < engine.Full || o.Precision > engine.BFloat16:
		return fmt.Errorf("unknown precision %d", o.Precision)
	}
	return nil
}

// autodiff returns the network and its loss as package autodiff takes them.
func (o *SupervisedOptions) autodiff() autodiff.Options {
	opt := o.Network.network()
	opt.Loss, opt.Precision, opt.Concat = o.Loss, o.Precision, false
	opt.Kept = o.Freeze
	if o.ExactGradient {
		opt.InvSqrtGradient = autodiff.Exact
	}
	return opt
}

// String lists what a search varies: the network's options, rate, decay and loss.
func (o SupervisedOptions) String() string {
	text := fmt.Sprintf("%s, rate %g, decay ", o.Network, o.Rate)
	if o.Decays == nil {
		text += fmt.Sprint(o.Decay)
	} else {
		text += "chosen"
	}
	if o.Loss != "" {
		text += ", loss " + string(o.Loss)
	}
	if o.Alternate {
		text += ", alternating"
	}
	if o.From != nil {
		text += ", from " + o.From.String()
	}
	if o.Freeze > 0 {
		text += fmt.Sprintf(", %d layers frozen", o.Freeze)
	}
	return text
}

// frozen names the parameters that steps leave alone.
func (o *SupervisedOptions) frozen() []string {
	var names []string
	if o.Alternate {
		names = []string{"weight", "bias"}
	}
	for l := range o.Freeze {
		names = append(names, autodiff.AnchorsName(l))
	}
	return names
}

// rates returns the rates of Adam that are none of all parameters, by name.
func (o *SupervisedOptions) rates() map[string]float64 {
	if o.AnchorRate == 0 {
		return nil
	}
	rates := map[string]float64{}
	for l := range o.Network.Layers {
		rates[autodiff.AnchorsName(l)] = o.AnchorRate
	}
	return rates
}
