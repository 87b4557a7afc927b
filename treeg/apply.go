package treeg

// path is a tree made ready for sending examples of one batch through it.
type path struct {
	tree    *Tree
	rules   []rule
	leaves  []bool
	columns [][]float64 // of the nodes that use all vertices: their values of every strand, where they are known
	// pointed says, for each node, whether a node below its LTE and its GT child points to it.
	pointed [][2]bool
}

func (d *Data) path(t *Tree) *path {
	size := len(t.Nodes)
	p := &path{tree: t, rules: make([]rule, size), leaves: make([]bool, size), columns: make([][]float64, size), pointed: make([][2]bool, size)}
	parent := make([]int32, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if p.leaves[i] = n.Split == nil; p.leaves[i] {
			continue
		}
		p.rules[i] = d.rule(*n.Split)
		if d.whole != nil && n.Split.Pointer == 0 {
			p.columns[i] = d.whole[wholeColumn(wholeVector(p.rules[i].op, n.Split.Length, d.length, n.Split.Walk == Cycle), n.Split.Aggregation)]
		}
		parent[n.LTE], parent[n.GT] = int32(i), int32(i)
		at, from := int32(i), int32(i)
		for range n.Split.Pointer {
			from, at = at, parent[at]
		}
		if n.Split.Pointer > 0 {
			side := 0
			if from == t.Nodes[at].GT {
				side = 1
			}
			p.pointed[at][side] = true
		}
	}
	return p
}

// step is a node on the way of a graph through a tree with the subsets it generated.
type step struct {
	above, below []int32
}

// walker sends examples through trees. It is for one goroutine.
type walker struct {
	d     *Data
	e     *evaluator
	steps []step

	visit func(node int32, subset []int32, all bool) // unless nil, is told of every split that a graph meets
}

func newWalker(d *Data, empty Empty) *walker { return &walker{d: d, e: newEvaluator(d, empty)} }

// at returns the step at a depth.
func (w *walker) at(depth int) *step {
	for len(w.steps) <= depth {
		w.steps = append(w.steps, step{})
	}
	return &w.steps[depth]
}

// subset returns the subset that a rule uses at a depth.
func (w *walker) subset(r *rule, depth int, first, last int32) (subset []int32, all bool) {
	if r.Pointer == 0 {
		return w.d.all(first, last), true
	}
	s := &w.steps[depth-r.Pointer]
	if r.Above {
		return s.above, false
	}
	return s.below, false
}

// graph returns the leaf of a graph.
func (w *walker) graph(p *path, g int32) int32 {
	first, last := w.d.batch.Vertices(int(g))
	i := int32(0)
	for depth := 0; !p.leaves[i]; depth++ {
		r := &p.rules[i]
		subset, all := w.subset(r, depth, first, last)
		if w.visit != nil {
			w.visit(i, subset, all)
		}
		st := w.d.strand(r.Feature, g)
		var v []float64
		var value float64
		if column := p.columns[i]; column != nil && st != nil {
			value = column[w.d.of[r.Feature*w.d.batch.NumGraphs()+int(g)]]
		} else {
			value, v = w.e.graph(r, st, subset, all)
		}
		side, next := 0, p.tree.Nodes[i].LTE
		if r.goesAbove(value, r.Threshold) {
			side, next = 1, p.tree.Nodes[i].GT
		}
		if p.pointed[i][side] {
			if v == nil && st != nil {
				v = w.e.vector(r, st, subset, all)
			}
			s := w.at(depth)
			s.above, s.below = r.cutInto(s.above[:0], s.below[:0], v, subset, first)
		}
		i = next
	}
	return i
}

// vertices tells the leaves of vertices of one graph.
func (w *walker) vertices(p *path, g int32, examples []int32, tell func(i int, leaf int32)) {
	positions := make([]int32, len(examples))
	for i := range positions {
		positions[i] = int32(i)
	}
	w.descend(&visit{p, g, examples, tell}, 0, 0, positions)
}

// visit is a tree that vertices of one graph go through.
type visit struct {
	*path
	graph    int32
	examples []int32
	tell     func(i int, leaf int32)
}

// descend sends the examples at some positions through the tree below node i.
func (w *walker) descend(t *visit, i int32, depth int, positions []int32) {
	if len(positions) == 0 {
		return
	}
	if t.leaves[i] {
		for _, at := range positions {
			t.tell(int(at), i)
		}
		return
	}
	r := &t.rules[i]
	first, last := w.d.batch.Vertices(int(t.graph))
	subset, all := w.subset(r, depth, first, last)
	if w.visit != nil {
		w.visit(i, subset, all)
	}
	st := w.d.strand(r.Feature, t.graph)
	var v []float64
	if st != nil {
		v = w.e.vector(r, st, subset, all)
	}
	var children [2][]int32
	for _, at := range positions {
		value, side := 0.0, 0
		if v != nil {
			value = v[t.examples[at]-first]
		}
		if r.goesAbove(value, r.Threshold) {
			side = 1
		}
		children[side] = append(children[side], at)
	}
	if t.pointed[i] != [2]bool{} {
		s := w.at(depth)
		s.above, s.below = r.cutInto(s.above[:0], s.below[:0], v, subset, first)
	}
	w.descend(t, t.tree.Nodes[i].LTE, depth+1, children[0])
	w.descend(t, t.tree.Nodes[i].GT, depth+1, children[1])
}
