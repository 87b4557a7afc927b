package gnn

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// Kind is a kind of network.
type Kind string

// The kinds of networks, by the names that they are registered under.
const (
	GCN Kind = "gcn" // graph convolutional network
	GIN Kind = "gin" // graph isomorphism network
)

// Options describe a network and its training.
type Options struct {
	Kind    Kind           `json:"kind"`
	Layers  int            `json:"layers"`
	Width   int            `json:"width"` // of the hidden layers
	Dropout float64        `json:"dropout"`
	Pooling engine.Pooling `json:"pooling"` // of the vertices of a graph
	ByRow   bool           `json:"by_row"`  // features are divided by the sum of the absolute values of their row
	// Normalise adds batch normalisation to the layers of a graph convolutional network; in a graph isomorphism network
	// it is always there.
	Normalise bool   `json:"normalise,omitempty"`
	Double    bool   `json:"double"`
	Seed      uint64 `json:"seed"`
	train.Options
}

// Default returns the settings of a kind in a task. On graphs a graph isomorphism network has 5 layers of 64 with
// dropout 0.5 (Xu et al., section 7), at a lower rate than theirs that falls sooner, so that the last epochs are alike,
// and a graph convolutional network 4 layers of 64, whose sums are pooled (docs/results/gnn.md). On vertices the latter
// has 2 layers of 16 with dropout 0.5 and decay 5e-4 (Kipf and Welling, section 5.2).
func Default(kind Kind, task model.Task) Options {
	o := Options{Kind: kind, Layers: 5, Width: 64, Dropout: 0.5, Pooling: engine.Sum}
	o.Options = train.Options{Epochs: 80, Rate: 0.003, HalveEvery: 20, MaxLoss: 1e4}
	if kind != GCN {
		return o
	}
	o.Rate, o.Decay = 0.01, 5e-4
	if task == model.NodeTask {
		o.Layers, o.Width, o.Pooling, o.ByRow = 2, 16, engine.Mean, true
		o.Epochs, o.HalveEvery = 200, 0
	} else {
		o.Layers, o.Dropout, o.Normalise, o.Epochs, o.HalveEvery = 4, 0, true, 100, 25
	}
	return o
}

// Check reports the first option that makes no sense.
func (o *Options) Check() error {
	switch {
	case o.Kind != GCN && o.Kind != GIN:
		return fmt.Errorf("network %q: want %s or %s", o.Kind, GCN, GIN)
	case o.Layers < 1 || o.Layers > maxLayers:
		return fmt.Errorf("%d layers: want 1 to %d", o.Layers, maxLayers)
	case o.Width < 1 || o.Width > maxWidth:
		return fmt.Errorf("layers of %d: want 1 to %d", o.Width, maxWidth)
	case !(o.Dropout >= 0 && o.Dropout < 1):
		return fmt.Errorf("dropout %g: want a share from 0 on and below 1", o.Dropout)
	case o.Pooling < engine.Sum || o.Pooling > engine.Max:
		return fmt.Errorf("unknown pooling %d", o.Pooling)
	}
	return o.Options.Check()
}

// Bounds of the options.
const (
	maxLayers = 64
	maxWidth  = 1 << 14
)

func (o *Options) dtype() tensor.Dtype {
	if o.Double {
		return tensor.Float64
	}
	return tensor.Float32
}

// hops returns how far away a vertex sees anything: the weights of the arcs of a graph convolutional network depend on
// the degrees at both ends.
func (o *Options) hops() int {
	if o.Kind == GCN {
		return o.Layers + 1
	}
	return o.Layers
}

// samples tells the draws of arcs from other uses of the seed.
const samples = 0xa2c5

// drawOf returns the draw of arcs of an epoch, or with 0 that of scores and predictions.
func (o *Options) drawOf(epoch int) graph.Draw { return graph.NewDraw(o.Seed, samples, epoch) }

// String lists what a search varies.
func (o Options) String() string {
	kind := string(o.Kind)
	if o.Normalise {
		kind += " with batch normalisation"
	}
	return fmt.Sprintf("%s, %d layers of %d, dropout %g, %s pooling, rate %g, decay %g", kind, o.Layers, o.Width,
		o.Dropout, o.Pooling, o.Rate, o.Decay)
}
