package model

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/split"
)

// Work is what an estimator learns from and computes with.
type Work struct {
	Data   *dataset.Dataset
	Store  dataset.Store // the graphs, where they stay on disk: Data then has none but knows their number and targets
	Engine engine.Engine

	// Seen are the graphs, ascending, that what needs no targets may be learned from; nil for all.
	Seen []int
	// Blind is set where no targets may be looked at meanwhile. Otherwise those of the graphs seen may.
	Blind bool

	// Rounds says who goes over the graphs of a store, nil for this process alone: for estimators that are [InRounds].
	Rounds *rounds.Rounds

	Progress Progress
	Spent    *Stopwatch // may be nil

	cache, whole *cache // of this work, and of that on all graphs
	sharing      *sharing
}

// NewWork returns the work on all graphs of a data set.
func NewWork(d *dataset.Dataset, e engine.Engine) *Work {
	all := new(cache)
	return &Work{Data: d, Engine: e, Spent: new(Stopwatch), cache: all, whole: all, sharing: new(sharing)}
}

// InFold returns the work of a fold, which sees the graphs of its training part alone, with their targets. What is
// shared within it lasts as long as it does.
func (w *Work) InFold(train []int) *Work {
	fold := *w
	fold.Seen, fold.Blind, fold.cache, fold.sharing = train, false, new(cache), new(sharing)
	return &fold
}

// Whole returns the work on all graphs, without their targets, that w belongs to: for what does not learn from
// graphs.
func (w *Work) Whole() *Work {
	whole := *w
	whole.Seen, whole.Blind, whole.cache = nil, true, w.whole
	return &whole
}

// cache holds what was computed once: a map from keys to *entry.
type cache struct {
	sync.Map
	mu      sync.Mutex
	release []func() error
}

type entry struct {
	mu    sync.Mutex
	done  bool // without an error
	value any
}

// Shared returns what compute makes, computed once for all estimators that ask for it with the same key, a comparable
// value of a type of the caller's own. What it computes must depend on the key and on what w shows alone. An error is
// not cached.
func Shared[T any](w *Work, key any, compute func() (T, error)) (T, error) {
	start := time.Now()
	defer func() { w.sharing.on(w.cache == w.whole).Add(int64(time.Since(start))) }()
	found, _ := w.cache.LoadOrStore(key, new(entry))
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

// sharing counts the time that the work of one fold spends on what is shared.
type sharing struct{ whole, fold atomic.Int64 }

func (s *sharing) on(whole bool) *atomic.Int64 {
	if whole {
		return &s.whole
	}
	return &s.fold
}

// SharedTime returns how long callers of [Shared] waited: for what all folds share, and for what the
// estimators of this fold do.
func (w *Work) SharedTime() (whole, fold time.Duration) {
	return time.Duration(w.sharing.whole.Load()), time.Duration(w.sharing.fold.Load())
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
func NewStoredWork(s dataset.Store, e engine.Engine) *Work {
	d := s.Head()
	b := *d.Batch
	b.Offsets = make([]int32, s.NumGraphs()+1)
	w := NewWork(d.WithBatch(&b), e)
	w.Store = s
	return w
}

// InMemory returns the work with all of its graphs read into memory, for what cannot do with some at a time.
func (w *Work) InMemory() (*Work, error) {
	if w.Store == nil {
		return w, nil
	}
	type all struct{}
	d, err := Shared(w.Whole(), all{}, func() (*dataset.Dataset, error) {
		return w.Store.Select(split.All(w.Store.NumGraphs()))
	})
	if err != nil {
		return nil, err
	}
	inMemory := *w
	inMemory.Data, inMemory.Store = w.Data.WithBatch(d.Batch), nil
	return &inMemory, nil
}

// Of returns the work on some graphs of w, in memory, with their targets. It shares nothing with w but the engine and
// the stopwatch.
func (w *Work) Of(graphs []int) (*Work, error) {
	d := w.Data.Select(graphs)
	if w.Store != nil {
		read, err := w.Store.Select(graphs)
		if err != nil {
			return nil, err
		}
		d = d.WithBatch(read.Batch)
	}
	some := NewWork(d, w.Engine)
	some.Progress, some.Spent = w.Progress, w.Spent
	return some, nil
}

// BlockGraphs is the number of graphs of a block of package rounds, for whoever goes over the graphs of a store.
// Another one gives other bits where numbers are added up.
const BlockGraphs = 1 << 12

// Apart returns the work on the same graphs, which this process goes over alone. It shares nothing with w but the
// store, the engine and the stopwatch. Release what is left to it when it is no longer needed.
func (w *Work) Apart() (apart *Work, release func() error) {
	apart = NewWork(w.Data, w.Engine)
	apart.Store, apart.Progress, apart.Spent = w.Store, w.Progress, w.Spent
	return apart, apart.releaseAll
}

// HasVertices is that of its data set, or of the graphs on disk.
func (w *Work) HasVertices() error {
	if w.Store != nil && w.Store.HasVertices() {
		return nil
	}
	return HasVertices(w.Data)
}

// Each calls visit with the graphs of the data, piece by piece where they stay on disk, in their order.
func (w *Work) Each(visit func(d *dataset.Dataset) error) error {
	if w.Store != nil {
		return w.Store.Each(visit)
	}
	return visit(w.Data)
}

// FitEncoding learns what a model sees of vertices from the graphs that w shows, as [dataset.FitEncoding] does.
func (w *Work) FitEncoding(features dataset.Features) (*dataset.Encoding, error) {
	if w.Store != nil {
		return rounds.Keep(w.Rounds, func() (*dataset.Encoding, error) {
			return dataset.FitStoredEncoding(w.Store, features, w.Seen)
		})
	}
	return dataset.FitEncoding(w.Data, features, w.Seen)
}

// Close gives back what the work holds beside memory: the store, where the graphs stay on disk, and what was left to it
// by [Work.OnClose]. Nothing that was learned may be asked any more, but models.
func (w *Work) Close() error {
	all := w.releaseAll()
	if w.Store != nil {
		all = errors.Join(all, w.Store.Close())
	}
	return all
}

// releaseAll does what was left to be done.
func (w *Work) releaseAll() error {
	var all error
	for _, release := range w.whole.release {
		all = errors.Join(all, release())
	}
	w.whole.release = nil
	return all
}

// OnClose leaves something to be done when the work is closed.
func (w *Work) OnClose(release func() error) {
	w.whole.mu.Lock()
	defer w.whole.mu.Unlock()
	w.whole.release = append(w.whole.release, release)
}
