package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/treeg"
	"github.com/spf13/pflag"
	"gorgonia.org/tensor"
)

func treegFamily() family {
	return family{
		name: "TREE-G", kind: "treeg", load: loadTreeG, verbs: []string{"eval", "train"}, inner: "5",
		models: []modelName{{"treeg", "decision trees whose splits see the graph, boosted, bagged or single"}},
		flags:  func(string) modelFlags { return newTreeGFlags() },
	}
}

// treegFlags are the flags of TREE-G. Lists are a grid to choose from; what is not given has the default
// of the ensemble and the task.
type treegFlags struct {
	ensemble                             string
	loss, growth, directions, relations  string
	estimators, leaves, depths           []int
	lengths, distances                   []int
	rates                                []float64
	keep, subsample, gain, pruning       float64
	split, leaf, patience, bins, columns int
	walks, aggregations                  []string
	constant                             bool
	features                             dataset.Features

	flags   *pflag.FlagSet
	seed    uint64
	options []treeg.Options // after fits
}

func newTreeGFlags() *treegFlags {
	d := treeg.Defaults(treeg.Graphs, treeg.Boosting)
	return &treegFlags{
		ensemble: "boosting", loss: "auto", growth: string(d.Growth), directions: string(d.Directions), relations: string(d.Relations),
		estimators: []int{d.Estimators}, leaves: []int{d.MaxLeaves}, depths: []int{d.MaxDepth},
		lengths: []int{d.MaxLength}, distances: []int{d.MaxDistance}, rates: []float64{d.LearningRate},
		keep: d.Keep, subsample: d.Subsample, split: d.MinSplit, leaf: d.MinLeaf, bins: d.Bins, constant: d.Constant,
		walks: []string{"all"}, aggregations: []string{"all"}, features: dataset.AutoFeatures,
	}
}

func (g *treegFlags) add(fs *pflag.FlagSet, verb string) {
	g.flags = fs
	choiceVar(fs, &g.ensemble, "ensemble", []string{"boosting", "forest", "tree"}, "gradient boosting, a random forest or a single tree")
	choiceVar(fs, &g.loss, "loss", []string{"auto", "squared", "logistic", "softmax", "one-vs-all", "gini", "entropy"}, "what trees reduce; auto: by the targets and the ensemble")
	fs.Var(newList(&g.estimators, parseCount), "estimators", "`N,...` rounds of boosting (50), or trees of a forest (100)")
	fs.Var(newList(&g.rates, parsePositive), "learning-rate", "`R,...` of boosting")
	fs.Var(newList(&g.lengths, parseRounds), "walk-length", "`D,...` longest walk that a split looks along; 0: a split sees no arcs")
	fs.Var(newList(&g.distances, parseRounds), "ancestors", "`A,...` how many nodes up the tree a split may point for its subset; 0: only all vertices")
	fs.Var(newList(&g.leaves, parseRounds), "leaves", "`N,...` leaves of a tree, 0: no limit")
	fs.Var(newList(&g.depths, parseRounds), "max-depth", "`N,...` depth of a tree, 0: no limit")
	fs.IntVar(&g.split, "min-split", g.split, "`N` a node of fewer examples is not split")
	fs.IntVar(&g.leaf, "min-leaf", g.leaf, "`N` examples of each child, at least")
	fs.Float64Var(&g.gain, "min-gain", 0, "`G` a split gains more than this")
	fs.Float64Var(&g.pruning, "pruning", 0, "`A` complexity parameter of cost-complexity pruning, for a single tree")
	choiceVar(fs, &g.growth, "growth", []string{"best-first", "level-wise"}, "which leaf is split next")
	fs.Float64Var(&g.keep, "keep", g.keep, "`P` probability that a node may use a type of walk (0.25 for graphs, 0.5 for vertices)")
	fs.Float64Var(&g.subsample, "subsample", g.subsample, "`S` share of the examples that each round of boosting draws")
	fs.IntVar(&g.columns, "max-features", 0, "`N` features drawn for each node, 0: all, -1: the root of their number")
	fs.IntVar(&g.patience, "patience", 0, "`N` rounds without a better loss on a part held out after which boosting stops, 0: none")
	fs.IntVar(&g.bins, "bins", g.bins, "`N` of the histograms of large nodes, 0: thresholds are always exact")
	walks := []string{"all", "source", "cycle", "target", "target_source"}
	fs.Var(newList(&g.walks, choice(walks...)), "walks", "types of walks that splits may use")
	annotateWords(fs, "walks", walks)
	aggregations := []string{"all", "sum", "mean", "min", "max"}
	fs.Var(newList(&g.aggregations, choice(aggregations...)), "aggregations", "how the vertices of a graph become one number")
	annotateWords(fs, "aggregations", aggregations)
	choiceVar(fs, &g.directions, "directions", []string{"along", "against", "both"}, "which way walks go along directed arcs")
	choiceVar(fs, &g.relations, "relations", []string{"together", "apart", "both"}, "arcs of several types as one adjacency matrix, one for each type, or both")
	fs.BoolVar(&g.constant, "constant", g.constant, "give every vertex a feature that is 1")
	featuresVar(fs, &g.features, "auto", "labels", "degrees", "raw", "raw+labels", "attributes", "attributes+labels", "none")
}

