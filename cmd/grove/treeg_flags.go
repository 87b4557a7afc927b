package main

import (
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/treeg"
	"github.com/spf13/pflag"
)

// treegFlags are the flags of TREE-G. Lists are a grid to choose from; what is not given has the default
// of the ensemble and the task.
type treegFlags struct {
	ensemble                             string
	loss, growth                         string
	directions, relations, step          string
	estimators, leaves, depths, smallest []int
	lengths, distances                   []int
	rates                                []float64
	keep, subsample, gain, pruning       float64
	split, patience, bins, columns       int
	walks, aggregations                  []string
	constant                             bool
	static                               int
	features                             dataset.Features

	flags   *pflag.FlagSet
	seed    uint64
	options []treeg.Options // after fits
	rounds  []float64       // numbers of estimators that one fit serves; nil where options have one each
	walked  treeg.Options   // what static features are made with
}

func newTreeGFlags() *treegFlags {
	d := treeg.Defaults(treeg.Graphs, treeg.Boosting)
	return &treegFlags{
		ensemble: "boosting", loss: "auto",
		growth: string(d.Growth), directions: string(d.Directions), relations: string(d.Relations), step: "sum",
		estimators: []int{d.Estimators}, leaves: []int{d.MaxLeaves}, depths: []int{d.MaxDepth},
		lengths: []int{d.MaxLength}, distances: []int{d.MaxDistance}, rates: []float64{d.LearningRate},
		keep: d.Keep, subsample: d.Subsample, split: d.MinSplit, smallest: []int{d.MinLeaf}, bins: d.Bins, constant: d.Constant,
		walks: []string{"all"}, aggregations: []string{"all"}, static: -1, features: dataset.AutoFeatures,
	}
}

func (g *treegFlags) add(fs *pflag.FlagSet, verb string) {
	g.flags = fs
	ensembles := []string{"boosting", "forest", "extra-trees", "tree"}
	choiceVar(fs, &g.ensemble, "ensemble", ensembles, "gradient boosting, a random forest, extremely randomised trees or a single tree")
	losses := []string{"auto", "squared", "logistic", "softmax", "one-vs-all", "gini", "entropy"}
	choiceVar(fs, &g.loss, "loss", losses, "what trees reduce; auto: by the targets and the ensemble")
	fs.Var(newList(&g.estimators, parseCount), "estimators", "`N,...` rounds of boosting (50), or trees of a forest (100)")
	bound(fs, "estimators", 1, 1<<20)
	fs.Var(newList(&g.rates, parsePositive), "learning-rate", "`R,...` of boosting")
	bound(fs, "learning-rate", tiny, 1000)
	g.addWalks(fs)
	g.addLimits(fs)
	fs.Float64Var(&g.subsample, "subsample", g.subsample, "`S` share of the examples that each round of boosting draws")
	bound(fs, "subsample", tiny, 1)
	fs.IntVar(&g.patience, "patience", 0,
		"`N` rounds without a better loss on a part held out after which boosting stops, 0: none")
	bound(fs, "patience", 0, many)
	fs.IntVar(&g.bins, "bins", g.bins, "`N` of the histograms of large nodes, 0: thresholds are always exact")
	bound(fs, "bins", 0, 1<<12)
	fs.BoolVar(&g.constant, "constant", g.constant, "give every vertex a feature that is 1")
	featuresVar(fs, &g.features,
		"auto", "labels", "degrees", "raw", "raw+labels", "attributes", "attributes+labels", "none")
	if verb == "eval" {
		fs.IntVar(&g.static, "static", g.static,
			"`D` compare: the same trees on static features, sums and means of A^d f over the vertices of a graph "+
				"(for vertices A^d f), d = 0 to D, in place of walks and subsets; -1: off")
		bound(fs, "static", -1, 16)
	}
}

// addWalks declares what splits see of a graph.
func (g *treegFlags) addWalks(fs *pflag.FlagSet) {
	fs.Var(newList(&g.lengths, parseRounds), "walk-length",
		"`D,...` longest walk that a split looks along; 0: a split sees no arcs")
	bound(fs, "walk-length", 0, 16)
	fs.Var(newList(&g.distances, parseRounds), "ancestors",
		"`A,...` how many nodes up the tree a split may point for its subset; 0: only all vertices")
	bound(fs, "ancestors", 0, many)
	walks := []string{"all", "source", "cycle", "target", "target_source"}
	choicesVar(fs, &g.walks, "walks", walks, "types of walks that splits may use")
	aggregations := []string{"all", "sum", "mean", "min", "max"}
	choicesVar(fs, &g.aggregations, "aggregations", aggregations, "how the vertices of a graph become one number")
	ways := []string{"along", "against", "both"}
	choiceVar(fs, &g.directions, "directions", ways, "which way walks go along directed arcs")
	matrices := []string{"together", "apart", "both"}
	choiceVar(fs, &g.relations, "relations", matrices,
		"arcs of several types as one adjacency matrix, one for each type, or both")
	choiceVar(fs, &g.step, "step", []string{"sum", "mean"},
		"a step of a walk adds up what arcs bring to a vertex, or takes the mean (an adjacency matrix whose rows sum to 1)")
}

