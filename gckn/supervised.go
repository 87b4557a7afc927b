package gckn

import (
	"context"
	"math"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// Supervised is a network with a linear classifier (or regression) that were trained together. It is
// bound to the engine that it was made for and safe for concurrent use.
type Supervised struct {
	Options    SupervisedOptions // that it was trained with
	Vertices   bool              // it speaks of vertices rather than of graphs
	Regression bool              // its outputs are targets rather than logits of classes
	Model      *Model            // the network with the trained anchors
	Classifier *svm.Linear       // on the representation: an output for each class or target
	Records    []autodiff.Record // of the start and of every epoch; nil for a model from a file
	Best       int               // epoch whose parameters it has
}

// result returns the trained model. The classifier of a regression gives targets in their own units, and that
// of classes [model.NeverSeen] for those of no example.
func (r *supervision) result() (*Supervised, error) {
	m, err := New(r.engine, r.Input, r.Options.Network, r.network.Parameters().Anchors)
	if err != nil {
		return nil, err
	}
	linear, err := r.linear()
	if err != nil {
		return nil, err
	}
	for k := range r.scale {
		for j := range linear.Weight[k] {
			linear.Weight[k][j] *= r.scale[k]
		}
		linear.Bias[k] = linear.Bias[k]*r.scale[k] + r.shift[k]
	}
	for _, class := range r.Examples.Targets.Absent() {
		clear(linear.Weight[class])
		linear.Bias[class] = model.NeverSeen
	}
	return &Supervised{
		r.Options, r.Examples.vertices(), r.Examples.Targets.Regression(), m, linear, r.trainer.Records(), r.trainer.Best(),
	}, nil
}

// Outputs returns the logits of the classes, or the targets, of every graph of b, or of every vertex in a task on
// vertices: a Float64 matrix with a column for each.
func (s *Supervised) Outputs(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	x, err := s.Model.represent(ctx, b, s.Vertices, progress)
	if err != nil {
		return nil, err
	}
	return s.Classifier.Outputs(x, nil)
}

// Predict returns what the outputs of every graph or vertex of b stand for: values, or the class of the largest logit,
// the first of equal ones, with decisions and, where the loss is the cross-entropy, probabilities.
func (s *Supervised) Predict(
	ctx context.Context, b *graph.Batch, progress model.Progress,
) (*model.Predictions, error) {
	outputs, err := s.Outputs(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	said := predictions(outputs, s.Regression)
	if !s.Regression && (s.Options.Loss == "" || s.Options.Loss == autodiff.CrossEntropy) {
		said.Probabilities = softmax(outputs)
	}
	return said, nil
}

// predictions says what outputs stand for: values, or logits of classes.
func predictions(outputs *tensor.Dense, regression bool) *model.Predictions {
	if regression {
		return &model.Predictions{Values: outputs}
	}
	return model.Largest(outputs)
}

// softmax returns the probabilities that logits stand for, exp(x) / sum exp(x) of every row.
func softmax(logits *tensor.Dense) *tensor.Dense {
	p := logits.Clone().(*tensor.Dense)
	for row := range slices.Chunk(p.Float64s(), p.Shape()[1]) {
		most, sum := slices.Max(row), 0.0
		for j, v := range row {
			row[j] = math.Exp(v - most)
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return p
}
