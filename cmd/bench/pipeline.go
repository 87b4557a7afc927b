package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// pipeline is the run of one model: what a stage leaves to the next.
type pipeline struct {
	*runner
	model   staged
	folder  string
	options gckn.Options
	on      place
	engine  engine.Engine

	data   *dataset.Dataset
	batch  *graph.Batch
	fitted *gckn.Model
	output *tensor.Dense
}

// wanted reports whether a stage is to be measured.
func (g *pipeline) wanted(stage string) bool {
	return len(g.only) == 0 || slices.Contains(g.only, stage)
}

func (g *pipeline) name(stage string) string { return g.model.name + "/" + stage }

// stages measures read, fit, encode and select, and puts their sums beside the published figures.
func (g *pipeline) stages(ctx context.Context) error {
	read, err := g.stage(ctx, stageRead, g.read)
	if err != nil {
		return err
	}
	parts := &laps{}
	fit, err := g.stage(ctx, stageFit, func() error { return g.fit(ctx, g.engine, parts.progress()) })
	if err != nil {
		return err
	}
	encode, err := g.encodeStage(ctx)
	if err != nil {
		return err
	}
	figures, known := publishedFigures()[g.model.name]
	known = known && !g.settings.Quick && g.on == place{workers: 1}
	if known {
		fit.against(figures.sample + figures.anchors)
		encode.against(figures.encode)
	}
	total := g.sum(stageTotal, fit, encode)
	if known {
		total.against(figures.total())
	}
	total.Peak = memory.Peak()
	g.add(read, fit)
	if g.wanted(stageFit) {
		g.add(parts.results(g.name(stageFit), g.on)...)
	}
	g.add(encode, total)
	if total.Peak > 0 {
		g.hold(figureMemory, float64(total.Peak)/1e9)
	}
	if g.model.noSelect || !g.wanted(stageSelect) {
		return nil
	}
	selected, err := g.selectStage(ctx)
	if err != nil {
		return err
	}
	g.add(selected, g.sum(stageWhole, read, fit, encode, selected))
	return nil
}

// stage measures one stage on the engine of the run, if it is wanted.
func (g *pipeline) stage(ctx context.Context, stage string, run func() error) (result, error) {
	g.log("model %s: %s", g.model.name, stage)
	if !g.wanted(stage) {
		return result{}, run() // later stages need what it leaves
	}
	times, _, err := g.measure(ctx, g.name(stage), g.clock, run)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", stage, err)
	}
	return newResult(g.name(stage), g.on, times[0]), nil
}

// encodeStage measures the encoding with one worker beside that with two.
func (g *pipeline) encodeStage(ctx context.Context) (result, error) {
	if !g.wanted(stageEncode) {
		return result{}, g.encode(ctx)
	}
	g.log("model %s: %s", g.model.name, stageEncode)
	runs := []func() error{func() error { return g.encode(ctx) }}
	if g.on.workers == 1 && g.twoWorkers() {
		var anchors []*tensor.Dense
		for l := range g.options.Layers {
			anchors = append(anchors, g.fitted.Anchors(l))
		}
		two, err := gckn.New(engine.NewCPU(2), g.fitted.Input(), g.options, anchors)
		if err != nil {
			return result{}, err
		}
		runs = append(runs, func() error {
			_, err := two.Transform(ctx, g.batch, nil)
			return err
		})
	}
	times, others, err := g.measure(ctx, g.name(stageEncode), g.clock, runs...)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", stageEncode, err)
	}
	r := newResult(g.name(stageEncode), g.on, times[0])
	r.Shape, r.Throughput = g.shape(), g.throughput(r.Seconds)
	if len(times) > 1 {
		r.TwoWorkers = speedup(times[0], times[1])
		if t, ok := g.target(figureSpeedup); ok {
			g.decide(t.judgeSpeedup(g.model.name, r.TwoWorkers, others))
		}
	}
	return r, nil
}

// selectStage measures the choice of C on what encode left.
func (g *pipeline) selectStage(ctx context.Context) (result, error) {
	choice, err := newSelection(g.runner.data, g.data, g.sizes)
	if err != nil {
		return result{}, err
	}
	accuracy := 0.0
	r, err := g.stage(ctx, stageSelect, func() (err error) {
		accuracy, err = choice.run(ctx, g.output, g.on.workers)
		return err
	})
	r.Shape = fmt.Sprintf("%d folds x %d C on %d x %d, best mean accuracy %.1f %%", len(choice.folds), len(choice.grid),
		g.output.Shape()[0], g.output.Shape()[1], 100*accuracy)
	return r, err
}

func (g *pipeline) shape() string {
	b := g.batch
	return fmt.Sprintf("%d graphs, %d vertices, %d arcs; %s", b.NumGraphs(), b.NumVertices(), b.NumArcs(), g.options)
}

// sum adds up stages sample by sample. Without samples of all of them there is no sum.
func (g *pipeline) sum(stage string, parts ...result) result {
	samples := len(parts[0].Wall)
	for _, p := range parts {
		samples = min(samples, len(p.Wall))
	}
	if samples == 0 {
		return result{}
	}
	t := timing{Wall: make([]float64, samples), CPU: make([]float64, samples)}
	for _, p := range parts {
		for i := range samples {
			t.Wall[i] += p.Wall[i]
			t.CPU[i] += p.CPU[i]
		}
	}
	return newResult(g.name(stage), g.on, t)
}

// add reports the stages that were measured and holds them against their targets.
func (g *pipeline) add(results ...result) {
	for _, r := range results {
		if len(r.Wall) == 0 {
			continue
		}
		g.report.Results = append(g.report.Results, r)
		g.hold(r.Name[len(g.model.name)+1:], r.Seconds)
	}
}

// hold holds a figure of the model against its target.
func (g *pipeline) hold(figure string, measured float64) {
	if t, ok := g.target(figure); ok {
		g.decide(t.judge(g.model.name, measured))
	}
}

// target returns the target of a figure: on a CPU it is meant for the model's own number of workers.
func (g *pipeline) target(figure string) (t target, ok bool) {
	if g.on.device != "" {
		t, ok = g.model.device[figure]
		return t, ok
	}
	t, ok = g.model.targets[figure]
	return t, ok && g.on.workers == max(g.model.workers, 1)
}

// throughput divides what the encoding goes through by its seconds.
func (g *pipeline) throughput(seconds float64) *throughput {
	layer, paths := g.options.Layers[0], 0.0
	for size := 1; size <= layer.PathSize; size++ {
		if g.options.AllLengths || size == layer.PathSize {
			paths += float64(g.batch.NewPathIndex(size, g.options.Walk, g.on.workers).Total())
		}
	}
	return &throughput{float64(g.batch.NumGraphs()) / seconds, float64(g.batch.NumVertices()) / seconds, paths / seconds}
}

func (g *pipeline) open() (*dataset.Dataset, error) {
	if g.model.generate != nil {
		return g.model.generate(g.sizes)
	}
	return dataset.Open(g.folder)
}

func (g *pipeline) read() error {
	d, err := g.open()
	if err != nil {
		return err
	}
	g.data = thinned(d, g.sizes.graphs)
	g.batch, err = encoded(g.data)
	return err
}

func (g *pipeline) fit(ctx context.Context, e engine.Engine, progress model.Progress) error {
	input, err := train.InputOf(g.batch)
	if err != nil {
		return err
	}
	g.fitted, err = gckn.Fit(ctx, e, g.batch, input, g.options, progress)
	return err
}

func (g *pipeline) encode(ctx context.Context) (err error) {
	g.output, err = g.fitted.Transform(ctx, g.batch, nil)
	return err
}