// check implements modelFlags. Defaults depend on the task, so the options are made by fits.
func (g *treegFlags) check(seed uint64) error {
	g.seed = seed
	return g.combine(treeg.Graphs)
}

// fits implements modelFlags.
func (g *treegFlags) fits(d *dataset.Dataset) error {
	level := treeg.Graphs
	if d.Task.PerVertex() {
		level = treeg.Vertices
	}
	if err := g.combine(level); err != nil {
		return err
	}
	_, err := g.encode(d)
	return err
}

// combine makes the product of the lists.
func (g *treegFlags) combine(level treeg.Level) error {
	base, err := g.base(level)
	if err != nil {
		return &usageError{err}
	}
	g.options = nil
	for _, estimators := range g.either("estimators", g.estimators, base.Estimators) {
		for _, rate := range g.rates {
			for _, length := range g.lengths {
				for _, distance := range g.distances {
					for _, leaves := range g.either("leaves", g.leaves, base.MaxLeaves) {
						for _, depth := range g.depths {
							o := base
							o.Estimators, o.LearningRate, o.MaxLength, o.MaxDistance = estimators, rate, length, distance
							o.MaxLeaves, o.MaxDepth = leaves, depth
							if err := o.Check(); err != nil {
								return &usageError{err}
							}
							g.options = append(g.options, o)
						}
					}
				}
			}
		}
	}
	return nil
}

// either returns the values of a flag that was given, else the default of the ensemble.
func (g *treegFlags) either(flag string, given []int, byDefault int) []int {
	if g.flags.Changed(flag) {
		return given
	}
	return []int{byDefault}
}

// base returns the options without the lists.
func (g *treegFlags) base(level treeg.Level) (treeg.Options, error) {
	o := treeg.Defaults(level, treeg.Ensemble(g.ensemble))
	if g.loss != "auto" {
		o.Loss = treeg.Loss(g.loss)
	}
	o.Growth, o.Directions, o.Relations = treeg.Growth(g.growth), treeg.Directions(g.directions), treeg.Relations(g.relations)
	o.MinLeaf, o.MinGain, o.Pruning = g.leaf, g.gain, g.pruning
	o.Subsample, o.Patience, o.Bins, o.Constant, o.Seed = g.subsample, g.patience, g.bins, g.constant, g.seed
	if g.flags.Changed("min-split") {
		o.MinSplit = g.split
	}
	if g.flags.Changed("keep") {
		o.Keep = g.keep
	}
	if g.flags.Changed("max-features") {
		o.MaxFeatures = g.columns
	}
	if text := strings.Join(g.walks, ","); text != "all" {
		o.Walks = nil
		for _, name := range g.walks {
			var w treeg.Walk
			if err := w.UnmarshalText([]byte(name)); err != nil {
				return o, err
			}
			o.Walks = append(o.Walks, w)
		}
	}
	if text := strings.Join(g.aggregations, ","); text != "all" && level == treeg.Graphs {
		o.Aggregations = nil
		for _, name := range g.aggregations {
			var a treeg.Aggregation
			if err := a.UnmarshalText([]byte(name)); err != nil {
				return o, err
			}
			o.Aggregations = append(o.Aggregations, a)
		}
	}
	return o, nil
}

