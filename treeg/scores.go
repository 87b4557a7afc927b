package treeg

import (
	"context"
	"slices"
	"sync"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/treeg/internal/predict"
	"github.com/grove-graph/grove/treeg/internal/search"
	"github.com/grove-graph/grove/treeg/internal/splits"
)

// scores are those of the examples of a boosting, on the host or on the device that grows its trees, to the same bits.
// Examples are told by their positions.
type scores interface {
	// residuals begins a round, whose trees are fitted to the negative gradients of the loss; those before to the targets.
	residuals()

	// targets returns what the tree of output k is fitted to.
	targets(k int, sample []int32) *search.Targets

	// add adds rate times a tree to the scores of output k: by their leaves to those of the examples that it was fitted
	// to, by prediction to others.
	add(ctx context.Context, grown *search.Grown, k int, rate float64, sample []int32) error

	// loss returns the mean loss of the examples from a position on.
	loss(from int) (float64, error)

	// release gives memory of the device back.
	release()
}

// newScores returns the scores that a boosting starts from.
func (b *booster) newScores() (scores, error) {
	if !search.OnDevice(b.d.data, b.d.method) {
		return &hostScores{b, slices.Repeat(b.m.start, len(b.examples)), b.y}, nil
	}
	on, err := b.d.data.Engine.Boost(&engine.Boosting{
		Objective: b.objective.Objective, Outputs: b.outputs, Examples: b.examples, Targets: b.y, Start: b.m.start,
	})
	if err != nil {
		return nil, err
	}
	return &deviceScores{booster: b, on: on}, nil
}

// hostScores are in host memory, by position and output.
type hostScores struct {
	*booster
	scores, slopes []float64
}

func (s *hostScores) residuals() {
	s.slopes = make([]float64, len(s.y))
	for i := range s.slopes {
		first := i / s.outputs * s.outputs
		s.slopes[i] = s.objective.Residual(s.y[i], s.scores[first:first+s.outputs], i-first)
	}
}

func (s *hostScores) targets(k int, sample []int32) *search.Targets {
	values := make([]float64, len(sample))
	for i, p := range sample {
		values[i] = s.slopes[int(p)*s.outputs+k]
	}
	return s.targetsOf(split.Select(s.examples, sample), values, slices.Repeat([]float64{1}, len(sample)))
}

func (s *hostScores) add(ctx context.Context, grown *search.Grown, k int, rate float64, _ []int32) error {
	position := make([]int32, s.d.Examples())
	for i, e := range s.examples {
		position[e] = int32(i)
	}
	done, left := make([]bool, len(s.examples)), len(s.examples)
	for i, n := range grown.Tree.Nodes {
		if n.Split != nil {
			continue
		}
		for _, e := range grown.Members[i] {
			s.scores[int(position[e])*s.outputs+k] += float64(rate * n.Value[0])
			done[position[e]] = true
		}
		left -= len(grown.Members[i])
	}
	if left == 0 {
		return nil
	}
	var rest []int32
	for i, e := range s.examples {
		if !done[i] {
			rest = append(rest, e)
		}
	}
	slices.Sort(rest)
	p := predict.NewProgram(&s.d.data.Input, []*Tree{grown.Tree})
	return p.Each(ctx, s.d.data, s.opt.Empty, rest, func(i, _ int, leaf int32) {
		s.scores[int(position[rest[i]])*s.outputs+k] += float64(rate * grown.Tree.Nodes[leaf].Value[0])
	})
}

func (s *hostScores) loss(from int) (float64, error) {
	return s.objective.Mean(s.y[from*s.outputs:], s.scores[from*s.outputs:], s.outputs), nil
}

func (s *hostScores) release() {}

// deviceScores are on the device. What a tree adds waits until the next tree is planted: both are one piece of work.
type deviceScores struct {
	*booster
	on engine.Booster

	mu      sync.Mutex
	waiting []func() error // additions of the round that goes on
	due     []func() error // what comes before the next tree
}

func (s *deviceScores) residuals() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = append(append(s.due, s.waiting...), s.on.Residuals)
	s.waiting = nil
}

// settle does what is due. The caller holds mu.
func (s *deviceScores) settle() error {
	due := s.due
	s.due = nil
	for _, f := range due {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func (s *deviceScores) targets(k int, sample []int32) *search.Targets {
	t := &search.Targets{Examples: len(sample), Width: 1, Criterion: splits.Variance}
	t.Plant = func(tree engine.Growth, bins int) (root engine.NodeSums, err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		err = engine.Record(s.d.data.Engine, func() error {
			if err := s.settle(); err != nil {
				return err
			}
			root, err = s.on.Plant(tree, k, sample, bins)
			return err
		})
		return root, err
	}
	return t
}

func (s *deviceScores) add(_ context.Context, grown *search.Grown, k int, rate float64, sample []int32) error {
	for i, node := range grown.Nodes {
		grown.Leaves[i].Value = float64(rate * grown.Tree.Nodes[node].Value[0])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, func() error { return s.on.Add(grown.On, k, grown.Leaves) })
	if len(sample) == len(s.examples) {
		return nil
	}
	d := s.d.data
	x, factors, err := s.d.resident.Predicted(d)
	if err != nil {
		return err
	}
	t := predict.NewProgram(&d.Input, []*Tree{grown.Tree}).OnDevice(d, s.opt.Empty, d.Occurring())
	t.Factors = factors
	values := make([]float64, len(grown.Tree.Nodes))
	for i, n := range grown.Tree.Nodes {
		if n.Split == nil {
			values[i] = float64(rate * n.Value[0])
		}
	}
	s.waiting = append(s.waiting, func() error { return s.on.AddOthers(grown.On, k, x, t, values) })
	return nil
}

func (s *deviceScores) loss(from int) (loss float64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due, s.waiting = append(s.due, s.waiting...), nil
	err = engine.Record(s.d.data.Engine, func() error {
		if err := s.settle(); err != nil {
			return err
		}
		loss, err = s.on.Loss(from)
		return err
	})
	return loss, err
}

func (s *deviceScores) release() { s.on.Release() }
