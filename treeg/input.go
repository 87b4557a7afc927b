package treeg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// inputOf returns what options see of a batch, without the grids.
func inputOf(b *graph.Batch, opt *Options) (Input, error) {
	in := Input{Level: opt.Level, Constant: opt.Constant, MeanSteps: opt.MeanSteps}
	switch {
	case b.AttributeDim > 0:
		in.Attributes = b.AttributeDim
	case b.Labels != nil:
		in.Labels = b.NumLabels
	}
	if in.Features() == 0 {
		return in, errors.New("the vertices have neither labels nor attributes: use the constant feature")
	}
	var err error
	in.Arcs, err = arcsOf(b, opt)
	return in, err
}

// maxArcTypes bounds the number of adjacency matrices of a batch.
const maxArcTypes = 1 << 10

// arcsOf lists the adjacency matrices that options ask for on a batch.
func arcsOf(b *graph.Batch, opt *Options) ([]Arcs, error) {
	var types []int
	if opt.Relations != Apart || b.ArcTypes == nil {
		types = append(types, AllArcs)
	}
	if opt.Relations != Together && b.ArcTypes != nil {
		known := slices.Compact(slices.Sorted(slices.Values(b.ArcTypes)))
		if len(known) > maxArcTypes || len(known) > 0 && known[0] < 0 {
			return nil, fmt.Errorf("%d types of arcs from %d on: want at most %d, from 0 on", len(known), known[0], maxArcTypes)
		}
		for _, t := range known {
			types = append(types, int(t))
		}
	}
	if len(types) == 0 { // no arcs at all
		types = []int{AllArcs}
	}
	var all []Arcs
	for _, t := range types {
		if opt.Directions != Against || walks.Symmetric(b) {
			all = append(all, Arcs{Type: t})
		}
		if opt.Directions != Along && !walks.Symmetric(b) {
			all = append(all, Arcs{Type: t, Against: true})
		}
	}
	return all, nil
}
