package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// pipeline is everything that turns the graphs of a data set into classes: a fitted network and a linear
// classifier on its output.
type pipeline struct {
	head
	network    *network
	classifier *svm.Model
}

// pipelineSetting is one choice of options of a network with a linear classifier.
type pipelineSetting struct {
	eval.LinearSVM
	vectors *gcknSetting
	model   string
}

func (s *pipelineSetting) params() any { return s.vectors.params() }

// embed implements embedder.
func (s *pipelineSetting) embed(ctx context.Context, _ bool) (rowStream, error) {
	return s.vectors.fit(ctx, nil)
}

// train implements setting: network and classifier learn from all graphs.
func (s *pipelineSetting) train(ctx context.Context, c float64) (predictor, error) {
	v := s.vectors
	fitted, err := v.fit(ctx, nil)
	if err != nil {
		return nil, err
	}
	transforming := time.Now()
	x, err := fitted.graphs(ctx, v.Data, v.Progress)
	if err != nil {
		return nil, err
	}
	v.spent.transforming(transforming)
	classifier, err := svm.FitClassifier(ctx, x, nil, v.Data.Classes, []float64{c},
		svm.Options{Workers: v.Engine.Workers()})
	if err != nil {
		return nil, err
	}
	return &pipeline{head{Model: s.model, Task: graphTask, Classes: v.Data.ClassNames}, fitted, classifier.Model(0)}, nil
}

// storedPipeline is what a pipeline adds to its model file; the tensors are those of the network.
type storedPipeline struct {
	Encoding   *dataset.Encoding `json:"encoding"`
	Network    json.RawMessage   `json:"network"`
	Classifier *svm.Model        `json:"classifier"`
}

// parts implements predictor.
func (p *pipeline) parts() (any, map[string]*tensor.Dense, error) {
	description, err := p.network.model.MarshalJSON()
	if err != nil {
		return nil, nil, err
	}
	return storedPipeline{p.network.encoding, description, p.classifier}, p.network.model.Tensors(), nil
}

// loadPipeline reads the parts of a pipeline.
func loadPipeline(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s storedPipeline
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	model, err := gckn.Load(e, s.Network, f)
	if err != nil {
		return nil, err
	}
	if err := s.check(h, model); err != nil {
		return nil, err
	}
	return &pipeline{*h, &network{s.Encoding, model}, s.Classifier}, nil
}

// check returns an error where the parts do not fit each other.
func (s *storedPipeline) check(h *head, model *gckn.Model) error {
	if s.Encoding == nil || s.Classifier == nil {
		return fmt.Errorf("encoding or classifier is missing")
	}
	if err := checkEncoding(s.Encoding, model.Input()); err != nil {
		return err
	}
	if err := s.Classifier.Check(); err != nil {
		return err
	}
	opt := model.Options()
	if have, want := len(s.Classifier.Scaler.Mean), opt.Dim(); have != want {
		return fmt.Errorf("a classifier of %d features on a network that puts out %d", have, want)
	}
	return h.checkLinear(s.Classifier)
}

// checkEncoding returns an error where an encoding does not give a network what it wants.
func checkEncoding(e *dataset.Encoding, in gckn.Input) error {
	if err := e.Check(); err != nil {
		return err
	}
	want := gckn.Input{}
	if want.Labels, want.Attributes = e.Width(); want.Attributes > 0 {
		want.Labels = 0
	}
	if in != want {
		return fmt.Errorf("an encoding of %+v for a network that wants %+v", want, in)
	}
	return nil
}

// predict classifies every graph of a data set.
func (p *pipeline) predict(
	ctx context.Context, d *dataset.Dataset, report func(string, int, int),
) (*predictions, error) {
	x, err := p.network.graphs(ctx, d, report)
	if err != nil {
		return nil, err
	}
	decisions, err := p.classifier.Decisions(x, nil)
	if err != nil {
		return nil, err
	}
	return byDecision(decisions), nil
}

// width implements rowStream.
func (p *pipeline) width() (columns int, dtype tensor.Dtype) { return p.network.width() }

// each implements rowStream.
func (p *pipeline) each(
	ctx context.Context, d *dataset.Dataset, perVertex bool, report func(string, int, int),
	visit func(*tensor.Dense) error,
) error {
	return p.network.each(ctx, d, perVertex, report, visit)
}

func (p *pipeline) unknownLabels(d *dataset.Dataset) []string { return p.network.encoding.Unknown(d) }
