package rounds

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"github.com/grove-graph/grove/parallel"
)

// Pass goes over blocks of some data. P is what becomes of a block: a value that [encoding/gob] can write.
type Pass[P any] struct {
	Name     string // other than that of every other pass of a program
	First    []int  // item that each block begins with, ascending; see [Even]
	Workers  int    // blocks that are computed at the same time, default 1
	Compute  func(ctx context.Context, block int) (P, error)
	Progress func(done, blocks int) // of those that are computed here; may be nil
}

// Even returns the first items of blocks of the given size.
func Even(items, size int) []int {
	var first []int
	for i := 0; i < items; i += size {
		first = append(first, i)
	}
	return first
}

// node is what became of 2^Level blocks from the block Index 2^Level on.
type node[P any] struct {
	Level, Index int
	Value        P
}

// each calls visit with the blocks from one to the one before another, in their order.
func (p *Pass[P]) each(ctx context.Context, from, to int, visit func(n node[P]) error) error {
	workers, first := max(p.Workers, 1), from
	for ; from < to; from += workers {
		if p.Progress != nil {
			p.Progress(from-first, to-first)
		}
		some := make([]P, min(workers, to-from))
		errs := make([]error, len(some))
		parallel.For(workers, len(some), func(i int) { some[i], errs[i] = p.Compute(ctx, from+i) })
		for i := range some {
			if err := errors.Join(errs[i], ctx.Err()); err != nil {
				return err
			}
			if err := visit(node[P]{0, from + i, some[i]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// within returns the blocks that begin with the items of a part.
func (p *Pass[P]) within(r *Rounds) (from, to int) {
	for from < len(p.First) && p.First[from] < r.from {
		from++
	}
	for to = from; to < len(p.First) && p.First[to] < r.to; {
		to++
	}
	return from, to
}

// part writes what became of the blocks of a part, or where they can be joined the sums of the subtrees that it has
// whole, and returns [ErrDone].
func (p *Pass[P]) part(ctx context.Context, r *Rounds, join func(a, b P) P) error {
	if p.Name != r.pass {
		return r.behind()
	}
	encoder := gob.NewEncoder(r.out)
	if err := encoder.Encode(p.Name); err != nil {
		return err
	}
	from, to := p.within(r)
	if join == nil {
		if err := p.each(ctx, from, to, func(n node[P]) error { return encoder.Encode(n) }); err != nil {
			return err
		}
		return ErrDone
	}
	t := tree[P]{join: join}
	if err := p.each(ctx, from, to, t.add); err != nil {
		return err
	}
	for _, n := range t.nodes {
		if err := encoder.Encode(n); err != nil {
			return err
		}
	}
	return ErrDone
}

// nodes calls visit with the nodes that all parts wrote, or returns a [NextError] where there are none.
func (p *Pass[P]) nodes(ctx context.Context, r *Rounds, visit func(n node[P]) error) error {
	if r.results == nil || p.Name != r.pass {
		return &NextError{p.Name}
	}
	results, next := r.results, 0
	r.results = nil
	if err := results(func(from io.Reader) error {
		decoder := gob.NewDecoder(from)
		var name string
		if err := decoder.Decode(&name); err != nil || name != p.Name {
			return fmt.Errorf("results of %q, want those of %q", name, p.Name)
		}
		for {
			var n node[P]
			switch err := decoder.Decode(&n); {
			case errors.Is(err, io.EOF):
				return ctx.Err()
			case err != nil:
				return err
			case n.Index<<n.Level != next:
				return fmt.Errorf("%s: results of block %d, want those of block %d", p.Name, n.Index<<n.Level, next)
			}
			next += 1 << n.Level
			if err := visit(n); err != nil {
				return err
			}
		}
	}); err != nil {
		return err
	}
	if next != len(p.First) {
		return fmt.Errorf("%s: results of %d blocks of %d", p.Name, next, len(p.First))
	}
	return nil
}

// Digest returns what finish makes after add has been called with what became of every block, in their order: a value
// that [encoding/gob] can write. Nothing else is kept.
func Digest[P, T any](
	ctx context.Context, r *Rounds, p Pass[P], add func(of P) error, finish func() (T, error),
) (T, error) {
	return goOver(ctx, r, p, nil, func(n node[P]) error { return add(n.Value) }, finish)
}

// Collect returns sum after add has been called with what became of every block, in their order. The sum is a value
// that [encoding/gob] can write.
func Collect[P, S any](ctx context.Context, r *Rounds, p Pass[P], sum S, add func(sum *S, of P) error) (S, error) {
	return Digest(ctx, r, p, func(of P) error { return add(&sum, of) }, func() (S, error) { return sum, nil })
}

// Reduce returns the sum of what became of all blocks: by join, which may change and return its first argument, of
// neighbours in a tree that depends on their number alone. A part hands on the sums of the subtrees that it has whole.
func Reduce[P any](ctx context.Context, r *Rounds, p Pass[P], join func(a, b P) P) (P, error) {
	return Conclude(ctx, r, p, join, func(sum P) (P, error) { return sum, nil })
}

// Conclude is [Reduce] where nothing is kept but what follows from the sum.
func Conclude[P, T any](
	ctx context.Context, r *Rounds, p Pass[P], join func(a, b P) P, follows func(sum P) (T, error),
) (T, error) {
	t := tree[P]{join: join}
	return goOver(ctx, r, p, join, t.add, func() (T, error) { return follows(t.sum()) })
}

// goOver returns what finish makes after visit has been called with what became of all blocks, or of subtrees of them
// where they can be joined. It is computed by who leads, and known to all others.
func goOver[P, T any](
	ctx context.Context, r *Rounds, p Pass[P], join func(a, b P) P, visit func(n node[P]) error,
	finish func() (T, error),
) (value T, err error) {
	if r == nil {
		if err := p.each(ctx, 0, len(p.First), visit); err != nil {
			return value, err
		}
		return finish()
	}
	path := r.path()
	if found, err := read(path, &value); found || err != nil {
		return value, err
	}
	if !r.leads() {
		return value, p.part(ctx, r, join)
	}
	if err := p.nodes(ctx, r, visit); err != nil {
		return value, err
	}
	if value, err = finish(); err != nil {
		return value, err
	}
	return value, write(path, value)
}

// tree adds up nodes that come in their order.
type tree[P any] struct {
	join  func(a, b P) P
	nodes []node[P] // whose neighbours are not there yet
}

// add takes a node, and joins it with its neighbours as far as those are there.
func (t *tree[P]) add(n node[P]) error {
	for len(t.nodes) > 0 {
		left := t.nodes[len(t.nodes)-1]
		if n.Index%2 == 0 || left.Level != n.Level || left.Index != n.Index-1 {
			break
		}
		t.nodes = t.nodes[:len(t.nodes)-1]
		n = node[P]{n.Level + 1, n.Index / 2, t.join(left.Value, n.Value)}
	}
	t.nodes = append(t.nodes, n)
	return nil
}

// sum returns that of all nodes, those at the end of the tree first.
func (t *tree[P]) sum() (sum P) {
	var right P
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if sum = t.nodes[i].Value; i < len(t.nodes)-1 {
			sum = t.join(sum, right)
		}
		right = sum
	}
	return sum
}
