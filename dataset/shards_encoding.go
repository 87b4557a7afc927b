package dataset

import (
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/split"
)

// storePiece is the number of graphs of a store that are looked at together.
const storePiece = 1024

// FitEncoding learns the encoding that the function [FitEncoding] learns from all graphs, some of them at a time.
func (s *Shards) FitEncoding(features Features) (*Encoding, error) {
	e, err := FitEncoding(s.empty(), features, nil)
	if err != nil {
		return nil, err
	}
	switch {
	case e.Features.standardised():
		e.Standardisation, err = fitStandardisation(s.head.Attributes, func(visit func(*graph.Batch)) error {
			return s.Each(func(d *Dataset) error {
				visit(d.Batch)
				return nil
			})
		})
	case e.Features == DegreeFeatures:
		var degrees []int64
		err = s.Each(func(d *Dataset) error {
			for v := range d.Batch.NumVertices() {
				degrees = append(degrees, int64(d.Batch.Degree(int32(v))))
			}
			slices.Sort(degrees)
			degrees = slices.Compact(degrees)
			return nil
		})
		e.Labels = codeNames(degrees)
	}
	return e, err
}

// Each calls visit with all graphs in their order, some of them at a time.
func (s *Shards) Each(visit func(*Dataset) error) error {
	for from := 0; from < s.NumGraphs(); from += storePiece {
		var some []int
		for g := from; g < min(from+storePiece, s.NumGraphs()); g++ {
			some = append(some, g)
		}
		d, err := s.Select(some)
		if err != nil {
			return err
		}
		if err := visit(d); err != nil {
			return err
		}
	}
	return nil
}

// openStore reads a whole store into memory.
func openStore(dir string) (*Dataset, error) {
	s, err := OpenShards(dir)
	if err != nil {
		return nil, err
	}
	d, err := s.Select(split.All(s.NumGraphs()))
	if closing := s.Close(); err == nil && closing != nil {
		return nil, closing
	}
	return d, err
}
