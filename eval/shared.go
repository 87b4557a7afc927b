package eval

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Shared computes once what several settings share: the layers under fingerprints of several depths, the
// kernels of all numbers of iterations. What is learned from all graphs it keeps; what is learned from the
// training part of a fold is kept until all settings of the fold have been worked on. It is safe for
// concurrent use.
type Shared[T any] struct {
	// Compute learns from the graphs in train, or from all where train is nil, as [Setting].Learner does.
	Compute func(ctx context.Context, train []int) (T, error)

	all part[T]
}

// part is what was computed for one training part.
type part[T any] struct {
	mu    sync.Mutex
	train []int
	done  bool // without an error
	value T
}

// Get returns what Compute makes of the graphs in train. An error is not kept, and nothing is where train
// is not nil and ctx is not one that an evaluation handed to a setting.
func (s *Shared[T]) Get(ctx context.Context, train []int) (T, error) {
	p, spent := &s.all, &sharingOf(ctx).once
	if train != nil {
		p, spent = s.ofFold(ctx), &sharingOf(ctx).fold
	}
	start := time.Now()
	defer func() { spent.Add(int64(time.Since(start))) }()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done && slices.Equal(p.train, train) {
		return p.value, nil
	}
	value, err := s.Compute(ctx, slices.Clone(train))
	p.train, p.value, p.done = slices.Clone(train), value, err == nil
	return value, err
}

// ofFold returns the place of the training part of the fold that ctx belongs to.
func (s *Shared[T]) ofFold(ctx context.Context) *part[T] {
	parts, ok := ctx.Value(foldParts{}).(*sync.Map)
	if !ok {
		return new(part[T])
	}
	p, _ := parts.LoadOrStore(s, new(part[T]))
	return p.(*part[T])
}

// foldParts is the key of what a fold's settings share in their context: a map from a *Shared[T] to a *part[T].
type foldParts struct{}

// withParts returns the context of one fold.
func withParts(ctx context.Context) context.Context {
	return context.WithValue(ctx, foldParts{}, new(sync.Map))
}
