package gckn

import (
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
)

// Streamed returns the graphs of a store on disk, encoded when they are read. A training on them gives the
// bits of one on the same graphs in memory; its start, though, holds all of its training graphs in memory
// unless [SupervisedOptions].StartGraphs bounds them.
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
