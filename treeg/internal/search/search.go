package search

import (
	"context"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Options say which splits a tree may have and how it grows.
type Options struct {
	LevelWise bool    // all leaves of a depth are split in one pass, not the best leaf next
	MaxLeaves int     // 0: no limit
	MaxDepth  int     // 0: no limit
	MinSplit  int     // a node of fewer examples is not split
	MinLeaf   int     // examples of each child, at least
	MinGain   float64 // a split gains more than this

	MaxLength    int                 // of walks
	MaxDistance  int                 // how many nodes up a pointer reaches
	Walks        []walks.Walk        // that may be used
	Aggregations []walks.Aggregation // that may be used at graph level
	Empty        walks.Empty

	Keep       float64 // probability that a node below the root may use each walk type
	Features   int     // drawn for each node
	Randomised bool    // nodes draw thresholds, and features for every length of walks (extremely randomised trees)
	Bins       int     // of histograms; 0: exact thresholds
	Large      int     // examples of a tree from which histograms replace sorting
	Method     Method
}

// Method is a way to search splits. All find the same, to the last bit.
type Method uint8

// The methods. Chosen is by operations of the engine on a device, elsewhere on the host, at vertex level in blocks of
// features where nodes may use many. Tests ask for the others.
const (
	Chosen   Method = iota // by the searcher
	OneByOne               // on the host, features alone at vertex level too
	OnEngine               // by operations of the engine, whatever it is
)

// Targets are what a tree is fitted to.
type Targets struct {
	splits.Sample           // by example of the data; weight 0 for those that the tree does not see
	Values        []float64 // likewise: what Target has on a grid and less its mean; nil where there are classes
	Shift         float64   // of that grid, see [engine.Shift]; 0: there is none
	Examples      int       // that the tree sees
	Width         int       // of a statistic
	Criterion     splits.Criterion

	// Plant plants the tree where the engine has the targets, and this has none; nil: it does not.
	Plant func(tree engine.Growth, bins int) (engine.NodeSums, error)
}

// Sums returns what is known of some examples.
func (t *Targets) Sums(examples []int32) engine.NodeSums {
	of := engine.TreeTargets{Weights: t.Weight, Values: t.Values, Targets: t.Target, Shift: t.Shift, Classes: t.Class,
		Number: t.Width}
	return of.Sums(examples)
}

// Searcher finds the best splits of nodes: on the host or by operations of an engine.
type Searcher interface {
	// plant begins a tree at its root, whose examples are those of the growth.
	plant(root *node) error

	// ready gathers what the search needs to know of a node. It reports false where all examples have the same target.
	ready(n *node) bool

	// search finds the best splits of some nodes of one depth, which are ready, in one pass over the data, and puts those
	// that gain into the nodes.
	search(ctx context.Context, nodes []*node) error

	// partition sends the examples of some nodes to their children by their best splits, or says how many go there, and
	// generates the subsets of the splits where nodes below may use them.
	partition(ctx context.Context, nodes []*node) error

	// release forgets the subsets that the split of a node generated.
	release(n *node)
}

// growth is the tree that grows.
type growth struct {
	d       *walks.Data
	opt     *Options
	workers int // goroutines

	targets  *Targets
	examples []int32 // that the tree is fitted to
	leaves   int

	known map[drawnWalks][]walks.Kind // what kindsOf has listed
}

// growsBelow reports whether the children of a node that is split next may be split too.
func (s *growth) growsBelow(n *node) bool {
	return (s.opt.MaxLeaves == 0 || s.leaves+1 < s.opt.MaxLeaves) && (s.opt.MaxDepth == 0 || n.depth+1 < s.opt.MaxDepth)
}

// searcher returns what searches the splits of the tree: operations of the engine on a device, else the host. r is what
// the device holds.
func (s *growth) searcher(r *Resident) Searcher {
	if OnDevice(s.d, s.opt.Method) {
		return &deviceSearcher{growth: s, resident: r}
	}
	return s.onHost(s.opt.Method == OneByOne)
}

// bins returns the number of bins of histograms, 0 for exact thresholds: for few examples, and where sums of targets
// are not exact in any order.
func (s *growth) bins() int {
	if s.targets.Examples < s.opt.Large || s.targets.Target != nil && s.targets.Shift == 0 {
		return 0
	}
	return s.opt.Bins
}

// negligible is the share of a node's impurity that rounding may feign as a gain.
const negligible = 1e-12

// open lists what a node tries whose examples have some impurity.
func (s *growth) open(n *node, impurity float64) {
	n.leastGain = max(s.opt.MinGain, negligible*impurity)
	n.wholeKinds, n.cutKinds = s.kindsOf(n, true), nil
	if !n.alone && s.opt.MaxDistance > 0 {
		n.cutKinds = s.kindsOf(n, false)
	}
}

// split returns the split of a kind of features.
func (s *growth) split(k walks.Kind, feature int, a walks.Aggregation, pointer int) walks.Split {
	split := walks.Split{Feature: feature, Length: k.Length, Walk: k.Walk, Aggregation: a, Pointer: pointer}
	split.Above, split.Arcs = k.Up && pointer > 0, walks.Arcs{Type: walks.AllArcs}
	if k.Length > 0 {
		split.Arcs = s.d.Input.Arcs[k.Op]
	}
	return split
}
