package treeg

import "github.com/grove-graph/grove/engine"

// side collects the values of a feature on one of the subsets of a cut.
type side struct {
	sample  sample      // of the graphs that have the feature and vertices in the subset
	entries statistic   // of them
	empty   statistic   // of the graphs whose subset is empty
	columns [][]float64 // by kind, all aggregations of each
	sampled []int32     // see column
}

func (s *side) reset(kinds int) {
	s.sample.clear()
	s.sampled = s.sampled[:0]
	s.entries.reset()
	s.empty.reset()
	for len(s.columns) < kinds*numAggregations {
		s.columns = append(s.columns, nil)
	}
	for i := range s.columns {
		s.columns[i] = s.columns[i][:0]
	}
}

// take appends an entry for graph i of a node.
func (s *side) take(n *node, i int) {
	if i%engine.SampleStride(len(n.examples)) == 0 {
		s.sampled = append(s.sampled, int32(len(s.sample.weight)))
	}
	s.sample.take(&n.local, i)
	s.entries.add(&n.local, i)
}

// wholeGraphs searches the dynamic features of all vertices.
func (w *worker) wholeGraphs(feature int, n *node) candidate {
	var best candidate
	s := &w.sides[0]
	s.reset(1)
	strands := w.d.of[feature*w.d.batch.NumGraphs():]
	for i, g := range n.graphs {
		if strands[g] >= 0 {
			s.take(n, i)
		} else if from, to := w.d.batch.Vertices(int(g)); from == to {
			s.empty.add(&n.local, i)
		}
	}
	values := s.columns[0]
	for _, k := range n.wholeKinds {
		if !n.sees(feature, k.length) {
			continue
		}
		w.begin(n, s, k.walk)
		vector := wholeVector(k.op, k.length, w.d.length, k.walk == Cycle)
		for _, a := range w.opt.Aggregations {
			table := w.d.whole[wholeColumn(vector, a)]
			values = values[:0]
			for _, g := range n.graphs {
				if st := strands[g]; st >= 0 {
					values = append(values, table[st])
				}
			}
			w.column.values = values
			w.try(&best, n, w.split(k, feature, a, 0))
		}
	}
	s.columns[0] = values
	return best
}

// begin prepares the column for the entries of one side.
func (w *worker) begin(n *node, s *side, walk Walk) {
	c := &w.column
	c.of, c.size, c.sampled = &s.sample, len(n.examples), s.sampled
	c.zero.reset()
	c.zero.plus(&n.total)
	c.zero.minus(&s.entries)
	c.zero.minus(&s.empty)
	c.empty, c.atEmpty = s.empty, w.opt.Empty.value(walk)
}

// cutGraphs searches the dynamic features of both subsets of a cut.
func (w *worker) cutGraphs(c *cut, feature int, n *node) candidate {
	for i := range w.sides {
		w.sides[i].reset(len(n.cutKinds))
	}
	walks, length := false, 0
	for _, k := range n.cutKinds {
		if k.walk == Source || k.walk == TargetSource {
			walks = walks || k.length > 0
			length = max(length, k.length)
		}
	}
	for i, g := range n.graphs {
		first, _ := w.d.batch.Vertices(int(g))
		st := w.d.strand(feature, g)
		for up := range w.sides {
			s := &w.sides[up]
			if c.size(g, up == 1) == 0 {
				s.empty.add(&n.local, i)
			} else if st != nil {
				s.take(n, i)
			}
		}
		if st == nil {
			continue
		}
		if walks {
			w.spread.split(c, st)
			w.spread.walk(c, feature, st, length)
		}
		w.summarizeKinds(c, n, feature, st, first)
	}
	var best candidate
	pointer := n.depth - c.of.depth
	for i, k := range n.cutKinds {
		if !n.sees(feature, k.length) {
			continue
		}
		s := &w.sides[0]
		if k.up {
			s = &w.sides[1]
		}
		w.begin(n, s, k.walk)
		for _, a := range w.opt.Aggregations {
			w.column.values = s.columns[i*numAggregations+int(a)-1]
			w.try(&best, n, w.split(k, feature, a, pointer))
		}
	}
	return best
}

// summarizeKinds appends the values of one graph to the columns of both sides.
func (w *worker) summarizeKinds(c *cut, n *node, feature int, st *strand, first int32) {
	d := w.d
	for i, k := range n.cutKinds {
		subset := c.subset(st.graph, first, k.up)
		if len(subset) == 0 {
			continue
		}
		up := 0
		if k.up {
			up = 1
		}
		var v []float64
		var s summary
		switch {
		case k.length == 0:
			s = summarizeOver(st.vector(d.values), subset, first)
			if k.walk == Source {
				s = s.withZeros(int(st.number) - len(subset))
			}
		case k.walk == Target:
			s = summarizeOver(st.vector(d.walks[k.op][k.length-1]), subset, first)
		case k.walk == Cycle:
			s = summarizeOver(w.spread.cycle(feature, st, k.op, k.length, subset), subset, first)
		default:
			v = w.spread.vectors[d.index(k.op, k.length)][up]
			switch {
			case v == nil && k.walk == Source:
				s = summary{count: int(st.number)}
			case v == nil:
				s = summary{count: len(subset)}
			case k.walk == Source:
				s = summarize(v)
			default:
				s = summarizeOver(v, subset, first)
			}
		}
		columns := w.sides[up].columns[i*numAggregations:]
		columns[0] = append(columns[0], s.value(Sum))
		columns[1] = append(columns[1], s.value(Mean))
		columns[2] = append(columns[2], s.value(Min))
		columns[3] = append(columns[3], s.value(Max))
	}
}

// withZeros adds so many entries that are zero.
func (s summary) withZeros(zeros int) summary {
	if zeros == 0 {
		return s
	}
	s.count += zeros
	s.min, s.max = min(s.min, 0), max(s.max, 0)
	if s.count == zeros {
		s.min, s.max = 0, 0
	}
	return s
}
