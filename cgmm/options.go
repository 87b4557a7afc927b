// Package cgmm implements the contextual graph Markov model (Bacciu, Errica and Micheli, "Contextual Graph
// Markov Model: A Deep and Generative Approach to Graph Processing", ICML 2018): layers of discrete hidden
// states, each trained by expectation maximisation on the frozen states of the layers below, and
// fingerprints that count the states of a graph.
//
//	m, err := model.Fit(ctx, d, cgmm.Estimator{Options: cgmm.DefaultOptions(), C: []float64{1}}, nil)
//	said, err := m.Predict(ctx, d, nil)
//
// # The model
//
// The first layer is a mixture: P(y_u) = sum_i P(y_u|Q=i) P(Q=i). A layer above it replaces the prior by
// what the neighbours of u say (Eq. 2),
//
//	P(Q_u=i) = sum_l P(L=l) sum_a P^l(S=a) sum_j n_uaj/N_ua P^{l,a}(Q=i|q=j),
//
// where l runs over the preceding layers that the layer looks at, n_uaj counts the neighbours of u in state
// j of layer l over arcs with label a, and N_ua = sum_j n_uaj. With soft states n_uaj adds up posteriors.
// An arc label that no neighbour of u has contributes nothing; P(S) is not renormalised over the others.
//
// # Rules
//
// The neighbours of u are the tails of the arcs that enter u. Self loops, arc weights and arc types do not
// count. An arc whose label is not one of those the model tells apart is left out.
//
// A vertex without neighbours takes no part in the learning of the layers above the first. Its state there
// follows from what it shows and from the mean state of the layer in place of its context.
//
// A label that no vertex showed in training, and one beyond those that the model knows, says nothing: the
// state follows from the context alone. Where context and label exclude each other, the context is left out.
//
// A state that no vertex takes gets uniform distributions.
//
// docs/conventions.md, 33 to 47, says where the paper and its published code differ from this.
package cgmm

import (
	"fmt"
	"math"
	"strings"
)

// Options describe a model. The zero value is not usable; start from [DefaultOptions].
type Options struct {
	States     int     `json:"states"`     // hidden states C of a layer
	Layers     int     `json:"layers"`     // number of layers, the largest one where growth may stop
	Previous   []int   `json:"previous"`   // preceding layers that a layer looks at, as distances: 1 is the layer below
	Soft       bool    `json:"soft"`       // posteriors as context in place of most likely states, which the paper takes
	Iterations int     `json:"iterations"` // of expectation maximisation in a layer, at most
	Tolerance  float64 `json:"tolerance"`  // gain of the log-likelihood, as a share of it, at which they stop
	Smoothing  float64 `json:"smoothing"`  // added to every expected count; 0 is maximum likelihood

	Pool     int `json:"pool"`     // candidates of a layer with different random starts (section 3.4)
	Patience int `json:"patience"` // layers without a better score that end the growth; 0: never

	Fingerprint Fingerprint `json:"fingerprint"`
	Seed        uint64      `json:"seed"`
}

// Fingerprint says how the states of its vertices represent a graph (section 3.4). Each layer contributes
// a column for every state and, with bigrams, one for every pair of states: column C + i*C + j counts the
// neighbours in state j of vertices in state i.
type Fingerprint struct {
	Depth       int  `json:"depth"`       // layers that count, from the first on; 0: all
	Last        bool `json:"last"`        // the last of them alone, otherwise all side by side
	Frequencies bool `json:"frequencies"` // unigrams divided by the vertices of the graph, bigrams by its arcs
	Bigrams     bool `json:"bigrams"`
	Soft        bool `json:"soft"` // expected counts, the sums of posteriors, in place of counts of most likely states
}

// DefaultOptions returns those of the paper's setting without a pool: 20 states, 8 layers, each looking at
// the one below, hard states, 10 iterations, counts of all layers.
func DefaultOptions() Options {
	return Options{States: 20, Layers: 8, Previous: []int{1}, Iterations: 10, Tolerance: 1e-5, Pool: 1}
}

// Bounds of the options.
const (
	maxStates = 1 << 12
	maxLayers = 256
	maxPool   = 1 << 12
)

