package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gorgonia.org/tensor"
)

// family is a group of models that share their flags. A new family is one file and one line in families.
type family struct {
	name   string
	kind   string // of its model files
	models []modelName
	flags  func(model string) modelFlags // fresh flags with the model's defaults
	load   func(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error)
}

type modelName struct{ name, short string }

func families() []family { return []family{gcknFamily()} }

// familyOf returns the family of a model.
func familyOf(model string) family {
	for _, f := range families() {
		if slices.ContainsFunc(f.models, func(m modelName) bool { return m.name == model }) {
			return f
		}
	}
	panic("a model without a family: " + model)
}

// modelFlags are the flags of a model.
type modelFlags interface {
	// add declares the flags; several tells whether they may carry several values to choose from.
	add(fs *pflag.FlagSet, several bool)
	// check reports what is wrong with the flags, before any data are read.
	check(seed uint64) error
	// fits reports flags that ask for what the data do not have, and whether the model looks at
	// attributes of vertices.
	fits(d *dataset.Dataset) (attributes bool, err error)
	// settings returns the settings that the flags ask for, the product of their lists.
	settings(d *dataset.Dataset, e engine.Engine, spent *stopwatch, report func(stage string, done, total int)) []setting
}

// setting is one choice of options of a model on one data set.
type setting interface {
	eval.Vectors
	// params describes the options, for --json.
	params() any
	// fit learns from the graphs in train, or from all of them where it is nil.
	fit(ctx context.Context, train []int) (features, error)
}

// features is a fitted map from graphs to vectors.
type features interface {
	graphs(ctx context.Context, d *dataset.Dataset, report func(stage string, done, total int)) (*tensor.Dense, error)
	rowStream
}

// addModels adds to a command one command for each model, with the model's flags.
func addModels(to *cobra.Command, several bool, examples func(model string) string, do func(c *cobra.Command, model string, flags modelFlags) error) {
	for _, f := range families() {
		for _, m := range f.models {
			flags := f.flags(m.name)
			_, rest, _ := strings.Cut(to.Use, "MODEL")
			c := &cobra.Command{
				Use:         m.name + rest,
				Short:       m.short,
				Long:        to.Short + ".\n\n" + m.name + ": " + m.short + ". See also grove " + to.Name() + " --help.",
				Example:     examples(m.name),
				Annotations: map[string]string{"family": f.name},
				Args: func(c *cobra.Command, args []string) error {
					if len(args) > 0 {
						return usagef("%sone model at a time, not %s and %s", at(to), m.name, args[0])
					}
					return nil
				},
				RunE: func(c *cobra.Command, _ []string) error { return do(c, m.name, flags) },
			}
			addFlags(c.Flags(), groupModel, func(fs *pflag.FlagSet) { flags.add(fs, several) })
			to.AddCommand(c)
		}
	}
}

// wantsModel is run where a verb is called without a model.
func wantsModel(c *cobra.Command, args []string) error {
	var known []string
	for _, m := range modelsBelow(c) {
		known = append(known, m.Name())
	}
	return exactlyOne("MODEL", known)(c, args)
}

// asEval returns settings as package eval takes them, with a linear classifier and its grid of C.
func asEval(settings []setting, grid []float64) []eval.Setting {
	all := make([]eval.Setting, len(settings))
	for i, s := range settings {
		all[i] = eval.LinearSVM{Vectors: s, C: grid}
	}
	return all
}

// wantsVertices refuses data sets of nothing.
func wantsVertices(d *dataset.Dataset) error {
	switch {
	case d.NumGraphs() == 0:
		return fmt.Errorf("data set %s has no graphs", d.Name)
	case d.Batch.NumVertices() == 0:
		return fmt.Errorf("data set %s has no vertices", d.Name)
	}
	return nil
}

// wantsClasses refuses the data set at path if its graphs have no classes.
func wantsClasses(model, path string, d *dataset.Dataset) error {
	if err := wantsVertices(d); err != nil {
		return err
	}
	switch {
	case d.Task.PerVertex():
		return fmt.Errorf("%s classifies graphs; data set %s has a task for every vertex (grove embed --task node represents vertices)", model, d.Name)
	case d.Task == dataset.GraphRegression:
		return fmt.Errorf("%s classifies graphs; data set %s has targets in place of classes", model, d.Name)
	case len(d.Classes) == 0 && dataset.FormatOf(path) == dataset.TUFormat:
		return fmt.Errorf("data set %s: its graphs have no classes to learn (there is no %s_graph_labels.txt)", d.Name, d.Name)
	case len(d.Classes) == 0:
		return fmt.Errorf("data set %s: its graphs have no classes to learn", d.Name)
	}
	return nil
}

// notesOn says what is particular about the classes of a data set.
func notesOn(d *dataset.Dataset) []string {
	for _, c := range d.Classes {
		if c != d.Classes[0] {
			return nil
		}
	}
	return []string{fmt.Sprintf("all graphs have one class, %s, so every accuracy is 100 %%", d.ClassNames[d.Classes[0]])}
}

// addGridFlag declares --c-grid; nil stands for the grid of the published code.
func addGridFlag(fs *pflag.FlagSet, grid *[]float64) {
	fs.Var(newSingle(grid, parseGrid), "c-grid", "`C,...` values of C to choose from, or code or paper for the grids of the published code and of the paper (default code: 60 values from 1e-4 to 1e4)")
}

// parseGrid reads --c-grid.
func parseGrid(text string) ([]float64, error) {
	switch text {
	case "code":
		return svm.CGrid(), nil
	case "paper":
		return svm.PaperGrid(), nil
	}
	var grid []float64
	for _, part := range strings.Split(text, ",") {
		c, err := parseConstant(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		grid = append(grid, c)
	}
	slices.Sort(grid)
	return slices.Compact(grid), nil
}
