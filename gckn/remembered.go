package gckn

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// makeLayer returns a layer, counted from the bottom. If need be root computes it of the anchors that learn learns.
type makeLayer func(
	l int, learn func() (*tensor.Dense, error), root func(*tensor.Dense) (*layer, error),
) (*layer, error)

// made is a layer that the settings of a grid share: the one that was made last. A grid varies what it does not depend
// on fastest, so that one place is enough.
type made struct {
	mu sync.Mutex
	of string // what it depends on
	*layer
	learned string // what its anchors depend on
}

// madeLayer is the key of the place of a layer.
type madeLayer int

// remembered takes layers of a setting from the one before where they are the same, or else their anchors.
func (s Estimator) remembered(w *model.Work) makeLayer {
	return func(l int, learn func() (*tensor.Dense, error), root func(*tensor.Dense) (*layer, error)) (*layer, error) {
		last, err := model.Shared(w, madeLayer(l), func() (*made, error) { return new(made), nil })
		if err != nil {
			return nil, err
		}
		of, learned := s.layerOf(l), s.anchorsOf(l)
		last.mu.Lock()
		known, anchors := last.layer, (*tensor.Dense)(nil)
		if last.learned == learned {
			anchors = known.stored
		}
		same := last.of == of
		last.mu.Unlock()
		if same {
			return known, nil
		}
		if anchors == nil {
			if anchors, err = learn(); err != nil {
				return nil, err
			}
		}
		y, err := root(anchors)
		if err != nil {
			return nil, err
		}
		last.mu.Lock()
		defer last.mu.Unlock()
		last.of, last.learned, last.layer = of, learned, y
		return y, nil
	}
}

// layerOf says what a layer depends on: the layers below, and its own kernel and anchors. How it pools comes after it.
func (s Estimator) layerOf(l int) string {
	o := s.Options
	o.Layers = slices.Clone(o.Layers[:l+1])
	o.Layers[l].Pooling, o.GlobalPooling, o.Concat = "", "", false
	return fmt.Sprintf("%#v %s", o, s.Features)
}

// anchorsOf says what the anchors of a layer depend on: the layers below, and of their own how many anchors there are
// and of how many vertices. How a layer compares comes after them.
func (s Estimator) anchorsOf(l int) string {
	s.Options.Layers = slices.Clone(s.Options.Layers)
	s.Options.Layers[l].Sigma = 0
	return s.layerOf(l)
}

// represented are the representations of all graphs by settings that differ in global pooling alone: the ones that were
// made last.
type represented struct {
	mu sync.Mutex
	of string // what they depend on
	by map[Pooling]*tensor.Dense
}

// sharedPart is the part of the free memory that representations of several settings may take together: folds that are
// learned side by side have their own.
const sharedPart = 32

// represent returns the representation of all graphs of some work. Where there is memory, one encoding serves all
// settings of a grid that differ in global pooling alone.
func (s Estimator) represent(ctx context.Context, m *Model, graphs train.Graphs, w *model.Work) (*tensor.Dense, error) {
	o, b := s.Options, (&train.Examples{Graphs: graphs}).Whole()
	if b == nil || len(s.poolings) < 2 || !slices.Contains(s.poolings, o.GlobalPooling) {
		return m.representAll(ctx, graphs, w)
	}
	free, err := m.engine.Host().Available()
	if err != nil {
		return nil, err
	}
	if int64(b.NumGraphs()*o.Dim()*len(s.poolings))*int64(o.dtype().Size()) > free/sharedPart {
		return m.representAll(ctx, graphs, w)
	}
	last, err := model.Shared(w, representedKey{}, func() (*represented, error) { return new(represented), nil })
	if err != nil {
		return nil, err
	}
	o.GlobalPooling = ""
	of := fmt.Sprintf("%#v %s", o, s.Features)
	last.mu.Lock()
	defer last.mu.Unlock()
	if last.of != of {
		by, err := m.representBy(ctx, b, s.poolings, w.Progress)
		if err != nil {
			return nil, err
		}
		last.of, last.by = of, by
	}
	return last.by[s.Options.GlobalPooling], nil
}

// representedKey is the key of the place of representations.
type representedKey struct{}
