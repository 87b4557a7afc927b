package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/grove-graph/grove/cgmm"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"github.com/spf13/pflag"
	"gorgonia.org/tensor"
)

func cgmmFamily() family {
	return family{
		name: "CGMM", kind: "cgmm", load: loadCGMM, verbs: []string{"eval", "train", "embed"}, learns: "states", inner: "5",
		models: []modelName{{"cgmm", "contextual graph Markov model: layers of hidden states, each seeing its neighbours' states below"}},
		flags:  func(string) modelFlags { return newCGMMFlags() },
	}
}

// cgmmFlags are the flags of the contextual graph Markov model. Lists are a grid to choose from.
type cgmmFlags struct {
	states, depths []int
	previous       []int
	opt            cgmm.Options // what the lists leave out
	fingerprint    []string
	kernels        []string
	gammas         []float64
	features       dataset.Features
	arcLabels      bool
	machine        machineFlags
	checkpoint     string

	verb    string
	options []cgmm.Options // after check
}

func newCGMMFlags() *cgmmFlags {
	opt := cgmm.DefaultOptions()
	return &cgmmFlags{
		states: []int{opt.States}, depths: []int{0}, previous: opt.Previous, opt: opt, fingerprint: []string{"counts"},
		kernels: []string{"linear"}, gammas: []float64{1}, features: dataset.AutoFeatures,
	}
}

func (g *cgmmFlags) add(fs *pflag.FlagSet, verb string) {
	g.verb = verb
	value := "`N,...` "
	if verb == "embed" {
		value = "`N` "
	}
	fs.Var(newList(&g.states, parseCount), "states", value+"hidden states of a layer")
	fs.IntVar(&g.opt.Layers, "layers", g.opt.Layers, "`N` layers, the most where growth may stop")
	fs.Var(newList(&g.depths, parseRounds), "depth", value+"layers that represent a graph, from the first on; 0: all")
	fs.Var(newList(&g.previous, parseCount), "previous", "`D,...` preceding layers that a layer looks at, as distances: 1 is the layer below")
	fs.BoolVar(&g.opt.Soft, "soft", false, "let layers see posteriors of states, not the most likely states")
	fs.IntVar(&g.opt.Iterations, "iterations", g.opt.Iterations, "`N` iterations of expectation maximisation in a layer, at most")
	fs.Float64Var(&g.opt.Tolerance, "tolerance", g.opt.Tolerance, "`T` gain of the log-likelihood, as a share of it, at which they stop")
	fs.Float64Var(&g.opt.Smoothing, "smoothing", g.opt.Smoothing, "`S` added to every expected count")
	fs.IntVar(&g.opt.Pool, "pool", g.opt.Pool, "`N` candidates of a layer with different random starts; the best on graphs held out is taken")
	fs.IntVar(&g.opt.Patience, "patience", g.opt.Patience, "`N` layers without a better score after which growth stops, 0: never")
	fs.Var(newList(&g.fingerprint, choice("counts", "frequencies")), "fingerprint", "how the states of its vertices represent a graph")
	annotateWords(fs, "fingerprint", []string{"counts", "frequencies"})
	fs.BoolVar(&g.opt.Fingerprint.Bigrams, "bigrams", false, "count pairs of states of neighbours too")
	fs.BoolVar(&g.opt.Fingerprint.Last, "last", false, "represent a graph by the last layer alone")
	featuresVar(fs, &g.features, "auto", "labels", "degrees", "attributes", "attributes+labels")
	fs.BoolVar(&g.arcLabels, "arc-labels", false, "tell neighbours apart by the label of the arc")
	if verb == "embed" {
		return
	}
	fs.Var(newList(&g.kernels, choice(svm.LinearKernel, svm.RBFKernel, svm.JaccardKernel)), "classifier", "support vector machine on the fingerprints")
	annotateWords(fs, "classifier", []string{svm.LinearKernel, svm.RBFKernel, svm.JaccardKernel})
	fs.Var(newList(&g.gammas, parsePositive), "gamma", "`G,...` of the rbf kernel")
	g.machine.add(fs, "60 values for linear machines, 7 for others")
	if verb == "train" {
		fs.StringVar(&g.checkpoint, "checkpoint", "", "`FILE` finished layers, kept while training runs; a training that finds it goes on from there, to the same bits")
	}
}

