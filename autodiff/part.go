package autodiff

import (
	"context"
	"math"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Part is a set of items that a network is run on again and again: held-out items, or those that an exact
// classifier is fitted on.
type Part struct {
	network *Network
	source  Source
	items   []int
	size    int
	keep    bool
	kept    []*Batch
}

// NewPart returns the given items of a source, in batches of the given size. With keep their layout is
// made once and stays in memory. Give it back with [Part.Release].
func (n *Network) NewPart(s Source, items []int, size int, keep bool) *Part {
	return &Part{network: n, source: s, items: items, size: size, keep: keep}
}

// Release gives the memory of kept batches back.
func (p *Part) Release() {
	for _, b := range p.kept {
		b.Release(p.network.engine)
	}
	p.kept = nil
}

// each runs the network on all batches and calls visit with each and its first item.
func (p *Part) each(ctx context.Context, visit func(first int, b *Batch) error) error {
	first, n := 0, p.network
	forward := func(b *Batch) error {
		if err := n.Forward(b); err != nil {
			return err
		}
		first += b.Items()
		return visit(first-b.Items(), b)
	}
	if p.kept != nil {
		for _, b := range p.kept {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := forward(b); err != nil {
				return err
			}
		}
		return nil
	}
	running, stop := context.WithCancel(ctx)
	batches := ahead(running, p.source, p.items, p.size)
	defer func() {
		stop()
		for b := range batches {
			b.release(n.engine)
		}
	}()
	var kept []*Batch
	for b := range batches {
		if b.err != nil {
			return b.err
		}
		err := forward(b.batch)
		if p.keep {
			kept = append(kept, b.batch)
		} else {
			b.release(n.engine)
		}
		if err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.kept = kept
	return nil
}

// collect runs the network and returns the rows of what, one for each item, in host memory.
func (p *Part) collect(ctx context.Context, width int, what func() *tensor.Dense) (*tensor.Dense, error) {
	n := p.network
	all := n.engine.New(n.dtype, len(p.items), width)
	err := p.each(ctx, func(first int, _ *Batch) error {
		return n.engine.Place(all, what(), nil, engine.Placement{Row: first, Stride: 1})
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
func (p *Part) Logits(ctx context.Context) (*tensor.Dense, error) {
	return p.collect(ctx, p.network.parameters.Weight.Shape()[0], p.network.Logits)
}

// Representations returns what the classifier sees of the items, items x width in host memory.
func (p *Part) Representations(ctx context.Context) (*tensor.Dense, error) {
	return p.collect(ctx, p.network.parameters.Weight.Shape()[1], p.network.Representation)
}

// Score says how good the network is on the items, 1 being perfect: the share of those whose class has
// the largest logit, or for the squared loss 1 - the mean of (x - y)^2 over items and outputs, which is
// the share of the variance that is explained where the targets have variance 1. It is NaN for no items.
func (p *Part) Score(ctx context.Context) (float64, error) {
	var classes []int32
	var values []float64
	note := func(_ int, b *Batch) error {
		if p.network.opt.Loss != Squared {
			classes = append(classes, b.targets.classes...)
			return nil
		}
		y, err := hostElements(b.targets.values)
		if err != nil {
			return err
		}
		for i := range b.targets.values.Shape().TotalSize() {
			values = append(values, y.at(i))
		}
		return nil
	}
	n := p.network
	outputs := n.parameters.Weight.Shape()[0]
	logits := n.engine.New(n.dtype, len(p.items), outputs)
	defer n.engine.Release(logits)
	err := p.each(ctx, func(first int, b *Batch) error {
		if err := note(first, b); err != nil {
			return err
		}
		return n.engine.Place(logits, n.Logits(), nil, engine.Placement{Row: first, Stride: 1})
	})
	if err != nil {
		return 0, err
	}
	x, err := hostElements(logits)
	if err != nil {
		return 0, err
	}
	if n.opt.Loss == Squared {
		sum := 0.0
		for i, y := range values {
			sum += math.Pow(x.at(i)-y, 2)
		}
		return 1 - sum/float64(len(values)), nil
	}
	right := 0
	for i, class := range classes {
		if n.opt.Loss.class(x, i*outputs, outputs) == class {
			right++
		}
	}
	return float64(right) / float64(len(classes)), nil
}
