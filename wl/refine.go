package wl

import (
	"context"
	"errors"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/parallel"
)

// refinement is a fitted colour refinement: the injective map of every round, under which graphs that
// come later get the same colours. Colours are numbered within their round, by first appearance.
type refinement struct {
	opt      Options
	labelled bool // the initial colours are vertex labels
	rounds   []*dictionary
}

// newRefinement returns the refinement of no graphs.
func newRefinement(b *graph.Batch, opt Options) *refinement {
	r := &refinement{opt: opt, labelled: b.Labels != nil && !opt.Uniform}
	for range opt.Iterations + 1 {
		r.rounds = append(r.rounds, newDictionary())
	}
	return r
}

// fit colours a batch and learns its colours.
func (r *refinement) fit(ctx context.Context, b *graph.Batch, workers int,
	progress model.Progress) (*Colouring, error) {
	return r.colour(ctx, b, workers, progress, func(t int) (namer, int) { return r.rounds[t].number, 0 })
}

// apply colours a batch by the colours that were learned. A signature that is not among them gets a
// colour of its own, the same for all vertices of the batch that have it.
func (r *refinement) apply(ctx context.Context, b *graph.Batch, workers int,
	progress model.Progress) (*Colouring, error) {
	return r.colour(ctx, b, workers, progress, func(t int) (namer, int) {
		known, fresh := r.rounds[t], newDictionary()
		return func(signature []uint64, h uint64) int32 {
			if c := known.find(signature, h); c >= 0 {
				return c
			}
			return int32(known.size()) + fresh.number(signature, h)
		}, known.size()
	})
}

// namer gives a signature, with its hash, a colour.
type namer func(signature []uint64, h uint64) int32

// colour runs the rounds; names returns the namer of a round and how many colours it knows beforehand.
func (r *refinement) colour(
	ctx context.Context, b *graph.Batch, workers int, progress model.Progress, names func(t int) (namer, int),
) (*Colouring, error) {
	if err := r.fits(b); err != nil {
		return nil, err
	}
	s := newSignatures(b, r)
	c := &Colouring{offsets: b.Offsets}
	if r.opt.Vertices {
		c.offsets = make([]int32, b.NumVertices()+1)
		for v := range c.offsets {
			c.offsets[v] = int32(v)
		}
	}
	var last []int32
	for t := range r.rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress.Report("refine colours", t, len(r.rounds))
		if t == 0 {
			s.initial(b.Labels)
		} else {
			s.refine(last, workers)
		}
		name, known := names(t)
		now := make([]int32, b.NumVertices())
		total := known
		for v := range now {
			now[v] = name(s.of(v), s.hashes[v])
			total = max(total, int(now[v])+1)
		}
		c.Of, c.Known, c.Total = append(c.Of, now), append(c.Known, r.rounds[t].size()), append(c.Total, total)
		last = now
	}
	progress.Report("refine colours", len(r.rounds), len(r.rounds))
	return c, nil
}

// only returns the refinement of the colours that some graphs have, and of those that these are made of, in their
// order, and numbers the colours of the graphs anew.
func (r *refinement) only(graphs []*histograms) *refinement {
	number := make([][]int32, len(r.rounds)) // of each colour, from 1 on; 0: it goes
	for t := range number {
		number[t] = make([]int32, r.rounds[t].size())
	}
	for t := len(number) - 1; t >= 0; t-- {
		for _, c := range graphs[t].colour {
			number[t][c] = 1
		}
		for c, stays := range number[t] {
			if t == 0 || stays == 0 {
				continue
			}
			for _, item := range r.rounds[t].signature(c) {
				number[t-1][item&numberMask] = 1
			}
		}
	}
	left := &refinement{opt: r.opt, labelled: r.labelled}
	var signature []uint64
	for t, round := range r.rounds {
		d := newDictionary()
		for c, stays := range number[t] {
			if stays == 0 {
				continue
			}
			signature = append(signature[:0], round.signature(c)...)
			for i, item := range signature {
				if t > 0 {
					signature[i] = item&hashMask | uint64(number[t-1][item&numberMask]-1)
				}
			}
			number[t][c] = d.number(signature, hash(signature)) + 1
		}
		left.rounds = append(left.rounds, d)
		h := graphs[t]
		h.columns = d.size()
		for e, c := range h.colour {
			h.colour[e] = number[t][c] - 1
		}
	}
	return left
}

// fits reports what a batch lacks.
func (r *refinement) fits(b *graph.Batch) error {
	switch {
	case r.labelled && b.Labels == nil && b.NumVertices() > 0:
		return errors.New("the vertices have no labels, but the model was fitted on labelled ones: " +
			"give labels, or fit it with uniform colours")
	case r.opt.ArcLabels && b.ArcLabels == nil && b.NumArcs() > 0:
		return errors.New("the arcs have no labels: leave out the option that asks for them")
	}
	return nil
}

