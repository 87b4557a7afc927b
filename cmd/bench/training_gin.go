package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gnn"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
)

// ginBatch is the number of graphs of a step.
const ginBatch = 128

// ginTraining returns the training of a graph isomorphism network of 5 layers of 64 on some graphs.
func ginTraining(x train.Examples) (train.Training, gnn.Options) {
	o := gnn.Default(gnn.GIN, model.GraphTask)
	o.BatchSize = ginBatch
	return train.Training{Examples: x}, o
}

// isomorphism returns what trains a graph isomorphism network on all graphs.
func (g *pipeline) isomorphism() (trainer, error) {
	input, err := train.InputOf(g.batch)
	if err != nil {
		return nil, err
	}
	x := train.Examples{Graphs: train.InMemory(g.batch), Input: input, Targets: model.TargetsOf(g.data)}
	return func(ctx context.Context, e engine.Engine, epochs int, watch func(autodiff.Record)) error {
		t, o := ginTraining(x)
		t.Watch, o.Epochs = watch, epochs
		_, err := gnn.Train(ctx, e, t, o)
		return err
	}, nil
}

// rivalEpoch puts an epoch of the same network in PyTorch beside one of a graph isomorphism network on the CPU.
func (g *pipeline) rivalEpoch(r *result) error {
	if g.model.variant != ginVariant || g.python == "" || g.on.device != "" {
		return nil
	}
	classes := model.TargetsOf(g.data).Classes
	arrays := map[string]any{"row_ptr": g.batch.RowPtr, "col": g.batch.Col, "labels": g.batch.Labels,
		"offsets": g.batch.Offsets, "classes": make([]int32, len(classes))}
	for i, c := range classes {
		arrays["classes"].([]int32)[i] = int32(c)
	}
	_, o := ginTraining(train.Examples{})
	found, err := g.torch(torchGINScript, arrays, strconv.Itoa(g.on.workers), strconv.Itoa(o.Layers),
		strconv.Itoa(o.Width), strconv.Itoa(o.BatchSize), strconv.Itoa(g.clock.repeat))
	if err != nil {
		return err
	}
	r.Rival = &found.rival
	r.Rival.Ratio = r.Rival.Seconds / r.Seconds
	g.decide(target{"times as fast as an epoch of PyTorch", 1, atLeast}.judge(g.model.name, r.Rival.Ratio))
	return nil
}

// ginSteps is the number of steps of an epoch that is counted.
const ginSteps = 4

// isomorphism counts the second epoch of a training of a graph isomorphism network.
func (c *counting) isomorphism() (counted, error) {
	s, err := c.inputs.molecules()
	if err != nil {
		return counted{}, err
	}
	d := thinned(s.data, ginSteps*ginBatch)
	b, err := encoded(d)
	if err != nil {
		return counted{}, err
	}
	input, err := train.InputOf(b)
	if err != nil {
		return counted{}, err
	}
	t, o := ginTraining(train.Examples{Graphs: train.InMemory(b), Input: input, Targets: model.TargetsOf(d)})
	o.Epochs = 2
	var at [2]counts
	var failed error
	t.Watch = func(r autodiff.Record) {
		if r.Epoch > 0 {
			var err error
			at[r.Epoch-1], err = c.tools.Counts()
			failed = errors.Join(failed, err)
		}
	}
	if _, err := gnn.Train(c.ctx, c.engine, t, o); err != nil {
		return counted{}, err
	}
	pieces := float64((b.NumGraphs() + ginBatch - 1) / ginBatch)
	return counted{
		Per: "step", Pieces: pieces, counts: at[1].since(at[0], pieces),
		Shape: fmt.Sprintf("%s: %d graphs, %d vertices, batches of %d; %s", s.from, b.NumGraphs(), b.NumVertices(),
			ginBatch, o),
	}, failed
}
