package gckn

import (
	"context"

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

// Outputs returns the logits of the classes, or the targets, of every graph of b, or of every vertex in a task on
// vertices: a Float64 matrix with a column for each.
func (s *Supervised) Outputs(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	x, err := s.represent(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	return s.Classifier.Outputs(x, nil)
}

// represent returns what the classifier sees.
func (s *Supervised) represent(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	if _, fanOut, err := s.Options.FanOuts(s.Options.Network.reach()); err != nil || fanOut != nil && s.Vertices {
		if err != nil {
			return nil, err
		}
		return s.Model.representSampled(ctx, b, fanOut, progress)
	}
	return s.Model.represent(ctx, b, s.Vertices, progress)
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
	return s.Options.Predictions(outputs, s.Regression), nil
}
