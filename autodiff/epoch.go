package autodiff

import (
	"context"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Diverged is the error of a training whose loss is not finite or far above that of a classifier that
// says nothing.
type Diverged struct {
	Epoch, Batch int // from 1
	Loss         float64
	Checkpoint   string // the last good one; "" without
}

func (d *Diverged) Error() string {
	text := fmt.Sprintf("the training diverged: loss %.3g in epoch %d, batch %d: choose a lower rate", d.Loss,
		d.Epoch, d.Batch)
	if d.Checkpoint != "" {
		text += "; " + d.Checkpoint + " holds the state before"
	}
	return text
}

// epochRun collects what the steps of an epoch put out. On a device it stays there until it is looked at,
// so that steps do not wait for each other.
type epochRun struct {
	losses, logits *tensor.Dense // of the batches, of the items
	truth          [][]int32     // classes of the items of each batch; nil in a regression
	first          []int         // item that each batch starts at, and the end of the last
	seen           int           // batches that went into the state
}

func (r *epochRun) release(e engine.Engine) {
	e.Release(r.losses, r.logits)
	*r = epochRun{}
}

// begin makes room for an epoch that starts at a batch.
func (r *epochRun) begin(n *Network, batches, items int) {
	if r.losses == nil {
		r.losses = n.engine.New(n.dtype, batches, 1)
		r.logits = n.engine.New(n.dtype, items, n.outputs)
	}
	r.truth, r.first, r.seen = r.truth[:0], append(r.first[:0], 0), 0
}

// add takes over what the network put out for a batch.
func (r *epochRun) add(n *Network, b *Batch) error {
	at, first := len(r.truth), r.first[len(r.truth)]
	if err := n.engine.Place(r.losses, n.last.value(n.last.loss), nil,
		engine.Placement{Row: at, Stride: 1}); err != nil {
		return err
	}
	if err := n.engine.Place(r.logits, n.Logits(), nil, engine.Placement{Row: first, Stride: 1}); err != nil {
		return err
	}
	r.truth, r.first = append(r.truth, b.targets.classes), append(r.first, first+b.Items())
	return nil
}

// epoch runs what is left of an epoch.
func (t *Trainer) epoch(ctx context.Context) error {
	s := &t.state
	order, size, total := t.order(s.Epoch), t.Options.BatchSize, t.batches()
	t.run.begin(t.Network, total, len(order))
	left := order[min(s.Batch*size, len(order)):]
	done, free := s.Batch, time.Now()
	for b, err := range t.layOut(ctx, left) {
		start := time.Now()
		s.Waiting += start.Sub(free).Seconds()
		if err != nil {
			return t.at(done, err)
		}
		err := t.step(b)
		if b != t.whole {
			b.Release(t.Network.engine)
		}
		if err != nil {
			return t.failed(done, err)
		}
		done++
		s.Seconds += time.Since(start).Seconds()
		if t.Step != nil {
			t.Step((s.Epoch-1)*total+done, t.Options.Epochs*total)
		}
		if err := t.between(ctx, done < total); err != nil {
			return err
		}
		free = time.Now()
	}
	if ctx.Err() != nil {
		return t.saveSometimes(ctx)
	}
	if err := t.look(); err != nil {
		return err
	}
	r := Record{Epoch: s.Epoch, Loss: s.Loss / float64(len(order)), Rate: t.Options.rate(s.Epoch),
		Seconds: s.Seconds, Waiting: s.Waiting}
	r.Accuracy = t.accuracy(r.Loss, len(order))
	if t.After != nil {
		if err := t.After(ctx); err != nil {
			return err
		}
	}
	if err := t.record(ctx, r); err != nil {
		return err
	}
	*s = state{Epoch: s.Epoch + 1, Steps: s.Steps, Records: s.Records, Best: s.Best}
	return t.saveSometimes(ctx)
}

// layOut lays out the batches of what is left of an epoch. A batch of all items that is the same in every epoch is laid
// out once, and keeps the order of the items.
func (t *Trainer) layOut(ctx context.Context, left []int) iter.Seq2[*Batch, error] {
	source := t.Source
	if s, ok := source.(Sampler); ok {
		source = ofEpoch{s, t.state.Epoch}
	} else if t.batches() == 1 {
		return t.layOutWhole(ctx)
	}
	return ahead(ctx, t.Network.engine, source, left, t.Options.BatchSize)
}

// layOutWhole gives the one batch of an epoch.
func (t *Trainer) layOutWhole(ctx context.Context) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		if ctx.Err() != nil {
			return
		}
		var err error
		if t.whole == nil {
			t.whole, err = t.Source.Batch(t.Items)
		}
		yield(t.whole, err)
	}
}

