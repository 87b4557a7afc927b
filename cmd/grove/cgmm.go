package main

import (
	"context"
	"time"

	"github.com/grove-graph/grove/cgmm"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

func cgmmFamily() family {
	return family{
		name: "CGMM", kind: "cgmm", load: loadCGMM, verbs: []string{"eval", "train", "embed"}, learns: "states", inner: "5",
		models: []modelName{{"cgmm",
			"contextual graph Markov model: layers of hidden states, each seeing its neighbours' states below"}},
		flags: func(string) modelFlags { return newCGMMFlags() },
	}
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
	f := o.Fingerprint
	f.Depth = min(f.Depth, fitted.model.Layers())
	x, err := fitted.states.Fingerprints(f)
	if err != nil {
		return nil, err
	}
	m, err := trainMachine(ctx, x, w.data.Classes, s.kernel, c, w.engine)
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
