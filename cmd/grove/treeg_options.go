package main

import (
	"encoding"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/treeg"
)

// base returns the options without the lists.
func (g *treegFlags) base(level treeg.Level) (o treeg.Options, err error) {
	o = treeg.Defaults(level, treeg.Ensemble(g.ensemble))
	if g.loss != "auto" {
		o.Loss = treeg.Loss(g.loss)
	}
	o.Growth = treeg.Growth(g.growth)
	o.Directions, o.Relations = treeg.Directions(g.directions), treeg.Relations(g.relations)
	o.MeanSteps = g.step == "mean"
	o.MinGain, o.Pruning = g.gain, g.pruning
	o.Subsample, o.Patience, o.Bins, o.Constant, o.Seed = g.subsample, g.patience, g.bins, g.constant, g.seed
	if g.flags.Changed("min-split") {
		o.MinSplit = g.split
	}
	if g.flags.Changed("keep") {
		o.Keep = g.keep
	}
	if g.flags.Changed("max-features") {
		o.MaxFeatures = g.columns
	}
	if !slices.Equal(g.walks, []string{"all"}) {
		if o.Walks, err = named[treeg.Walk](g.walks); err != nil {
			return o, err
		}
	}
	if !slices.Equal(g.aggregations, []string{"all"}) && level == treeg.Graphs {
		o.Aggregations, err = named[treeg.Aggregation](g.aggregations)
	}
	return o, err
}

// named reads names of walks or aggregations.
func named[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](names []string) ([]T, error) {
	values := make([]T, len(names))
	for i, name := range names {
		if err := P(&values[i]).UnmarshalText([]byte(name)); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// encode says what the vertices of d show: attributes and labels as they are, the constant alone where
// there are none.
func (g *treegFlags) encode(d *dataset.Dataset) (*dataset.Encoding, error) {
	features := g.features
	if features == dataset.AutoFeatures {
		labels, attributes := d.Batch.Labels != nil, d.Batch.AttributeDim > 0
		switch {
		case labels && attributes:
			features = dataset.RawAttributesAndLabels
		case attributes:
			features = dataset.RawAttributes
		case labels:
			features = dataset.LabelFeatures
		default:
			features = dataset.NoFeatures
		}
	}
	encoding, err := dataset.FitEncoding(d.MissingAsNaN(), features, nil)
	if err != nil {
		return nil, usagef("--features %s: %w", g.features, err)
	}
	return encoding, nil
}
