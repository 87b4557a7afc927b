package dataset

import (
	"fmt"
	"math"
	"slices"
)

// Store is a stream whose graphs stay on disk; in memory is what is known of each of them. It may be used by several
// goroutines at once. [Shards] read graphs in any order equally fast. A file of Parquet or Arrow IPC is read from its
// beginning to its end: for what goes through the graphs in their order.
type Store interface {
	Stream
	// Head returns the data set without its graphs, but with the classes and targets of all of them.
	Head() *Dataset
	// HasVertices reports whether any graph has vertices.
	HasVertices() bool
	// Select reads the given graphs, in the given order, with their classes and targets; a graph may repeat. It is what
	// [Dataset.Select] returns for the whole data set.
	Select(graphs []int) (*Dataset, error)
	// EachOf is Each for some graphs, in the given order; for all of them where there is no list.
	EachOf(graphs []int, visit func(*Dataset) error) error
	// Close closes the files.
	Close() error
}

// OpenStore opens the data set at path as a store: shards, or a file of Parquet or Arrow IPC that is not compressed as
// a whole and asks about graphs. Such a file is gone through once, for the codes and what is known of the graphs. It
// returns nil for any other data set, which is to be read by [Reading.Open], and an error where there is none. Close
// the store when it is no longer needed.
func (how Reading) OpenStore(path string) (Store, error) {
	p, err := how.find(path)
	if err != nil {
		return nil, err
	}
	switch p.format.Format {
	case StoreFormat:
		s, err := OpenShards(path)
		if err != nil {
			return nil, err
		}
		return s, nil
	case ParquetFormat, ArrowFormat:
		s, err := columnarOf(p, how.Molecules)
		if s == nil || err != nil {
			return nil, err
		}
		if err := s.scan(); err != nil {
			_ = s.Close()
			return nil, err
		}
		return s, nil
	}
	return nil, nil
}

// empty returns a data set without its graphs and what is known of them.
func (d *Dataset) empty() *Dataset {
	e, b := *d, *d.Batch
	e.Classes, e.Targets, e.GraphIDs, e.VertexIDs, e.Atoms, e.Missing = nil, nil, nil, nil, nil, nil
	e.Splits, e.Notes, e.Skipped = nil, nil, nil
	b.Offsets, b.RowPtr, b.Col = []int32{0}, []int32{0}, []int32{}
	b.Labels, b.Attributes = none(b.Labels), none(b.Attributes)
	b.ArcLabels, b.ArcWeights, b.ArcTypes = none(b.ArcLabels), none(b.ArcWeights), none(b.ArcTypes)
	if e.Motif != nil {
		e.Motif = &Motif{}
	}
	e.Batch = &b
	return &e
}

// none returns nil for nil, and otherwise no values.
func none[T any](values []T) []T {
	if values == nil {
		return nil
	}
	return []T{}
}

// extend appends the graphs of another part of the same data set on graphs.
func (d *Dataset) extend(with *Dataset) error {
	b, w := d.Batch, with.Batch
	if max(b.NumVertices()+w.NumVertices(), b.NumArcs()+w.NumArcs()) > math.MaxInt32 {
		return fmt.Errorf("more than %d vertices or arcs at once", math.MaxInt32)
	}
	vertices, arcs := int32(b.NumVertices()), int32(b.NumArcs())
	for _, p := range with.Missing {
		d.Missing = append(d.Missing, int(vertices)*b.AttributeDim+p)
	}
	b.Offsets = appendShifted(b.Offsets, w.Offsets[1:], vertices)
	b.RowPtr = appendShifted(b.RowPtr, w.RowPtr[1:], arcs)
	b.Col = appendShifted(b.Col, w.Col, vertices)
	b.Labels, b.Attributes = append(b.Labels, w.Labels...), append(b.Attributes, w.Attributes...)
	b.ArcLabels, b.ArcWeights = append(b.ArcLabels, w.ArcLabels...), append(b.ArcWeights, w.ArcWeights...)
	b.ArcTypes = append(b.ArcTypes, w.ArcTypes...)
	d.Classes, d.Targets = append(d.Classes, with.Classes...), append(d.Targets, with.Targets...)
	d.GraphIDs, d.VertexIDs = append(d.GraphIDs, with.GraphIDs...), append(d.VertexIDs, with.VertexIDs...)
	d.Atoms = append(d.Atoms, with.Atoms...)
	if d.Motif != nil {
		d.Motif.Vertices = append(d.Motif.Vertices, with.Motif.Vertices...)
		d.Motif.Arcs = append(d.Motif.Arcs, with.Motif.Arcs...)
	}
	return nil
}

// appendShifted appends numbers that are counted from so many on.
func appendShifted(to, numbers []int32, by int32) []int32 {
	to = slices.Grow(to, len(numbers))
	for _, v := range numbers {
		to = append(to, v+by)
	}
	return to
}
