package treeg

import (
	"context"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/treeg/internal/walks"
	"gorgonia.org/tensor"
)

// Scores returns the raw scores of every graph or vertex of a batch, N x Outputs: values, or log-odds; of a forest and
// a single tree the probabilities of the classes.
func (m *Model) Scores(ctx context.Context, b *graph.Batch) ([]float64, error) {
	leaves, err := m.Leaves(ctx, b)
	if err != nil {
		return nil, err
	}
	return m.scores(leaves), nil
}

// Predict returns what the model says of every graph or vertex of a batch: probabilities of the classes and the most
// probable one, the first of equal ones, or values.
func (m *Model) Predict(ctx context.Context, b *graph.Batch) (*model.Predictions, error) {
	scores, err := m.Scores(ctx, b)
	if err != nil {
		return nil, err
	}
	return m.predictions(scores), nil
}

// predictions says what raw scores stand for: values, or probabilities of the classes, 0 of those that are absent from
// the training.
func (m *Model) predictions(scores []float64) *model.Predictions {
	if m.number == 0 {
		return &model.Predictions{Values: model.Column(scores)}
	}
	k := m.Outputs()
	n := len(scores) / k
	classes, probabilities := make([]int, n), make([]float64, n*m.number)
	for i := range classes {
		p := probabilities[i*m.number : (i+1)*m.number]
		m.probabilities(p, scores[i*k:(i+1)*k])
		if m.absent != nil {
			withoutAbsent(p, m.absent)
		}
		classes[i] = model.ArgMax(p)
	}
	shape := tensor.WithShape(n, m.number)
	return &model.Predictions{Classes: classes, Probabilities: tensor.New(shape, tensor.WithBacking(probabilities))}
}

// withoutAbsent takes the share of absent classes away. Where they have all of it the first other class gets it.
func withoutAbsent(p []float64, absent []int) {
	first, sum := -1, 0.0
	for c := range p {
		if slices.Contains(absent, c) {
			p[c] = 0
		} else if first < 0 {
			first = c
		}
		sum += p[c]
	}
	if sum == 0 {
		p[first], sum = 1, 1
	}
	for c := range p {
		p[c] /= sum
	}
}

// Leaves returns the node of the leaf that every graph or vertex reaches in every tree, N x number of trees: those of
// the reference scheme's start, then by round and output.
func (m *Model) Leaves(ctx context.Context, b *graph.Batch) ([]int32, error) {
	numbers, _ := m.idle.Get().(*walks.Memory)
	if numbers == nil {
		numbers = &walks.Memory{}
	}
	defer m.idle.Put(numbers)
	numbers.Reset()
	d, err := m.prepareIn(ctx, b, numbers)
	if err != nil {
		return nil, err
	}
	return m.leavesOf(ctx, d, nil)
}
