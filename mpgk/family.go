package mpgk

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
)

func init() {
	model.Register(model.Family{
		Title: "MPGK", Kind: "mpgk", Inner: "5", Learns: "hierarchies",
		Verbs: []model.Verb{model.Eval, model.Train, model.Embed, model.Gram},
		Models: []model.Name{
			{Name: "mpgk-rr", Short: "message passing kernel, neighbourhoods and graphs by all pairs"},
			{Name: "mpgk-ra", Short: "message passing kernel, neighbourhoods by all pairs, graphs by an assignment"},
			{Name: "mpgk-ar", Short: "message passing kernel, neighbourhoods by an assignment, graphs by all pairs"},
			{Name: "mpgk-aa", Short: "message passing kernel, neighbourhoods and graphs by an assignment"},
		},
		Tasks: []model.Task{model.GraphTask, model.NodeTask}, Classes: true, Regression: true,
		New: newOptions, Load: loadModel,
	})
}

// loadModel reads the parts of a machine, or of a network, on a kernel.
func loadModel(e engine.Engine, h *model.Head, parts json.RawMessage, f *modelfile.File) (model.Model, error) {
	var s struct {
		Network json.RawMessage `json:"network"`
	}
	if err := json.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Network != nil {
		if h.Task != model.GraphTask {
			return nil, fmt.Errorf("a network on graphs for the task %s", h.Task)
		}
		return loadNetwork(e, h, parts, f)
	}
	return machine.Load(h, parts, func(description json.RawMessage) (machine.GraphKernel, error) {
		m, err := Load(e, description, f)
		if err == nil && m.opt.Vertices != (h.Task == model.NodeTask) {
			err = fmt.Errorf("a kernel of other things than the task has: %s", h.Task)
		}
		return m, err
	})
}

// Predictors of numbers.
const (
	byMachine = "svr"
	byNetwork = "mlp"
)

// graphLandmarks is the number of graphs that represent others where none is given (section 4.3).
const graphLandmarks = 200

// options are the options of the kernels by name. Iterations and their sums are a grid to choose from.
type options struct {
	estimator  Estimator
	iterations []int
	sums       []bool // of the iterations
	head       string // of a regression
	network    autodiff.MLPOptions
	constants  machine.Constants
	set        *param.Set // to know which were given
}

func newOptions(name string) model.Options {
	o, err := Preset(name)
	if err != nil {
		panic(err) // a model of the family
	}
	return &options{
		estimator: Estimator{Options: o, Features: dataset.AutoFeatures, Epsilon: 0.1, Dims: defaultDims,
			Machine: machine.Auto},
		iterations: []int{o.Iterations}, sums: []bool{false}, head: byMachine, network: autodiff.DefaultMLP(),
		set: new(param.Set),
	}
}

// Declare implements [model.Options].
func (o *options) Declare(s *param.Set, verb model.Verb) {
	o.set = s
	value, sums := "`T,...` ", "`true,false` "
	if verb == model.Gram || verb == model.Embed {
		value, sums = "`T` ", ""
	}
	opt := &o.estimator.Options
	s.Ints(&o.iterations, "iterations", 1, maxIterations, value+"updates of the kernel between vertices")
	s.Float(&opt.Alpha, "alpha", 0, 1000, "`A` weight of the vertex in an update")
	s.Float(&opt.Beta, "beta", 0, 1000, "`B` weight of its neighbourhood")
	model.DeclareFeatures(s, &o.estimator.Features,
		"auto", "labels", "degrees", "raw", "raw+labels", "attributes", "attributes+labels")
	s.Int(&opt.Landmarks, "landmarks", 0, maxLandmarks,
		"`N` vertices of a Nyström approximation of the kernel between vertices (200 in the paper), 0: exact")
	s.Int(&opt.Branching, "branching", 2, maxBranching, "`N` children of a node of a hierarchy")
	s.Int(&opt.Depth, "depth", 1, maxDepth, "`N` depth of a hierarchy")
	param.Choice(s, &opt.Weights, "weights", []Weights{PaperWeights, PublishedWeights},
		"of the nodes of a hierarchy: those of the paper or of the published code")
	s.Add(&param.Param{Value: param.List(&o.sums, param.ParseBool), Name: "sum-iterations", Alone: "true",
		Usage: sums + "add up the kernels of all iterations, as the published code does"})
	if verb == model.Embed {
		opt.GraphLandmarks = graphLandmarks
		s.Int(&o.estimator.Dims, "dims", 1, 1<<12,
			"`N` coordinates of a vertex, by kernel principal components (with --task node)")
		s.Int(&opt.GraphLandmarks, "graph-landmarks", 1, maxLandmarks,
			"`N` graphs that represent the others (without --task node)")
		return
	}
	s.Bool(&opt.Normalise, "normalise", "divide kernel values by those of the graphs with themselves "+
		"(of vertices the default)")
	if verb == model.Gram {
		return
	}
	s.Float(&o.estimator.Epsilon, "epsilon", param.Tiny, param.Huge,
		"`E` error that costs nothing in a regression, in units of the target")
	param.Choice(s, &o.head, "head", []string{byMachine, byNetwork},
		"of a regression: support vector regression, or a network on the kernel with a few graphs")
	s.Int(&opt.GraphLandmarks, "graph-landmarks", 0, maxLandmarks, "`N` those graphs (default 200 with --head mlp)")
	s.Int(&o.network.Hidden, "hidden", 1, 1<<16, "`N` hidden units of the network")
	s.Int(&o.network.Epochs, "epochs", 1, 1_000_000, "`N` passes over the data that train the network")
	o.constants.Declare(s, "7 values from 1e-3 to 1e3")
	o.estimator.Machine.Declare(s)
}

// Estimators implements [model.Options]: one for every sum and number of iterations. Those of one sum share a fit. The
// kernel between vertices is divided by that of each with itself by default: sums over few neighbours and over many are
// compared.
func (o *options) Estimators(w *model.Work, seed uint64) ([]model.Estimator, error) {
	base := o.estimator
	if w != nil && w.Data.Task.PerVertex() {
		base.Options.Vertices = true
		base.Options.Normalise = base.Options.Normalise || !o.set.Given("normalise")
	}
	base.Options.Seed = seed
	if o.head == byNetwork && base.Options.GraphLandmarks == 0 {
		base.Options.GraphLandmarks = graphLandmarks
	}
	var err error
	if base.C, err = o.constants.Values(); err != nil {
		return nil, err
	}
	network := o.network
	network.Seed = seed
	var all []model.Estimator
	for _, sum := range o.sums {
		for _, t := range o.iterations {
			one := base
			one.Options.Iterations, one.Options.SumIterations, one.shared = t, sum, slices.Max(o.iterations)
			if err := one.Options.Check(); err != nil {
				return nil, param.Wrap(err)
			}
			if o.head == byNetwork {
				all = append(all, NetworkEstimator{Kernel: one, Network: network})
			} else {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// Check implements [model.Options].
func (o *options) Check() error {
	if o.head == byNetwork {
		if err := o.network.Check(); err != nil {
			return param.Wrap(err)
		}
	}
	_, err := o.Estimators(nil, 0)
	return err
}
