package treeg

import (
	"context"
	"errors"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/walks"
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

// Values returns the predicted number of every graph or vertex.
func (m *Model) Values(ctx context.Context, b *graph.Batch) ([]float64, error) {
	if m.number > 0 {
		return nil, errors.New("the model predicts classes, not values")
	}
	return m.Scores(ctx, b)
}

// Probabilities returns the probabilities of the classes of every graph or vertex, N x NumClasses.
func (m *Model) Probabilities(ctx context.Context, b *graph.Batch) ([]float64, error) {
	scores, err := m.Scores(ctx, b)
	if err != nil {
		return nil, err
	}
	return m.ProbabilitiesOf(scores)
}

// ProbabilitiesOf turns raw scores into probabilities of the classes, N x NumClasses.
func (m *Model) ProbabilitiesOf(scores []float64) ([]float64, error) {
	if m.number == 0 {
		return nil, errors.New("the model predicts values: they have no probabilities")
	}
	k := m.Outputs()
	p := make([]float64, len(scores)/k*m.number)
	for i := range len(scores) / k {
		m.probabilities(p[i*m.number:(i+1)*m.number], scores[i*k:(i+1)*k])
	}
	return p, nil
}

// Classes returns the most probable class of every graph or vertex, the first of equal ones.
func (m *Model) Classes(ctx context.Context, b *graph.Batch) ([]int, error) {
	scores, err := m.Scores(ctx, b)
	if err != nil {
		return nil, err
	}
	return m.ClassesOf(scores)
}

// ClassesOf returns the most probable classes of examples with the given raw scores.
func (m *Model) ClassesOf(scores []float64) ([]int, error) {
	p, err := m.ProbabilitiesOf(scores)
	if err != nil {
		return nil, err
	}
	classes := make([]int, len(p)/m.number)
	for i := range classes {
		row := p[i*m.number : (i+1)*m.number]
		for c, v := range row {
			if v > row[classes[i]] {
				classes[i] = c
			}
		}
	}
	return classes, nil
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
