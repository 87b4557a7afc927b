package treeg

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Ensemble says how trees are put together.
type Ensemble string

// The ensembles.
const (
	Boosting Ensemble = "boosting" // gradient boosting (Friedman, Annals of Statistics 2001)
	Forest   Ensemble = "forest"   // random forest: trees of bootstrap samples, averaged
	Single   Ensemble = "tree"     // one tree, with cost-complexity pruning

	// ExtraTrees are extremely randomised trees (Geurts, Ernst and Wehenkel, Machine Learning 2006): a forest without
	// bootstrap samples whose nodes draw one threshold for each dynamic feature, uniformly between its least and its
	// largest value in the node, and take the best of those splits. Features are drawn for each length of walks apart.
	ExtraTrees Ensemble = "extra-trees"
)

// Loss is what trees reduce.
type Loss string

// The losses. Boosting takes the first four, and chooses splits by the squared loss of the negative gradient;
// a single tree and a forest take Squared, Gini and Entropy.
const (
	Squared  Loss = "squared"
	Logistic Loss = "logistic"   // of two classes
	Softmax  Loss = "softmax"    // a tree for each class in every round
	OneVsAll Loss = "one-vs-all" // a logistic model of each class against the others
	Gini     Loss = "gini"
	Entropy  Loss = "entropy"
)

// Scheme says how boosting starts and what value a leaf has.
type Scheme string

// The schemes of boosting.
const (
	Newton    Scheme = "newton"    // start: the best constant; leaf: one Newton step
	Reference Scheme = "reference" // of the published code. Start: a tree fitted to the targets; leaf: mean residual
)

// Growth is the order in which leaves are split.
type Growth string

// The orders of growth.
const (
	BestFirst Growth = "best-first" // the leaf with the largest gain next (section 3.4)
	LevelWise Growth = "level-wise" // all leaves of a depth, in one pass over the data
)

// Directions says which way walks go in directed graphs; in undirected ones all are the same.
type Directions string

// The directions of walks.
const (
	Along    Directions = "along"   // powers of A
	Against  Directions = "against" // powers of A'
	BothWays Directions = "both"
)

// Relations says how arcs of several types make adjacency matrices (appendix C.1).
type Relations string

// The ways to treat arc types.
const (
	Together         Relations = "together" // one matrix of all arcs
	Apart            Relations = "apart"    // one matrix for each type
	TogetherAndApart Relations = "both"
)

// Options describe how a model is fitted. Start from [Defaults].
type Options struct {
	Level    Level    `json:"level"`
	Ensemble Ensemble `json:"ensemble"`
	Loss     Loss     `json:"loss"` // "": Squared for values, else Logistic, Softmax, or Gini outside of boosting

	Estimators   int     `json:"estimators"`    // rounds of boosting or trees of a forest
	LearningRate float64 `json:"learning_rate"` // of boosting
	Subsample    float64 `json:"subsample"`     // share of the examples that each round of boosting draws
	Scheme       Scheme  `json:"scheme"`        // of boosting

	Patience        int     `json:"patience"`         // rounds without a better validation loss that end boosting; 0: none
	ValidationShare float64 `json:"validation_share"` // share of the examples held out for it, unless they are given

	Growth    Growth  `json:"growth"`
	MaxLeaves int     `json:"max_leaves"` // 0: no limit
	MaxDepth  int     `json:"max_depth"`  // 0: no limit
	MinSplit  int     `json:"min_split"`  // a node of fewer examples is not split
	MinLeaf   int     `json:"min_leaf"`   // examples of each child, at least
	MinGain   float64 `json:"min_gain"`   // a split gains more than this: of squared loss, of n times the impurity
	Pruning   float64 `json:"pruning"`    // complexity parameter alpha of minimal cost-complexity pruning, per example

	MaxLength    int           `json:"max_length"`   // largest d
	MaxDistance  int           `json:"max_distance"` // largest a: how many nodes up a pointer reaches
	Walks        []Walk        `json:"walks"`        // that may be used; at vertex level of the first two
	Aggregations []Aggregation `json:"aggregations"` // that may be used at graph level
	Directions   Directions    `json:"directions"`
	Relations    Relations     `json:"relations"`
	MeanSteps    bool          `json:"mean_steps,omitempty"` // rows of A sum to 1: a step takes means
	Constant     bool          `json:"constant"`             // a feature that is 1 everywhere, after all others
	Empty        Empty         `json:"empty"`

	Keep        float64 `json:"keep"`         // probability p that a node below the root may use each walk type
	MaxFeatures int     `json:"max_features"` // features drawn for each node; 0: all, -1: the root of their number
	Bins        int     `json:"bins"`         // of the histograms for large data; 0, or more than 1024: exact thresholds
	Seed        uint64  `json:"seed"`
}