// encode says what the vertices of d show: attributes and labels as they are, the constant alone where
// there are none.
func (g *treegFlags) encode(d *dataset.Dataset) (*dataset.Encoding, error) {
	features := g.features
	if features == dataset.AutoFeatures {
		labels, attributes := d.Batch.Labels != nil, d.Batch.AttributeDim > 0
		switch {
		case labels && attributes:
			features = dataset.RawAttributesAndLabels
		case attributes:
			features = dataset.RawAttributes
		case labels:
			features = dataset.LabelFeatures
		default:
			features = dataset.NoFeatures
		}
	}
	encoding, err := dataset.FitEncoding(d, features, nil)
	if err != nil {
		return nil, usagef("--features %s: %w", g.features, err)
	}
	return encoding, nil
}

// prepared are the walks of a data set with the encoding of its vertices.
type prepared struct {
	encoding *dataset.Encoding
	data     *treeg.Data
}

// settings implements modelFlags. All settings share the walks.
func (g *treegFlags) settings(w *work) []setting {
	longest := g.options[0]
	for _, o := range g.options {
		if o.MaxLength > longest.MaxLength {
			longest = o
		}
	}
	walks := &eval.Shared[*prepared]{Compute: func(ctx context.Context, _ []int) (*prepared, error) {
		defer w.spent.transforming(time.Now())
		encoding, err := g.encode(w.data)
		if err != nil {
			return nil, err
		}
		b, err := encoding.Apply(w.data)
		if err != nil {
			return nil, err
		}
		data, err := treeg.Prepare(ctx, w.engine, b, longest)
		return &prepared{encoding, data}, err
	}}
	all := make([]setting, len(g.options))
	for i, o := range g.options {
		all[i] = &treegSetting{w, o, walks}
	}
	return all
}

// treegSetting is one choice of options.
type treegSetting struct {
	work  *work
	opt   treeg.Options
	walks *eval.Shared[*prepared]
}

// String lists the options that a search varies.
func (s *treegSetting) String() string {
	o := s.opt
	return fmt.Sprintf("%s of %d, rate %g, walks to %d, ancestors to %d, leaves %d, depth %d",
		o.Ensemble, o.Estimators, o.LearningRate, o.MaxLength, o.MaxDistance, o.MaxLeaves, o.MaxDepth)
}

func (s *treegSetting) params() any { return s.opt }

// Grid implements [eval.Setting].
func (s *treegSetting) Grid() eval.Grid { return eval.Grid{} }

// Learner implements [eval.Setting]: walks need no targets.
func (s *treegSetting) Learner(ctx context.Context, _ []int) (eval.Learner, error) {
	_, err := s.walks.Get(ctx, nil)
	return s, err
}

