package main

import (
	"context"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/gckn"
	"gorgonia.org/tensor"
)

// storedGraphs are those of a store of shards, which stay on disk.
type storedGraphs struct {
	shards   *dataset.Shards
	head     *dataset.Dataset // classes and targets, of graphs that have no vertices
	encoding *dataset.Encoding
}

// streams reports whether the graphs of the data set at path stay on disk while a network is trained.
func (s *supervisedFlags) streams(path string) bool {
	return s.training && dataset.FormatOf(path) == dataset.StoreFormat
}

// stream opens the store at path and returns what is known of its graphs.
func (s *supervisedFlags) stream(path, task, target string) (*dataset.Dataset, error) {
	shards, err := dataset.OpenShards(path)
	if err != nil {
		return nil, err
	}
	s.stored = &storedGraphs{shards: shards}
	d := shards.Head()
	b := *d.Batch
	b.Offsets = make([]int32, shards.NumGraphs()+1)
	d = d.WithBatch(&b)
	if d, err = asTask(d, task); err != nil {
		return nil, err
	}
	if d, err = oneTarget(d, target); err != nil {
		return nil, err
	}
	s.stored.head = d
	return d, wantsKnown(path, d)
}

// encode learns the encoding of the graphs.
func (s *storedGraphs) encode(features dataset.Features) (err error) {
	s.encoding, err = s.shards.FitEncoding(features)
	if err != nil && features != dataset.AutoFeatures {
		return usagef("--features %s: %w", features, err)
	}
	return err
}

// predictStored predicts the graphs of the store, some of them at a time.
func (m *supervisedModel) predictStored(ctx context.Context) (*predictions, error) {
	all, values := &predictions{}, []float64(nil)
	err := m.stored.shards.Each(func(d *dataset.Dataset) error {
		b, err := m.encoding.Apply(d)
		if err != nil {
			return err
		}
		outputs, err := m.model.Outputs(ctx, b, nil)
		if err != nil {
			return err
		}
		if m.model.Regression() {
			values = append(values, outputs.Float64s()...)
		} else {
			all.classes = append(all.classes, gckn.Classes(outputs)...)
		}
		return nil
	})
	if values != nil {
		all.values = tensor.New(tensor.WithShape(len(values), 1), tensor.WithBacking(values))
	}
	return all, err
}