// histogramFrom is the number of examples of a tree from which histograms replace sorting.
const histogramFrom = 1 << 14

// Defaults returns the options of the paper's experiments (appendix D.4), where they do not concern the graph
// those that scikit-learn users expect. A tree of boosting has at most 10 leaves, as in the published runs; a
// single tree and the trees of a forest grow until no split gains.
func Defaults(level Level, ensemble Ensemble) Options {
	o := Options{
		Level: level, Ensemble: ensemble,
		Estimators: 50, LearningRate: 0.1, Subsample: 1, Scheme: Newton, ValidationShare: 0.1,
		Growth: BestFirst, MaxLeaves: 10, MinSplit: 10, MinLeaf: 1,
		MaxLength: 2, MaxDistance: 2, Walks: []Walk{Source, Cycle, Target, TargetSource},
		Aggregations: []Aggregation{Sum, Mean, Min, Max}, Directions: Along, Relations: Together,
		Constant: true, Empty: EmptyFormula, Keep: 0.25, Bins: 255,
	}
	if level == Vertices {
		o.Walks, o.Aggregations, o.Keep = []Walk{Source, Cycle}, nil, 0.5
	}
	if ensemble != Boosting {
		o.MaxLeaves, o.MinSplit = 0, 2
	}
	switch ensemble {
	case Forest, ExtraTrees:
		o.Estimators, o.MaxFeatures = 100, -1
	case Single:
		o.Estimators = 1
	}
	return o
}

// Bounds of the options.
const (
	maxEstimators = 1 << 20
	maxBins       = 1 << 12
)

