package baseline

import (
	"encoding/json"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
)

// Names of the models.
const (
	majorityName = "majority"
	linearName   = "linear"
	staticName   = "static"
)

func init() {
	model.Register(model.Family{
		Title: "baselines", Kind: "baseline", Inner: "5",
		Models: []model.Name{
			{Name: majorityName, Short: "the most frequent class, or the mean, whatever the graph"},
			{Name: linearName, Short: "a linear machine on labels, attributes and degrees, counted without arcs"},
			{Name: staticName, Short: "boosted decision trees on sizes, degrees, triangles, walks, labels and attributes"},
		},
		Verbs: []model.Verb{model.Eval, model.Train},
		Tasks: []model.Task{model.GraphTask, model.NodeTask, model.EdgeTask}, Classes: true, Regression: true, Streams: true,
		New: newOptions, Load: load,
	})
}

func newOptions(name string) model.Options {
	switch name {
	case linearName:
		return newLinearFlags()
	case staticName:
		return newStaticFlags()
	}
	return majorityFlags{}
}

func load(_ engine.Engine, h *model.Head, parts json.RawMessage, _ *modelfile.File) (model.Model, error) {
	switch h.Model {
	case linearName:
		return loadLinear(h, parts)
	case staticName:
		return loadStatic(h, parts)
	}
	return loadMajority(h, parts)
}

// majorityFlags are the options of majority: it has none.
type majorityFlags struct{}

// Declare implements [model.Options].
func (majorityFlags) Declare(*param.Set, model.Verb) {}

// Check implements [model.Options].
func (majorityFlags) Check() error { return nil }

// Estimators implements [model.Options].
func (majorityFlags) Estimators(*model.Work, uint64) ([]model.Estimator, error) {
	return []model.Estimator{Majority{}}, nil
}

// examples returns how many examples of a task a data set has, as [model.Head.Asks] returns it.
func examples(task model.Task, d *dataset.Dataset) int {
	switch task {
	case model.NodeTask:
		return d.Batch.NumVertices()
	case model.EdgeTask:
		return len(d.Edges)
	}
	return d.NumGraphs()
}
