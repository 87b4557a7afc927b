package gckn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/model/param"
)

func init() {
	f := model.Family{
		Title: "GCKN", Kind: "gckn", Verbs: []model.Verb{model.Eval, model.Train, model.Embed}, Learns: "anchors", Inner: "5",
		Models: []model.Name{
			{Name: "gckn-walk", Short: "graph convolutional kernel network on walks, one layer"},
			{Name: "gckn-path", Short: "graph convolutional kernel network on paths, one layer"},
			{Name: "gckn-subtree", Short: "paths, and a second layer over what the paths of a vertex saw"},
			{Name: "gckn-3layer", Short: "three layers: paths, paths of 3 vertices, single vertices", Slow: true},
		},
		Tasks:   []model.Task{model.GraphTask, model.NodeTask},
		Classes: true, Bare: true, Streams: true, New: newOptionsByName, Load: loadClassifier,
	}
	model.Register(f)
	f.Title, f.Kind, f.Verbs, f.Inner = "supervised GCKN", "gckn-sup", []model.Verb{model.Eval, model.Train}, "auto"
	f.Models = slices.Clone(f.Models)
	for i, m := range f.Models {
		f.Models[i] = model.Name{Name: m.Name + supervisedSuffix, Short: m.Short + ", trained end to end", Slow: true}
	}
	f.Bare, f.Regression = false, true
	f.Load = loadNetwork
	model.Register(f)
}

// optionsByName are the options of the networks by name. Lists are a grid to choose from.
type optionsByName struct {
	variant   string
	grid      Grid
	preset    string           // "grid"
	layers    [][]LayerOptions // of one network or several; nil: those of the variant
	lengths   string
	exponent  string
	rule      string
	norms     string
	features  dataset.Features
	precision string
	samples   int
	concat    bool
	own       []bool
	constants machine.Constants
	bare      bool      // anchors without a classifier
	training  *training // of networks that are trained end to end, without such a machine; nil for others
	verb      model.Verb
	set       *param.Set // to know which were given
}

func newOptionsByName(name string) model.Options {
	variant, supervised := strings.CutSuffix(name, supervisedSuffix)
	o := &optionsByName{
		variant: variant,
		grid: Grid{
			PathSizes: []int{4}, Filters: []int{128}, Sigmas: []float64{0.6}, Local: []Pooling{Sum}, Global: []Pooling{Sum},
		},
		preset: "none", lengths: "all", exponent: "mean", rule: "code", norms: "first",
		precision: "float32", features: dataset.AutoFeatures, samples: 300000, set: new(param.Set), own: []bool{false},
	}
	if supervised {
		o.training = newTraining()
	}
	return o
}

// lists are the parameters that may hold several values.
var lists = [...]string{"path-size", "filters", "sigma", "pooling", "global-pooling"}

// Declare implements [model.Options].
func (o *optionsByName) Declare(s *param.Set, verb model.Verb) {
	o.set, o.verb = s, verb
	value := "`N,...` "
	if verb == model.Embed {
		value = "`N` "
	}
	poolings := []Pooling{Sum, Mean, Max, GeneralizedMax}
	s.Ints(&o.grid.PathSizes, "path-size", 1, 16, value+"vertices of the longest path")
	s.Ints(&o.grid.Filters, "filters", 1, 1<<14, value+"number of anchors of a layer")
	s.Floats(&o.grid.Sigmas, "sigma", minSigma, maxSigma, value+"bandwidth of the kernel between vertices")
	param.Choices(s, &o.grid.Local, "pooling", poolings, "how the paths of a vertex become one vector")
	param.Choices(s, &o.grid.Global, "global-pooling", poolings, "how the vertices of a graph become one vector")
	if verb != model.Embed {
		param.Choice(s, &o.preset, "grid", []string{"none", "quick", "paper"},
			"settings to choose from: those of the lists above, 18 settings around the defaults, or the 2772 of the paper; "+
				"lists that are given replace the grid's own")
	}
	s.Add(&param.Param{Value: param.One(&o.layers, parseNetworks), Name: "layers",
		Usage: "`SIZE:FILTERS:SIGMA,...` path size, filters and sigma of every layer, from the bottom; / between networks " +
			"to choose from"})
	param.Choice(s, &o.lengths, "lengths", []string{"all", "last"},
		"paths of all lengths up to the path size, or of the last alone")
	if o.training == nil {
		s.Bool(&o.concat, "concat", "represent a graph by all layers, not by the last alone")
	}
	model.DeclareFeatures(s, &o.features, "auto", "labels", "degrees", "attributes", "standardised",
		"attributes+labels", "raw", "raw+labels")
	param.Choice(s, &o.exponent, "exponent", []string{"mean", "sum"},
		"of the kernel over the positions of a path: mean as in the published code, sum as in the paper")
	param.Choice(s, &o.rule, "regularisation", []string{"code", "paper"},
		"of the inverse square root: after the root as in the published code, inside as in the paper")
	param.Choice(s, &o.norms, "norms", []string{"first", "path"},
		"of vertices whose vectors have lengths, that count in the kernel: of the first of a path as in the published code, "+
			"of the whole path as in the paper")
	s.Int(&o.samples, "samples", 1, maxSamples, "`N` paths from which the anchors of a layer are learned")
	param.Choice(s, &o.precision, "precision", []string{"float32", "float64"}, "numbers to compute with")
	switch {
	case o.training != nil:
		o.training.Declare(s, verb)
	case verb != model.Embed:
		machine.DeclareOwnFeatures(s, &o.own)
		o.constants.Declare(s, "code: 60 values from 1e-4 to 1e4")
		if verb == model.Train {
			s.Bool(&o.bare, "no-classifier", "learn anchors alone, from graphs with classes or without: the model represents "+
				"graphs (grove embed), and is what a training starts from (grove train "+o.variant+supervisedSuffix+" --from)")
		}
	}
}

