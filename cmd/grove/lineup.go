package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// lineup is the models that a command line names, each with its flags.
type lineup struct {
	lines  []string
	models []*named
	brief  map[string]*candidate // what takes part on many graphs in place of a model, by its name
	all    bool                  // none was named: all that fit the data
}

// lineupFlags are the flags that name models beside the arguments.
type lineupFlags struct {
	models string
	all    bool
}

func (f *lineupFlags) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&f.models, "models", "", "`FILE` further models, a line each; # begins a remark")
	fs.BoolVar(&f.all, "all", false,
		"without names: the slow models too, gckn-3layer and those that end in -sup, and none made brief")
}

// read returns the models of some arguments, of the file of --models, and those of a kept comparison, each once.
func (f *lineupFlags) read(c *cobra.Command, args []string, kept []string) (*lineup, error) {
	l := &lineup{lines: slices.Clone(args), brief: map[string]*candidate{}}
	if f.models != "" {
		more, err := linesOf(f.models)
		if err != nil {
			return nil, err
		}
		l.lines = append(l.lines, more...)
	}
	if l.all = len(l.lines) == 0; l.all {
		if err := l.everyModel(c, f.all); err != nil {
			return nil, err
		}
	} else if f.all {
		return nil, usagef("--all stands for the names of all models: leave it out, or the names")
	}
	named := l.lines // behind what was measured before, so that of equal models a later one changes no choice
	l.lines = slices.Clone(kept)
	for i, line := range named {
		if slices.Contains(named[:i], line) {
			return nil, usagef("model %q is named twice", line)
		}
		if !slices.Contains(kept, line) {
			l.lines = append(l.lines, line)
		}
	}
	for _, line := range l.lines {
		m, err := parseModel(c, line)
		if err != nil {
			return nil, err
		}
		l.models = append(l.models, m)
	}
	return l, nil
}

// linesOf reads the file of --models.
func linesOf(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--models %s: %w", path, plain(err))
	}
	defer file.Close()
	var lines []string
	s := bufio.NewScanner(file)
	for s.Scan() {
		text, _, _ := strings.Cut(s.Text(), "#")
		if text = strings.TrimSpace(text); text != "" {
			lines = append(lines, text)
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("--models %s: %w", path, plain(err))
	}
	return lines, nil
}

// parseModel reads a model with its flags: a name, and what would stand behind it on the line of grove eval.
func parseModel(c *cobra.Command, line string) (*named, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, usagef("an empty name of a model")
	}
	name := words[0]
	family := model.FamilyOf(name)
	if family == nil || !slices.Contains(family.Verbs, model.Eval) {
		return nil, unknownName("model", name, evaluated(), c)
	}
	m := &named{Options: family.New(name), name: name, family: family, verb: model.Eval}
	m.Declare(&m.params, model.Eval)
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	declare(fs, &m.params)
	if err := fs.Parse(words[1:]); err != nil {
		return nil, usagef("model %q: %v", line, err)
	}
	if fs.NArg() > 0 {
		return nil, usagef("model %q: what is %s? Flags begin with --", line, fs.Arg(0))
	}
	if err := m.Check(); err != nil {
		return nil, usagef("model %q: %v", line, asUsage(err))
	}
	return m, nil
}

// everyModel takes the models where none is named: those that are not slow, with brief forms of the longest of them;
// or all as they are.
func (l *lineup) everyModel(c *cobra.Command, slow bool) error {
	for m := range evaluable {
		if m.Slow && !slow {
			continue
		}
		l.lines = append(l.lines, m.Name)
		if m.Brief == "" || slow {
			continue
		}
		line := m.Name + " " + m.Brief
		brief, err := parseModel(c, line)
		if err != nil {
			return err
		}
		l.brief[m.Name] = &candidate{named: brief, line: line}
	}
	return nil
}

// evaluated lists the names of the models that can be evaluated.
func evaluated() (names []string) {
	for m := range evaluable {
		names = append(names, m.Name)
	}
	return names
}

// evaluable yields the models that can be evaluated.
func evaluable(yield func(model.Name) bool) {
	for _, f := range model.Families() {
		for _, m := range f.Models {
			if slices.Contains(f.Verbs, model.Eval) && !yield(m) {
				return
			}
		}
	}
}

// openAll reads the data set that several models are to learn from, with its targets, and opens the engine.
func (a *app) openAll(on asked, where *computing) (*model.Work, error) {
	d, err := on.source.open()
	if err != nil {
		return nil, err
	}
	if d, err = model.Ask(d, on.task, on.target); err != nil {
		return nil, asUsage(err)
	}
	if err := model.HasVertices(d); err != nil {
		return nil, err
	}
	if err := wantsTargets(on.data, d); err != nil {
		return nil, err
	}
	var e engine.Engine
	if e, err = a.open(where, 0); err != nil {
		return nil, err
	}
	return model.NewWork(d, e), nil
}

// candidate is a model of a line-up that fits the data.
type candidate struct {
	*named
	line       string
	estimators []model.Estimator
}

// many is the number of graphs above which models take part in their brief form.
const many = 1000

// fitting returns the models that fit the data of some work. Others are an error where they were named, and left out
// where all models take part.
func (l *lineup) fitting(w *model.Work, seed uint64) ([]candidate, []eval.LeftOut, error) {
	var fit []candidate
	var left []eval.LeftOut
	for i, m := range l.models {
		line := l.lines[i]
		if brief := l.brief[line]; brief != nil && w.Data.NumGraphs() > many {
			if m, line = brief.named, brief.line; slices.Contains(l.lines, line) { // kept from an earlier comparison
				continue
			}
		}
		estimators, err := m.fitting(w, seed)
		switch {
		case err == nil:
			fit = append(fit, candidate{m, line, estimators})
		case !l.all:
			return nil, nil, usagef("model %q: %v", line, err)
		default:
			left = append(left, eval.LeftOut{Model: line, Why: oneLine(err.Error())})
		}
	}
	if len(fit) == 0 {
		return nil, nil, fmt.Errorf("no model fits data set %s", w.Data.Name)
	}
	return fit, left, nil
}

// fitting returns the estimators of a model for some work, and an error where it does not fit the data.
func (m *named) fitting(w *model.Work, seed uint64) ([]model.Estimator, error) {
	if err := m.family.Check(m.name, w.Data); err != nil {
		return nil, err
	}
	estimators, err := m.Estimators(w, seed)
	if err != nil {
		return nil, err
	}
	_, err = estimators[0].Sees(w)
	return estimators, err
}
