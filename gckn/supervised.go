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
	opt        SupervisedOptions
	vertices   bool
	regression bool
	model      *Model
	classifier *svm.Linear
	records    []autodiff.Record
	best       int
}

// result returns the trained model. The classifier of a regression gives targets in their own units.
func (r *supervision) result() (*Supervised, error) {
	m, err := New(r.engine, r.Input, r.Options.Network, r.network.Parameters().Anchors)
	if err != nil {
		return nil, err
	}
	s := &Supervised{
		opt: r.Options, vertices: r.Examples.Vertices, regression: r.Examples.Classes == nil,
		model: m, records: r.trainer.Records(), best: r.trainer.Best(),
	}
	if s.classifier, err = r.linear(); err != nil {
		return nil, err
	}
	for k := range r.scale {
		for j := range s.classifier.Weight[k] {
			s.classifier.Weight[k][j] *= r.scale[k]
		}
		s.classifier.Bias[k] = s.classifier.Bias[k]*r.scale[k] + r.shift[k]
	}
	return s, nil
}

// Options returns the options that the model was trained with.
func (s *Supervised) Options() SupervisedOptions { return s.opt }

// Model returns the network with the trained anchors. It is part of the model.
func (s *Supervised) Model() *Model { return s.model }

// Classifier returns the linear model on the representation: an output for each class or target. It is
// part of the model.
func (s *Supervised) Classifier() *svm.Linear { return s.classifier }

// Vertices reports whether the model speaks of vertices rather than of graphs.
func (s *Supervised) Vertices() bool { return s.vertices }

// Regression reports whether the outputs are targets rather than logits of classes.
func (s *Supervised) Regression() bool { return s.regression }

// Records returns what was recorded of the start and of every epoch; nil for a model from a file.
func (s *Supervised) Records() []autodiff.Record { return s.records }

// Best returns the epoch whose parameters the model has.
func (s *Supervised) Best() int { return s.best }

// Transform returns the representation of every graph of b, or of every vertex in a task on vertices, in
// host memory; see [Model.Transform].
func (s *Supervised) Transform(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	if s.vertices {
		return s.model.VertexFeatures(ctx, b)
	}
	return s.model.Transform(ctx, b, progress)
}

// Outputs returns the logits of the classes, or the targets, of every graph or vertex of b: a Float64
// matrix with a column for each.
func (s *Supervised) Outputs(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	x, err := s.Transform(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	return s.classifier.Outputs(x, nil)
}

// Probabilities returns the probabilities of the classes that logits stand for, softmax(x) of every row: a Float64
// matrix of their shape. It is nil for a model that was trained with another loss than the cross-entropy, whose
// outputs are no log-odds of the classes.
func (s *Supervised) Probabilities(logits *tensor.Dense) *tensor.Dense {
	if s.regression || s.opt.Loss != "" && s.opt.Loss != autodiff.CrossEntropy {
		return nil
	}
	p := logits.Clone().(*tensor.Dense)
	for columns, rest := p.Shape()[1], p.Float64s(); len(rest) > 0; rest = rest[columns:] {
		row, sum := rest[:columns], 0.0
		most := slices.Max(row)
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

// Predict returns the class of every graph or vertex of b: that of the largest logit, the first of equal
// ones. Of a regression, which has no classes, all are 0.
func (s *Supervised) Predict(ctx context.Context, b *graph.Batch, progress model.Progress) ([]int, error) {
	outputs, err := s.Outputs(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	return Classes(outputs), nil
}

// Classes returns the column of the largest entry of every row of a matrix of logits, the first of equal ones.
func Classes(logits *tensor.Dense) []int {
	columns, values := logits.Shape()[1], logits.Float64s()
	out := make([]int, logits.Shape()[0])
	for i := range out {
		for j, v := range values[i*columns : (i+1)*columns] {
			if v > values[i*columns+out[i]] {
				out[i] = j
			}
		}
	}
	return out
}
