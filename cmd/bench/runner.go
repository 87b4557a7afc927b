package main

import (
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
)

// runner carries out a run of the benchmark.
type runner struct {
	data     string // folder that holds tu/NAME and text/NAME
	settings settings
	bare     bool     // time only: no rates of the machine, no comparisons
	only     []string // stages of models to measure; empty: all
	progress io.Writer

	sizes      sizes
	clock      clock
	inputs     *inputs
	executable []string // of this program, to run it on portable code

	report *report
}

func newRunner(data string, s settings, bare bool, progress io.Writer) *runner {
	r := &runner{
		data: data, settings: s, bare: bare, progress: progress, sizes: fullSizes(),
		clock: clock{repeat: s.Repeat, budget: 30 * time.Second, sample: 50 * time.Millisecond},
	}
	if s.Quick {
		r.sizes = quickSizes()
		r.clock.sample = time.Millisecond
	}
	r.inputs = newInputs(data, r.sizes)
	r.report = &report{Date: time.Now().Format(time.RFC3339), Machine: describe(), Settings: s}
	return r
}

func (r *runner) log(format string, args ...any) { fmt.Fprintf(r.progress, format+"\n", args...) }

// twoWorkers reports whether one worker is to be compared with two.
func (r *runner) twoWorkers() bool {
	return !r.bare && r.settings.Workers == 1 && runtime.NumCPU() >= 2
}

// run measures the machine, then the operations, then the models.
func (r *runner) run(ctx context.Context, ops []operation, models []model) error {
	watch := startWatch()
	defer func() {
		if others, known := watch.others(); known {
			r.report.Machine.Others = &others
		}
	}()
	if !r.bare {
		r.log("machine")
		var err error
		if r.report.Machine.Rates, err = measureRates(r.clock, r.sizes); err != nil {
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
	}
	for _, m := range models {
		if err := r.model(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

func (r *runner) operation(ctx context.Context, op operation) error {
	e := engine.NewCPU(r.settings.Workers)
	task, err := op.prepare(&table{sizes: r.sizes, inputs: r.inputs, engine: e, portable: simd.Level() == "portable"})
	if err != nil {
		return err
	}
	runs := []func() error{func() error { return task.run(e) }}
	if r.twoWorkers() {
		two := engine.NewCPU(2)
		runs = append(runs, func() error { return task.run(two) })
	}
	times, others, err := r.measure(ctx, op.name, runs...)
	if err != nil {
		return err
	}
	res := newResult(op.name, r.settings.Workers, times[0])
	res.Shape, res.Unit, res.Rate = task.shape, task.unit, task.units/res.Seconds
	if len(times) > 1 {
		res.TwoWorkers = times[0].wall() / times[1].wall()
	}
	if r.settings.Workers == 1 && task.floor != (floor{}) {
		res.Floor, res.Bound = task.floor.seconds(r.report.Machine.Rates)
		res.Fraction = res.Floor / res.Seconds
	}
	if !r.bare && simd.Level() != "portable" {
		rate, err := r.portableRate(ctx, op.name)
		if err != nil {
			return err
		}
		res.OverPortable = res.Rate / rate
	}
	if task.rate.limit > 0 && simd.Level() == "avx512" && r.settings.Workers == 1 {
		r.decide(task.rate.judge(op.name, res.Rate))
	}
	if task.speedup.limit > 0 && res.TwoWorkers > 0 {
		r.decide(task.speedup.judgeSpeedup(op.name, res.TwoWorkers, others))
	}
	r.report.Results = append(r.report.Results, res)
	return nil
}

// measure takes the times, under a label by which a profile can be filtered (pprof -tagfocus). others is the
// number of processors that other processes kept busy meanwhile, 0 where that is not known.
func (r *runner) measure(ctx context.Context, name string, runs ...func() error) (times []timing, others float64, err error) {
	watch := startWatch()
	pprof.Do(ctx, pprof.Labels("benchmark", name), func(context.Context) {
		times, err = r.clock.measure(runs...)
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
		"--op", name, "--model", "none", "--bare", "--json", "-", "--data", r.data,
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
func (r *runner) model(ctx context.Context, m model) error {
	folder := filepath.Join(r.data, filepath.FromSlash(m.dataset))
	if _, err := os.Stat(folder); err != nil {
		note := fmt.Sprintf("%s was left out: there is no %s (see --data)", m.name, folder)
		r.report.Notes = append(r.report.Notes, note)
		r.log("%s", note)
		return nil
	}
	opt, err := m.options(r.sizes)
	if err != nil {
		return err
	}
	g := &pipeline{runner: r, model: m, folder: folder, options: opt, workers: r.settings.Workers}
	if m.workers > 0 {
		g.workers = m.workers
	}
	g.engine = engine.NewCPU(g.workers)
	resetPeak()
	return g.stages(ctx)
}
