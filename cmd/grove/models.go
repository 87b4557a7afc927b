package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/modelfile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// family is a group of models that share their flags. A new one has files of its own and one line in families.
type family struct {
	name   string
	kind   string // of its model files
	models []modelName
	verbs  []string // commands that know its models
	learns string   // what it learns from graphs without their targets; nothing where it is empty
	inner  string   // default of --inner

	weights bool // its models see the weights of arcs

	flags func(model string) modelFlags // fresh flags with the model's defaults
	load  func(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error)
}

type modelName struct{ name, short string }

func families() []family {
	return []family{gcknFamily(), supervisedFamily(), wlFamily(), deepFamily(), mpgkFamily(), cgmmFamily(), treegFamily()}
}

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
	// add declares the flags of one of the family's verbs.
	add(fs *pflag.FlagSet, verb string)
	// check reports what is wrong with the flags, before any data are read.
	check(seed uint64) error
	// fits reports flags that ask for what the data do not have, and tasks that the model does not solve. It returns
	// what the model sees of the vertices and arcs.
	fits(d *dataset.Dataset) (seen *dataset.Encoding, err error)
	// settings returns the settings that the flags ask for, the product of their lists. It is called
	// after check and fits.
	settings(w *work) []setting
}

// work is what the settings of a model are made for.
type work struct {
	data   *dataset.Dataset
	engine engine.Engine
	spent  *stopwatch
	report func(stage string, done, total int) // may be nil
}

// setting is one choice of options of a model on one data set.
type setting interface {
	eval.Setting
	// params describes the options, for --json.
	params() any
	// train learns from all examples that have a target, with a value of the setting's grid.
	train(ctx context.Context, value float64) (predictor, error)
}

// embedder is a setting that represents graphs by vectors without looking at targets.
type embedder interface {
	embed(ctx context.Context, perVertex bool) (rowStream, error)
}

// addModels adds to a command one command for each model that knows the verb, with the model's flags.
func addModels(
	to *cobra.Command, examples func(model string) string,
	do func(c *cobra.Command, f family, model string, flags modelFlags) error,
) {
	for _, f := range families() {
		if !slices.Contains(f.verbs, to.Name()) {
			continue
		}
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
				RunE: func(c *cobra.Command, _ []string) error { return do(c, f, m.name, flags) },
			}
			addFlags(c.Flags(), groupModel, func(fs *pflag.FlagSet) { flags.add(fs, to.Name()) })
			to.AddCommand(c)
		}
	}
}

// knownModel refuses arguments of a verb that name none of its models.
func knownModel(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownName("model", args[0], modelNames(c), c)
}

// wantsModel is run where a verb is called without a model.
func wantsModel(c *cobra.Command, _ []string) error {
	return usagef("%sMODEL is missing; there are %s", at(c), strings.Join(modelNames(c), ", "))
}

// modelNames lists the models that a verb knows.
func modelNames(c *cobra.Command) []string {
	var known []string
	for _, m := range modelsBelow(c) {
		known = append(known, m.Name())
	}
	return known
}

// asEval returns settings as package eval takes them.
func asEval(settings []setting) []eval.Setting {
	all := make([]eval.Setting, len(settings))
	for i, s := range settings {
		all[i] = s
	}
	return all
}
