package wl

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/parallel"
)

// seen is what a kernel keeps of graphs: the colours of every round, numbered by first appearance among them, and how
// often each graph has them.
type seen struct {
	refinement *refinement
	counts     []*histograms // of every round
}

// nothing is what is kept of no graphs; example says whether vertices have labels.
func nothing(example *graph.Batch, opt Options) *seen {
	return &seen{newRefinement(example, opt), noHistograms(opt.Iterations + 1)}
}

// see adds the graphs of a batch.
func (s *seen) see(ctx context.Context, b *graph.Batch, workers int, progress model.Progress) error {
	c, err := s.refinement.fit(ctx, b, workers, progress)
	if err != nil {
		return err
	}
	c.addTo(s.counts)
	return s.check()
}

// check returns an error where there are more counts than rows of them can be told apart.
func (s *seen) check() error {
	for t, h := range s.counts {
		if len(h.colour) > math.MaxInt32 {
			return fmt.Errorf("round %d has more than %d counts of colours", t, math.MaxInt32)
		}
	}
	return nil
}

// join adds the graphs that come next, which were looked at by themselves, and takes what was kept of them: their
// colours get the numbers that they would have if all graphs had been looked at one behind the other.
func (s *seen) join(next *seen, workers int) error {
	var below []int32 // numbers here of the colours of the round before
	for t, known := range s.refinement.rounds {
		number := known.join(next.refinement.rounds[t], below, workers)
		s.counts[t].join(next.counts[t], number, workers)
		s.counts[t].columns, below = known.size(), number
	}
	return s.check()
}

// join numbers the signatures of another dictionary, over colours of the round before that have other numbers here, and
// returns the numbers. The other one is of no use afterwards.
func (d *dictionary) join(other *dictionary, below []int32, workers int) []int32 {
	if d.table == nil {
		d.refill()
	}
	number, hashes := make([]int32, other.size()), make([]uint64, other.size())
	parallel.Chunks(workers, len(number), vertexChunk, func(from, to int) {
		for c := from; c < to; c++ {
			signature := other.signature(c)
			if below != nil {
				for i, item := range signature {
					signature[i] = item&hashMask | uint64(below[item&numberMask])
				}
				slices.Sort(signature[1:])
			}
			hashes[c] = hash(signature)
		}
	})
	for c := range number {
		number[c] = d.number(other.signature(c), hashes[c])
	}
	return number
}

// join adds rows of counts of colours that have other numbers here.
func (h *histograms) join(other *histograms, number []int32, workers int) {
	before, graphs := len(h.colour), len(h.rowPtr)-1
	for _, end := range other.rowPtr[1:] {
		h.rowPtr = append(h.rowPtr, int32(before)+end)
	}
	h.colour = append(h.colour, other.colour...)
	h.count = append(h.count, other.count...)
	parallel.Chunks(workers, other.graphs(), rowChunk, func(from, to int) {
		var row []uint64 // colours, with their counts below
		for g := graphs + from; g < graphs+to; g++ {
			row = row[:0]
			for e := h.rowPtr[g]; e < h.rowPtr[g+1]; e++ {
				row = append(row, uint64(number[h.colour[e]])<<32|uint64(h.count[e]))
			}
			slices.Sort(row)
			for i, entry := range row {
				h.colour[int(h.rowPtr[g])+i], h.count[int(h.rowPtr[g])+i] = int32(entry>>32), int32(entry&numberMask)
			}
		}
	})
}

// model returns the model that all of it makes.
func (s *seen) model(e engine.Engine) *Model {
	for _, d := range s.refinement.rounds {
		d.drop()
	}
	m := &Model{opt: s.refinement.opt, engine: e, refinement: s.refinement}
	m.setTrain(s.counts)
	return m
}

// block is what is kept of consecutive graphs, as package rounds hands it on.
type block struct {
	Labelled bool
	Rounds   []blockRound
}

// blockRound is a round of a [block]: a dictionary and histograms.
type blockRound struct {
	Items                 []uint64
	Start                 []int
	RowPtr, Colour, Count []int32
}

// block returns what is kept in a form that can be written, in the same memory.
func (s *seen) block() block {
	b := block{Labelled: s.refinement.labelled}
	for t, d := range s.refinement.rounds {
		h := s.counts[t]
		b.Rounds = append(b.Rounds, blockRound{d.items, d.start, h.rowPtr, h.colour, h.count})
	}
	return b
}

// seen returns what a block holds, in the same memory.
func (b block) seen(opt Options) *seen {
	s := &seen{refinement: &refinement{opt: opt, labelled: b.Labelled}}
	for _, r := range b.Rounds {
		d := &dictionary{items: r.Items, start: r.Start}
		s.refinement.rounds = append(s.refinement.rounds, d)
		s.counts = append(s.counts, &histograms{d.size(), r.RowPtr, r.Colour, r.Count})
	}
	return s
}