// check implements modelFlags.
func (g *cgmmFlags) check(seed uint64) error {
	if err := g.machine.check(); err != nil {
		return err
	}
	if g.checkpoint != "" {
		if err := writable("--checkpoint", g.checkpoint); err != nil {
			return err
		}
	}
	g.options = nil
	for _, states := range g.states {
		for _, fingerprint := range g.fingerprint {
			for _, depth := range g.depths {
				o := g.opt
				o.States, o.Previous, o.Seed = states, g.previous, seed
				o.Fingerprint.Depth, o.Fingerprint.Frequencies = depth, fingerprint == "frequencies"
				if depth > o.Layers {
					return usagef("--depth %d: there are %s, see --layers", depth, count(o.Layers, "layer"))
				}
				if err := o.Check(); err != nil {
					return &usageError{err}
				}
				g.options = append(g.options, o)
			}
		}
	}
	if g.verb == "embed" && len(g.options) > 1 {
		return usagef("embed cgmm: the flags ask for %d settings; one, please: there is nothing to choose by here", len(g.options))
	}
	return nil
}

// fits implements modelFlags.
func (g *cgmmFlags) fits(d *dataset.Dataset) error {
	if g.verb != "embed" {
		if err := wantsGraphClasses("cgmm", d); err != nil {
			return err
		}
	}
	if g.arcLabels && d.Batch.ArcLabels == nil {
		return usagef("--arc-labels: the arcs of data set %s have no labels", d.Name)
	}
	_, err := dataset.FitEncoding(d, g.features, nil)
	if err != nil && g.features != dataset.AutoFeatures {
		return usagef("--features %s: %w", g.features, err)
	}
	return err
}

// grown is a fitted model with the states of all graphs.
type grown struct {
	encoding *dataset.Encoding
	model    *cgmm.Model
	states   *cgmm.States
}

// settings implements modelFlags. Settings that differ in the fingerprint alone share their layers.
func (g *cgmmFlags) settings(w *work) []setting {
	layers := map[int]*eval.Shared[*grown]{} // by the number of states
	var all []setting
	for _, o := range g.options {
		shared := layers[o.States]
		if shared == nil {
			shared = &eval.Shared[*grown]{Compute: func(ctx context.Context, train []int) (*grown, error) {
				return g.grow(ctx, w, o, train, "")
			}}
			layers[o.States] = shared
		}
		vectors := &cgmmVectors{g, w, o, shared}
		for _, kernel := range g.kernels {
			gammas := g.gammas
			if kernel != svm.RBFKernel {
				gammas = []float64{0}
			}
			for _, gamma := range gammas {
				all = append(all, vectors.classified(svm.VectorKernel{Kind: kernel, Gamma: gamma}))
			}
		}
	}
	return all
}

// grow fits a model on the graphs in train, or on all where train is nil. Its checkpoint may be "".
func (g *cgmmFlags) grow(ctx context.Context, w *work, o cgmm.Options, train []int, checkpoint string) (*grown, error) {
	defer w.spent.fitting(time.Now())
	o.Fingerprint.Depth = 0
	s := &cgmm.Setting{
		Data: w.data, Features: g.features, ArcLabels: g.arcLabels, Options: o, Engine: w.engine, Progress: w.report,
		Accuracy: cgmm.Accuracy{Seed: o.Seed, Workers: w.engine.Workers()}, Checkpoint: checkpoint,
	}
	encoding, m, err := s.Fit(ctx, train)
	if err != nil {
		return nil, err
	}
	b, err := encoding.Apart(w.data)
	if err != nil {
		return nil, err
	}
	states, err := m.States(ctx, b, w.report)
	return &grown{encoding, m, states}, err
}

// cgmmVectors represents graphs by fingerprints.
type cgmmVectors struct {
	flags  *cgmmFlags
	work   *work
	opt    cgmm.Options
	layers *eval.Shared[*grown]
}

func (v *cgmmVectors) String() string { return v.opt.String() }

// Represent implements [eval.Vectors].
func (v *cgmmVectors) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	fitted, err := v.layers.Get(ctx, train)
	if err != nil {
		return nil, err
	}
	defer v.work.spent.transforming(time.Now())
	f := v.opt.Fingerprint
	f.Depth = min(f.Depth, fitted.model.Layers())
	return fitted.states.Fingerprints(f)
}

// classified puts a machine on the fingerprints.
func (v *cgmmVectors) classified(kernel svm.VectorKernel) setting {
	s := &cgmmSetting{vectors: v, kernel: kernel}
	grid := v.flags.machine.grid
	if kernel.Kind == svm.LinearKernel {
		s.Setting = eval.LinearSVM{Vectors: v, C: grid}
	} else {
		s.Setting = eval.KernelSVM{Gram: eval.OnVectors{Vectors: v, Kernel: kernel, Engine: v.work.engine}, C: grid}
	}
	return s
}

// cgmmSetting is one choice of options with a machine.
type cgmmSetting struct {
	eval.Setting
	vectors *cgmmVectors
	kernel  svm.VectorKernel
}

