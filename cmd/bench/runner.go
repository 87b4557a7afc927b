package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/grove-graph/grove/memory"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

// runner carries out a run of the benchmark.
type runner struct {
	data     string // folder that holds tu/NAME and text/NAME
	settings settings
	bare     bool     // time only: no rates of the machine, no comparisons
	only     []string // stages of models to measure; empty: all
	python   string   // interpreter for the comparison with torch.sparse
	json     string   // file of the report; - for standard output, or none
	progress io.Writer

	engine     engine.Engine
	tools      instruments // nil where the engine has none
	place      place
	sizes      sizes
	clock      clock
	inputs     *inputs
	executable []string // of this program, to run it on portable code

	report *report

	far [2]*tensor.Dense // on a GPU: together several times as large as its cache
}

func newRunner(e engine.Engine, data string, s settings, bare bool, progress io.Writer) *runner {
	r := &runner{
		data: data, settings: s, bare: bare, progress: progress, sizes: fullSizes(),
		engine: e, tools: instrumentsOf(e), place: place{workers: s.Workers},
		clock: clock{repeat: s.Repeat, budget: 30 * time.Second, sample: 50 * time.Millisecond},
	}
	if r.onDevice() {
		r.place.device = e.String()
	}
	if s.Quick {
		r.sizes = quickSizes()
		r.clock.sample = time.Millisecond
	}
	r.clock.place = r.place
	if e.Capabilities().Deferred {
		r.clock.wait = e.Synchronize
	}
	r.inputs = newInputs(data, r.sizes)
	r.report = &report{Date: time.Now().Format(time.RFC3339), Machine: describe(e), Settings: s}
	return r
}

func (r *runner) log(format string, args ...any) { fmt.Fprintf(r.progress, format+"\n", args...) }

// onDevice reports whether the run measures a device in place of the CPU.
func (r *runner) onDevice() bool { return elsewhere(r.engine) }

// twoWorkers reports whether one worker is to be compared with two.
func (r *runner) twoWorkers() bool {
	return !r.bare && !r.onDevice() && r.settings.Workers == 1 && runtime.NumCPU() >= 2
}

