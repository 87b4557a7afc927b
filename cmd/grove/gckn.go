package main

import (
	"context"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/gckn"
	"gorgonia.org/tensor"
)

func gcknFamily() family {
	return family{
		name: "GCKN", kind: "gckn", load: loadPipeline,
		verbs: []string{"eval", "train", "embed"}, learns: "anchors", inner: "5",
		models: []modelName{
			{"gckn-walk", "graph convolutional kernel network on walks, one layer"},
			{"gckn-path", "graph convolutional kernel network on paths, one layer"},
			{"gckn-subtree", "paths, and a second layer over what the paths of a vertex saw"},
			{"gckn-3layer", "three layers: paths, paths of 3 vertices, single vertices"},
		},
		flags: func(model string) modelFlags { return newGCKNFlags(model) },
	}
}

// settings implements modelFlags.
func (g *gcknFlags) settings(w *work) []setting {
	all := make([]setting, len(g.options))
	for i, o := range g.options {
		one := gckn.Setting{Data: w.data, Features: g.features, Options: o, Engine: w.engine, Progress: w.report}
		vectors := &gcknSetting{one, w.spent}
		all[i] = &pipelineSetting{eval.LinearSVM{Vectors: vectors, C: g.machine.grid}, vectors, g.variant}
	}
	return all
}

// gcknSetting is one choice of options. It notes the time that it takes.
type gcknSetting struct {
	gckn.Setting
	spent *stopwatch
}

// Represent implements [eval.Vectors].
func (s *gcknSetting) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	fitted, err := s.fit(ctx, train)
	if err != nil {
		return nil, err
	}
	defer s.spent.transforming(time.Now())
	return fitted.graphs(ctx, s.Data, s.Progress)
}

func (s *gcknSetting) fit(ctx context.Context, train []int) (*network, error) {
	defer s.spent.fitting(time.Now())
	encoding, model, err := s.Setting.Fit(ctx, train)
	if err != nil {
		return nil, err
	}
	return &network{encoding, model}, nil
}

func (s *gcknSetting) params() any {
	o := s.Options
	p := gcknParams{
		Layers: o.Layers, GlobalPooling: o.GlobalPooling, Walk: o.Walk, Lengths: "last", Concat: o.Concat,
		Features: s.Features,
		Exponent: "mean", Regularisation: "code", Samples: o.Samples, Seed: o.Seed, Precision: "float32",
	}
	if o.AllLengths {
		p.Lengths = "all"
	}
	if o.SumExponent {
		p.Exponent = "sum"
	}
	if o.Rule == engine.InsideRoot {
		p.Regularisation = "paper"
	}
	if o.Double {
		p.Precision = "float64"
	}
	return p
}

// gcknParams are the options in the words of the flags.
type gcknParams struct {
	Layers         []gckn.LayerOptions `json:"layers"`
	GlobalPooling  gckn.Pooling        `json:"global_pooling"`
	Walk           bool                `json:"walk"`
	Lengths        string              `json:"lengths"`
	Concat         bool                `json:"concat"`
	Features       dataset.Features    `json:"features"`
	Exponent       string              `json:"exponent"`
	Regularisation string              `json:"regularisation"`
	Samples        int                 `json:"samples"`
	Seed           uint64              `json:"seed"`
	Precision      string              `json:"precision"`
}

// network is a fitted GCKN with the encoding of the vertices that it was fitted on.
type network struct {
	encoding *dataset.Encoding
	model    *gckn.Model
}

func (n *network) graphs(
	ctx context.Context, d *dataset.Dataset, report func(string, int, int),
) (*tensor.Dense, error) {
	b, err := n.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	return n.model.Transform(ctx, b, report)
}

func (n *network) vertices(ctx context.Context, d *dataset.Dataset) (*tensor.Dense, error) {
	b, err := n.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	return n.model.VertexFeatures(ctx, b)
}
