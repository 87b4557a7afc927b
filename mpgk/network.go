package mpgk

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// NetworkEstimator predicts numbers by a network of one hidden layer on the Nyström features of graphs (section 4.3).
// Kernel.Options.GraphLandmarks must ask for some: 200 in the paper.
type NetworkEstimator struct {
	Kernel  Estimator // its C, Epsilon and Dims do not matter
	Network autodiff.MLPOptions
}

// Name implements [model.Estimator].
func (s NetworkEstimator) Name() string { return s.Kernel.Name() }

// String implements [model.Estimator].
func (s NetworkEstimator) String() string { return s.Kernel.String() }

// Params implements [model.Estimator].
func (s NetworkEstimator) Params() any {
	return struct {
		Options
		Network autodiff.MLPOptions `json:"network"`
	}{s.Kernel.Options, s.Network}
}

// Grid implements [model.Estimator].
func (s NetworkEstimator) Grid() model.Grid { return model.Grid{} }

// Sees implements [model.Estimator].
func (s NetworkEstimator) Sees(w *model.Work) (*dataset.Encoding, error) {
	if !model.TargetsOf(w.Data).Regression() {
		return nil, param.Errorf("head", byNetwork,
			"data set %s has no targets; classes are told apart by a support vector machine", w.Data.Name)
	}
	if w.Data.Task.PerVertex() {
		return nil, param.Errorf("head", byNetwork,
			"a network predicts numbers of graphs; data set %s has a task for every vertex", w.Data.Name)
	}
	return s.Kernel.Sees(w)
}

// Learner implements [model.Estimator].
func (s NetworkEstimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	if _, err := s.Sees(w); err != nil {
		return nil, err
	}
	f, err := s.Kernel.fit(ctx, w)
	if err != nil {
		return nil, err
	}
	if f.model.nystrom == nil {
		return nil, errWithoutLandmarks
	}
	transforming := time.Now()
	k := f.after(s.Kernel.Options.Iterations)
	x, err := k.nystrom.features(w.Engine.Host(), k.train)
	w.Spent.Transforming(transforming)
	return &networkLearner{s, w, f, x}, err
}

// networkLearner learns by a network.
type networkLearner struct {
	NetworkEstimator
	work   *model.Work
	fitted *fitted
	x      *tensor.Dense // features of all graphs
}

// train trains the network of a trial.
func (l *networkLearner) train(
	ctx context.Context, t model.Trial, progress func(epoch, epochs int, loss float64),
) (*autodiff.MLP, error) {
	if !t.Known.Regression() {
		return nil, fmt.Errorf("a network on a kernel learns numbers, no classes")
	}
	y := tensor.New(tensor.WithShape(t.Known.Len(), t.Known.Width()), tensor.WithBacking(t.Known.Values))
	return autodiff.FitMLP(ctx, l.work.Engine, l.x, y, t.Train, l.Network, progress)
}

// Learn implements [model.Learner].
func (l *networkLearner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	n, err := l.train(ctx, t, func(epoch, epochs int, _ float64) {
		if t.Progress != nil {
			t.Progress(epoch, epochs)
		}
	})
	if err != nil {
		return nil, err
	}
	values, err := n.Predict(l.x, t.Test)
	return []*model.Predictions{{Values: values}}, err
}

// Model implements [model.Learner].
func (l *networkLearner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	fitting := time.Now()
	n, err := l.train(ctx, t, func(epoch, epochs int, loss float64) {
		l.work.Progress.Report(fmt.Sprintf("train, loss %.4g", loss), epoch, epochs)
	})
	if err != nil {
		return nil, err
	}
	l.work.Spent.Fitting(fitting)
	k := l.fitted.model.after(l.Kernel.Options.Iterations)
	if err := k.Keep([]int{0}); err != nil { // the graphs that represent others are kept apart; a kernel wants one
		return nil, err
	}
	return &networkModel{model.HeadOf(l.Name(), l.work.Data), l.fitted.encoding, k, n}, nil
}

// networkModel predicts targets by a network on the kernel with a few graphs.
type networkModel struct {
	model.Head
	encoding *dataset.Encoding
	kernel   *Model
	network  *autodiff.MLP
}

// Encoding implements [model.Model].
func (n *networkModel) Encoding() *dataset.Encoding { return n.encoding }

// Predict implements [model.Model].
func (n *networkModel) Predict(
	ctx context.Context, d *dataset.Dataset, progress model.Progress,
) (*model.Predictions, error) {
	b, err := n.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	x, err := n.kernel.Features(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	values, err := n.network.Predict(x, nil)
	return &model.Predictions{Values: values}, err
}

// storedNetwork is what the model adds to its file.
type storedNetwork struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Kernel   json.RawMessage   `json:"kernel"`
	Network  json.RawMessage   `json:"network"`
}

// Parts implements [model.Model].
func (n *networkModel) Parts() (any, map[string]*tensor.Dense, error) {
	kernel, err := n.kernel.MarshalJSON()
	if err != nil {
		return nil, nil, err
	}
	network, err := n.network.MarshalJSON()
	tensors := maps.Clone(n.kernel.Tensors())
	maps.Copy(tensors, n.network.Tensors())
	return storedNetwork{n.encoding, kernel, network}, tensors, err
}

// loadNetwork reads the parts of a network on a kernel.
func loadNetwork(e engine.Engine, h *model.Head, parts json.RawMessage, f *modelfile.File) (model.Model, error) {
	var s storedNetwork
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	kernel, err := Load(e, s.Kernel, f)
	if err != nil {
		return nil, err
	}
	network, err := autodiff.LoadMLP(e, s.Network, f)
	if err != nil {
		return nil, err
	}
	if err := kernel.CheckEncoding(s.Encoding); err != nil {
		return nil, err
	}
	if network.Outputs() != len(h.Targets) || len(h.Classes) > 0 || network.Inputs() != kernel.NumFeatures() {
		return nil, fmt.Errorf("a network from %d to %d numbers on %d features and %d targets", network.Inputs(),
			network.Outputs(), kernel.NumFeatures(), len(h.Targets))
	}
	return &networkModel{*h, s.Encoding, kernel, network}, nil
}
