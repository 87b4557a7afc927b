package gckn

import (
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
)

// StreamedStart is the largest number of graphs that the start of a training holds in memory when they are read from
// disk and [SupervisedOptions].StartGraphs leaves it open: with the default of 300 000 sampled paths thirty of each.
const StreamedStart = 10000

// Streamed returns the graphs of a store on disk, encoded when they are read. A training on them gives the
// bits of one on the same graphs in memory with the same number of graphs to start from.
func Streamed(s *dataset.Shards, encoding *dataset.Encoding) Graphs { return streamed{s, encoding} }

type streamed struct {
	*dataset.Shards
	encoding *dataset.Encoding
}

func (s streamed) Select(graphs []int) (*graph.Batch, error) {
	d, err := s.Shards.Select(graphs)
	if err != nil {
		return nil, err
	}
	return s.encoding.Apply(d)
}
