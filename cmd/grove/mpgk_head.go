package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/mpgk"
	"gorgonia.org/tensor"
)

// networkSetting is one choice of options of a message passing kernel whose Nyström features of graphs
// go into a network of one hidden layer (section 4.3 of the paper).
type networkSetting struct {
	mpgkSetting
	network autodiff.MLPOptions
}

func (s *networkSetting) params() any {
	return struct {
		mpgk.Options
		Network autodiff.MLPOptions `json:"network"`
	}{s.opt, s.network}
}

// Grid implements [eval.Setting].
func (s *networkSetting) Grid() eval.Grid { return eval.Grid{} }

// Learner implements [eval.Setting].
func (s *networkSetting) Learner(ctx context.Context, train []int) (eval.Learner, error) {
	_, k, all, err := s.flags.fit(ctx, s.work, s.opt, train)
	if err != nil {
		return nil, err
	}
	x, err := k.Features(ctx, all, s.work.report)
	return &networkLearner{s, x}, err
}

type networkLearner struct {
	*networkSetting
	x *tensor.Dense
}

// Learn implements [eval.Learner].
func (l *networkLearner) Learn(ctx context.Context, t eval.Task) ([]eval.Targets, error) {
	y := filled(l.x.Shape()[0], math.NaN())
	for k, g := range t.Train {
		y[g] = t.Known.Values[k]
	}
	n, err := autodiff.FitMLP(ctx, l.work.engine, l.x, column(y), t.Train, l.network, nil)
	if err != nil {
		return nil, err
	}
	said, err := n.Predict(l.x, t.Test)
	if err != nil {
		return nil, err
	}
	return []eval.Targets{{Values: said.Float64s()}}, nil
}

// train implements setting.
func (s *networkSetting) train(ctx context.Context, _ float64) (predictor, error) {
	fitting := time.Now()
	encoding, k, all, err := s.flags.fit(ctx, s.work, s.opt, nil)
	if err != nil {
		return nil, err
	}
	x, err := k.Features(ctx, all, s.work.report)
	if err != nil {
		return nil, err
	}
	d := s.work.data
	n, err := autodiff.FitMLP(ctx, s.work.engine, x, column(d.Targets), examplesOf(d).known, s.network,
		func(epoch, epochs int, loss float64) {
			if s.work.report != nil {
				s.work.report(fmt.Sprintf("train, loss %.4g", loss), epoch, epochs)
			}
		})
	if err != nil {
		return nil, err
	}
	s.work.spent.fitting(fitting)
	if err := k.Keep([]int{0}); err != nil { // the graphs that represent others are kept apart; a kernel wants one
		return nil, err
	}
	h := head{Model: s.model, Task: graphTask, Targets: d.TargetNames}
	return &kernelNetwork{h, encoding, k, n}, nil
}

// kernelNetwork predicts targets by a network on the kernel with a few graphs.
type kernelNetwork struct {
	head
	encoding *dataset.Encoding
	kernel   *mpgk.Model
	network  *autodiff.MLP
}

// predict implements predictor.
func (n *kernelNetwork) predict(
	ctx context.Context, d *dataset.Dataset, report func(string, int, int),
) (*predictions, error) {
	b, err := n.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	x, err := n.kernel.Features(ctx, b, report)
	if err != nil {
		return nil, err
	}
	values, err := n.network.Predict(x, nil)
	return &predictions{values: values}, err
}

// unknownLabels implements predictor.
func (n *kernelNetwork) unknownLabels(d *dataset.Dataset) []string { return n.encoding.Unknown(d) }

// storedNetwork is what the model adds to its file.
type storedNetwork struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Kernel   json.RawMessage   `json:"kernel"`
	Network  json.RawMessage   `json:"network"`
}

// parts implements predictor.
func (n *kernelNetwork) parts() (any, map[string]*tensor.Dense, error) {
	kernel, err := n.kernel.MarshalJSON()
	if err != nil {
		return nil, nil, err
	}
	network, err := n.network.MarshalJSON()
	tensors := maps.Clone(n.kernel.Tensors())
	maps.Copy(tensors, n.network.Tensors())
	return storedNetwork{n.encoding, kernel, network}, tensors, err
}

// loadKernelNetwork reads the parts of a network on a kernel.
func loadKernelNetwork(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s storedNetwork
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil {
		return nil, fmt.Errorf("its encoding is missing")
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	kernel, err := mpgk.Load(e, s.Kernel, f)
	if err != nil {
		return nil, err
	}
	network, err := autodiff.LoadMLP(e, s.Network, f)
	if err != nil {
		return nil, err
	}
	if err := (mpgkKernel{kernel}).checkEncoding(s.Encoding); err != nil {
		return nil, err
	}
	if network.Outputs() != len(h.Targets) || len(h.Classes) > 0 || network.Inputs() != kernel.NumFeatures() {
		return nil, fmt.Errorf("a network from %d to %d numbers on %d features and %d targets", network.Inputs(),
			network.Outputs(), kernel.NumFeatures(), len(h.Targets))
	}
	return &kernelNetwork{*h, s.Encoding, kernel, network}, nil
}
