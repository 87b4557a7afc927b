package search

import (
	"context"
	"slices"
	"sync"

	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// hostSearcher searches on the host: features along walks from a subset are computed once for all nodes that may use
// it, in pieces that goroutines share.
type hostSearcher struct {
	*growth
	oneByOne bool // features at vertex level alone although nodes may use many
	every    bool // features that none of the graphs has are listed too, and all in their order

	mu      sync.Mutex
	scratch []*worker
	busy    int // of scratch, in the search that is going on

	units []unit      // of the search that is going on
	best  []candidate // of the units

	cuts      []*walks.Cut // that nodes have no use for any more
	splitters []*splitter  // of goroutines
	splitting int          // of them
	toGT      []bool       // by example of the node that is being split: whether it goes to the GT child
}

// onHost returns what searches on the host.
func (s *growth) onHost(oneByOne bool) *hostSearcher {
	s.d.MakeWalks()
	return &hostSearcher{growth: s, oneByOne: oneByOne}
}

// view is what nodes may look at: all vertices, or both subsets of a cut.
type view struct {
	of    *node      // whose split the cut is of
	cut   *walks.Cut // nil: all vertices
	nodes []*node
	plan  *walks.WalkPlan // of a cut at vertex level
}

// unit is a piece of a search: one feature, or one block of features, in a view.
type unit struct {
	*view
	feature int         // or block
	best    []candidate // for each node
}

func (s *hostSearcher) search(ctx context.Context, nodes []*node) error {
	s.list(nodes)
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

// worker returns the scratch space of a goroutine.
func (s *hostSearcher) worker() *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy == len(s.scratch) {
		s.scratch = append(s.scratch, newWorker(s))
	}
	w := s.scratch[s.busy]
	s.busy++
	w.scanner.Bins = s.bins() // which this tree has
	return w
}

// list lists the units of a search, those of features of the most graphs first: no goroutine shall be left alone with a
// costly one.
func (s *hostSearcher) list(nodes []*node) {
	views := s.views(nodes)
	s.units = s.units[:0]
	if s.inBlocks() {
		for b := range s.d.Blocks() {
			for i := range views {
				s.units = append(s.units, unit{view: &views[i], feature: b})
			}
		}
	} else {
		for i, feature := range s.d.Frequent {
			if s.every {
				feature = i
			}
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
func (s *hostSearcher) views(nodes []*node) []view {
	var views []view
	alone := s.d.Input.Level == walks.Graphs
	for i, n := range nodes {
		if len(n.cutKinds) == 0 {
			continue
		}
		for distance := 1; distance <= min(s.opt.MaxDistance, n.depth); distance++ {
			of := n.ancestor(distance)
			v := view{of: of, cut: of.cut, nodes: nodes[i : i+1 : i+1]}
			if alone {
				views = append(views, v)
				continue
			}
			at := slices.IndexFunc(views, func(v view) bool { return v.of == of })
			if at >= 0 {
				views[at].nodes = append(views[at].nodes, n)
				continue
			}
			v.plan = &walks.WalkPlan{}
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
func (s *hostSearcher) sees(nodes []*node, feature int) bool {
	return (s.every || s.d.Present(feature)) &&
		slices.ContainsFunc(nodes, func(n *node) bool { return n.seesAny(feature) })
}

// inBlocks reports whether features are searched in blocks: at vertex level, unless nodes draw fewer than one feature
// of a block.
func (s *hostSearcher) inBlocks() bool {
	l := s.d.Input.Features()
	return s.d.Input.Level == walks.Vertices && s.opt.Features*walks.Lanes >= l && !s.oneByOne
}

// worker is the scratch space of a goroutine.
type worker struct {
	*hostSearcher
	scanner *splits.Scanner
	dense   walks.DenseWalks
	sides   [2]side          // at graph level: the entries for the subsets below and above
	blocks  walks.BlockWalks // at vertex level
	lanes   walks.LaneColumns
	sparse  walks.SparseWalks // at vertex level, where nodes draw few features
	values  []float64         // of the column
	marks   walks.Marks
	column  splits.Column

	take func(c *splits.Column) // takes columns that are not to be scanned; nil: they are
}

func newWorker(s *hostSearcher) *worker {
	w := &worker{
		hostSearcher: s,
		scanner:      splits.NewScanner(s.targets.Criterion, s.targets.Width, s.opt.MinLeaf, s.bins()),
	}
	w.dense.Init(s.d)
	w.blocks.Init(s.d)
	w.sparse.Init(s.d)
	for i := range w.sides {
		w.sides[i].empty, w.sides[i].entries = splits.NewStatistic(s.targets.Width), splits.NewStatistic(s.targets.Width)
	}
	w.column.Zero = splits.NewStatistic(s.targets.Width)
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
	case w.d.Input.Level == walks.Vertices && u.cut == nil:
		for i, n := range u.nodes {
			u.best[i] = w.wholeVertices(u.feature, n)
		}
	case w.d.Input.Level == walks.Vertices:
		w.cutVertices(u)
	case u.cut == nil:
		u.best[0] = w.wholeGraphs(u.feature, u.nodes[0])
	default:
		u.best[0] = w.cutGraphs(u.of, u.feature, u.nodes[0])
	}
}

// try scans one column of a node for split s and keeps the better of the outcome and best.
func (w *worker) try(best *candidate, n *node, s walks.Split) {
	if w.take != nil {
		w.take(&w.column)
		return
	}
	var t splits.Threshold
	if w.opt.Randomised {
		t = w.scanner.Draw(&w.column, &n.total, uniform(&s, n.seed))
	} else {
		t = w.scanner.Scan(&w.column, &n.total)
	}
	s.Threshold, s.MissingAbove = positive(t.Value), t.MissingAbove
	if c := (candidate{s, t.Gain}); t.Gain > 0 && c.beats(best) {
		*best = c
	}
}
