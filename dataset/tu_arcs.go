package dataset

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/graph"
)

// readArcs reads the list of arcs.
func (r *tuReader) readArcs() error {
	n := int64(r.vertices)
	_, _, err := r.readRows("A", func(l *lines) {
		u, v := l.arc(n)
		r.arcs.From = append(r.arcs.From, int32(u))
		r.arcs.To = append(r.arcs.To, int32(v))
	})
	return err
}

// arc takes the two ends of an arc from the current line, among n vertices that count from 1 there and here from 0.
func (l *lines) arc(n int64) (u, v int64) {
	u, v = l.integer(), l.integer()
	l.end()
	for _, w := range [2]int64{u, v} {
		if w < 1 || w > n {
			l.fail("vertex %d: the vertices are 1 to %d", w, n)
		}
	}
	return u - 1, v - 1
}

// arcError names the line of an arc that makes no graph, in a list of which so many lines stand before it.
func (r *tuReader) arcError(err error, before int) error {
	var bad *graph.ArcError
	file := r.path(r.find(r.file("A")))
	if errors.As(err, &bad) {
		return fmt.Errorf("%s:%d: %s", file, before+bad.Index+1, bad.Reason)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// readArcData reads what is known of the arcs, a line for each line of the list of arcs.
func (r *tuReader) readArcData() error {
	if r.has("edge_labels") {
		codes, err := r.readCodes("edge_labels", len(r.arcs.From), "A")
		if err != nil {
			return err
		}
		ids, distinct := enumerate(codes)
		r.arcs.Labels, r.set.ArcLabelNames = ids, codeNames(distinct)
	}
	if r.has("edge_attributes") {
		values, columns, rows, file, err := r.readMatrix("edge_attributes")
		if err != nil {
			return err
		}
		if rows != len(r.arcs.From) {
			return r.wrongRows(file, rows, len(r.arcs.From), "A")
		}
		if columns == 1 {
			r.arcs.Weights = values
		} else if columns > 1 {
			r.note(manyWeights, r.file("edge_attributes"), columns)
		}
	}
	if r.has("edge_gt") {
		var err error
		r.arcMotif, err = r.readMarks("edge_gt", len(r.arcs.From), "A")
		return err
	}
	return nil
}

// build makes the batch of the arcs.
func (r *tuReader) build() error {
	loops := 0
	for i, u := range r.arcs.From {
		if u == r.arcs.To[i] {
			loops++
		}
	}
	if loops > 0 {
		r.note("%d self loops were dropped", loops)
	}
	b, err := graph.FromArcs(r.offsets, r.arcs, graph.BuildOptions{DropSelfLoops: true})
	if err != nil {
		return r.arcError(err, 0)
	}
	if given := len(r.arcs.From) - loops; given != b.NumArcs() {
		r.note(mergedArcs, given, r.file("A"), b.NumArcs())
	}
	r.set.Batch = b
	return nil
}
