package main

import (
	"fmt"

	"slices"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	_ "github.com/grove-graph/grove/families" // all of them, by their registrations
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/rounds"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// named is a model that a command line names, with its flags.
type named struct {
	model.Options
	name   string
	family *model.Family
	verb   model.Verb
	params param.Set
	rounds *rounds.Rounds // nil: this process goes over all graphs
}

// addModels adds to a command one command for each model that knows the verb, with the model's flags.
func addModels(
	to *cobra.Command, examples func(model string) string, do func(c *cobra.Command, m *named) error,
) {
	verb := model.Verb(to.Name())
	for _, f := range model.Families() {
		if !slices.Contains(f.Verbs, verb) {
			continue
		}
		for _, name := range f.Models {
			m := &named{Options: f.New(name.Name), name: name.Name, family: f, verb: verb}
			m.Declare(&m.params, verb)
			_, rest, _ := strings.Cut(to.Use, "MODEL")
			c := &cobra.Command{
				Use:         m.name + rest,
				Short:       name.Short,
				Long:        to.Short + ".\n\n" + m.name + ": " + name.Short + ". See also grove " + to.Name() + " --help.",
				Example:     examples(m.name),
				Annotations: map[string]string{"family": f.Title},
				Args: func(c *cobra.Command, args []string) error {
					if len(args) > 0 {
						return usagef("%sone model at a time, not %s and %s", at(to), m.name, args[0])
					}
					return nil
				},
				RunE: func(c *cobra.Command, _ []string) error {
					if err := m.Check(); err != nil {
						return asUsage(err)
					}
					if p := m.params.Lookup("checkpoint"); p != nil && p.String() != "" {
						if err := writable("--checkpoint", p.String()); err != nil {
							return err
						}
					}
					return do(c, m)
				},
			}
			addFlags(c.Flags(), groupModel, func(fs *pflag.FlagSet) { declare(fs, &m.params) })
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

// job is what a command line asks of a model: its estimators for some data.
type job struct {
	*model.Work
	estimators []model.Estimator
	notes      []string
}

// job is [named.job] with the engine that computes it: by default one that suits the size of the data and the number of
// times that a model is about to be learned.
func (a *app) job(c *cobra.Command, m *named, on asked, where *computing, fits int) (*job, error) {
	var e engine.Engine
	var err error
	if where.device != auto { // what is wrong with it comes first
		if e, err = a.open(where, 0); err != nil {
			return nil, err
		}
	}
	j, err := m.job(c, on, e)
	if err != nil || e != nil {
		return j, err
	}
	cost, err := j.cost(fits)
	if err != nil {
		return nil, err
	}
	j.Engine, err = a.open(where, cost)
	return j, err
}

// asked is what a command line says of the data.
type asked struct {
	source
	task, target string
	seed         uint64
}

// cost returns how long one core of a CPU takes for so many fits of every estimator.
func (j *job) cost(fits int) (time.Duration, error) {
	return costOf(j.Work, func(d *dataset.Dataset) time.Duration {
		seconds := 0.0
		for _, s := range j.estimators {
			if costed, ok := s.(model.Costed); ok {
				seconds += costed.Cost(d).Seconds()
			}
		}
		return model.Seconds(seconds * float64(fits))
	})
}

// bare reports whether a model is asked for that is learned without targets.
func (m *named) bare() bool {
	o, ok := m.Options.(model.BareOptions)
	return ok && o.Bare()
}

// job reads a data set for a model and refuses what the model cannot do with it. It notes what of the data the model
// does not see. A nil engine is to be filled in.
func (m *named) job(c *cobra.Command, on asked, e engine.Engine) (*job, error) {
	path, task, target := on.data, on.task, on.target
	w, err := m.open(&on.source, task, e)
	if err != nil {
		return nil, err
	}
	w.Rounds = m.rounds
	learns := (m.verb == model.Eval || m.verb == model.Train) && !m.bare()
	j := &job{Work: w}
	if learns {
		if task == string(model.EdgeTask) {
			if err := m.family.CheckTask(m.name, model.EdgeTask); err != nil {
				return nil, asUsage(err)
			}
		}
		if w.Data, err = model.Ask(w.Data, task, target); err != nil {
			return nil, asUsage(err)
		}
		if w.Store == nil {
			err = model.HasVertices(w.Data)
		}
		if err == nil {
			err = wantsTargets(path, w.Data)
		}
		if err == nil {
			err = m.family.Check(m.name, w.Data)
		}
		j.notes = notesOn(w.Data)
	} else {
		err = w.HasVertices()
	}
	if err != nil {
		return nil, asUsage(err)
	}
	if j.estimators, err = m.Estimators(w, on.seed); err != nil {
		return nil, asUsage(err)
	}
	if n := len(j.estimators); n > 1 && (m.verb != model.Eval && m.verb != model.Train || m.bare()) {
		return nil, usagef("%s %s: the flags ask for %d settings; one, please: there is nothing to choose by here", m.verb,
			m.name, n)
	}
	seen, err := j.estimators[0].Sees(w)
	if err != nil {
		return nil, asUsage(err)
	}
	j.notes = append(append(j.notes, m.leftOut(w.Data, seen)...), skippedNotes(w.Data)...)
	return j, nil
}

// open reads a data set. Graphs of a store stay on disk where the model learns from such: not from edges. Those of a
// file of Parquet or Arrow do where they are gone through in their order, without targets.
func (m *named) open(from *source, task string, e engine.Engine) (*model.Work, error) {
	var stay []dataset.Format
	switch {
	case !m.family.Streams || task == string(model.EdgeTask):
	case m.verb == model.Embed:
		stay = []dataset.Format{dataset.StoreFormat, dataset.ParquetFormat, dataset.ArrowFormat}
	case m.verb == model.Train || m.verb == model.Eval:
		stay = []dataset.Format{dataset.StoreFormat}
	}
	return openWork(from, e, stay...)
}

// wantsTargets refuses the data set at path if there is nothing in it to learn.
func wantsTargets(path string, d *dataset.Dataset) error {
	err := model.HasTargets(d)
	if err != nil && d.Task == dataset.GraphClassification && d.NumClasses() == 0 &&
		dataset.FormatOf(path) == dataset.TUFormat {
		return fmt.Errorf("%w (there is no %s_graph_labels.txt)", err, d.Name)
	}
	return err
}

// notesOn says what is particular about what is to be predicted.
func notesOn(d *dataset.Dataset) []string {
	t := model.TargetsOf(d)
	known := t.Known()
	if t.Regression() || len(known) == 0 {
		return nil
	}
	for _, i := range known {
		if t.Classes[i] != t.Classes[known[0]] {
			return nil
		}
	}
	return []string{fmt.Sprintf("all %s have one class, %s, so every accuracy is 100 %%", t.Task.Plural(),
		t.Names[t.Classes[known[0]]])}
}