// addLimits declares what ends the growth of a tree, and what its nodes draw.
func (g *treegFlags) addLimits(fs *pflag.FlagSet) {
	fs.Var(newList(&g.leaves, parseRounds), "leaves", "`N,...` leaves of a tree, 0: no limit")
	bound(fs, "leaves", 0, many)
	fs.Var(newList(&g.depths, parseRounds), "max-depth", "`N,...` depth of a tree, 0: no limit")
	bound(fs, "max-depth", 0, 1000)
	fs.IntVar(&g.split, "min-split", g.split, "`N` a node of fewer examples is not split")
	bound(fs, "min-split", 0, many)
	fs.Var(newList(&g.smallest, parseCount), "min-leaf", "`N,...` examples of each child, at least")
	bound(fs, "min-leaf", 1, many)
	fs.Float64Var(&g.gain, "min-gain", 0, "`G` a split gains more than this")
	bound(fs, "min-gain", 0, 1e+100)
	fs.Float64Var(&g.pruning, "pruning", 0, "`A` complexity parameter of cost-complexity pruning, for a single tree")
	bound(fs, "pruning", 0, 1e+100)
	choiceVar(fs, &g.growth, "growth", []string{"best-first", "level-wise"}, "which leaf is split next")
	fs.Float64Var(&g.keep, "keep", g.keep,
		"`P` probability that a node may use a type of walk (0.25 for graphs, 0.5 for vertices)")
	bound(fs, "keep", tiny, 1)
	fs.IntVar(&g.columns, "max-features", 0,
		"`N` features drawn for each node (extra-trees: and each length of walks), 0: all, -1: the root of their number")
	bound(fs, "max-features", -1, many)
}

// check implements modelFlags. Defaults depend on the task, so the options are made by fits.
func (g *treegFlags) check(seed uint64) error {
	g.seed = seed
	if g.static < -1 {
		return usagef("--static %d: want the largest power of the adjacency matrix, from 0 on, or -1 for none", g.static)
	}
	for _, flag := range []string{"walk-length", "ancestors", "walks", "aggregations", "keep"} {
		if g.static >= 0 && g.flags.Changed(flag) {
			return usagef("--static and --%s: trees on static features take no walks, leave out one of the two", flag)
		}
	}
	return g.combine(treeg.Graphs)
}

// fits implements modelFlags.
func (g *treegFlags) fits(d *dataset.Dataset) (*dataset.Encoding, error) {
	level := treeg.Graphs
	if taskOf(d) != graphTask {
		level = treeg.Vertices // edges are the vertices of a line graph
	}
	if err := g.combine(level); err != nil {
		return nil, err
	}
	return g.encode(d)
}

// combine makes the product of the lists.
func (g *treegFlags) combine(level treeg.Level) error {
	base, err := g.base(level)
	if err != nil {
		return &usageError{err}
	}
	if g.static >= 0 {
		g.walked = base
		g.walked.MaxLength = g.static
		if err := g.walked.Check(); err != nil {
			return &usageError{err}
		}
		base = base.OnStatic()
	}
	g.options = []treeg.Options{base}
	vary(&g.options, g.sizes(base.Estimators), func(o *treeg.Options, n int) { o.Estimators = n })
	vary(&g.options, g.rates, func(o *treeg.Options, rate float64) { o.LearningRate = rate })
	if g.static < 0 {
		vary(&g.options, g.lengths, func(o *treeg.Options, d int) { o.MaxLength = d })
		vary(&g.options, g.distances, func(o *treeg.Options, a int) { o.MaxDistance = a })
	}
	if g.flags.Changed("leaves") {
		vary(&g.options, g.leaves, func(o *treeg.Options, n int) { o.MaxLeaves = n })
	}
	vary(&g.options, g.depths, func(o *treeg.Options, n int) { o.MaxDepth = n })
	vary(&g.options, g.smallest, func(o *treeg.Options, n int) { o.MinLeaf = n })
	for i := range g.options {
		if err := g.options[i].Check(); err != nil {
			return &usageError{err}
		}
	}
	return nil
}

// vary replaces every one of some options by one for each value.
func vary[T any](options *[]treeg.Options, values []T, set func(*treeg.Options, T)) {
	var varied []treeg.Options
	for _, o := range *options {
		for _, v := range values {
			set(&o, v)
			varied = append(varied, o)
		}
	}
	*options = varied
}

// sizes returns the numbers of estimators to fit. One fit of the most serves all of them, unless boosting stops by
// itself.
func (g *treegFlags) sizes(byDefault int) []int {
	g.rounds = nil
	if !g.flags.Changed("estimators") {
		return []int{byDefault}
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(g.estimators)))
	if len(sorted) == 1 || g.patience > 0 || g.ensemble == string(treeg.Single) {
		return sorted
	}
	for _, n := range sorted {
		g.rounds = append(g.rounds, float64(n))
	}
	return sorted[len(sorted)-1:]
}