// Check reports the first option that makes no sense.
func (o *Options) Check() error {
	switch {
	case o.States < 1 || o.States > maxStates:
		return fmt.Errorf("%d hidden states, want 1 to %d", o.States, maxStates)
	case o.Layers < 1 || o.Layers > maxLayers:
		return fmt.Errorf("%d layers, want 1 to %d", o.Layers, maxLayers)
	case o.Iterations < 1:
		return fmt.Errorf("%d iterations, want at least 1", o.Iterations)
	case !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 0):
		return fmt.Errorf("tolerance %g, want a number that is not negative", o.Tolerance)
	case !(o.Smoothing >= 0) || math.IsInf(o.Smoothing, 0):
		return fmt.Errorf("smoothing %g, want a number that is not negative", o.Smoothing)
	case o.Pool < 1 || o.Pool > maxPool:
		return fmt.Errorf("a pool of %d candidates, want 1 to %d", o.Pool, maxPool)
	case o.Patience < 0:
		return fmt.Errorf("patience %d, want a number that is not negative", o.Patience)
	case len(o.Previous) == 0:
		return fmt.Errorf("no preceding layers to look at: want distances, 1 for the layer below")
	}
	seen := map[int]bool{}
	for _, distance := range o.Previous {
		if distance < 1 || distance > maxLayers || seen[distance] {
			return fmt.Errorf("preceding layers %v: want different distances from 1 on", o.Previous)
		}
		seen[distance] = true
	}
	if !seen[1] {
		return fmt.Errorf("preceding layers %v: without distance 1 the second layer looks at nothing", o.Previous)
	}
	return o.Fingerprint.Check(o.Layers)
}

// Check reports a fingerprint that a model of so many layers does not have.
func (f *Fingerprint) Check(layers int) error {
	if f.Depth < 0 || f.Depth > layers {
		return fmt.Errorf("a fingerprint of %d layers of %d, want 0 for all or a number up to that", f.Depth, layers)
	}
	return nil
}

// String lists the options that a search varies.
func (o Options) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d states, %d layers", o.States, o.Layers)
	if len(o.Previous) != 1 {
		fmt.Fprintf(&s, ", looking %v below", o.Previous)
	}
	if o.Soft {
		s.WriteString(", soft context")
	}
	fmt.Fprintf(&s, ", %d iterations", o.Iterations)
	if o.Smoothing > 0 {
		fmt.Fprintf(&s, ", smoothing %g", o.Smoothing)
	}
	if o.Pool > 1 {
		fmt.Fprintf(&s, ", pool of %d", o.Pool)
	}
	return s.String() + ", " + o.Fingerprint.String()
}

// String says what a fingerprint consists of.
func (f Fingerprint) String() string {
	words := []string{"counts"}
	if f.Frequencies {
		words[0] = "frequencies"
	}
	if f.Soft {
		words[0] = "expected " + words[0]
	}
	if f.Bigrams {
		words = append(words, "with bigrams")
	}
	switch {
	case f.Last && f.Depth > 0:
		words = append(words, fmt.Sprintf("of layer %d", f.Depth))
	case f.Last:
		words = append(words, "of the last layer")
	case f.Depth > 0:
		words = append(words, fmt.Sprintf("of %d layers", f.Depth))
	default:
		words = append(words, "of all layers")
	}
	return strings.Join(words, " ")
}

// span returns the layers that count, of the given number.
func (f *Fingerprint) span(layers int) (from, to int) {
	to = layers
	if f.Depth > 0 {
		to = min(f.Depth, layers)
	}
	if f.Last {
		return to - 1, to
	}
	return 0, to
}

// dim returns the columns of so many layers of the given numbers of states.
func (f *Fingerprint) dim(layers int, states func(layer int) int) int {
	dim := 0
	for l, to := f.span(layers); l < to; l++ {
		dim += f.width(states(l))
	}
	return dim
}

// width returns the columns of one layer.
func (f *Fingerprint) width(states int) int {
	if f.Bigrams {
		return states + states*states
	}
	return states
}