// ofEpoch are the batches of an epoch.
type ofEpoch struct {
	Sampler
	epoch int
}

// Batch implements [Source].
func (s ofEpoch) Batch(items []int) (*Batch, error) { return s.Sample(s.epoch, items) }

// accuracy returns the score of the items that an epoch trained on.
func (t *Trainer) accuracy(loss float64, items int) float64 {
	if t.Network.loss == Squared {
		return 1 - 2*loss/float64(t.Network.outputs)
	}
	return float64(t.state.Right) / float64(items)
}

// step trains on a batch, in one submission where the engine makes them.
func (t *Trainer) step(b *Batch) error {
	return engine.Record(t.Network.engine, func() error { return t.enqueue(b) })
}

func (t *Trainer) enqueue(b *Batch) error {
	n := t.Network
	n.steps = uint64(t.adam.steps)
	if err := n.Step(b); err != nil {
		return err
	}
	if err := t.run.add(n, b); err != nil {
		return err
	}
	gradients, err := n.Gradients()
	if err != nil {
		return err
	}
	return t.adam.step(gradients, t.Options.rate(t.state.Epoch))
}

// between is what happens between two steps: losses are looked at where that costs nothing, and the
// state is stored when it is time to, or when ctx ends.
func (t *Trainer) between(ctx context.Context, more bool) error {
	if !t.Network.engine.Capabilities().Deferred {
		if err := t.look(); err != nil {
			return err
		}
	}
	if !more {
		return nil // the epoch is closed first
	}
	return t.saveSometimes(ctx)
}

// look takes the losses and logits of the steps since the last look into the state.
func (t *Trainer) look() error {
	r, s := &t.run, &t.state
	if r.seen == len(r.truth) {
		return nil
	}
	outputs, first := r.logits.Shape()[1], r.first[r.seen]
	losses, err := engine.Float64s(engine.View(r.losses, r.seen, len(r.truth)-r.seen, 1))
	if err != nil {
		return err
	}
	items := r.first[len(r.truth)] - first
	logits, err := engine.Float64s(engine.View(r.logits, first*outputs, items, outputs))
	if err != nil {
		return err
	}
	for _, loss := range losses {
		items := r.first[r.seen+1] - r.first[r.seen]
		if !(loss <= t.Options.MaxLoss*t.Network.loss.silent(outputs)) {
			return &Diverged{s.Epoch, s.Batch + 1, loss, t.Checkpoint.Path}
		}
		s.Loss += loss * float64(items)
		for i, class := range r.truth[r.seen] {
			if t.Network.loss.class(logits[i*outputs:(i+1)*outputs]) == class {
				s.Right++
			}
		}
		logits = logits[items*outputs:]
		r.seen++
		s.Batch++
	}
	return nil
}

// failed explains the error of a step: parameters that are not numbers make operations fail.
func (t *Trainer) failed(done int, err error) error {
	if diverged := t.look(); diverged != nil {
		return diverged
	}
	if finite, broken := t.finite(); broken == nil && !finite {
		return &Diverged{t.state.Epoch, done + 1, math.NaN(), t.Checkpoint.Path}
	}
	return t.at(done, err)
}

// finite reports whether all parameters are numbers.
func (t *Trainer) finite() (bool, error) {
	for _, p := range t.Network.tensors() {
		values, err := engine.Float64s(p)
		if err != nil {
			return false, err
		}
		for _, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false, nil
			}
		}
	}
	return true, nil
}

// at says where an error came up.
func (t *Trainer) at(done int, err error) error {
	return fmt.Errorf("epoch %d, batch %d: %w", t.state.Epoch, done+1, err)
}

// silent returns the loss of outputs that are all zero.
func (l Loss) silent(outputs int) float64 {
	switch l {
	case CrossEntropy:
		return math.Log(float64(max(outputs, 2)))
	case Logistic:
		return math.Ln2
	}
	return float64(outputs) / 2
}
