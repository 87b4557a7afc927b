package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// workload is a piece of work whose launches and copies are counted. Its name is what --count takes.
type workload struct {
	name  string
	count func(c *counting) (counted, error)
}

func workloads() []workload {
	return []workload{
		{"train-nci1-path", training{"gckn-path", 32, 32, 1}.count},
		{"train-nci1-path-folds", training{"gckn-path", 32, 32, abreast}.count},
		{"train-nci1-subtree", training{"gckn-subtree", 32, 32, 1}.count},
		{"train-nci1-subtree-folds", training{"gckn-subtree", 32, 32, abreast}.count},
		{"train-nci1-gin", (*counting).isomorphism},
		{"train-nci1-path-512", training{"gckn-path", 512, 512, 1}.count},
		{"encode-nci1-path", (*counting).encode},
		{"fit-nci1-path", (*counting).fit},
		{"treeg-mutag", (*counting).boostMUTAG},
		{"treeg-planted", (*counting).boostPlanted},
		{"path-trie", operationCount("path-trie")},
		{"sparse-matmul-power-law", operationCount("sparse-matmul-power-law")},
		{"assign", operationCount("assign")},
	}
}

func workloadNames() []string {
	var names []string
	for _, w := range workloads() {
		names = append(names, w.name)
	}
	return names
}

// counting counts what workloads ask of a device.
type counting struct {
	*runner
	ctx context.Context
}

// count counts the named workloads, all for "all".
func (r *runner) count(ctx context.Context, names []string) error {
	c := &counting{runner: r, ctx: ctx}
	if r.tools == nil {
		return usageError{errNothingToCount}
	}
	r.report.Counts = map[string]counted{}
	for _, w := range workloads() {
		if !slices.Contains(names, w.name) && !slices.Contains(names, "all") {
			continue
		}
		r.log("counting %s", w.name)
		found, err := w.count(c)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		r.report.Counts[w.name] = found
	}
	return nil
}

// during returns what run asks of the device.
func (c *counting) during(run func() error) (counts, error) {
	before, err := c.tools.Counts()
	if err != nil {
		return counts{}, err
	}
	if err := run(); err != nil {
		return counts{}, err
	}
	after, err := c.tools.Counts()
	return after.since(before, 1), err
}

// training is a network that is trained end to end, see [trainings], or several side by side, which learn from the
// training parts of as many folds.
type training struct {
	variant                string
	filters, batch, models int
}

const (
	// countedSteps is the number of steps of an epoch that is counted: a simulated GPU is slow, and more steps have
	// the same mean.
	countedSteps = 20
	abreast      = 10 // folds that train side by side
)

// count counts the second epoch of a training: the first one makes memory.
func (t training) count(c *counting) (counted, error) {
	s, err := c.inputs.molecules()
	if err != nil {
		return counted{}, err
	}
	steps := countedSteps
	if t.batch > 32 {
		steps = 2
	}
	graphs := steps * t.batch
	if t.models > 1 {
		graphs = graphs * t.models / (t.models - 1)
	}
	d := thinned(s.data, graphs)
	b, err := encoded(d)
	if err != nil {
		return counted{}, err
	}
	opt, err := gckn.Preset(t.variant, 4, min(t.filters, c.sizes.filters*4), sigma)
	if err != nil {
		return counted{}, err
	}
	run := gckn.Training{Options: gckn.DefaultSupervised(opt)}
	run.Options.BatchSize = t.batch
	run.Examples = train.Examples{Graphs: train.InMemory(b), Targets: model.TargetsOf(d)}
	if run.Examples.Input, err = train.InputOf(b); err != nil {
		return counted{}, err
	}
	before, after, err := t.secondEpoch(c, &run)
	if err != nil {
		return counted{}, err
	}
	items := b.NumGraphs() * max(t.models-1, 1) / t.models
	pieces := float64((items + t.batch - 1) / t.batch)
	r := counted{
		Per: "step", Pieces: pieces, counts: after.since(before, pieces),
		Shape: fmt.Sprintf("%s: %d graphs, %d vertices, batches of %d; %s", s.from, b.NumGraphs(), b.NumVertices(), t.batch,
			opt),
	}
	if t.models > 1 {
		r.Per = fmt.Sprintf("step of %d", t.models)
		r.Shape += fmt.Sprintf("; %d folds side by side", t.models)
	}
	return r, nil
}