// Learn implements [eval.Learner].
func (s *treegSetting) Learn(ctx context.Context, t eval.Task) ([]eval.Targets, error) {
	p, err := s.walks.Get(ctx, nil)
	if err != nil {
		return nil, err
	}
	targets := treeg.Targets{Train: t.Train, NumClasses: s.work.data.NumClasses()}
	n := p.data.Examples()
	if t.Known.Classes != nil {
		targets.Classes = filled(n, -1)
		for k, i := range t.Train {
			targets.Classes[i] = t.Known.Classes[k]
		}
	} else {
		targets.Values = filled(n, math.NaN())
		for k, i := range t.Train {
			targets.Values[i] = t.Known.Values[k]
		}
	}
	m, err := p.data.Fit(ctx, targets, s.opt, nil)
	if err != nil {
		return nil, err
	}
	scores, err := m.ScoresOf(ctx, p.data, t.Test)
	if err != nil {
		return nil, err
	}
	if targets.Classes == nil {
		return []eval.Targets{{Values: scores}}, nil
	}
	classes, err := m.ClassesOf(scores)
	return []eval.Targets{{Classes: classes}}, err
}

// filled returns n times a value.
func filled[T any](n int, value T) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = value
	}
	return values
}

// train implements setting.
func (s *treegSetting) train(ctx context.Context, _ float64) (predictor, error) {
	p, err := s.walks.Get(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer s.work.spent.fitting(time.Now())
	d := s.work.data
	x := examplesOf(d)
	m, err := p.data.Fit(ctx, treeg.Targets{Classes: x.classes, NumClasses: d.NumClasses(), Values: x.values}, s.opt, s.work.report)
	if err != nil {
		return nil, err
	}
	h := head{Model: "treeg", Task: x.task, Classes: d.ClassNames, Targets: d.TargetNames}
	return &treegModel{h, p.encoding, m}, nil
}

// treegModel is an ensemble of trees with the encoding of the vertices.
type treegModel struct {
	head
	encoding *dataset.Encoding
	model    *treeg.Model
}

// predict implements predictor: probabilities of the classes, or values.
func (m *treegModel) predict(ctx context.Context, d *dataset.Dataset, _ func(string, int, int)) (*predictions, error) {
	b, err := m.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	scores, err := m.model.Scores(ctx, b)
	if err != nil {
		return nil, err
	}
	if m.model.NumClasses() == 0 {
		return &predictions{values: column(scores), columns: predictedColumns(m.Targets)}, nil
	}
	classes, err := m.model.ClassesOf(scores)
	if err != nil {
		return nil, err
	}
	probabilities, err := m.model.ProbabilitiesOf(scores)
	if err != nil {
		return nil, err
	}
	columns := make([]string, m.model.NumClasses())
	for c := range columns {
		columns[c] = "probability " + m.Classes[c]
	}
	shape := tensor.WithShape(len(classes), len(columns))
	return &predictions{classes, tensor.New(shape, tensor.WithBacking(probabilities)), columns}, nil
}

// unknownLabels implements predictor.
func (m *treegModel) unknownLabels(d *dataset.Dataset) []string { return m.encoding.Unknown(d) }

// storedTreeG is what the model adds to its file.
type storedTreeG struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Trees    json.RawMessage   `json:"trees"`
}

// parts implements predictor.
func (m *treegModel) parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.model.MarshalJSON()
	return storedTreeG{m.encoding, description}, m.model.Tensors(), err
}

// loadTreeG reads the parts of an ensemble.
func loadTreeG(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s storedTreeG
	if err := json.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil {
		return nil, fmt.Errorf("its encoding is missing")
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	model, err := treeg.Load(e, s.Trees, f)
	if err != nil {
		return nil, err
	}
	in := model.Input()
	labels, attributes := s.Encoding.Width()
	if attributes > 0 {
		labels = 0
	}
	vertices := in.Level == treeg.Vertices
	switch {
	case in.Labels != labels || in.Attributes != attributes:
		return nil, fmt.Errorf("an encoding of %d labels and %d attributes for trees on %d and %d", labels, attributes, in.Labels, in.Attributes)
	case model.NumClasses() != len(h.Classes) || model.NumClasses() == 0 && len(h.Targets) != 1 || vertices != (h.Task == nodeTask):
		return nil, fmt.Errorf("trees for %d classes on %d classes of a %s", model.NumClasses(), len(h.Classes), h.Task.noun())
	}
	return &treegModel{*h, s.Encoding, model}, nil
}
