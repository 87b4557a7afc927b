package treeg

import (
	"context"
	"slices"
	"sync"

	"github.com/grove-graph/grove/parallel"
)

// targets are what a tree is fitted to.
type targets struct {
	sample        // by example of the data; weight 0 for those that the tree does not see
	examples  int // that it sees
	width     int // of a statistic
	criterion criterion
	grid      grid // of the targets
}

// searcher finds the best splits of the nodes of one tree.
type searcher struct {
	d       *Data
	opt     *Options
	targets *targets
	workers int                   // goroutines
	known   map[drawnWalks][]kind // what kindsOf has listed

	mu      sync.Mutex
	scratch []*worker
	busy    int // of scratch, in the search that is going on

	units []unit      // of the search that is going on
	best  []candidate // of the units
	toGT  []bool      // by example of the node that is being split: whether it goes to the GT child
}

// view is what nodes may look at: all vertices, or both subsets of a cut.
type view struct {
	cut   *cut // nil: all vertices
	nodes []*node
	plan  *walkPlan // of a cut at vertex level
}

// unit is a piece of a search: one feature, or one block of features, in a view.
type unit struct {
	*view
	feature int         // or block
	best    []candidate // for each node
}

// search finds the best splits of some nodes of one depth in one pass over the data: features along walks from a subset
// are computed once for all nodes that may use it. On a device operations of the engine do it, where thresholds are
// not drawn.
func (s *searcher) search(ctx context.Context, nodes []*node) error {
	open := nodes[:0:0]
	for _, n := range nodes {
		if s.ready(n) {
			open = append(open, n)
		}
	}
	if s.d.onEngine() && s.opt.Ensemble != ExtraTrees {
		return s.searchOnEngine(ctx, open)
	}
	s.list(open)
	s.busy = 0
	parallel.Each(s.workers, len(s.units), func() func(int) {
		w := s.worker()
		return func(i int) {
			if ctx.Err() == nil {
				w.work(&s.units[i])
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, u := range s.units {
		for i, n := range u.nodes {
			if u.best[i].gain > n.leastGain && u.best[i].beats(&n.best) {
				n.best = u.best[i]
			}
		}
	}
	return nil
}

// bins returns the number of bins of histograms, 0 for exact thresholds: for few examples, and where sums of targets
// are not exact in any order.
func (s *searcher) bins() int {
	if s.targets.examples < s.d.histogramFrom || s.targets.grid == noGrid {
		return 0
	}
	return s.opt.Bins
}

// worker returns the scratch space of a goroutine.
func (s *searcher) worker() *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy == len(s.scratch) {
		s.scratch = append(s.scratch, newWorker(s))
	}
	s.busy++
	return s.scratch[s.busy-1]
}

// negligible is the share of a node's impurity that rounding may feign as a gain.
const negligible = 1e-12

// ready gathers what the search needs to know of a node. It reports false where all examples have the same target.
func (s *searcher) ready(n *node) bool {
	t := s.targets
	n.local.clear()
	n.mixed = false
	for _, i := range n.examples {
		n.local.take(&t.sample, int(i))
		if t.target != nil {
			n.mixed = n.mixed || t.target[i]*t.weight[n.examples[0]] != t.target[n.examples[0]]*t.weight[i]
		} else {
			n.mixed = n.mixed || t.class[i] != t.class[n.examples[0]]
		}
	}
	if !n.mixed {
		return false
	}
	n.total = newStatistic(t.width)
	for i := range n.examples {
		n.total.add(&n.local, i)
	}
	impurity := 0.0
	if t.target != nil {
		// Gains of centred targets are not small differences of large numbers.
		centre := t.grid.round(n.total.sum[0] / n.total.n)
		for i, w := range n.local.weight {
			n.local.target[i] -= w * centre
			impurity += n.local.target[i] * n.local.target[i] / w
		}
		n.total.sum[0] -= n.total.n * centre
	} else {
		impurity = n.total.n
	}
	n.leastGain = max(s.opt.MinGain, negligible*impurity)
	n.wholeKinds, n.cutKinds = s.kindsOf(n, true), nil
	if !n.alone && s.opt.MaxDistance > 0 {
		n.cutKinds = s.kindsOf(n, false)
	}
	return true
}

// list lists the units of a search, those of features of the most graphs first: no goroutine shall be left alone with a
// costly one.
func (s *searcher) list(nodes []*node) {
	views := s.views(nodes)
	s.units = s.units[:0]
	if s.inBlocks() {
		for b := range s.d.blocks() {
			for i := range views {
				s.units = append(s.units, unit{view: &views[i], feature: b})
			}
		}
	} else {
		for _, feature := range s.d.frequent {
			for i := range views {
				if v := &views[i]; s.sees(v.nodes, feature) {
					s.units = append(s.units, unit{view: v, feature: feature})
				}
			}
		}
	}
	count := 0
	for i := range s.units {
		count += len(s.units[i].nodes)
	}
	s.best = slices.Grow(s.best[:0], count)[:count]
	clear(s.best)
	rest := s.best
	for i := range s.units {
		u := &s.units[i]
		u.best, rest = rest[:len(u.nodes)], rest[len(u.nodes):]
	}
}

// views lists what some nodes may look at, each alone at graph level; nodes of vertices share graphs and look together.
func (s *searcher) views(nodes []*node) []view {
	var views []view
	alone := s.d.input.Level == Graphs
	for i, n := range nodes {
		if len(n.cutKinds) == 0 {
			continue
		}
		for distance := 1; distance <= min(s.opt.MaxDistance, n.depth); distance++ {
			c := n.ancestor(distance).cut
			v := view{cut: c, nodes: nodes[i : i+1 : i+1]}
			if alone {
				views = append(views, v)
				continue
			}
			at := slices.IndexFunc(views, func(v view) bool { return v.cut == c })
			if at >= 0 {
				views[at].nodes = append(views[at].nodes, n)
				continue
			}
			v.plan = &walkPlan{}
			views = append(views, v)
		}
	}
	if !alone {
		return append(views, view{nodes: nodes})
	}
	for i := range nodes {
		views = append(views, view{nodes: nodes[i : i+1]})
	}
	return views
}

// sees reports whether some of the nodes may use a feature, and it is not zero everywhere.
func (s *searcher) sees(nodes []*node, feature int) bool {
	kept := &s.d.kept[feature]
	return kept.from < kept.to && slices.ContainsFunc(nodes, func(n *node) bool { return n.seesAny(feature) })
}

// inBlocks reports whether features are searched in blocks: at vertex level, unless nodes draw fewer than one feature
// of a block.
func (s *searcher) inBlocks() bool {
	l := s.d.input.Features()
	return s.d.input.Level == Vertices && s.opt.featuresOf(l)*lanes >= l && !s.d.oneByOne
}

// worker is the scratch space of a goroutine.
type worker struct {
	*searcher
	scanner *scanner
	spread  spread
	sides   [2]side     // at graph level: the entries for the subsets below and above
	blocks  blockSpread // at vertex level
	lanes   laneColumns
	sparse  sparseSpread // at vertex level, where nodes draw few features
	values  []float64    // of the column
	marks   marks
	column  column

	evaluator *evaluator // of splits that were chosen
	spare     []int32    // see cut.fill
	goes      []bool     // see part
}

func newWorker(s *searcher) *worker {
	w := &worker{
		searcher:  s,
		scanner:   newScanner(s.targets.criterion, s.targets.width, s.opt.MinLeaf, s.bins()),
		evaluator: newEvaluator(s.d, s.opt.Empty),
	}
	w.spread.init(s.d)
	w.blocks.init(s.d)
	w.sparse.init(s.d)
	for i := range w.sides {
		w.sides[i].empty, w.sides[i].entries = newStatistic(s.targets.width), newStatistic(s.targets.width)
	}
	w.column.zero = newStatistic(s.targets.width)
	return w
}

func (w *worker) work(u *unit) {
	switch {
	case w.inBlocks() && u.cut == nil:
		for i, n := range u.nodes {
			u.best[i] = w.wholeBlock(u.feature, n)
		}
	case w.inBlocks():
		w.cutBlock(u)
	case w.d.input.Level == Vertices && u.cut == nil:
		for i, n := range u.nodes {
			u.best[i] = w.wholeVertices(u.feature, n)
		}
	case w.d.input.Level == Vertices:
		w.cutVertices(u)
	case u.cut == nil:
		u.best[0] = w.wholeGraphs(u.feature, u.nodes[0])
	default:
		u.best[0] = w.cutGraphs(u.cut, u.feature, u.nodes[0])
	}
}

// try scans one column of a node for split s and keeps the better of the outcome and best.
func (w *worker) try(best *candidate, n *node, s Split) {
	var t threshold
	if w.opt.Ensemble == ExtraTrees {
		t = w.scanner.draw(&w.column, &n.total, s.uniform(n.seed))
	} else {
		t = w.scanner.scan(&w.column, &n.total)
	}
	s.Threshold, s.MissingAbove = positive(t.value), t.missingAbove
	if c := (candidate{s, t.gain}); t.gain > 0 && c.beats(best) {
		*best = c
	}
}

// split returns the split of a kind of features.
func (s *searcher) split(k kind, feature int, a Aggregation, pointer int) Split {
	split := Split{Feature: feature, Length: k.length, Walk: k.walk, Aggregation: a, Pointer: pointer}
	split.Above, split.Arcs = k.up && pointer > 0, Arcs{Type: AllArcs}
	if k.length > 0 {
		split.Arcs = s.d.operators[k.op].arcs
	}
	return split
}