// secondEpoch counts before and after the second epoch of all models.
func (t training) secondEpoch(c *counting, run *gckn.Training) (before, after counts, err error) {
	runs := []*gckn.Training{run}
	if t.models > 1 {
		if runs, err = ofFolds(run, t.models); err != nil {
			return before, after, err
		}
	}
	return before, after, trainAbreast(c.ctx, c.engine, runs, func(epoch int) (more bool, err error) {
		switch epoch {
		case 1:
			before, err = c.tools.Counts()
		case 2:
			after, err = c.tools.Counts()
		}
		return epoch < 2, err
	})
}

// encode counts the encoding of all graphs by a model that has encoded them before.
func (c *counting) encode() (counted, error) {
	s, opt, err := c.unsupervised()
	if err != nil {
		return counted{}, err
	}
	input, err := train.InputOf(s.batch)
	if err != nil {
		return counted{}, err
	}
	fitted, err := gckn.Fit(c.ctx, c.engine.Host(), s.batch, input, opt, nil)
	if err != nil {
		return counted{}, err
	}
	m, err := gckn.New(c.engine, input, opt, []*tensor.Dense{fitted.Anchors(0)})
	if err != nil {
		return counted{}, err
	}
	transform := func() error {
		_, err := m.Transform(c.ctx, s.batch, nil)
		return err
	}
	if err := transform(); err != nil {
		return counted{}, err
	}
	found, err := c.during(transform)
	return counted{Per: "whole, warm", Pieces: 1, counts: found, Shape: shapeOf(s, opt)}, err
}

// unsupervised returns the molecules, and the options of GCKN-path with 128 filters.
func (c *counting) unsupervised() (source, gckn.Options, error) {
	s, err := c.inputs.molecules()
	if err != nil {
		return source{}, gckn.Options{}, err
	}
	opt, err := gckn.Preset("gckn-path", 4, c.sizes.filters, sigma)
	opt.Samples = c.sizes.samples
	return s, opt, err
}

func shapeOf(s source, opt fmt.Stringer) string {
	return fmt.Sprintf("%s: %d graphs, %d vertices; %s", s.from, s.batch.NumGraphs(), s.batch.NumVertices(), opt)
}

// fit counts what grove train does: the choice of C by five folds, and a model of all graphs.
func (c *counting) fit() (counted, error) {
	s, opt, err := c.unsupervised()
	if err != nil {
		return counted{}, err
	}
	estimator := gckn.Estimator{Options: opt}
	found, err := c.during(func() error {
		w := model.NewWork(s.data, c.engine)
		chosen, err := eval.Choose(c.ctx, w, []model.Estimator{estimator}, eval.Choosing{Folds: 5, Workers: 1})
		if err != nil {
			return err
		}
		_, err = model.FitWork(c.ctx, w, estimator, chosen.Values())
		return err
	})
	return counted{Per: "whole", Pieces: 1, counts: found, Shape: shapeOf(s, opt) + "; 5 folds choose C"}, err
}

// operationCount counts one call of an operation on small inputs, which asks for as many launches and copies as one on
// large inputs, and takes the floor of its work from large ones.
func operationCount(name string) func(c *counting) (counted, error) {
	return func(c *counting) (counted, error) {
		i := slices.IndexFunc(operations(), func(op operation) bool { return op.name == name })
		prepare := func(s sizes, e engine.Engine) (*task, error) {
			return operations()[i].prepare(&table{sizes: s, inputs: newInputs(c.data, s), engine: e})
		}
		s := quickSizes()
		s.powerLaw = min(60000, c.sizes.powerLaw) // enough arcs for parts of rows
		small, err := prepare(s, c.engine)
		if err != nil {
			return counted{}, err
		}
		run := func() error { return small.run(c.engine) }
		if err := run(); err != nil {
			return counted{}, err
		}
		found, err := c.during(run)
		if err != nil {
			return counted{}, err
		}
		large, err := prepare(c.sizes, c.engine.Host())
		if err != nil {
			return counted{}, err
		}
		f := large.floor
		return counted{
			Per: "call", Pieces: 1, counts: found, Shape: "counted on small inputs; floor of " + large.shape,
			Floor: &kernelWork{Exponentials32: f.exps32, Exponentials64: f.exps64, Operations32: f.flops32,
				Operations64: f.flops64},
			Bytes: max(f.bytes, large.moved),
		}, nil
	}
}
