package treeg

// program is some trees made ready for sending examples of any batch through them.
type program struct {
	input  *Input
	paths  []path
	groups []group
	slots  int
	cuts   []rule // of splits that cut all vertices of a graph
	depth  int    // of the deepest tree
}

// path is a tree.
type path struct {
	steps []step
	rules []rule // of the splits
}

// step is a node with what most graphs need of it close together.
type step struct {
	threshold    float64
	lte, gt      int32
	slot         int32 // where the walker keeps the value of a split that uses all vertices of a graph, or -1
	cut          int32 // and its subsets
	split        bool
	missingAbove bool
	pointed      [2]bool // whether a node below the LTE and the GT child points here
}

// group is a vector that splits use with all vertices of a graph, and the slots of its aggregations, or -1.
type group struct {
	rule  rule
	slots [1 + numAggregations]int32
}

// newProgram makes trees ready for batches that are read as in says.
func newProgram(in *Input, trees []*Tree) *program {
	p := &program{input: in, paths: make([]path, len(trees))}
	known, cuts := map[rule]int{}, map[rule]int32{}
	for i, t := range trees {
		p.paths[i] = p.path(t, known, cuts)
		p.depth = max(p.depth, t.Depth())
	}
	return p
}

func (p *program) path(t *Tree, known map[rule]int, cuts map[rule]int32) path {
	out := path{steps: make([]step, len(t.Nodes)), rules: make([]rule, len(t.Nodes))}
	parent := make([]int32, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Split == nil {
			continue
		}
		out.rules[i] = p.input.rule(*n.Split)
		s := &out.steps[i]
		*s = step{split: true, threshold: n.Split.Threshold, missingAbove: n.Split.MissingAbove}
		s.lte, s.gt, s.slot = n.LTE, n.GT, -1
		parent[n.LTE], parent[n.GT] = int32(i), int32(i)
		if n.Split.Pointer == 0 {
			if p.input.Level == Graphs {
				s.slot, s.cut = p.slotOf(out.rules[i], known), p.cutOf(out.rules[i], cuts)
			}
			continue
		}
		from := int32(i)
		for range n.Split.Pointer - 1 {
			from = parent[from]
		}
		a := &out.steps[parent[from]]
		if from == a.lte {
			a.pointed[0] = true
		} else {
			a.pointed[1] = true
		}
	}
	return out
}

// whole returns a split of all vertices without what does not matter to its vector.
func (r rule) whole() rule {
	r.Split = Split{Feature: r.Feature, Length: r.Length, Walk: r.Walk}
	if r.Length == 0 || r.Walk != Cycle {
		r.Walk = Source // all the same without a subset
	}
	if r.Length == 0 {
		r.op = 0
	}
	return r
}

// cutOf returns the number of the subsets that a split of all vertices generates. Splits of many trees share them.
func (p *program) cutOf(r rule, known map[rule]int32) int32 {
	c := r.whole()
	c.Threshold, c.MissingAbove = r.Threshold, r.MissingAbove
	if r.Aggregation == Sum { // only its threshold is scaled
		c.Aggregation = Sum
	}
	at, there := known[c]
	if !there {
		at = int32(len(p.cuts))
		known[c] = at
		p.cuts = append(p.cuts, c)
	}
	return at
}

// slotOf returns the slot of a split that uses all vertices.
func (p *program) slotOf(r rule, known map[rule]int) int32 {
	a := r.Aggregation
	r = r.whole()
	at, there := known[r]
	if !there {
		at = len(p.groups)
		known[r] = at
		p.groups = append(p.groups, group{r, [1 + numAggregations]int32{-1, -1, -1, -1, -1}})
	}
	if slots := &p.groups[at].slots; slots[a] < 0 {
		slots[a] = int32(p.slots)
		p.slots++
	}
	return p.groups[at].slots[a]
}

// cutLists are the subsets that a split generated in one graph.
type cutLists struct{ above, below []int32 }

