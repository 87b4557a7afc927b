package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/spf13/pflag"
)

// gcknFlags are the flags of the GCKN models. Lists are a grid to choose from.
type gcknFlags struct {
	variant       string
	grid          gckn.Grid
	preset        string // --grid
	layers        []gckn.LayerOptions
	lengths       string
	exponent      string
	rule          string
	features      dataset.Features
	precision     string
	samples       int
	concat        bool
	flags         *pflag.FlagSet // to know which were given
	options       []gckn.Options // after check
	severalValues bool
	machine       machineFlags
	supervised    bool // the network is trained end to end, without such a machine
}

func newGCKNFlags(variant string) *gcknFlags {
	return &gcknFlags{
		variant: variant,
		grid: gckn.Grid{
			PathSizes: []int{4}, Filters: []int{128}, Sigmas: []float64{0.6},
			Local: []gckn.Pooling{gckn.Sum}, Global: []gckn.Pooling{gckn.Sum},
		},
		preset: "none", lengths: "all", exponent: "mean", rule: "code", precision: "float32",
		features: dataset.AutoFeatures, samples: 300000,
	}
}

func (g *gcknFlags) add(fs *pflag.FlagSet, verb string) {
	several := verb != "embed"
	g.severalValues, g.flags = several, fs
	value := "`N` "
	if several {
		value = "`N,...` "
	}
	poolings := []gckn.Pooling{gckn.Sum, gckn.Mean, gckn.Max, gckn.GeneralizedMax}
	if g.supervised {
		poolings = poolings[:3]
	}
	fs.Var(newList(&g.grid.PathSizes, parseCount), "path-size", value+"vertices of the longest path")
	bound(fs, "path-size", 1, 16)
	fs.Var(newList(&g.grid.Filters, parseCount), "filters", value+"number of anchors of a layer")
	bound(fs, "filters", 1, 1<<14)
	fs.Var(newList(&g.grid.Sigmas, parsePositive), "sigma", value+"bandwidth of the kernel between vertices")
	bound(fs, "sigma", 1e-3, 1e3)
	choicesVar(fs, &g.grid.Local, "pooling", poolings, "how the paths of a vertex become one vector")
	choicesVar(fs, &g.grid.Global, "global-pooling", poolings, "how the vertices of a graph become one vector")
	if several {
		choiceVar(fs, &g.preset, "grid", []string{"none", "quick", "paper"},
			"settings to choose from: those of the lists above, 18 settings around the defaults, or the 2772 of the paper; "+
				"lists that are given replace the grid's own")
	}
	fs.Var(newSingle(&g.layers, parseLayers), "layers",
		"`SIZE:FILTERS:SIGMA,...` path size, filters and sigma of every layer, from the bottom")
	choiceVar(fs, &g.lengths, "lengths", []string{"all", "last"},
		"paths of all lengths up to the path size, or of the last alone")
	if !g.supervised {
		fs.BoolVar(&g.concat, "concat", false, "represent a graph by all layers, not by the last alone")
	}
	featuresVar(fs, &g.features, "auto", "labels", "degrees", "attributes", "attributes+labels", "raw", "raw+labels")
	choiceVar(fs, &g.exponent, "exponent", []string{"mean", "sum"},
		"of the kernel over the positions of a path: mean as in the published code, sum as in the paper")
	choiceVar(fs, &g.rule, "regularisation", []string{"code", "paper"},
		"of the inverse square root: after the root as in the published code, inside as in the paper")
	fs.Var(newSingle(&g.samples, parseCount), "samples", "`N` paths from which the anchors of a layer are learned")
	bound(fs, "samples", 1, 1<<28)
	choiceVar(fs, &g.precision, "precision", []string{"float32", "float64"}, "numbers to compute with")
	if several && !g.supervised {
		g.machine.add(fs, "code: 60 values from 1e-4 to 1e4")
	}
}

