package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// pipeline is everything that turns the graphs of a data set into classes: a fitted network, a linear
// classifier on its output, and the names of the classes.
type pipeline struct {
	model      string // as the command line names it
	network    *network
	classifier *svm.Model
	classes    []string // by class index
	training   training
}

// training says how a pipeline came to be. Accuracies are in percent.
type training struct {
	Dataset    string   `json:"dataset"`
	Graphs     int      `json:"n_graphs"`
	Setting    string   `json:"setting"`
	Seed       uint64   `json:"seed"`
	C          float64  `json:"c"`
	ChosenBy   string   `json:"chosen_by"` // how setting and C were chosen
	Accuracy   float64  `json:"training_accuracy"`
	Validation *float64 `json:"cross_validated_accuracy,omitempty"` // nothing where there was no choice
}

// kindGCKN names the model files that hold a pipeline with a [network].
const kindGCKN = "gckn"

// storedPipeline is the description of a pipeline in a model file; the tensors are those of the network.
type storedPipeline struct {
	Model      string            `json:"model"`
	Encoding   *dataset.Encoding `json:"encoding"`
	Network    json.RawMessage   `json:"network"`
	Classifier *svm.Model        `json:"classifier"`
	Classes    []string          `json:"classes"`
	Training   training          `json:"training"`
}

// save writes the pipeline to a model file.
func (p *pipeline) save(path string) error {
	description, err := p.network.model.MarshalJSON()
	if err != nil {
		return err
	}
	return modelfile.Write(path, kindGCKN, storedPipeline{
		Model: p.model, Encoding: p.network.encoding, Network: description,
		Classifier: p.classifier, Classes: p.classes, Training: p.training,
	}, p.network.model.Tensors())
}

// loadPipeline reads a pipeline from the model file that --model names. It predicts the same bits as the
// one that was saved.
func loadPipeline(path string, e engine.Engine) (*pipeline, error) {
	p, err := readPipeline(path, e)
	if err != nil {
		return nil, fmt.Errorf("--model %w (grove train writes model files)", err)
	}
	return p, nil
}

func readPipeline(path string, e engine.Engine) (*pipeline, error) {
	f, err := modelfile.Read(path)
	if err != nil {
		return nil, err
	}
	if f.Kind != kindGCKN {
		return nil, fmt.Errorf("%s: a model of kind %q, which this program does not know", path, f.Kind)
	}
	var s storedPipeline
	if err := json.Unmarshal(f.Model, &s); err != nil {
		return nil, fmt.Errorf("%s: damaged model file: %w", path, err)
	}
	model, err := gckn.Load(e, s.Network, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := s.check(model); err != nil {
		return nil, fmt.Errorf("%s: damaged model file: %w", path, err)
	}
	return &pipeline{s.Model, &network{s.Encoding, model}, s.Classifier, s.Classes, s.Training}, nil
}

// check returns an error where the parts do not fit each other.
func (s *storedPipeline) check(model *gckn.Model) error {
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
	for _, c := range s.Classifier.Classes {
		if c < 0 || c >= len(s.Classes) {
			return fmt.Errorf("class %d of the classifier has no name", c)
		}
	}
	return nil
}

func checkEncoding(e *dataset.Encoding, in gckn.Input) error {
	want := gckn.Input{}
	if e.Standardisation == nil {
		want.Labels = len(e.Labels)
	} else {
		want.Attributes = len(e.Standardisation.Mean)
		if len(e.Standardisation.Scale) != want.Attributes {
			return fmt.Errorf("%d means and %d scales of attributes", want.Attributes, len(e.Standardisation.Scale))
		}
		if e.Labels != nil {
			want.Attributes += len(e.Labels) + 1
		}
	}
	if _, err := dataset.ParseFeatures(string(e.Features)); err != nil {
		return err
	}
	if in != want {
		return fmt.Errorf("an encoding of %+v for a network that wants %+v", want, in)
	}
	return nil
}

// predictions are what a pipeline says of the graphs of a data set.
type predictions struct {
	classes   []int // of each graph, an index of the pipeline's class names
	decisions *tensor.Dense
}

// predict classifies every graph of a data set.
func (p *pipeline) predict(ctx context.Context, d *dataset.Dataset, report func(string, int, int)) (*predictions, error) {
	x, err := p.network.graphs(ctx, d, report)
	if err != nil {
		return nil, err
	}
	decisions, err := p.classifier.Decisions(x, nil)
	if err != nil {
		return nil, err
	}
	classes, err := p.classifier.Predict(x, nil)
	return &predictions{classes, decisions}, err
}

// truth returns the class of every graph of d as an index of the pipeline's class names, or -1 where
// the pipeline has no class of this name; nil where the graphs have no classes.
func (p *pipeline) truth(d *dataset.Dataset) []int {
	if d.Task != dataset.GraphClassification || d.Classes == nil {
		return nil
	}
	index := map[string]int{}
	for i, name := range p.classes {
		index[name] = i
	}
	out := make([]int, len(d.Classes))
	for g, c := range d.Classes {
		out[g] = -1
		if i, ok := index[d.ClassNames[c]]; ok {
			out[g] = i
		}
	}
	return out
}

// unknownLabels returns the labels (or degrees) of d that the network never saw.
func (n *network) unknownLabels(d *dataset.Dataset) []string {
	switch n.encoding.Features {
	case dataset.DegreeFeatures:
		d = d.DegreesAsLabels()
	case dataset.AttributeFeatures:
		return nil
	}
	if d.Batch.Labels == nil {
		return nil
	}
	_, unknown := d.AlignLabels(n.encoding.Labels)
	return unknown
}