// walker sends examples through a program. It is for one goroutine.
type walker struct {
	d     *Data
	p     *program
	e     *evaluator
	row   []float64  // by slot, of one graph
	lists []cutLists // by depth
	bits  bitPart    // in place of lists

	visit func(node int32, subset []int32, all bool) // unless nil, is told of every split that a graph meets
}

func (p *program) walker(d *Data, empty Empty) *walker {
	return &walker{d: d, p: p, e: newEvaluator(d, empty), row: make([]float64, p.slots)}
}

// at returns the subsets of a depth.
func (w *walker) at(depth int) *cutLists {
	for len(w.lists) <= depth {
		w.lists = append(w.lists, cutLists{})
	}
	return &w.lists[depth]
}

// subset returns the subset that a rule uses at a depth.
func (w *walker) subset(r *rule, depth int, first, last int32) (subset []int32, all bool) {
	if r.Pointer == 0 {
		return w.d.all(first, last), true
	}
	s := &w.lists[depth-r.Pointer]
	if r.Above {
		return s.above, false
	}
	return s.below, false
}

// enter computes the values of a graph that splits use with all vertices.
func (w *walker) enter(g int32) {
	w.values(g, func(slot int32, value float64) { w.row[slot] = value })
}

// values tells the values of a graph.
func (w *walker) values(g int32, tell func(slot int32, value float64)) {
	first, last := w.d.batch.Vertices(int(g))
	for i := range w.p.groups {
		group := &w.p.groups[i]
		st := w.d.strand(group.rule.Feature, g)
		var v summary
		switch {
		case last == first:
		case st == nil:
			v.count = int(last - first)
		default:
			v = summarize(w.e.vector(&group.rule, st, nil, true))
		}
		for a, slot := range group.slots {
			if slot < 0 {
				continue
			}
			if last == first {
				tell(slot, w.e.empty.value(group.rule.Walk))
			} else {
				tell(slot, v.value(Aggregation(a)))
			}
		}
	}
}

// graph returns the leaf of the graph that was entered.
func (w *walker) graph(p *path, g int32) int32 {
	first, last := w.d.batch.Vertices(int(g))
	i := int32(0)
	for depth := 0; ; depth++ {
		s := &p.steps[i]
		if !s.split {
			return i
		}
		var value float64
		var v []float64
		if s.slot >= 0 {
			value = w.row[s.slot]
			if w.visit != nil {
				w.visit(i, w.d.all(first, last), true)
			}
		} else {
			value, v = w.fromSubset(p, i, g, depth)
		}
		side, next := 0, s.lte
		if value > s.threshold || value != value && s.missingAbove {
			side, next = 1, s.gt
		}
		if s.pointed[side] {
			w.cut(&p.rules[i], g, depth, v)
		}
		i = next
	}
}

// fromSubset returns the value of a split that uses a subset, and v where it was needed.
func (w *walker) fromSubset(p *path, i, g int32, depth int) (value float64, v []float64) {
	r := &p.rules[i]
	subset, _ := w.subset(r, depth, 0, 0)
	if w.visit != nil {
		w.visit(i, subset, false)
	}
	return w.e.graph(r, w.d.strand(r.Feature, g), subset, false)
}

// cut generates the subsets of a split. v is nil if it has not been computed.
func (w *walker) cut(r *rule, g int32, depth int, v []float64) {
	first, last := w.d.batch.Vertices(int(g))
	subset, all := w.subset(r, depth, first, last)
	if st := w.d.strand(r.Feature, g); v == nil && st != nil {
		v = w.e.vector(r, st, subset, all)
	}
	s := w.at(depth)
	s.above, s.below = r.cutInto(s.above[:0], s.below[:0], v, subset, first)
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
	if !t.steps[i].split {
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
	if t.steps[i].pointed != [2]bool{} {
		s := w.at(depth)
		s.above, s.below = r.cutInto(s.above[:0], s.below[:0], v, subset, first)
	}
	w.descend(t, t.steps[i].lte, depth+1, children[0])
	w.descend(t, t.steps[i].gt, depth+1, children[1])
}