// signatures are those of all vertices of a batch in one round.
type signatures struct {
	labelled bool
	out, in  *arcs // to follow; nil where they are not
	items    []uint64
	start    []int
	end      []int // of each signature in items
	hashes   []uint64
}

// arcs lead from every vertex to neighbours: those of v are to[ptr[v]:ptr[v+1]], with a mark each.
type arcs struct {
	ptr, to []int32
	mark    []uint64 // label and direction, in the upper half; nil: all 0
}

func newSignatures(b *graph.Batch, r *refinement) *signatures {
	n := b.NumVertices()
	s := &signatures{labelled: r.labelled, start: make([]int, n+1), hashes: make([]uint64, n)}
	s.out, s.in = r.opt.follow(b)
	for v := range n {
		s.start[v+1] = s.start[v] + 1 + len(s.out.of(int32(v))) + len(s.in.of(int32(v)))
	}
	s.items = make([]uint64, s.start[n])
	return s
}

// follow returns the arcs of a batch that lead to neighbours, those that leave vertices and those that enter them. An
// undirected batch has both in the same place.
func (o *Options) follow(b *graph.Batch) (out, in *arcs) {
	follow := o.Follow
	if !b.Directed {
		follow = FollowOut
	}
	if follow != FollowIn {
		out = leaving(b, o.ArcLabels)
	}
	if follow != FollowOut {
		in = leaving(b, o.ArcLabels).reversed(follow == FollowBoth)
	}
	return out, in
}

// of returns the neighbours of v.
func (a *arcs) of(v int32) []int32 {
	if a == nil {
		return nil
	}
	return a.to[a.ptr[v]:a.ptr[v+1]]
}

// leaving returns the arcs of a batch as they stand.
func leaving(b *graph.Batch, labels bool) *arcs {
	a := &arcs{ptr: b.RowPtr, to: b.Col}
	if labels {
		a.mark = make([]uint64, len(b.Col))
		for e, l := range b.ArcLabels {
			a.mark[e] = uint64(uint32(l)) << 33
		}
	}
	return a
}

// reversed returns the arcs from head to tail, marked as such where flagged.
func (a *arcs) reversed(flagged bool) *arcs {
	n := len(a.ptr) - 1
	r := &arcs{ptr: make([]int32, n+1), to: make([]int32, len(a.to))}
	if a.mark != nil || flagged {
		r.mark = make([]uint64, len(a.to))
	}
	for _, v := range a.to {
		r.ptr[v+1]++
	}
	for v := range n {
		r.ptr[v+1] += r.ptr[v]
	}
	next := slices.Clone(r.ptr[:n])
	for u := range n {
		for e := a.ptr[u]; e < a.ptr[u+1]; e++ {
			v := a.to[e]
			at := next[v]
			next[v]++
			r.to[at] = int32(u)
			if a.mark != nil {
				r.mark[at] = a.mark[e]
			}
			if flagged {
				r.mark[at] |= 1 << 32
			}
		}
	}
	return r
}

// of returns the signature of a vertex.
func (s *signatures) of(v int) []uint64 { return s.items[s.start[v]:s.end[v]] }

// initial computes the signatures of round 0.
func (s *signatures) initial(labels []int32) {
	s.end = make([]int, len(s.hashes))
	for v := range s.end {
		s.end[v] = s.start[v] + 1
		s.items[s.start[v]] = 0
		if s.labelled {
			s.items[s.start[v]] = uint64(uint32(labels[v]))
		}
		s.hashes[v] = hash(s.of(v))
	}
}

// vertexChunk is the number of vertices that one piece of parallel work covers.
const vertexChunk = 1024

// refine computes the signatures over the colours of the round before.
func (s *signatures) refine(colour []int32, workers int) {
	s.end = s.start[1:]
	parallel.Chunks(workers, len(s.hashes), vertexChunk, func(from, to int) {
		for v := from; v < to; v++ {
			signature := s.of(v)
			signature[0] = uint64(uint32(colour[v]))
			s.in.fill(s.out.fill(signature[1:], colour, v), colour, v)
			slices.Sort(signature[1:])
			s.hashes[v] = hash(signature)
		}
	})
}

// fill writes the neighbours of v to the front of dst and returns what is left of it.
func (a *arcs) fill(dst []uint64, colour []int32, v int) []uint64 {
	row := a.of(int32(v))
	for i, w := range row {
		dst[i] = uint64(uint32(colour[w]))
	}
	if a != nil && a.mark != nil {
		for i, mark := range a.mark[a.ptr[v]:a.ptr[v+1]] {
			dst[i] |= mark
		}
	}
	return dst[len(row):]
}