func (s *cgmmSetting) params() any {
	return struct {
		cgmm.Options
		Classifier svm.VectorKernel `json:"classifier"`
	}{s.vectors.opt, s.kernel}
}

// train implements setting.
func (s *cgmmSetting) train(ctx context.Context, c float64) (predictor, error) {
	v := s.vectors
	w := v.work
	o := v.opt
	fitted, err := v.flags.grow(ctx, w, o, every(w.data.NumGraphs()), v.flags.checkpoint)
	if err != nil {
		return nil, err
	}
	if path := v.flags.checkpoint; path != "" {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("--checkpoint %s: %w", path, plain(err))
		}
	}
	f := o.Fingerprint
	f.Depth = min(f.Depth, fitted.model.Layers())
	x, err := fitted.states.Fingerprints(f)
	if err != nil {
		return nil, err
	}
	m, err := trainMachine(ctx, x, w.data.Classes, s.kernel, c, w.engine.Workers())
	if err != nil {
		return nil, err
	}
	h := head{Model: "cgmm", Task: graphTask, Classes: w.data.ClassNames}
	return &cgmmModel{h, fitted.encoding, fitted.model, f, m}, nil
}

// embed implements embedder.
func (s *cgmmSetting) embed(ctx context.Context, _ bool) (rowStream, error) {
	v := s.vectors
	fitted, err := v.flags.grow(ctx, v.work, v.opt, nil, "")
	if err != nil {
		return nil, err
	}
	return &cgmmModel{encoding: fitted.encoding, model: fitted.model, fingerprint: v.opt.Fingerprint}, nil
}

// cgmmModel is a trained model with a machine on its fingerprints.
type cgmmModel struct {
	head
	encoding    *dataset.Encoding
	model       *cgmm.Model
	fingerprint cgmm.Fingerprint
	machine     *vectorMachine
}

// fingerprints represents the graphs of d.
func (m *cgmmModel) fingerprints(ctx context.Context, d *dataset.Dataset, perVertex bool, report func(string, int, int)) (*tensor.Dense, error) {
	b, err := m.encoding.Apart(d)
	if err != nil {
		return nil, err
	}
	states, err := m.model.States(ctx, b, report)
	if err != nil {
		return nil, err
	}
	if perVertex {
		return states.VertexFeatures(m.fingerprint)
	}
	return states.Fingerprints(m.fingerprint)
}

// predict implements predictor.
func (m *cgmmModel) predict(ctx context.Context, d *dataset.Dataset, report func(string, int, int)) (*predictions, error) {
	x, err := m.fingerprints(ctx, d, false, report)
	if err != nil {
		return nil, err
	}
	return m.machine.predict(&m.head, x)
}

// unknownLabels implements predictor.
func (m *cgmmModel) unknownLabels(d *dataset.Dataset) []string { return m.encoding.Unknown(d) }

// width implements rowStream.
func (m *cgmmModel) width() (columns int, dtype tensor.Dtype) {
	return m.model.DimOf(m.fingerprint), tensor.Float64
}

// each implements rowStream with one matrix of all rows.
func (m *cgmmModel) each(ctx context.Context, d *dataset.Dataset, perVertex bool, report func(string, int, int), visit func(*tensor.Dense) error) error {
	x, err := m.fingerprints(ctx, d, perVertex, report)
	if err != nil {
		return err
	}
	return visit(x)
}

// storedCGMM is what the model adds to its file.
type storedCGMM struct {
	Encoding    *dataset.Encoding `json:"encoding"`
	Model       json.RawMessage   `json:"model"`
	Fingerprint cgmm.Fingerprint  `json:"fingerprint"`
	Machine     *storedVectors    `json:"machine"`
}

// parts implements predictor.
func (m *cgmmModel) parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.model.MarshalJSON()
	if err != nil {
		return nil, nil, err
	}
	tensors := m.model.Tensors()
	return storedCGMM{m.encoding, description, m.fingerprint, m.machine.store(tensors)}, tensors, nil
}

// loadCGMM reads the parts of a contextual graph Markov model.
func loadCGMM(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s storedCGMM
	if err := json.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil || s.Machine == nil {
		return nil, fmt.Errorf("its encoding or its machine is missing")
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	model, err := cgmm.Load(e, s.Model, f)
	if err != nil {
		return nil, err
	}
	if want, have := model.Input(), cgmm.InputFor(s.Encoding); fmt.Sprint(want) != fmt.Sprint(have) {
		return nil, fmt.Errorf("an encoding of %+v for a model that wants %+v", have, want)
	}
	m := &cgmmModel{head: *h, encoding: s.Encoding, model: model, fingerprint: s.Fingerprint}
	if m.machine, err = s.Machine.load(h, f, model.DimOf(s.Fingerprint)); err != nil {
		return nil, err
	}
	return m, nil
}