// run measures the machine, then the operations, then the models.
func (r *runner) run(ctx context.Context, ops []operation, models []staged) error {
	watch := startWatch()
	defer func() {
		if others, known := watch.others(); known {
			r.report.Machine.Others = &others
		}
	}()
	if r.tools != nil {
		if err := r.fillCache(); err != nil {
			return err
		}
	}
	if !r.bare {
		r.log("machine")
		var err error
		if r.report.Machine.Rates, err = measureRates(r.clock, r.sizes, r.engine, r.tools); err != nil {
			return err
		}
	}
	for _, op := range ops {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.log("operation %s", op.name)
		if err := r.operation(ctx, op); err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
		if err := r.keep(); err != nil {
			return err
		}
		runtime.GC() // the tensors of an operation are not needed by the next one
	}
	for _, m := range models {
		if err := r.model(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if err := r.keep(); err != nil {
			return err
		}
	}
	return nil
}

// keep writes what was measured so far, lest an end from outside lose it.
func (r *runner) keep() error {
	if r.json == "" || r.json == "-" {
		return nil
	}
	return r.report.saveJSON(r.json)
}

func (r *runner) operation(ctx context.Context, op operation) error {
	e, on := r.engine, r.place
	if op.kind == onHost {
		e, on.device = e.Host(), ""
	}
	portable := simd.Level() == "portable"
	task, err := op.prepare(&table{sizes: r.sizes, inputs: r.inputs, engine: e, portable: portable})
	if err != nil {
		return err
	}
	runs := []func() error{func() error { return task.run(e) }}
	if r.twoWorkers() {
		two := engine.NewCPU(2)
		runs = append(runs, func() error { return task.run(two) })
	}
	clock := r.clock
	if r.tools != nil && op.kind != onHost {
		clock.elapsed, clock.evict = r.tools.Elapsed, r.evict
	}
	times, others, err := r.measure(ctx, op.name, clock, runs...)
	if err != nil {
		return err
	}
	res := newResult(op.name, on, times[0])
	res.Shape, res.Unit, res.Rate = task.shape, task.unit, task.units/res.Seconds
	res.Bytes, res.Moved = task.floor.bytes+task.floor.upload+task.floor.download, task.moved
	if len(times) > 1 {
		res.TwoWorkers = speedup(times[0], times[1])
	}
	if task.floor != (floor{}) && on == r.place {
		res.holdAgainst(task.floor, r.report.Machine.Rates)
	}
	if !r.bare && !r.onDevice() && !portable && op.kind != large {
		rate, err := r.portableRate(ctx, op.name)
		if err != nil {
			return err
		}
		res.OverPortable = res.Rate / rate
	}
	if task.against != nil && !r.bare {
		if res.Rival, err = task.against(r); err != nil {
			return err
		}
	}
	r.report.Results = append(r.report.Results, res)
	r.targets(op.name, task, &r.report.Results[len(r.report.Results)-1], others)
	return nil
}

// targets holds the result of an operation against what it should reach.
func (r *runner) targets(name string, task *task, res *result, others float64) {
	if res.Rival != nil {
		res.Rival.Ratio = res.Rival.Seconds / res.Seconds
	}
	if r.onDevice() {
		r.deviceTargets(name, task, res)
		return
	}
	if task.rate.limit > 0 && simd.Level() == "avx512" && r.settings.Workers == 1 {
		r.decide(task.rate.judge(name, res.Rate))
	}
	if task.speedup.limit > 0 && res.TwoWorkers > 0 {
		r.decide(task.speedup.judgeSpeedup(name, res.TwoWorkers, others))
	}
}

func (r *runner) deviceTargets(name string, task *task, res *result) {
	share, what := res.Fraction, "share of the floor"
	if task.device.ofCopy {
		share, what = res.Moved/res.Seconds/r.report.Machine.Rates.Copy, "share of the copy bandwidth"
	}
	if task.device.share > 0 {
		r.decide(target{what, task.device.share, atLeast}.judge(name, share))
	}
	if res.Rival != nil {
		r.decide(target{"times as fast as torch.sparse", 1, atLeast}.judge(name, res.Rival.Ratio))
	}
}

// measure takes the times, under a label by which a profile can be filtered (pprof -tagfocus). others is the
// number of processors that other processes kept busy meanwhile, 0 where that is not known.
func (r *runner) measure(
	ctx context.Context, name string, c clock, runs ...func() error,
) (times []timing, others float64, err error) {
	watch := startWatch()
	pprof.Do(ctx, pprof.Labels("benchmark", name), func(context.Context) {
		times, err = c.measure(runs...)
	})
	others, _ = watch.others()
	return times, others, err
}

// decide reports how a target fared, unless the inputs are the small ones.
func (r *runner) decide(v verdict) {
	if !r.settings.Quick && !r.bare {
		r.report.Targets = append(r.report.Targets, v)
	}
}

// portableRate runs one operation in a process of its own with portable code, since the instruction
// set is chosen when a program starts.
func (r *runner) portableRate(ctx context.Context, name string) (float64, error) {
	arguments := append(r.executable[1:len(r.executable):len(r.executable)],
		"--device", "cpu", "--op", name, "--model", "none", "--bare", "--json", "-", "--data", r.data,
		"--workers", strconv.Itoa(r.settings.Workers), "--repeat", strconv.Itoa(min(r.settings.Repeat, 3)))
	if r.settings.Quick {
		arguments = append(arguments, "--quick")
	}
	cmd := exec.CommandContext(ctx, r.executable[0], arguments...)
	cmd.Env = append(os.Environ(), "GROVE_SIMD=portable")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("on portable code: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	var child report
	if err := json.Unmarshal(out, &child); err != nil {
		return 0, fmt.Errorf("on portable code: %w", err)
	}
	if len(child.Results) != 1 || child.Machine.SIMD != "portable" {
		return 0, fmt.Errorf("on portable code: unexpected report")
	}
	return child.Results[0].Rate, nil
}

// model measures the stages of a model.
func (r *runner) model(ctx context.Context, m staged) error {
	folder := filepath.Join(r.data, filepath.FromSlash(m.dataset))
	if _, err := os.Stat(folder); m.generate == nil && err != nil {
		note := fmt.Sprintf("%s was left out: there is no %s (see --data)", m.name, folder)
		r.report.Notes = append(r.report.Notes, note)
		r.log("%s", note)
		return nil
	}
	opt, err := m.options(r.sizes)
	if err != nil {
		return err
	}
	g := &pipeline{runner: r, model: m, folder: folder, options: opt, on: r.place, engine: r.engine}
	if !r.onDevice() {
		if m.workers > 0 {
			g.on.workers = m.workers
		}
		g.engine = engine.NewCPU(g.on.workers)
	}
	memory.ResetPeak()
	if m.trained {
		return errors.Join(g.epochStage(ctx), g.foldsStage(ctx))
	}
	return g.stages(ctx)
}
