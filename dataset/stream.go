package dataset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Stream is a data set of a task on graphs whose graphs come some at a time, for one that does not fit in memory.
type Stream interface {
	NumGraphs() int
	// Each calls visit with all graphs in their order, some of them at a time. What is known beside the graphs, the
	// names and the codes, is the same in all pieces. Each may be called again, and gives the same graphs again.
	Each(visit func(*Dataset) error) error
}

// streamed is the size of a piece, in vertices and edges, at which a stream begins another one.
const streamed = 1 << 18

// Each implements [Stream]: with the whole data set.
func (d *Dataset) Each(visit func(*Dataset) error) error { return visit(d) }

// OpenStream opens the data set at path as a stream that holds a piece of it in memory at a time: a store of shards,
// Parquet or Arrow IPC with classes or targets and without splits, or
// a folder in TU format whose arcs stand graph by graph, as all of the TU collection do. It returns nil for any other,
// which is to be read by [Open] as a whole, and an error where there is none. Close the stream when it is no longer
// needed. Of a folder in TU format the motif is left out.
func OpenStream(path string) (s Stream, closing func() error, err error) {
	closing = func() error { return nil }
	p, err := Reading{}.find(path)
	if err != nil {
		return nil, closing, err
	}
	switch p.format.Format {
	case StoreFormat:
		shards, err := OpenShards(path)
		if err != nil {
			return nil, closing, err
		}
		return shards, shards.Close, nil
	case TUFormat:
		tu, err := openTUStream(p.folder)
		if tu == nil || err != nil {
			return nil, closing, err
		}
		return tu, closing, nil
	case ParquetFormat, ArrowFormat:
		rows, err := columnarOf(p, Molecules{})
		if rows == nil || err != nil {
			return nil, closing, err
		}
		if rows.layout.plain() {
			if err := rows.scan(); err != nil || rows.means.missing() == 0 {
				return rows, rows.Close, err
			}
		}
		return nil, closing, rows.Close()
	}
	return nil, closing, nil
}

// Named returns a stream under another name, under its own where that is "".
func Named(s Stream, name string) Stream {
	d, whole := s.(*Dataset)
	switch {
	case name == "":
		return s
	case whole:
		renamed := *d
		renamed.Name = name
		return &renamed
	}
	return named{s, name}
}

type named struct {
	Stream
	name string
}

func (s named) Each(visit func(*Dataset) error) error {
	return s.Stream.Each(func(d *Dataset) error {
		renamed := *d
		renamed.Name = s.name
		return visit(&renamed)
	})
}

// SynthStream returns the data set that [Synth] generates as a stream, which draws the graphs whenever they are
// visited. A kind of one graph is an error.
func SynthStream(kind string, options SynthOptions) (Stream, error) {
	k, opt, err := synthesis(kind, options, 1)
	if err != nil {
		return nil, err
	}
	if k.begin == nil {
		return nil, fmt.Errorf("synth %s: a task on the vertices of one graph is no set of graphs to stream over", kind)
	}
	s := &synthStream{kind: k, opt: opt}
	if k.labels == nil || k.allLabels {
		return s, nil
	}
	// Labels are numbered by the codes that occur: as a rule the first graphs have them all.
	err = s.draw(func(piece *growing) error {
		s.labels = codesOf(append(piece.labels, s.labels...))
		s.arcLabels = codesOf(append(piece.arcLabels, s.arcLabels...))
		if len(s.labels) == len(k.labels) && len(s.arcLabels) == k.arcLabels {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return s, err
}

// errEnough ends a pass over a stream before the end.
var errEnough = errors.New("enough")

// synthStream generates graphs.
type synthStream struct {
	kind              *SynthKind
	opt               SynthOptions
	labels, arcLabels []int64 // codes that occur
}

// NumGraphs implements [Stream].
func (s *synthStream) NumGraphs() int { return s.opt.Graphs }

// draw calls visit with consecutive graphs.
func (s *synthStream) draw(visit func(*growing) error) error {
	next := s.kind.begin(s.opt, rand.New(rand.NewPCG(s.opt.Seed, 0)))
	for first := 0; first < s.opt.Graphs; {
		piece := &growing{kind: s.kind, opt: s.opt, first: first}
		for ; first < s.opt.Graphs && int(piece.vertices)+len(piece.arcs.From) < streamed; first++ {
			if err := piece.draw(next, 1); err != nil {
				return fmt.Errorf("synth %s: %w", s.kind.Name, err)
			}
		}
		if err := visit(piece); err != nil {
			return err
		}
	}
	return nil
}

// Each implements [Stream].
func (s *synthStream) Each(visit func(*Dataset) error) error {
	return s.draw(func(piece *growing) error {
		d, err := piece.finish(s.labels, s.arcLabels)
		if err != nil {
			return fmt.Errorf("synth %s: %w", s.kind.Name, err)
		}
		d.Name = strings.ReplaceAll(s.kind.Name, "-", "_")
		return visit(d)
	})
}

// SummaryOf counts what a stream holds, as [Dataset.Summary] does.
func SummaryOf(s Stream) (Summary, error) {
	c := &counting{Stream: s}
	err := c.Each(func(*Dataset) error { return nil })
	return c.sum, err
}
