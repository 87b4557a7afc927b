// Package gckn implements graph convolutional kernel networks (Chen, Jacob and Mairal, "Convolutional Kernel
// Networks for Graph-Structured Data", ICML 2020): a graph is represented by the paths that start at its
// vertices, compared by a Gaussian-like kernel through a Nystrom approximation, in one or more layers. The
// anchors of the approximation come from k-means ([Fit]), or are trained from there together with a linear
// classifier ([Supervise]).
//
//	options, err := gckn.Preset("gckn-subtree", 3, 32, 0.5)
//	m, err := model.Fit(ctx, d, gckn.Estimator{Options: options, C: []float64{1}}, nil)
//	said, err := m.Predict(ctx, d, nil)
//
// Where the paper and its published code differ, the code's conventions (docs/conventions.md) are the
// default and the paper's are options; each option says so.
package gckn

import (
	"fmt"
	"math"
	"strings"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// LayerOptions describe one layer.
type LayerOptions struct {
	PathSize int     `json:"path_size"` // vertices of a path; the paper's k is PathSize-1
	Filters  int     `json:"filters"`   // number of anchors q
	Sigma    float64 `json:"sigma"`     // bandwidth; alpha = 1/sigma^2
	Pooling  Pooling `json:"pooling"`   // over the paths of a vertex (local pooling)
}

// Options describe a model. The zero value is not usable; start from [Preset].
type Options struct {
	Layers []LayerOptions `json:"layers"`

	Walk       bool `json:"walk"`        // walks in place of paths (Appendix C)
	AllLengths bool `json:"all_lengths"` // paths of 1..PathSize vertices, each its own channel (section 3.4)
	Concat     bool `json:"concat"`      // concatenate the representations of all layers (section 3.4)

	GlobalPooling Pooling `json:"global_pooling"` // over the vertices of a graph

	SumExponent bool               `json:"sum_exponent"` // exponent as a sum over positions (Eq. 12); otherwise their mean
	Rule        engine.InvSqrtRule `json:"rule"`         // where the regularisation of the inverse square root goes
	Epsilon     float64            `json:"epsilon"`      // regularisation, 0.01 in paper and code
	MaxLambda   float64            `json:"max_lambda"`   // ridge of generalised max pooling

	Samples int    `json:"samples"` // paths from which the anchors of a layer are learned
	Seed    uint64 `json:"seed"`
	Double  bool   `json:"double"` // anchors and representations in float64; graphs are encoded in it in any case

	// PathNorms makes the kernel of paths homogeneous in the whole path (section 3.4) and not in its first vertex, and its
	// anchors vectors of norm 1 as a whole: docs/conventions.md, 2. It makes a difference in layers of paths whose
	// vertices have other norms than 1.
	PathNorms bool `json:"path_norms,omitempty"`
}

// Pooling is sum, mean, max or generalised max pooling (Murray and Perronnin, CVPR 2014).
type Pooling string

// The poolings of section 3.4.
const (
	Sum            Pooling = "sum"
	Mean           Pooling = "mean"
	Max            Pooling = "max"
	GeneralizedMax Pooling = "gmp"
)

func (p Pooling) known() bool { return p == Sum || p == Mean || p == Max || p == GeneralizedMax }

// engine returns the engine's pooling, which has a ridge where it is generalised max pooling.
func (p Pooling) engine(ridge float64) (engine.Pooling, float64) {
	if p == GeneralizedMax {
		return engine.Sum, ridge
	}
	pool, err := engine.ParsePooling(string(p))
	if err != nil {
		panic(err) // Options.Check lets no other value through
	}
	return pool, 0
}

// Variants lists the names that [Preset] knows.
func Variants() []string { return []string{"gckn-walk", "gckn-path", "gckn-subtree", "gckn-3layer"} }

// Preset returns the options of one of the paper's models (section 5.1): gckn-walk and gckn-path have
// one layer; gckn-subtree adds a layer of single vertices on top; gckn-3layer has layers of pathSize, 3
// and 1 vertices. Filters and bandwidth are the same in all layers, all pooling sums; change the options
// for anything else.
func Preset(variant string, pathSize, filters int, sigma float64) (Options, error) {
	opt := Options{
		AllLengths: true, GlobalPooling: Sum,
		Epsilon: 0.01, MaxLambda: 1, Samples: 300000,
	}
	sizes := []int{pathSize}
	switch variant {
	case "gckn-walk":
		opt.Walk = true
	case "gckn-path":
	case "gckn-subtree":
		sizes = append(sizes, 1)
	case "gckn-3layer":
		sizes = append(sizes, 3, 1)
	default:
		return opt, fmt.Errorf("model %q: want one of %s", variant, strings.Join(Variants(), ", "))
	}
	for _, size := range sizes {
		opt.Layers = append(opt.Layers, LayerOptions{PathSize: size, Filters: filters, Sigma: sigma, Pooling: Sum})
	}
	return opt, opt.Check()
}

// Bounds of the options. Beyond those of sigma the kernel is constant or zero in float32.
const (
	minSigma, maxSigma = 1e-3, 1e3
	maxSamples         = 1 << 28
)

// Check reports the first option that makes no sense.
func (o *Options) Check() error {
	if len(o.Layers) == 0 {
		return fmt.Errorf("a model needs at least one layer")
	}
	for i, l := range o.Layers {
		switch {
		case l.PathSize < 1 || l.PathSize > 16:
			return fmt.Errorf("layer %d: path size %d, want 1 to 16 vertices", i+1, l.PathSize)
		case l.Filters < 1 || l.Filters > 1<<14:
			return fmt.Errorf("layer %d: %d filters, want 1 to %d", i+1, l.Filters, 1<<14)
		case !(l.Sigma >= minSigma && l.Sigma <= maxSigma):
			return fmt.Errorf("layer %d: sigma %g, want %g to %g", i+1, l.Sigma, minSigma, maxSigma)
		case l.Pooling == GeneralizedMax && o.whole(i):
			return fmt.Errorf("layer %d: generalised max pooling of paths does not go with the norms of whole paths", i+1)
		case !l.Pooling.known():
			return fmt.Errorf("layer %d: pooling %q, want sum, mean, max or gmp", i+1, l.Pooling)
		}
	}
	switch {
	case !o.GlobalPooling.known():
		return fmt.Errorf("global pooling %q, want sum, mean, max or gmp", o.GlobalPooling)
	case !(o.Epsilon > 0) || math.IsInf(o.Epsilon, 0):
		return fmt.Errorf("epsilon %g, want a positive number", o.Epsilon)
	case !(o.MaxLambda > 0) || math.IsInf(o.MaxLambda, 0):
		return fmt.Errorf("ridge of generalised max pooling %g, want a positive number", o.MaxLambda)
	case o.Samples < 1 || o.Samples > maxSamples:
		return fmt.Errorf("%d sampled paths, want 1 to %d", o.Samples, maxSamples)
	case o.Rule != engine.AfterRoot && o.Rule != engine.InsideRoot:
		return fmt.Errorf("unknown rule %d of the inverse square root", o.Rule)
	}
	return nil
}

// whole reports whether the norms of whole paths count in layer l.
func (o *Options) whole(l int) bool { return o.PathNorms && o.Layers[l].PathSize > 1 }

// channels returns the number of channels that layer l puts out.
func (o *Options) channels(l int) int {
	c := 1
	for _, layer := range o.Layers[:l+1] {
		if o.AllLengths {
			c *= layer.PathSize
		}
	}
	return c
}

// Dim returns the length of a graph's representation.
func (o *Options) Dim() int {
	last := len(o.Layers) - 1
	dim := 0
	for l, layer := range o.Layers {
		if l == last || o.Concat {
			dim += layer.Filters * o.channels(l)
		}
	}
	return dim
}

func (o *Options) kernel(l int) engine.Kernel {
	s := o.Layers[l].Sigma
	return engine.Kernel{Alpha: 1 / (s * s), SumExponent: o.SumExponent}
}

// route returns what the layers pool over.
func (o *Options) route() graph.Route {
	if o.Walk {
		return graph.Walks
	}
	return graph.Paths
}
