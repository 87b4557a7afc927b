package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/internal/cputime"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
)

// stageEpoch is one pass of supervised training over all graphs of a data set.
const stageEpoch = "epoch"

// trainings returns the models that are trained end to end: 32 filters, batches of 32, cross-entropy.
func trainings() []staged {
	var all []staged
	for _, m := range []staged{
		{name: "train-mutag-path", dataset: "tu/MUTAG", variant: "gckn-path"},
		{name: "train-mutag-subtree", dataset: "tu/MUTAG", variant: "gckn-subtree"},
		{name: "train-nci1-path", dataset: "tu/NCI1", variant: "gckn-path"},
		{name: "train-nci1-subtree", dataset: "tu/NCI1", variant: "gckn-subtree"},
	} {
		m.about = fmt.Sprintf("training of %s on %s end to end, path size 4, 32 filters, batches of 32", m.variant,
			m.dataset[len("tu/"):])
		m.pathSize, m.trained, m.noSelect = 4, true, true
		m.targets = map[string]target{
			stageEpoch: {"seconds of an epoch, an eighth of the published code's", publishedEpochs()[m.name] / 8,
				atMost},
		}
		all = append(all, m)
	}
	return append(all, staged{
		name: "train-nci1-gin", dataset: "tu/NCI1", variant: ginVariant, trained: true, noSelect: true,
		about: "training of gin on NCI1: 5 layers of 64, batches of 128; with --torch beside PyTorch on as many threads",
	})
}

// ginVariant is the graph isomorphism network.
const ginVariant = "gin"

// publishedEpochs holds the CPU seconds of an epoch of the published code, under the circumstances of
// [published]; of the figures that vary from run to run the mean of two.
func publishedEpochs() map[string]float64 {
	return map[string]float64{"train-mutag-path": 0.03, "train-mutag-subtree": 0.055, "train-nci1-path": 0.9,
		"train-nci1-subtree": 1.35}
}

const trainedFilters = 32

// trainer trains a model for so many epochs and tells of each.
type trainer func(ctx context.Context, e engine.Engine, epochs int, watch func(autodiff.Record)) error

// trainer returns what trains the pipeline's model on all graphs.
func (g *pipeline) trainer() (trainer, error) {
	if g.model.variant == ginVariant {
		return g.isomorphism()
	}
	t, err := g.training()
	return func(ctx context.Context, e engine.Engine, epochs int, watch func(autodiff.Record)) error {
		one := *t
		one.Options.Epochs, one.Watch = epochs, watch
		_, err := gckn.Supervise(ctx, e, &one)
		return err
	}, err
}

// training returns the training of the pipeline's model on all graphs.
func (g *pipeline) training() (*gckn.Training, error) {
	input, err := train.InputOf(g.batch)
	if err != nil {
		return nil, err
	}
	examples := train.Examples{Graphs: train.InMemory(g.batch), Input: input, Targets: model.TargetsOf(g.data)}
	network := g.options
	for l := range network.Layers {
		network.Layers[l].Filters = min(trainedFilters, g.sizes.filters)
	}
	return &gckn.Training{Training: train.Training{Examples: examples}, Options: gckn.DefaultSupervised(network)}, nil
}

// epochStage measures an epoch, and the share of its steps that is not spent in operations of the engine.
func (g *pipeline) epochStage(ctx context.Context) error {
	if err := g.read(); err != nil {
		return err
	}
	if !g.wanted(stageEpoch) {
		return nil
	}
	g.log("model %s: %s", g.model.name, stageEpoch)
	t, err := g.trainer()
	if err != nil {
		return err
	}
	times, err := g.epochTimes(ctx, t)
	if err != nil {
		return err
	}
	result := newResult(g.name(stageEpoch), g.on, times)
	if g.model.variant != ginVariant { // which looks at no paths
		result.Throughput = g.throughput(result.Seconds)
	}
	result.Rate, result.Unit = 1/result.Seconds, "epochs/s"
	if seconds, ok := publishedEpochs()[g.model.name]; ok && g.on == (place{workers: 1}) && !g.settings.Quick {
		result.against(seconds)
	}
	if err := g.rivalEpoch(&result); err != nil {
		return err
	}
	g.add(result)
	if g.on.device != "" {
		return nil
	}
	share, err := g.outside(ctx, t)
	if err != nil {
		return err
	}
	g.report.Notes = append(g.report.Notes,
		fmt.Sprintf("%s: %.1f %% of the time of a step is spent outside of the engine", g.model.name, 100*share))
	if g.model.dataset == "tu/NCI1" && g.on == (place{workers: 1}) {
		g.decide(target{"share of a step outside of the engine", 0.1, atMost}.judge(g.model.name, share))
	}
	return nil
}

// epochTimes returns the times of epochs, as many to a sample as take the time of a sample, after one to
// warm up. The start of the training is not timed.
func (g *pipeline) epochTimes(ctx context.Context, t trainer) (timing, error) {
	var times timing
	var cpu float64
	var wall time.Time
	done, per := 0, 1
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err := t(ctx, g.engine, math.MaxInt32, func(r autodiff.Record) {
		switch {
		case r.Epoch == 0:
		case r.Epoch == 1:
			per = max(int(math.Ceil(g.clock.sample.Seconds()/max(r.Seconds, 1e-6))), 1)
		default:
			if done++; done%per == 0 {
				times.Wall = append(times.Wall, time.Since(wall).Seconds()/float64(per))
				times.CPU = append(times.CPU, (cputime.Seconds()-cpu)/float64(per))
			}
		}
		if done == per*g.clock.repeat {
			stop()
		}
		if done%per == 0 {
			runtime.GC()
			cpu, wall = cputime.Seconds(), time.Now()
		}
	})
	if len(times.Wall) == g.clock.repeat {
		err = nil // it was stopped
	}
	return times, err
}

// shareEpochs is the number of epochs whose shares are compared.
const shareEpochs = 15

// outside returns the share of the time of an epoch's steps in which no operation of the engine runs: the median
// over some epochs, because other programs interrupt now the one, now the other.
func (g *pipeline) outside(ctx context.Context, t trainer) (float64, error) {
	e := &timedEngine{CPU: engine.NewCPU(g.on.workers)}
	var shares []float64
	err := t(ctx, e, shareEpochs, func(r autodiff.Record) {
		if r.Epoch > 1 { // the first one makes memory
			shares = append(shares, 1-e.spent().Seconds()/r.Seconds)
		}
		e.nanoseconds.Store(0)
	})
	if err != nil {
		return 0, err
	}
	slices.Sort(shares)
	return shares[len(shares)/2], nil
}
