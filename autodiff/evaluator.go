package autodiff

import (
	"context"
	"math"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Evaluator runs a network on the same items again and again: held-out items, or those that an exact classifier is
// fitted on.
type Evaluator struct {
	network *Network
	source  Source
	items   []int
	size    int
	cache   bool
	cached  []*Batch
}

// NewEvaluator returns one for the given items of a source, in batches of the given size. With cache their layout is
// made once and stays in memory. Give it back with [Evaluator.Release].
func (n *Network) NewEvaluator(s Source, items []int, size int, cache bool) *Evaluator {
	return &Evaluator{network: n, source: s, items: items, size: size, cache: cache}
}

// Release gives the memory of cached batches back.
func (v *Evaluator) Release() {
	for _, b := range v.cached {
		b.Release(v.network.engine)
	}
	v.cached = nil
}

// each runs the network on all batches and calls visit with each.
func (v *Evaluator) each(ctx context.Context, visit func(b *Batch) error) error {
	forward := func(b *Batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := v.network.Forward(b); err != nil {
			return err
		}
		return visit(b)
	}
	if v.cached != nil {
		for _, b := range v.cached {
			if err := forward(b); err != nil {
				return err
			}
		}
		return nil
	}
	var all []*Batch
	for b, err := range ahead(ctx, v.network.engine, v.source, v.items, v.size) {
		if err != nil {
			return err
		}
		err := forward(b)
		if v.cache {
			all = append(all, b)
		} else {
			b.Release(v.network.engine)
		}
		if err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	v.cached = all
	return nil
}

// collect runs the network and returns the rows of what, one for each item, in host memory. visit is called after each
// batch.
func (v *Evaluator) collect(
	ctx context.Context, width int, what func() *tensor.Dense, visit func(b *Batch) error,
) (*tensor.Dense, error) {
	n, first := v.network, 0
	all := n.engine.New(n.dtype, len(v.items), width)
	err := v.each(ctx, func(b *Batch) error {
		at := engine.Placement{Row: first, Stride: 1}
		first += b.Items()
		if err := n.engine.Place(all, what(), nil, at); err != nil || visit == nil {
			return err
		}
		return visit(b)
	})
	if err != nil {
		return nil, err
	}
	out, err := engine.ToHost(all)
	if out != all {
		n.engine.Release(all)
	}
	return out, err
}

// Logits returns the logits of the items, items x outputs in host memory.
func (v *Evaluator) Logits(ctx context.Context) (*tensor.Dense, error) {
	return v.collect(ctx, v.network.outputs, v.network.Logits, nil)
}

// Representations returns what the classifier sees of the items, items x width in host memory.
func (v *Evaluator) Representations(ctx context.Context) (*tensor.Dense, error) {
	return v.collect(ctx, v.network.width, v.network.Representation, nil)
}

// Score says how good the network is on the items, 1 being perfect: the share of those whose class has
// the largest logit, or for the squared loss 1 - the mean of (x - y)^2 over items and outputs, which is
// the share of the variance that is explained where the targets have variance 1. It is NaN for no items.
func (v *Evaluator) Score(ctx context.Context) (float64, error) {
	var classes []int32
	var values []float64
	n := v.network
	outputs := n.outputs
	logits, err := v.collect(ctx, outputs, n.Logits, func(b *Batch) error {
		if classes = append(classes, b.targets.classes...); n.loss != Squared {
			return nil
		}
		y, err := engine.Float64s(b.targets.values)
		values = append(values, y...)
		return err
	})
	if err != nil {
		return 0, err
	}
	x, err := engine.Float64s(logits)
	if err != nil {
		return 0, err
	}
	if n.loss == Squared {
		sum := 0.0
		for i, y := range values {
			sum += math.Pow(x[i]-y, 2)
		}
		return 1 - sum/float64(len(values)), nil
	}
	right := 0
	for i, class := range classes {
		if n.loss.class(x[i*outputs:(i+1)*outputs]) == class {
			right++
		}
	}
	return float64(right) / float64(len(classes)), nil
}