// Check reports the first option that makes no sense.
func (o *Options) Check() error {
	for _, err := range []error{o.checkKinds(), o.checkNumbers(), o.checkWalks()} {
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *Options) checkKinds() error {
	losses := []Loss{"", Squared, Gini, Entropy}
	if o.Ensemble == Boosting {
		losses = []Loss{"", Squared, Logistic, Softmax, OneVsAll}
	}
	for _, err := range []error{
		oneOf("level", o.Level, Graphs, Vertices),
		oneOf("ensemble", o.Ensemble, Boosting, Forest, ExtraTrees, Single),
		oneOf("loss of "+string(o.Ensemble), o.Loss, losses...),
		oneOf("scheme", o.Scheme, Newton, Reference),
		oneOf("growth", o.Growth, BestFirst, LevelWise),
		oneOf("directions", o.Directions, Along, Against, BothWays),
		oneOf("relations", o.Relations, Together, Apart, TogetherAndApart),
		oneOf("convention for empty subsets", o.Empty, EmptyFormula, EmptyZero, EmptySentinel),
	} {
		if err != nil {
			return err
		}
	}
	if o.Scheme == Reference && o.Ensemble == Boosting && o.Loss == Softmax {
		return fmt.Errorf("the reference scheme has no softmax loss: use %s", OneVsAll)
	}
	return nil
}

func oneOf[T ~string](what string, have T, known ...T) error {
	if !slices.Contains(known, have) {
		return fmt.Errorf("%s %q: want one of %q", what, have, known)
	}
	return nil
}

func (o *Options) checkNumbers() error {
	switch {
	case o.Estimators < 1 || o.Estimators > maxEstimators:
		return fmt.Errorf("%d estimators: want 1 to %d", o.Estimators, maxEstimators)
	case !(o.LearningRate > 0 && o.LearningRate <= 1e3):
		return fmt.Errorf("learning rate %g: want a positive number, usually at most 1", o.LearningRate)
	case !(o.Subsample > 0 && o.Subsample <= 1):
		return fmt.Errorf("subsample %g: want a share above 0, at most 1", o.Subsample)
	case o.Patience < 0:
		return fmt.Errorf("patience %d: want a number of rounds, or 0 for no early stop", o.Patience)
	case o.Patience > 0 && !(o.ValidationShare > 0 && o.ValidationShare < 1):
		return fmt.Errorf("validation share %g: want a share between 0 and 1", o.ValidationShare)
	case o.MaxLeaves < 0 || o.MaxLeaves == 1:
		return fmt.Errorf("at most %d leaves: want 2 or more, or 0 for no limit", o.MaxLeaves)
	case o.MaxDepth < 0 || o.MaxDepth > 1000:
		return fmt.Errorf("depth %d: want 1 to 1000, or 0 for no limit", o.MaxDepth)
	case o.MinSplit < 0 || o.MinLeaf < 1:
		return fmt.Errorf("at least %d examples to split and %d in a leaf: want 0 and 1 or more", o.MinSplit, o.MinLeaf)
	case !(o.MinGain >= 0) || math.IsInf(o.MinGain, 0):
		return fmt.Errorf("smallest gain %g: want 0 or more", o.MinGain)
	case !(o.Pruning >= 0) || math.IsInf(o.Pruning, 0):
		return fmt.Errorf("pruning %g: want 0 or more", o.Pruning)
	case !(o.Keep > 0 && o.Keep <= 1):
		return fmt.Errorf("walk types are kept with probability %g: want a number above 0, at most 1", o.Keep)
	case o.MaxFeatures < -1:
		return fmt.Errorf("%d features of a node: want 1 or more, 0 for all, -1 for the root of their number", o.MaxFeatures)
	case o.Bins != 0 && (o.Bins < 2 || o.Bins > maxBins):
		return fmt.Errorf("%d bins: want 2 to %d, or 0 for exact thresholds", o.Bins, maxBins)
	}
	return nil
}

func (o *Options) checkWalks() error {
	switch {
	case o.MaxLength < 0 || o.MaxLength > walks.MaxLength:
		return fmt.Errorf("walks of length %d: want 0 to %d", o.MaxLength, walks.MaxLength)
	case o.MaxDistance < 0:
		return fmt.Errorf("pointers over a distance of %d: want 0 or more", o.MaxDistance)
	case len(o.Walks) == 0:
		return fmt.Errorf("no walk type to use: want at least one")
	case o.Level == Graphs && len(o.Aggregations) == 0:
		return fmt.Errorf("no aggregation to use: want at least one")
	}
	for i, w := range o.Walks {
		if w >= walks.NumWalks || slices.Contains(o.Walks[:i], w) {
			return fmt.Errorf("walk types %v: want each known one at most once", o.Walks)
		}
		if o.Level == Vertices && w > Cycle {
			return fmt.Errorf("walk type %s: vertices use source and cycle walks only", w)
		}
	}
	for i, a := range o.Aggregations {
		if a == NoAggregation || a > walks.NumAggregations || slices.Contains(o.Aggregations[:i], a) {
			return fmt.Errorf("aggregations %v: want each of sum, mean, min and max at most once", o.Aggregations)
		}
	}
	return nil
}

// featuresOf returns how many of l features a node draws.
func (o *Options) featuresOf(l int) int {
	switch o.MaxFeatures {
	case 0:
		return l
	case -1:
		return max(int(math.Sqrt(float64(l))), 1)
	}
	return min(o.MaxFeatures, l)
}