// check implements modelFlags.
func (g *gcknFlags) check(seed uint64) error {
	if err := g.machine.check(); err != nil {
		return err
	}
	base, err := gckn.Preset(g.variant, 4, 128, 0.6)
	if err != nil {
		return &usageError{err}
	}
	base.AllLengths, base.Concat = g.lengths == "all", g.concat
	base.SumExponent = g.exponent == "sum"
	if g.rule == "paper" {
		base.Rule = engine.InsideRoot
	}
	base.Samples, base.Seed, base.Double = g.samples, seed, g.precision == "float64"

	grid, err := g.search()
	if err != nil {
		return err
	}
	if !g.severalValues && grid.Size() > 1 {
		for _, flag := range []string{"path-size", "filters", "sigma", "pooling", "global-pooling"} {
			if f := g.flags.Lookup(flag); strings.Contains(f.Value.String(), ",") {
				return usagef("--%s %s: one value, please: there is nothing to choose by here", flag, f.Value)
			}
		}
	}
	if g.options, err = grid.Options(g.variant, base); err != nil {
		return &usageError{err}
	}
	if g.layers != nil {
		for i := range g.options {
			o := &g.options[i]
			pooling := o.Layers[0].Pooling
			o.Layers = append([]gckn.LayerOptions(nil), g.layers...)
			for l := range o.Layers {
				o.Layers[l].Pooling = pooling
			}
			if err := o.Check(); err != nil {
				return usagef("--layers: %v", err)
			}
		}
	}
	return nil
}

// search returns the grid that the flags span: the lists that were given and, for the others, those of
// the named grid or the single defaults.
func (g *gcknFlags) search() (gckn.Grid, error) {
	grid := g.grid
	named := grid
	switch g.preset {
	case "quick":
		named = gckn.QuickGrid()
	case "paper":
		named = gckn.PaperGrid()
	}
	if g.layers != nil {
		for _, flag := range []string{"path-size", "filters", "sigma"} {
			if g.flags.Changed(flag) {
				return grid, usagef("--layers sets the %s of every layer: leave out --%s", strings.ReplaceAll(flag, "-", " "), flag)
			}
		}
		named.PathSizes, named.Filters, named.Sigmas = grid.PathSizes, grid.Filters, grid.Sigmas
	}
	if !g.flags.Changed("path-size") {
		grid.PathSizes = named.PathSizes
	}
	if !g.flags.Changed("filters") {
		grid.Filters = named.Filters
	}
	if !g.flags.Changed("sigma") {
		grid.Sigmas = named.Sigmas
	}
	if !g.flags.Changed("pooling") {
		grid.Local = named.Local
	}
	if !g.flags.Changed("global-pooling") {
		grid.Global = named.Global
	}
	return grid, nil
}

// parseLayers reads --layers.
func parseLayers(text string) ([]gckn.LayerOptions, error) {
	var layers []gckn.LayerOptions
	for part := range strings.SplitSeq(text, ",") {
		fields := strings.Split(strings.TrimSpace(part), ":")
		if len(fields) != 3 {
			return nil, fmt.Errorf("layer %d is %q; want SIZE:FILTERS:SIGMA, for instance 4:128:0.6", len(layers)+1, part)
		}
		size, err1 := strconv.Atoi(fields[0])
		filters, err2 := strconv.Atoi(fields[1])
		sigma, err3 := strconv.ParseFloat(fields[2], 64)
		if err1 != nil || err2 != nil || err3 != nil {
			return nil, fmt.Errorf("layer %d is %q; want SIZE:FILTERS:SIGMA, for instance 4:128:0.6", len(layers)+1, part)
		}
		layers = append(layers, gckn.LayerOptions{PathSize: size, Filters: filters, Sigma: sigma, Pooling: gckn.Sum})
	}
	return layers, nil
}

// fits implements modelFlags.
func (g *gcknFlags) fits(d *dataset.Dataset) (*dataset.Encoding, error) {
	if g.severalValues { // there is a classifier
		if err := wantsGraphClasses(g.variant, d); err != nil {
			return nil, err
		}
	}
	return g.encodes(d)
}

// encodes reports features that the data do not have.
func (g *gcknFlags) encodes(d *dataset.Dataset) (*dataset.Encoding, error) {
	seen, err := dataset.FitEncoding(d, g.features, nil)
	if err != nil && g.features != dataset.AutoFeatures {
		return nil, usagef("--features %s: %w", g.features, err)
	}
	return seen, err
}
