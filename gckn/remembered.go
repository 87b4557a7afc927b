package gckn

import (
	"fmt"
	"slices"
	"sync"

	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// learnAnchors returns the anchors of a layer, counted from the bottom, that learn learns if need be.
type learnAnchors func(l int, learn func() (*tensor.Dense, error)) (*tensor.Dense, error)

// learned are anchors of a layer that the settings of a grid share: those that were learned last. A grid varies what
// they do not depend on fastest, so that one place is enough.
type learned struct {
	mu      sync.Mutex
	of      string // what they depend on
	anchors *tensor.Dense
}

// learnedLayer is the key of the place of a layer.
type learnedLayer int

// remembered takes the anchors of a setting from the one before where they are the same.
func (s Estimator) remembered(w *model.Work) learnAnchors {
	return func(l int, learn func() (*tensor.Dense, error)) (*tensor.Dense, error) {
		last, err := model.Shared(w, learnedLayer(l), func() (*learned, error) { return new(learned), nil })
		if err != nil {
			return nil, err
		}
		of := s.anchorsOf(l)
		last.mu.Lock()
		known := last.anchors
		if last.of != of {
			known = nil
		}
		last.mu.Unlock()
		if known != nil {
			return known, nil
		}
		anchors, err := learn()
		if err != nil {
			return nil, err
		}
		last.mu.Lock()
		defer last.mu.Unlock()
		last.of, last.anchors = of, anchors
		return anchors, nil
	}
}

// anchorsOf says what the anchors of a layer depend on: the layers below, and of their own how many anchors there are
// and of how many vertices. How a layer compares and pools comes after them.
func (s Estimator) anchorsOf(l int) string {
	o := s.Options
	o.Layers = slices.Clone(o.Layers[:l+1])
	o.Layers[l].Sigma, o.Layers[l].Pooling, o.GlobalPooling, o.Concat = 0, "", "", false
	return fmt.Sprintf("%+v %s", o, s.Features)
}
