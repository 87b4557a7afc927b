package model

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
)

// Work is what an estimator learns from and computes with.
type Work struct {
	Data   *dataset.Dataset
	Shards *dataset.Shards // the graphs, where they stay on disk: Data then has none but knows their number and targets
	Engine engine.Engine

	// Seen are the graphs, ascending, that what needs no targets may be learned from; nil for all.
	Seen []int
	// Blind is set where no targets may be looked at meanwhile. Otherwise those of the graphs seen may.
	Blind bool

	Progress Progress
	Spent    *Stopwatch // may be nil

	kept, whole *kept // of this work, and of that on all graphs
	sharing     *sharing
}

// NewWork returns the work on all graphs of a data set.
func NewWork(d *dataset.Dataset, e engine.Engine) *Work {
	all := new(kept)
	return &Work{Data: d, Engine: e, Spent: new(Stopwatch), kept: all, whole: all, sharing: new(sharing)}
}

// Part returns the work that sees the given graphs alone, with their targets: the training part of a fold. What is
// shared within it is kept as long as the part is.
func (w *Work) Part(seen []int) *Work {
	part := *w
	part.Seen, part.Blind, part.kept, part.sharing = seen, false, new(kept), new(sharing)
	return &part
}

// Whole returns the work on all graphs, without their targets, that w is a part of: for what does not learn from
// graphs.
func (w *Work) Whole() *Work {
	whole := *w
	whole.Seen, whole.Blind, whole.kept = nil, true, w.whole
	return &whole
}

// kept is what was computed once: a map from keys to *entry.
type kept struct{ sync.Map }

type entry struct {
	mu    sync.Mutex
	done  bool // without an error
	value any
}

// Shared returns what compute makes, computed once for all estimators that ask for it with the same key, a comparable
// value of a type of the caller's own. What it computes must depend on the key and on what w shows alone. An error is
// not kept.
func Shared[T any](w *Work, key any, compute func() (T, error)) (T, error) {
	start := time.Now()
	defer func() { w.sharing.on(w.kept == w.whole).Add(int64(time.Since(start))) }()
	found, _ := w.kept.LoadOrStore(key, new(entry))
	e := found.(*entry)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done {
		return e.value.(T), nil
	}
	value, err := compute()
	if err == nil {
		e.value, e.done = value, true
	}
	return value, err
}

// sharing counts the time that one part of the work spends on what is shared.
type sharing struct{ whole, part atomic.Int64 }

func (s *sharing) on(whole bool) *atomic.Int64 {
	if whole {
		return &s.whole
	}
	return &s.part
}

// SharedTime returns how long callers of [Shared] waited: for what all parts of the work share, and for what the
// estimators of this part do.
func (w *Work) SharedTime() (whole, part time.Duration) {
	return time.Duration(w.sharing.whole.Load()), time.Duration(w.sharing.part.Load())
}

// Stopwatch adds up the time that stages of learning take, over all goroutines. A nil one counts nothing.
type Stopwatch struct{ fit, transform atomic.Int64 }

// Fitting counts the time since the given one as that of learning without targets.
func (s *Stopwatch) Fitting(since time.Time) {
	if s != nil {
		s.fit.Add(int64(time.Since(since)))
	}
}

// Transforming counts the time since the given one as that of encoding graphs.
func (s *Stopwatch) Transforming(since time.Time) {
	if s != nil {
		s.transform.Add(int64(time.Since(since)))
	}
}

// Times returns what was counted so far.
func (s *Stopwatch) Times() (fit, transform time.Duration) {
	return time.Duration(s.fit.Load()), time.Duration(s.transform.Load())
}

// NewStoredWork returns the work on the graphs of a store, which stay on disk: for estimators of a family that streams.
// Its data set knows the number of graphs and their targets, and has no vertices.
func NewStoredWork(s *dataset.Shards, e engine.Engine) *Work {
	d := s.Head()
	b := *d.Batch
	b.Offsets = make([]int32, s.NumGraphs()+1)
	w := NewWork(d.WithBatch(&b), e)
	w.Shards = s
	return w
}

// Each calls visit with the graphs of the data, part by part where they stay on disk, in their order.
func (w *Work) Each(visit func(d *dataset.Dataset) error) error {
	if w.Shards != nil {
		return w.Shards.Each(visit)
	}
	return visit(w.Data)
}
