package treeg

// user is a node that searches a cut at vertex level.
type user struct {
	next    int // position in the node's graphs
	sample  sample
	entries statistic
	columns [][]float64 // by kind
}

func (u *user) reset(kinds, width int) {
	if u.entries.sum == nil {
		u.entries = newStatistic(width)
	}
	u.next = 0
	u.sample.clear()
	u.entries.reset()
	for len(u.columns) < kinds {
		u.columns = append(u.columns, nil)
	}
	for i := range u.columns {
		u.columns[i] = u.columns[i][:0]
	}
}

// take adds the examples from to to-1 of a node, whose graph has the feature.
func (u *user) take(n *node, from, to int) {
	for i := from; i < to; i++ {
		u.sample.take(&n.local, i)
		u.entries.add(&n.local, i)
	}
}

// user returns the i-th of the worker's users, reset.
func (w *worker) user(i, kinds int) *user {
	for len(w.users) <= i {
		w.users = append(w.users, user{})
	}
	w.users[i].reset(kinds, w.targets.width)
	return &w.users[i]
}

// scanUser searches the columns of a user.
func (w *worker) scanUser(u *user, n *node, feature int, kinds []kind, pointer int) candidate {
	var best candidate
	c := &w.column
	for i, k := range kinds {
		c.of, c.values = &u.sample, u.columns[i]
		c.zero.reset()
		c.zero.plus(&n.total)
		c.zero.minus(&u.entries)
		c.empty = statistic{}
		w.try(&best, n, w.split(k, feature, NoAggregation, pointer))
	}
	return best
}

// wholeVertices searches the features along walks from all vertices.
func (w *worker) wholeVertices(feature int, n *node) candidate {
	d := w.d
	u := w.user(0, len(n.wholeKinds))
	for i, g := range n.graphs {
		st := d.strand(feature, g)
		if st == nil {
			continue
		}
		from, to := int(n.starts[i]), int(n.starts[i+1])
		u.take(n, from, to)
		for c, k := range n.wholeKinds {
			var v []float64
			switch {
			case k.length == 0:
				v = st.vector(d.values)
			case k.walk == Cycle:
				v = w.spread.cycle(feature, st, k.op, k.length)
			default:
				v = st.vector(d.walks[k.op][k.length-1])
			}
			for _, i := range n.examples[from:to] {
				u.columns[c] = append(u.columns[c], v[i-st.first])
			}
		}
	}
	return w.scanUser(u, n, feature, n.wholeKinds, 0)
}

// cutVertices searches the features along walks from both subsets of a cut, for all nodes that may use them.
func (w *worker) cutVertices(t *unit) {
	length := 0
	for i, n := range t.nodes {
		w.user(i, len(n.cutKinds))
		for _, k := range n.cutKinds {
			if k.walk == Source {
				length = max(length, k.length)
			}
		}
	}
	for {
		g := int32(-1)
		for i, n := range t.nodes {
			if at := w.users[i].next; at < len(n.graphs) && (g < 0 || n.graphs[at] < g) {
				g = n.graphs[at]
			}
		}
		if g < 0 {
			break
		}
		st := w.d.strand(t.feature, g)
		if st != nil {
			w.spread.split(t.cut, st)
			w.spread.walk(t.cut, t.feature, st, length, w.rowsOf(t, g, st))
		}
		for i, n := range t.nodes {
			u := &w.users[i]
			if u.next == len(n.graphs) || n.graphs[u.next] != g {
				continue
			}
			from, to := int(n.starts[u.next]), int(n.starts[u.next+1])
			u.next++
			if st == nil {
				continue
			}
			u.take(n, from, to)
			for c, k := range n.cutKinds {
				u.columns[c] = w.entries(u.columns[c], t, k, st, n.examples[from:to])
			}
		}
	}
	for i, n := range t.nodes {
		t.best[i] = w.scanUser(&w.users[i], n, t.feature, n.cutKinds, n.depth-t.cut.of.depth)
	}
}

// rowsOf lists the examples of one graph that any node searches, or is nil where they are most of its vertices.
func (w *worker) rowsOf(t *unit, g int32, st *strand) []int32 {
	w.rows = w.rows[:0]
	for i, n := range t.nodes {
		if at := w.users[i].next; at < len(n.graphs) && n.graphs[at] == g {
			w.rows = append(w.rows, n.examples[n.starts[at]:n.starts[at+1]]...)
		}
	}
	if 2*len(w.rows) > int(st.number) {
		return nil
	}
	return w.rows
}

// entries appends the values of some vertices of one graph.
func (w *worker) entries(values []float64, t *unit, k kind, st *strand, vertices []int32) []float64 {
	d := w.d
	want, up := below, 0
	if k.up {
		want, up = above, 1
	}
	var v []float64
	switch {
	case k.length > 0 && k.walk == Source:
		v = w.spread.vectors[d.index(k.op, k.length)][up]
		for _, i := range vertices {
			if v == nil {
				values = append(values, 0)
			} else {
				values = append(values, v[i-st.first])
			}
		}
		return values
	case k.length > 0:
		v = w.spread.cycle(t.feature, st, k.op, k.length)
	default:
		v = st.vector(d.values)
	}
	for _, i := range vertices {
		x := 0.0
		if t.cut.side[i] == want {
			x = v[i-st.first]
		}
		values = append(values, x)
	}
	return values
}
