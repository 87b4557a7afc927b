package treeg

import (
	"encoding"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

const modelName = "treeg"

func init() {
	model.Register(model.Family{
		Title: "TREE-G", Kind: modelName, Inner: "5",
		Models: []model.Name{{Name: modelName,
			Short: "decision trees whose splits see the graph, boosted, bagged or single"}},
		Verbs: []model.Verb{model.Eval, model.Train},
		Tasks: []model.Task{model.GraphTask, model.NodeTask, model.EdgeTask}, Regression: true, Classes: true,
		Weights: true, Streams: true,
		New:  func(string) model.Options { return newByName() },
		Load: loadTrained,
	})
}

// byName are the options by name. Lists are a grid to choose from; what is not given has the default of the ensemble
// and the task.
type byName struct {
	base     Options // without what the lists and the words say
	ensemble Ensemble
	loss     Loss
	step     string

	estimators, leaves, depths, smallest []int
	lengths, distances                   []int
	rates                                []float64
	walks, aggregations                  []string
	static                               int // longest walk of the static features, -1: none
	features                             dataset.Features
	checkpoint                           string

	declared *param.Set
}

// manyGraphs is the number of graphs that a round of boosting draws of more, where nothing else is asked for. A tenth
// of 100 000 molecules in a round gave the accuracy of all of them.
const manyGraphs = 100_000

// Words that stand for no value of the options.
const (
	autoLoss = Loss("auto")
	allKinds = "all"
	meanStep = "mean"
)

func newByName() *byName {
	d := Defaults(Graphs, Boosting)
	return &byName{
		base: d, ensemble: d.Ensemble, loss: autoLoss, step: "sum",
		estimators: []int{d.Estimators}, leaves: []int{d.MaxLeaves}, depths: []int{d.MaxDepth},
		smallest: []int{d.MinLeaf}, lengths: []int{d.MaxLength}, distances: []int{d.MaxDistance},
		rates: []float64{d.LearningRate}, walks: []string{allKinds}, aggregations: []string{allKinds}, static: -1,
		features: dataset.AutoFeatures,
	}
}

// Declare implements [model.Options].
func (o *byName) Declare(s *param.Set, verb model.Verb) {
	o.declared = s
	param.Choice(s, &o.ensemble, "ensemble", []Ensemble{Boosting, Forest, ExtraTrees, Single},
		"gradient boosting, a random forest, extremely randomised trees or a single tree")
	param.Choice(s, &o.loss, "loss", []Loss{autoLoss, Squared, Logistic, Softmax, OneVsAll, Gini, Entropy},
		"what trees reduce; auto: by the targets and the ensemble")
	s.Ints(&o.estimators, "estimators", 1, 1<<20, "`N,...` rounds of boosting (50), or trees of a forest (100)")
	s.Floats(&o.rates, "learning-rate", param.Tiny, 1000, "`R,...` of boosting")
	o.declareWalks(s)
	o.declareLimits(s)
	s.Float(&o.base.Subsample, "subsample", param.Tiny, 1,
		"`S` share of the examples that each round of boosting draws; where it is not given, of more than 100000 graphs "+
			"as many as these")
	s.Int(&o.base.Patience, "patience", 0, param.Many,
		"`N` rounds without a better loss on a part held out after which boosting stops, 0: none")
	s.Int(&o.base.Bins, "bins", 0, 1<<12, "`N` of the histograms of large nodes, 0: thresholds are always exact")
	s.Bool(&o.base.Constant, "constant", "give every vertex a feature that is 1")
	model.DeclareFeatures(s, &o.features,
		"auto", "labels", "degrees", "raw", "raw+labels", "attributes", "attributes+labels", "none")
	if verb == model.Train {
		s.Text(&o.checkpoint, "checkpoint", "`FILE` finished rounds, kept while boosting runs on the graphs of a store; "+
			"a training that finds it goes on from there, to the same bits")
	}
	if verb == model.Eval {
		s.Int(&o.static, "static", -1, 16,
			"`D` compare: the same trees on static features, sums and means of A^d f over the vertices of a graph "+
				"(for vertices A^d f), d = 0 to D, in place of walks and subsets; -1: off")
	}
}

// declareWalks declares what splits see of a graph.
func (o *byName) declareWalks(s *param.Set) {
	s.Ints(&o.lengths, "walk-length", 0, 16,
		"`D,...` longest walk that a split looks along; 0: a split sees no arcs")
	s.Ints(&o.distances, "ancestors", 0, param.Many,
		"`A,...` how many nodes up the tree a split may point for its subset; 0: only all vertices")
	param.Choices(s, &o.walks, "walks", []string{allKinds, "source", "cycle", "target", "target_source"},
		"types of walks that splits may use")
	param.Choices(s, &o.aggregations, "aggregations", []string{allKinds, "sum", "mean", "min", "max"},
		"how the vertices of a graph become one number")
	param.Choice(s, &o.base.Directions, "directions", []Directions{Along, Against, BothWays},
		"which way walks go along directed arcs")
	param.Choice(s, &o.base.Relations, "relations", []Relations{Together, Apart, TogetherAndApart},
		"arcs of several types as one adjacency matrix, one for each type, or both")
	param.Choice(s, &o.step, "step", []string{"sum", meanStep}, "a step of a walk adds up what arcs bring to a vertex, "+
		"or takes the mean (an adjacency matrix whose rows sum to 1)")
}

// declareLimits declares what ends the growth of a tree, and what its nodes draw.
func (o *byName) declareLimits(s *param.Set) {
	s.Ints(&o.leaves, "leaves", 0, param.Many, "`N,...` leaves of a tree, 0: no limit")
	s.Ints(&o.depths, "max-depth", 0, 1000, "`N,...` depth of a tree, 0: no limit")
	s.Int(&o.base.MinSplit, "min-split", 0, param.Many, "`N` a node of fewer examples is not split")
	s.Ints(&o.smallest, "min-leaf", 1, param.Many, "`N,...` examples of each child, at least")
	s.Float(&o.base.MinGain, "min-gain", 0, 1e+100, "`G` a split gains more than this")
	s.Float(&o.base.Pruning, "pruning", 0, 1e+100,
		"`A` complexity parameter of cost-complexity pruning, for a single tree")
	param.Choice(s, &o.base.Growth, "growth", []Growth{BestFirst, LevelWise}, "which leaf is split next")
	s.Float(&o.base.Keep, "keep", param.Tiny, 1,
		"`P` probability that a node may use a type of walk (0.25 for graphs, 0.5 for vertices)")
	s.Int(&o.base.MaxFeatures, "max-features", -1, param.Many,
		"`N` features drawn for each node (extra-trees: and each length of walks), 0: all, -1: the root of their number")
}

func (o *byName) given(name string) bool { return o.declared != nil && o.declared.Given(name) }

// Check implements [model.Options].
func (o *byName) Check() error {
	for _, other := range []string{"walk-length", "ancestors", "walks", "aggregations", "keep"} {
		if o.static >= 0 && o.given(other) {
			return param.Errorf("static", nil, "trees on static features take no walks, leave out it or %s", other)
		}
	}
	_, err := o.grid(Graphs, 0)
	return err
}

// Estimators implements [model.Options]. All share the walks.
func (o *byName) Estimators(w *model.Work, seed uint64) ([]model.Estimator, error) {
	grid, err := o.grid(levelOf(w.Data), seed)
	if err != nil {
		return nil, err
	}
	if n := w.Data.NumGraphs(); n > manyGraphs && !o.given("subsample") {
		for i := range grid {
			grid[i].Options.Subsample = float64(manyGraphs) / float64(n)
		}
	}
	longest := 0
	for _, est := range grid {
		longest = max(longest, est.Options.MaxLength)
	}
	estimators := make([]model.Estimator, len(grid))
	for i, est := range grid {
		est.longest = longest
		estimators[i] = est
	}
	return estimators, nil
}

// grid returns the product of the lists.
func (o *byName) grid(level Level, seed uint64) ([]Estimator, error) {
	base, err := o.common(level, seed)
	if err != nil {
		return nil, param.Wrap(err)
	}
	est := Estimator{Options: base, Features: o.features, Checkpoint: o.checkpoint}
	sizes := []int{base.Estimators}
	if o.given("estimators") {
		if sizes = slices.Compact(slices.Sorted(slices.Values(o.estimators))); len(sizes) > 1 && est.nested() == nil {
			est.Rounds, sizes = sizes, sizes[len(sizes)-1:]
		}
	}
	if static := o.static; static >= 0 {
		est.Static = &static
	}
	grid := vary([]Estimator{est}, sizes, func(o *Options, n int) { o.Estimators = n })
	grid = vary(grid, o.rates, func(o *Options, rate float64) { o.LearningRate = rate })
	if o.static < 0 {
		grid = vary(grid, o.lengths, func(o *Options, d int) { o.MaxLength = d })
		grid = vary(grid, o.distances, func(o *Options, a int) { o.MaxDistance = a })
	}
	if o.given("leaves") {
		grid = vary(grid, o.leaves, func(o *Options, n int) { o.MaxLeaves = n })
	}
	grid = vary(grid, o.depths, func(o *Options, n int) { o.MaxDepth = n })
	grid = vary(grid, o.smallest, func(o *Options, n int) { o.MinLeaf = n })
	for i := range grid {
		if err := grid[i].check(level); err != nil {
			return nil, param.Wrap(err)
		}
	}
	return grid, nil
}

// vary replaces every one of some estimators by one for each value.
func vary[T any](grid []Estimator, values []T, set func(*Options, T)) []Estimator {
	var varied []Estimator
	for _, est := range grid {
		for _, v := range values {
			set(&est.Options, v)
			varied = append(varied, est)
		}
	}
	return varied
}

// common returns the options without the lists.
func (o *byName) common(level Level, seed uint64) (Options, error) {
	d, out := Defaults(level, o.ensemble), o.base
	out.Level, out.Ensemble, out.Seed = level, o.ensemble, seed
	out.Estimators, out.MaxLeaves = d.Estimators, d.MaxLeaves
	if o.loss != autoLoss {
		out.Loss = o.loss
	}
	out.MeanSteps = o.step == meanStep
	if !o.given("min-split") {
		out.MinSplit = d.MinSplit
	}
	if !o.given("keep") {
		out.Keep = d.Keep
	}
	if !o.given("max-features") {
		out.MaxFeatures = d.MaxFeatures
	}
	var err error
	if out.Walks = d.Walks; !slices.Equal(o.walks, []string{allKinds}) {
		if out.Walks, err = named[Walk](o.walks); err != nil {
			return out, err
		}
	}
	if out.Aggregations = d.Aggregations; !slices.Equal(o.aggregations, []string{allKinds}) && level == Graphs {
		out.Aggregations, err = named[Aggregation](o.aggregations)
	}
	return out, err
}

// named reads names of walks or aggregations.
func named[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](names []string) ([]T, error) {
	values := make([]T, len(names))
	for i, name := range names {
		if err := P(&values[i]).UnmarshalText([]byte(name)); err != nil {
			return nil, err
		}
	}
	return values, nil
}
