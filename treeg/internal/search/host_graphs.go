package search

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// side collects the values of a feature on one of the subsets of a cut.
type side struct {
	sample  splits.Sample    // of the graphs that have the feature and vertices in the subset
	entries splits.Statistic // of them
	empty   splits.Statistic // of the graphs whose subset is empty
	columns [][]float64      // by kind, all aggregations of each
	sampled []int32          // see column
}

func (s *side) reset(kinds int) {
	s.sample.Clear()
	s.sampled = s.sampled[:0]
	s.entries.Reset()
	s.empty.Reset()
	for len(s.columns) < kinds*walks.NumAggregations {
		s.columns = append(s.columns, nil)
	}
	for i := range s.columns {
		s.columns[i] = s.columns[i][:0]
	}
}

// take appends an entry for graph i of a node.
func (s *side) take(n *node, i int) {
	if i%engine.SampleStride(len(n.Examples)) == 0 {
		s.sampled = append(s.sampled, int32(len(s.sample.Weight)))
	}
	s.sample.Take(&n.local, i)
	s.entries.Add(&n.local, i)
}

// wholeGraphs searches the dynamic features of all vertices.
func (w *worker) wholeGraphs(feature int, n *node) candidate {
	var best candidate
	s := &w.sides[0]
	s.reset(1)
	segments := w.d.SegmentsOf(feature)
	for i, g := range n.Graphs {
		if segments[g] >= 0 {
			s.take(n, i)
		} else if from, to := w.d.Batch.Vertices(int(g)); from == to {
			s.empty.Add(&n.local, i)
		}
	}
	values := s.columns[0]
	for _, k := range n.wholeKinds {
		if !n.sees(feature, k.Length) {
			continue
		}
		w.begin(n, s, k.Walk)
		for _, a := range w.opt.Aggregations {
			values = w.d.WholeValues(values[:0], &k, a, segments, n.Graphs)
			w.column.Values = values
			w.try(&best, n, w.split(k, feature, a, 0))
		}
	}
	s.columns[0] = values
	return best
}

// begin prepares the column for the entries of one side.
func (w *worker) begin(n *node, s *side, walk walks.Walk) {
	c := &w.column
	c.Of, c.Size, c.Sampled = &s.sample, len(n.Examples), s.sampled
	c.Zero.Reset()
	c.Zero.Plus(&n.total)
	c.Zero.Minus(&s.entries)
	c.Zero.Minus(&s.empty)
	c.Empty, c.AtEmpty = s.empty, w.opt.Empty.Value(walk)
}

// cutGraphs searches the dynamic features of both subsets of an ancestor's cut.
func (w *worker) cutGraphs(of *node, feature int, n *node) candidate {
	c := of.cut
	for i := range w.sides {
		w.sides[i].reset(len(n.cutKinds))
	}
	length := 0
	for _, k := range n.cutKinds {
		if k.Walk == walks.Source || k.Walk == walks.TargetSource {
			length = max(length, k.Length)
		}
	}
	for i, g := range n.Graphs {
		st := w.d.Segment(feature, g)
		for up := range w.sides {
			s := &w.sides[up]
			if c.Size(g, up == 1) == 0 {
				s.empty.Add(&n.local, i)
			} else if st != nil {
				s.take(n, i)
			}
		}
		if st == nil {
			continue
		}
		w.dense.Walk(c, feature, st, length)
		w.summarize(c, n, feature, g, st)
	}
	var best candidate
	pointer := n.depth - of.depth
	for i, k := range n.cutKinds {
		if !n.sees(feature, k.Length) {
			continue
		}
		s := &w.sides[k.Side()]
		w.begin(n, s, k.Walk)
		for _, a := range w.opt.Aggregations {
			w.column.Values = s.columns[i*walks.NumAggregations+int(a)-1]
			w.try(&best, n, w.split(k, feature, a, pointer))
		}
	}
	return best
}

// summarize appends the values of one graph to the columns of both sides.
func (w *worker) summarize(c *walks.Cut, n *node, feature int, g int32, st *walks.Segment) {
	for i := range n.cutKinds {
		k := &n.cutKinds[i]
		subset := c.Subset(g, k.Up)
		if len(subset) == 0 {
			continue
		}
		s := w.dense.Summary(k, feature, st, subset)
		columns := w.sides[k.Side()].columns[i*walks.NumAggregations:]
		columns[0] = append(columns[0], s.Value(walks.Sum))
		columns[1] = append(columns[1], s.Value(walks.Mean))
		columns[2] = append(columns[2], s.Value(walks.Min))
		columns[3] = append(columns[3], s.Value(walks.Max))
	}
}
