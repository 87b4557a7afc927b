package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// slowDevice stands for a GPU: its tensors are its own, it refuses those of the host in all operations but
// Convert, and it counts how often it is waited for.
type slowDevice struct {
	*engine.CPU
	waits int
}

func (d *slowDevice) String() string   { return "gpu:0" }
func (d *slowDevice) Describe() string { return "a slow GPU" }
func (d *slowDevice) New(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithEngine(d), tensor.Of(dtype), tensor.WithShape(shape...))
}
func (d *slowDevice) Scratch(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return d.New(dtype, shape...)
}
func (d *slowDevice) Mirror(t *tensor.Dense) *tensor.Dense {
	return d.New(t.Dtype(), t.Shape()...)
}
func (d *slowDevice) Release(...*tensor.Dense)  {}
func (d *slowDevice) Available() (int64, error) { return 1 << 30, nil }
func (d *slowDevice) Close() error              { return nil }
func (d *slowDevice) Synchronize() error        { d.waits++; return nil }

func (d *slowDevice) Capabilities() engine.Capabilities {
	return engine.Capabilities{Wide: true, Deferred: true}
}

func (d *slowDevice) View(t *tensor.Dense, first int, shape ...int) *tensor.Dense {
	n := tensor.Shape(shape).TotalSize()
	opts := []tensor.ConsOpt{tensor.WithEngine(d), tensor.WithShape(shape...)}
	if t.Dtype() == tensor.Float32 {
		return tensor.New(append(opts, tensor.WithBacking(t.Float32s()[first:first+n]))...)
	}
	return tensor.New(append(opts, tensor.WithBacking(t.Float64s()[first:first+n]))...)
}

var errHostTensor = errors.New("a tensor of the host")

func (d *slowDevice) own(tensors ...*tensor.Dense) error {
	for _, t := range tensors {
		if t != nil && t.Engine() != tensor.Engine(d) {
			return errHostTensor
		}
	}
	return nil
}

func (d *slowDevice) Gemm(c, a, b *tensor.Dense, opt engine.Gemm) error {
	return errors.Join(d.own(c, a, b), d.CPU.Gemm(c, a, b, opt))
}

func (d *slowDevice) SparseMatMul(y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	return errors.Join(d.own(y, x), d.CPU.SparseMatMul(y, a, x))
}

func (d *slowDevice) PathPool(out []*tensor.Dense, scores, norms *tensor.Dense, p *engine.PathPooling) error {
	return errors.Join(d.own(append(out, scores, norms)...), d.CPU.PathPool(out, scores, norms, p))
}

func (d *slowDevice) Assign(index []int32, best *tensor.Dense, points engine.Points, z *tensor.Dense) error {
	return errors.Join(d.own(best, points.Table, z), d.CPU.Assign(index, best, points, z))
}

// slowTools are the instruments of a slowDevice. Its events tell half of the time that passes.
type slowTools struct{ timed int }

func (s *slowTools) Counts() (counts, error) { return counts{}, nil }
func (s *slowTools) MeasureRates() (rates, error) {
	return rates{Peak32: 1, Peak64: 2, Exp32: 3, Exp64: 4}, nil
}

func (s *slowTools) Hardware() hardware {
	return hardware{Name: "slow", Capability: "9.0", Multiprocessors: 1, ClockMHz: 1, MemoryClockMHz: 1, MemoryBusBits: 8,
		CacheBytes: 1 << 10}
}

func (s *slowTools) Elapsed(run func() error) (float64, error) {
	s.timed++
	start := time.Now()
	err := run()
	return time.Since(start).Seconds() / 2, err
}

// withTools gives all devices instruments for a test.
func withTools(t *testing.T, tools instruments) {
	before := instrumentsOf
	instrumentsOf = func(e engine.Engine) instruments {
		if elsewhere(e) {
			return tools
		}
		return nil
	}
	t.Cleanup(func() { instrumentsOf = before })
}

