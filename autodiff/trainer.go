package autodiff

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gorgonia.org/tensor"
)

// Source lays out batches of the items of a data set, which are numbered from 0.
type Source interface {
	// Batch lays out the given items with their targets. It is called from one goroutine at a time, which is
	// not the one that runs the network.
	Batch(items []int) (*Batch, error)
}

// Sampler is a source whose batches show to training a sample of what there is, another one in every epoch.
type Sampler interface {
	Source
	// Sample lays out the given items as Batch does, which lays out what they are scored by, with the sample of an epoch,
	// counted from 1. It depends on the epoch and on each item, not on the batch: a training that was interrupted goes
	// on with the same one.
	Sample(epoch int, items []int) (*Batch, error)
}

// TrainOptions say how a network is trained: by Adam on shuffled batches (GCKN, section 5.1).
type TrainOptions struct {
	Epochs     int
	BatchSize  int
	Rate       float64            // of the first epoch
	HalveEvery int                // epochs after which the rate is halved; 0: never
	Decay      float64            // L2 penalty of the parameters that have one, inside Adam
	Frozen     []string           // names of parameters that steps leave alone; Trainer.After may set them
	Rates      map[string]float64 // of parameters, by name, in place of Rate in the first epoch
	Patience   int                // epochs without a better first score after which training stops; 0: never
	MaxLoss    float64            // a batch with more than this many times the loss of a classifier of zeros has diverged
	Seed       uint64             // decides the shuffles
}

// Check reports the first option that makes no sense.
func (o *TrainOptions) Check() error {
	switch {
	case o.Epochs < 0:
		return fmt.Errorf("%d epochs: want 0 or more", o.Epochs)
	case o.BatchSize < 1:
		return fmt.Errorf("batches of %d: want at least 1", o.BatchSize)
	case noRate(o.Rate):
		return fmt.Errorf("rate %g: want a positive number", o.Rate)
	case slices.ContainsFunc(slices.Collect(maps.Values(o.Rates)), noRate):
		return fmt.Errorf("rates %v: want positive numbers", o.Rates)
	case o.HalveEvery < 0:
		return fmt.Errorf("the rate is halved every %d epochs: want 0 (never) or more", o.HalveEvery)
	case !(o.Decay >= 0) || math.IsInf(o.Decay, 0):
		return fmt.Errorf("decay %g: want a number from 0 on", o.Decay)
	case o.Patience < 0:
		return fmt.Errorf("patience of %d epochs: want 0 (without end) or more", o.Patience)
	case !(o.MaxLoss > 0):
		return fmt.Errorf("largest loss %g: want a positive multiple of that of a classifier of zeros", o.MaxLoss)
	}
	return nil
}

func noRate(r float64) bool { return !(r > 0) || math.IsInf(r, 0) }

// rate returns the learning rate of an epoch, counted from 1.
func (o *TrainOptions) rate(epoch int) float64 {
	if o.HalveEvery == 0 {
		return o.Rate
	}
	return math.Ldexp(o.Rate, -((epoch - 1) / o.HalveEvery))
}

// Record is what is known after an epoch.
type Record struct {
	Epoch    int       `json:"epoch"`            // from 1; 0 for the start, which has no loss
	Loss     float64   `json:"loss"`             // mean over the batches, by their sizes, while they were trained on
	Accuracy float64   `json:"accuracy"`         // score of the same batches, see [Evaluator.Score]
	Scores   []float64 `json:"scores,omitempty"` // of held-out items, after the epoch
	Rate     float64   `json:"rate"`
	Seconds  float64   `json:"seconds"`         // of the steps
	Waiting  float64   `json:"waiting_seconds"` // for batches that were not laid out yet
	Scoring  float64   `json:"scoring_seconds"` // of the scores
}

// Trainer trains a network. Set the first four fields and what else is wanted, then call Run.
type Trainer struct {
	Network *Network
	Source  Source
	Items   []int // of the source, to train on
	Options TrainOptions

	// Start gives the parameters their first values. It is not called when a checkpoint has them.
	Start func(ctx context.Context) error
	// After is called after the steps of every epoch, before the scores.
	After func(ctx context.Context) error
	// Score returns the scores of held-out items after an epoch, 0 for the start; more is better.
	Score func(ctx context.Context, epoch int) ([]float64, error)

	Choose bool                  // the first score chooses the epoch whose parameters are taken
	Watch  func(Record)          // told of every epoch
	Step   func(done, total int) // told of every step

	Checkpoint Checkpoint

	state state
	adam  *adam
	best  []*tensor.Dense // parameters after the best epoch, on the engine
	whole *Batch          // of all items, where one batch is an epoch; nil: not laid out yet
	run   epochRun
}

