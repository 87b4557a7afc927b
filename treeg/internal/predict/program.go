package predict

import "github.com/grove-graph/grove/treeg/internal/walks"

// Program is some trees made ready for sending examples of any batch through them.
type Program struct {
	input *walks.Input
	paths []path
	slots []walks.Rule // values of splits that use all vertices of a graph
	cuts  []walks.Rule // of splits that cut all vertices of a graph
	depth int          // of the deepest tree
}

// Trees returns the number of trees.
func (p *Program) Trees() int { return len(p.paths) }

// path is a tree.
type path struct {
	steps []step
	rules []walks.Rule // of the splits
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

// NewProgram makes trees ready for batches that are read as in says.
func NewProgram(in *walks.Input, trees []*Tree) *Program {
	p := &Program{input: in, paths: make([]path, len(trees))}
	slots, cuts := map[walks.Rule]int32{}, map[walks.Rule]int32{}
	for i, t := range trees {
		p.paths[i] = p.path(t, slots, cuts)
		p.depth = max(p.depth, t.Depth())
	}
	return p
}

func (p *Program) path(t *Tree, slots, cuts map[walks.Rule]int32) path {
	out := path{steps: make([]step, len(t.Nodes)), rules: make([]walks.Rule, len(t.Nodes))}
	parent := make([]int32, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Split == nil {
			continue
		}
		out.rules[i] = p.input.Rule(*n.Split)
		s := &out.steps[i]
		*s = step{split: true, threshold: n.Split.Threshold, missingAbove: n.Split.MissingAbove}
		s.lte, s.gt, s.slot = n.LTE, n.GT, -1
		parent[n.LTE], parent[n.GT] = int32(i), int32(i)
		if n.Split.Pointer == 0 {
			if p.input.Level == walks.Graphs {
				s.slot, s.cut = share(slots, &p.slots, forValue(out.rules[i])), share(cuts, &p.cuts, forSubsets(out.rules[i]))
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

// forValue returns a split of all vertices without what does not matter to its value.
func forValue(r walks.Rule) walks.Rule {
	r.Split = walks.Split{Feature: r.Feature, Length: r.Length, Walk: r.Walk, Aggregation: r.Aggregation}
	if r.Length == 0 {
		r.Op = 0
	}
	return r
}

// forSubsets returns a split of all vertices without what does not matter to the subsets that it generates.
func forSubsets(r walks.Rule) walks.Rule {
	c := forValue(r)
	c.Threshold, c.MissingAbove = r.Threshold, r.MissingAbove
	if c.Aggregation != walks.Sum { // whose threshold alone is scaled
		c.Aggregation = walks.NoAggregation
	}
	return c
}

// share returns the number of a rule among all, to which it is added unless known. Splits of many trees share it.
func share(known map[walks.Rule]int32, all *[]walks.Rule, r walks.Rule) int32 {
	at, there := known[r]
	if !there {
		at = int32(len(*all))
		known[r] = at
		*all = append(*all, r)
	}
	return at
}

// cutLists are the subsets that a split generated in one graph.
type cutLists struct{ above, below []int32 }

// walker sends examples through a program. It is for one goroutine.
type walker struct {
	d     *walks.Data
	p     *Program
	empty walks.Empty
	e     *walks.Evaluator
	row   []float64    // by slot, of one graph
	lists []cutLists   // by depth
	small *smallWalker // nil until graphs are words

	visit func(node int32, r *walks.Rule, subset []int32) // unless nil, is told of every split that an example meets
}

func (p *Program) walker(d *walks.Data, empty walks.Empty) *walker {
	d.MakeWalks()
	return &walker{d: d, p: p, empty: empty, e: walks.NewEvaluator(d, empty), row: make([]float64, len(p.slots))}
}

// at returns the subsets of a depth.
func (w *walker) at(depth int) *cutLists {
	for len(w.lists) <= depth {
		w.lists = append(w.lists, cutLists{})
	}
	return &w.lists[depth]
}

// subset returns the subset that a rule uses at a depth.
func (w *walker) subset(r *walks.Rule, depth int, first, last int32) (subset []int32, all bool) {
	if r.Pointer == 0 {
		return w.d.All(first, last), true
	}
	s := &w.lists[depth-r.Pointer]
	if r.Above {
		return s.above, false
	}
	return s.below, false
}

// enter computes the values of a graph that splits use with all vertices.
func (w *walker) enter(g int32) {
	first, last := w.d.Batch.Vertices(int(g))
	for slot := range w.p.slots {
		r := &w.p.slots[slot]
		w.row[slot], _ = w.e.Graph(r, w.d.Segment(r.Feature, g), w.d.All(first, last), true)
	}
}

// graph returns the leaf of the graph that was entered.
func (w *walker) graph(p *path, g int32) int32 {
	first, last := w.d.Batch.Vertices(int(g))
	i := int32(0)
	for depth := 0; ; depth++ {
		s := &p.steps[i]
		if !s.split {
			return i
		}
		r := &p.rules[i]
		subset, _ := w.subset(r, depth, first, last)
		if w.visit != nil {
			w.visit(i, r, subset)
		}
		var value float64
		var v []float64
		if s.slot >= 0 {
			value = w.row[s.slot]
		} else {
			value, v = w.e.Graph(r, w.d.Segment(r.Feature, g), subset, false)
		}
		side, next := 0, s.lte
		if value > s.threshold || value != value && s.missingAbove {
			side, next = 1, s.gt
		}
		if s.pointed[side] {
			w.cut(r, g, depth, v)
		}
		i = next
	}
}

// cut generates the subsets of a split. v is nil if it has not been computed.
func (w *walker) cut(r *walks.Rule, g int32, depth int, v []float64) {
	first, last := w.d.Batch.Vertices(int(g))
	subset, all := w.subset(r, depth, first, last)
	if st := w.d.Segment(r.Feature, g); v == nil && st != nil {
		v = w.e.Vector(r, st, subset, all)
	}
	s := w.at(depth)
	s.above, s.below = r.CutInto(s.above[:0], s.below[:0], v, subset, first)
}

// visit is a tree that vertices of one graph go through.
type visit struct {
	*path
	graph    int32
	examples []int32
	tell     func(i int, leaf int32)
}

// descend sends the examples at some positions through the tree below node i.
func (w *walker) descend(t *visit, i int32, depth int, positions []int) {
	if len(positions) == 0 {
		return
	}
	if !t.steps[i].split {
		for _, at := range positions {
			t.tell(at, i)
		}
		return
	}
	r := &t.rules[i]
	first, last := w.d.Batch.Vertices(int(t.graph))
	subset, all := w.subset(r, depth, first, last)
	if w.visit != nil {
		w.visit(i, r, subset)
	}
	var v []float64
	if st := w.d.Segment(r.Feature, t.graph); st != nil {
		v = w.e.Vector(r, st, subset, all)
	}
	var children [2][]int
	for _, at := range positions {
		value := 0.0
		if v != nil {
			value = v[t.examples[at]-first]
		}
		side := bit(r.GoesAbove(value, r.Threshold))
		children[side] = append(children[side], at)
	}
	if t.steps[i].pointed != [2]bool{} {
		w.cut(r, t.graph, depth, v)
	}
	w.descend(t, t.steps[i].lte, depth+1, children[0])
	w.descend(t, t.steps[i].gt, depth+1, children[1])
}
