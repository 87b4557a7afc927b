package train

import (
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/split"
)

// Graphs gives the graphs of a data set, as an encoding makes them, by number.
type Graphs interface {
	NumGraphs() int
	// Select returns the given graphs in the given order. It may be called while a training runs, from one
	// goroutine at a time.
	Select(graphs []int) (*graph.Batch, error)
}

// InMemory returns the graphs of a batch.
func InMemory(b *graph.Batch) Graphs { return inMemory{b} }

type inMemory struct{ *graph.Batch }

func (m inMemory) Select(graphs []int) (*graph.Batch, error) {
	for _, g := range graphs {
		if g < 0 || g >= m.NumGraphs() {
			return nil, fmt.Errorf("graph %d of %d", g, m.NumGraphs())
		}
	}
	return m.Batch.Select(graphs), nil
}

// Streamed returns the graphs of a store on disk, encoded when they are read. A training on them gives the
// bits of one on the same graphs in memory that starts from the same parameters.
func Streamed(s dataset.Store, encoding *dataset.Encoding) Graphs { return streamed{s, encoding} }

type streamed struct {
	dataset.Store
	encoding *dataset.Encoding
}

func (s streamed) Select(graphs []int) (*graph.Batch, error) {
	d, err := s.Store.Select(graphs)
	if err != nil {
		return nil, err
	}
	return s.encoding.Apply(d)
}

// Part returns some of the graphs, numbered in the order of the list.
func Part(all Graphs, list []int) Graphs { return part{all, list} }

type part struct {
	Graphs
	list []int
}

func (p part) NumGraphs() int { return len(p.list) }

func (p part) Select(graphs []int) (*graph.Batch, error) {
	return p.Graphs.Select(split.Select(p.list, graphs))
}
