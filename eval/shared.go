package eval

import (
	"context"
	"slices"
	"sync"
)

// Shared computes once for every training part what several settings share: the layers under fingerprints
// of several depths, the kernels of all numbers of iterations. Put these settings one after another in
// Problem.Settings. It is safe for concurrent use.
type Shared[T any] struct {
	// Compute learns from the graphs in train, or from all where train is nil, as [Setting].Learner does.
	Compute func(ctx context.Context, train []int) (T, error)
	// Keep is the number of training parts whose results are kept, the latest: as many as there are folds
	// beside each other, Problem.Workers. Default 1.
	Keep int

	mu    sync.Mutex
	parts []*part[T] // the latest last
}

type part[T any] struct {
	train []int
	mu    sync.Mutex
	done  bool // without an error
	value T
}

// Get returns what Compute makes of the graphs in train. An error is not kept.
func (s *Shared[T]) Get(ctx context.Context, train []int) (T, error) {
	p := s.part(train)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return p.value, nil
	}
	value, err := s.Compute(ctx, slices.Clone(train))
	p.value, p.done = value, err == nil
	return value, err
}

// part returns the place of a training part.
func (s *Shared[T]) part(train []int) *part[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.parts, func(p *part[T]) bool {
		return (p.train == nil) == (train == nil) && slices.Equal(p.train, train)
	})
	if i >= 0 {
		return s.parts[i]
	}
	s.parts = append(s.parts, &part[T]{train: slices.Clone(train)})
	s.parts = s.parts[max(len(s.parts)-max(s.Keep, 1), 0):]
	return s.parts[len(s.parts)-1]
}