// Bare implements [model.BareOptions].
func (o *optionsByName) Bare() bool { return o.bare }

// Check implements [model.Options].
func (o *optionsByName) Check() error {
	for _, name := range []string{"c", "c-grid"} {
		if o.bare && o.set.Given(name) {
			return param.Errorf(name, o.set.Lookup(name).String(), "no-classifier leaves out what it is for")
		}
	}
	all, err := o.Estimators(nil, 0)
	if err != nil || o.training == nil {
		return err
	}
	return o.training.Check(o.variant+supervisedSuffix, len(all))
}

// Estimators implements [model.Options].
func (o *optionsByName) Estimators(w *model.Work, seed uint64) ([]model.Estimator, error) {
	o = o.onData(w)
	constants, err := o.constants.Values()
	if err != nil {
		return nil, err
	}
	networks, err := o.networks(seed)
	if err == nil && o.training != nil && o.training.keep && o.training.from == "" {
		err = param.Errorf("keep-classifier", true, "there is none without from")
	}
	if err == nil && o.training != nil && o.training.from != "" {
		networks, err = o.pretrained(networks, seed)
	}
	if err != nil {
		return nil, err
	}
	var all []model.Estimator
	poolings := globalPoolings(networks)
	for _, network := range networks {
		if o.training == nil {
			for _, own := range o.own {
				all = append(all, Estimator{Variant: o.variant, Options: network, Features: o.features, C: constants,
					OwnFeatures: own, poolings: poolings})
			}
			continue
		}
		trained, err := o.training.estimators(network, w)
		if err != nil {
			return nil, err
		}
		for _, s := range trained {
			if s.Variant, s.Features = o.variant, o.features; s.From != nil {
				s.Features = s.From.Features()
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// globalPoolings returns those of some networks that cost little beside an encoding, as generalised max pooling does
// not.
func globalPoolings(networks []Options) []Pooling {
	var all []Pooling
	for _, o := range networks {
		if p := o.GlobalPooling; p != GeneralizedMax && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// steppedFilters is the default number of filters where the classifier is trained in the steps.
const steppedFilters = 32

// onData returns the options with the defaults for what some work asks for: of machines on vertices attributes as they
// are, which mostly are words, and means over paths, of which some vertices have very many; of training end to end on
// vertices or on more graphs than [StreamedStart] those of [tunedSteps].
func (o *optionsByName) onData(w *model.Work) *optionsByName {
	if o.training != nil {
		own := *o
		trained := *o.training
		if own.training = &trained; o.set.Given("decay") {
			trained.own.Decays = nil
		}
		large := w != nil && (w.Data.Task.PerVertex() || model.TargetsOf(w.Data).Len() > StreamedStart)
		if large || !trained.own.Standardise || !trained.own.Alternate {
			if own.training = own.training.stepped(o.set); !o.set.Given("filters") && o.preset == "none" {
				own.grid.Filters = []int{steppedFilters}
			}
		}
		return &own
	}
	if w == nil || !w.Data.Task.PerVertex() || o.verb == model.Embed {
		return o
	}
	own := *o
	if !o.set.Given("pooling") && o.preset == "none" {
		own.grid.Local = []Pooling{Mean}
	}
	if b := w.Data.Batch; !o.set.Given("features") && b.Labels == nil && b.AttributeDim > 0 {
		own.features = dataset.RawAttributes
	}
	return &own
}

// networks returns the options of every network that is asked for.
func (o *optionsByName) networks(seed uint64) ([]Options, error) {
	base, err := Preset(o.variant, 4, 128, 0.6)
	if err != nil {
		return nil, param.Wrap(err)
	}
	base.AllLengths, base.Concat = o.lengths == "all", o.concat
	base.SumExponent, base.PathNorms = o.exponent == "sum", o.norms == "path"
	if o.rule == "paper" {
		base.Rule = engine.InsideRoot
	}
	base.Samples, base.Seed, base.Double = o.samples, seed, o.precision == "float64"

	grid, err := o.search()
	if err != nil {
		return nil, err
	}
	if (o.verb == model.Embed || o.bare) && grid.Size() > 1 {
		for _, name := range lists {
			if text := o.set.Lookup(name).String(); strings.Contains(text, ",") {
				return nil, param.Errorf(name, text, "one value, please: there is nothing to choose by here")
			}
		}
	}
	presets, err := grid.Options(o.variant, base)
	if err != nil || o.layers == nil {
		return presets, param.Wrap(err)
	}
	if o.verb == model.Embed && len(o.layers) > 1 {
		return nil, param.Errorf("layers", nil, "one network, please: there is nothing to choose by here")
	}
	var all []Options
	for _, layers := range o.layers {
		for _, one := range presets {
			pooling := one.Layers[0].Pooling
			one.Layers = slices.Clone(layers)
			for l := range one.Layers {
				one.Layers[l].Pooling = pooling
			}
			if err := one.Check(); err != nil {
				return nil, param.Errorf("layers", nil, "%w", err)
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// search returns the grid that the options span: the lists that were given and, for the others, those of the named grid
// or the single defaults.
func (o *optionsByName) search() (Grid, error) {
	grid := o.grid
	switch o.preset {
	case "quick":
		grid = QuickGrid()
	case "paper":
		grid = PaperGrid()
	}
	given := make([]bool, len(lists))
	for i, name := range lists {
		given[i] = o.set.Given(name)
		if o.layers != nil && given[i] && i < 3 {
			return grid, param.Errorf("layers", nil, "it sets the %s of every layer: leave out %s",
				strings.ReplaceAll(name, "-", " "), name)
		}
	}
	single := o.layers != nil // the layers replace whatever a named grid has for these
	replace(&grid.PathSizes, o.grid.PathSizes, given[0] || single)
	replace(&grid.Filters, o.grid.Filters, given[1] || single)
	replace(&grid.Sigmas, o.grid.Sigmas, given[2] || single)
	replace(&grid.Local, o.grid.Local, given[3])
	replace(&grid.Global, o.grid.Global, given[4])
	return grid, nil
}

// replace replaces a value by another one if that is asked for.
func replace[T any](value *T, by T, asked bool) {
	if asked {
		*value = by
	}
}

// parseNetworks reads the layers of one network or of several.
func parseNetworks(text string) ([][]LayerOptions, error) {
	var networks [][]LayerOptions
	for network := range strings.SplitSeq(text, "/") {
		layers, err := parseLayers(network)
		if err != nil {
			return nil, err
		}
		networks = append(networks, layers)
	}
	return networks, nil
}

// parseLayers reads the layers of a network.
func parseLayers(text string) ([]LayerOptions, error) {
	var layers []LayerOptions
	for layer := range strings.SplitSeq(text, ",") {
		fields := strings.Split(strings.TrimSpace(layer), ":")
		if len(fields) != 3 {
			fields = make([]string, 3) // of no number
		}
		size, err1 := strconv.Atoi(fields[0])
		filters, err2 := strconv.Atoi(fields[1])
		sigma, err3 := strconv.ParseFloat(fields[2], 64)
		if err1 != nil || err2 != nil || err3 != nil {
			return nil, fmt.Errorf("layer %d is %q; want SIZE:FILTERS:SIGMA, for instance 4:128:0.6", len(layers)+1, layer)
		}
		layers = append(layers, LayerOptions{PathSize: size, Filters: filters, Sigma: sigma, Pooling: Sum})
	}
	return layers, nil
}
