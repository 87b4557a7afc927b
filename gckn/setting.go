package gckn

import (
	"context"
	"fmt"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Setting is one choice of options on one data set, the unit of model selection: it represents all
// graphs by a model fitted on some of them.
type Setting struct {
	Data     *dataset.Dataset
	Features dataset.Features
	Options  Options
	Engine   engine.Engine
	Progress Progress
}

// Represent fits a model on the graphs in train, or on all of them where train is nil (the published
// protocol), and returns the representation of every graph of the data set, NumGraphs x Dim.
func (s *Setting) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	_, m, b, err := s.fit(ctx, train)
	if err != nil {
		return nil, err
	}
	return m.Transform(ctx, b, s.Progress)
}

// Fit returns the encoding of the vertices and the model that [Setting.Represent] fits.
func (s *Setting) Fit(ctx context.Context, train []int) (*dataset.Encoding, *Model, error) {
	encoding, m, _, err := s.fit(ctx, train)
	return encoding, m, err
}

func (s *Setting) fit(ctx context.Context, train []int) (*dataset.Encoding, *Model, *graph.Batch, error) {
	encoding, err := dataset.FitEncoding(s.Data, s.Features, train)
	if err != nil {
		return nil, nil, nil, err
	}
	all, err := encoding.Apply(s.Data)
	if err != nil {
		return nil, nil, nil, err
	}
	input, err := InputOf(all)
	if err != nil {
		return nil, nil, nil, err
	}
	fitOn := all
	if train != nil {
		fitOn = all.Select(train)
	}
	m, err := Fit(ctx, s.Engine, fitOn, input, s.Options, s.Progress)
	return encoding, m, all, err
}

// String lists the options that a search varies: path sizes, filters, sigma and poolings.
func (s *Setting) String() string { return s.Options.String() }

// String lists path sizes, filters, sigma and poolings, each once where all layers share it.
func (o Options) String() string {
	var sizes, filters, sigmas, poolings []string
	for _, l := range o.Layers {
		sizes = append(sizes, fmt.Sprint(l.PathSize))
		filters = append(filters, fmt.Sprint(l.Filters))
		sigmas = append(sigmas, fmt.Sprint(l.Sigma))
		poolings = append(poolings, string(l.Pooling))
	}
	text := fmt.Sprintf("path size %s, filters %s, sigma %s, pooling %s/%s",
		strings.Join(sizes, "+"), shared(filters), shared(sigmas), shared(poolings), o.GlobalPooling)
	if o.Concat {
		text += ", layers concatenated"
	}
	return text
}

func shared(values []string) string {
	for _, v := range values {
		if v != values[0] {
			return strings.Join(values, "+")
		}
	}
	return values[0]
}