func TestADeviceIsMeasuredOnItsOwnTensorsAndByEvents(t *testing.T) {
	d, tools := &slowDevice{CPU: engine.NewCPU(1)}, &slowTools{}
	withTools(t, tools)
	var progress bytes.Buffer
	r := newRunner(d, dataFolder(t), settings{Workers: 1, Repeat: 2, Quick: true, Device: "cuda"}, false, &progress)
	ops, err := (&flags{ops: []string{"all", "kmeans"}}).chosenOperations(true)
	if err != nil {
		t.Fatal(err)
	}
	models, err := (&flags{models: []string{"nci1-path"}}).chosenModels()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.run(context.Background(), ops, models); err != nil {
		t.Fatal(err)
	}
	found := map[string]result{}
	for _, res := range r.report.Results {
		found[res.Name] = res
		by := res.Wall
		if res.Events != nil {
			by = res.Events
		}
		if want := res.Name != "kmeans"; (res.Device == "gpu:0") != want || (want && res.Seconds != median(by)) {
			t.Errorf("%s ran on %q in %g s of %v", res.Name, res.Device, res.Seconds, by)
		}
		if inEvents := res.Name != "kmeans" && !strings.Contains(res.Name, "/"); (res.Events != nil) != inEvents {
			t.Errorf("%s was timed by events: %v, want %v", res.Name, res.Events != nil, inEvents)
		}
		if res.OverPortable > 0 || res.TwoWorkers > 0 {
			t.Errorf("%s was compared with code of the CPU: %+v", res.Name, res)
		}
	}
	for _, name := range []string{"matmul-tf32", "upload", "download", "sparse-matmul-power-law", "nci1-path/encode"} {
		if !(found[name].Seconds > 0) {
			t.Errorf("%s was not measured", name)
		}
	}
	if !(found["upload"].Floor > 0) || found["path-classes"].Name != "" {
		t.Errorf("uploads have the floor %g, and work of the host was measured: %+v",
			found["upload"].Floor, found["path-classes"])
	}
	rates := r.report.Machine.Rates
	for _, rate := range []float64{rates.Copy, rates.CopyAll, rates.Upload, rates.Download} {
		if !(rate > 0) {
			t.Errorf("rates are missing: %+v", rates)
		}
	}
	if rates.Peak32 != 256e6 || rates.Exp32 != 16e6 || rates.Attained == nil || rates.Attained.Peak64 != 2 {
		t.Errorf("rates %+v and attained %+v, want peaks from the properties", rates, rates.Attained)
	}
	if c := r.report.Machine.Cold; c != nil {
		t.Errorf("a cold start %+v of a device that was open", c)
	}
	var table bytes.Buffer
	if err := r.report.write(&table); err != nil || !strings.Contains(table.String(), "Operations, on a slow GPU") ||
		d.waits == 0 {
		t.Errorf("%v, waited %d times for\n%s", err, d.waits, table.String())
	}
}

func TestTargetsOfADevice(t *testing.T) {
	d := &slowDevice{CPU: engine.NewCPU(1)}
	r := newRunner(d, "", settings{Workers: 1, Repeat: 2}, false, &bytes.Buffer{})
	r.report.Machine.Rates.Copy = 100
	r.targets("sparse", &task{device: deviceTarget{share: 0.6, ofCopy: true}},
		&result{Seconds: 2, Moved: 130, Rival: &rival{Seconds: 1}}, 0)
	r.targets("trie", &task{device: deviceTarget{share: 0.5}}, &result{Seconds: 2, Fraction: 0.4}, 0)
	var held []bool
	for _, v := range r.report.Targets {
		held = append(held, v.Holds)
	}
	if len(held) != 3 || !held[0] || held[1] || held[2] {
		t.Errorf("targets %+v, want 65 %% of the copy to hold, half as fast as another and 40 %% of the floor not to",
			r.report.Targets)
	}
}