// state is where a training stands, beside the tensors. The order of the items in an epoch follows from
// the seed and the number of the epoch, so the two are the state of the random numbers.
type state struct {
	Epoch   int      `json:"epoch"`           // that runs, from 1
	Batch   int      `json:"batch"`           // of it that are done
	Steps   int      `json:"steps"`           // of Adam
	Loss    float64  `json:"loss"`            // sum over the batches that are done, times their sizes
	Right   int      `json:"right"`           // items of them that were classified right
	Seconds float64  `json:"seconds"`         // that their steps took
	Waiting float64  `json:"waiting_seconds"` // for batches
	Records []Record `json:"records"`         // of the start and the epochs that are done
	Best    int      `json:"best"`            // epoch with the best first score
}

// Run trains until the epochs are over, the scores have not become better for too long, or ctx is
// cancelled, and leaves the parameters of the best epoch (with Choose) or of the last in the network. With
// a checkpoint it goes on where that one stopped and comes to the same bits. The loss of a batch that is
// not finite or too large stops it with a [Diverged].
func (t *Trainer) Run(ctx context.Context) error {
	if err := t.check(); err != nil {
		return err
	}
	t.adam = newAdam(t.Network.engine, t.Network.parameters, &t.Options)
	defer t.release()
	resumed, err := t.restore()
	if err != nil {
		return err
	}
	if !resumed {
		if err := t.begin(ctx); err != nil {
			return err
		}
	}
	for !t.over() {
		if err := t.epoch(ctx); err != nil {
			return err
		}
	}
	if err := t.save(); err != nil {
		return err
	}
	return t.settleBest()
}

func (t *Trainer) check() error {
	if err := t.Options.Check(); err != nil {
		return err
	}
	if len(t.Items) == 0 {
		return fmt.Errorf("nothing to train on")
	}
	if t.Choose && t.Score == nil {
		return fmt.Errorf("the best epoch is to be kept, but nothing is scored")
	}
	for _, name := range slices.Concat(t.Options.Frozen, slices.Sorted(maps.Keys(t.Options.Rates))) {
		if t.Network.Parameter(name) == nil {
			return fmt.Errorf("%s is to have a rate of its own or to stay, the network has no parameter of this name", name)
		}
	}
	return nil
}

// begin makes the start and its record.
func (t *Trainer) begin(ctx context.Context) error {
	t.state = state{Epoch: 1}
	if t.Start != nil {
		if err := t.Start(ctx); err != nil {
			return err
		}
	}
	if err := t.record(ctx, Record{}); err != nil {
		return err
	}
	return t.save()
}

// over reports whether no epoch is left to run.
func (t *Trainer) over() bool {
	waited := t.state.Epoch - 1 - t.state.Best
	return t.state.Epoch > t.Options.Epochs || t.Choose && t.Options.Patience > 0 && waited >= t.Options.Patience
}

// batches returns the number of batches of an epoch.
func (t *Trainer) batches() int {
	return (len(t.Items) + t.Options.BatchSize - 1) / t.Options.BatchSize
}

// order returns the items of an epoch as they are trained on.
func (t *Trainer) order(epoch int) []int {
	order := append([]int(nil), t.Items...)
	rng := rand.New(rand.NewPCG(t.Options.Seed, shuffles^uint64(epoch)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// shuffles tells the random numbers of shuffles from those that the same seed is used for elsewhere.
const shuffles = 0x5b0ff1e << 32

// record closes an epoch: it scores the held-out items and copies the parameters if they are the best.
func (t *Trainer) record(ctx context.Context, r Record) error {
	if t.Score != nil {
		start := time.Now()
		var err error
		if r.Scores, err = t.Score(ctx, r.Epoch); err != nil {
			return err
		}
		r.Scoring = time.Since(start).Seconds()
	}
	t.state.Records = append(t.state.Records, r)
	if t.Choose && (r.Epoch == 0 || r.Scores[0] > t.state.Records[t.state.Best].Scores[0]) {
		t.state.Best = r.Epoch
		if err := t.keepBest(); err != nil {
			return err
		}
	}
	if t.Watch != nil {
		t.Watch(r)
	}
	return nil
}

// keepBest copies the parameters.
func (t *Trainer) keepBest() error {
	for i, p := range t.Network.tensors() {
		if i == len(t.best) {
			t.best = append(t.best, t.Network.engine.New(p.Dtype(), p.Shape()...))
		}
		if err := t.Network.engine.Convert(t.best[i], p); err != nil {
			return err
		}
	}
	return nil
}

// settleBest puts the parameters of the best epoch into the network.
func (t *Trainer) settleBest() error {
	for i, p := range t.Network.tensors() {
		if i < len(t.best) {
			if err := t.Network.engine.Convert(p, t.best[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Records returns the records of the start and of the epochs that were run.
func (t *Trainer) Records() []Record { return t.state.Records }

// Best returns the epoch whose parameters the network has after Run.
func (t *Trainer) Best() int {
	if t.Choose {
		return t.state.Best
	}
	return t.state.Epoch - 1
}

func (t *Trainer) release() {
	t.adam.release()
	t.Network.engine.Release(t.best...)
	t.run.release(t.Network.engine)
	if t.whole != nil {
		t.whole.Release(t.Network.engine)
		t.whole = nil
	}
	t.adam, t.best = nil, nil
}
