package main

import (
	"bytes"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestCountsOfWorkAreDifferences(t *testing.T) {
	before := counts{Launches: 3, Uploads: 1, Kernels: map[string]float64{"a": 2, "b": 1},
		Work: map[string]kernelWork{"a": {Blocks: 4}, "b": {Blocks: 1}}}
	after := counts{Launches: 13, Uploads: 1, Handovers: 4, Kernels: map[string]float64{"a": 8, "b": 1, "c": 4},
		Work: map[string]kernelWork{"a": {Blocks: 10, Exponentials64: 6}, "b": {Blocks: 1}, "c": {Blocks: 8}}}
	got := after.since(before, 2)
	want := counts{Launches: 5, Handovers: 2, Kernels: map[string]float64{"a": 3, "c": 2},
		Work: map[string]kernelWork{"a": {Blocks: 3, Exponentials64: 3}, "c": {Blocks: 4}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	if names := got.mostLaunched(); !reflect.DeepEqual(names, []string{"a", "c"}) {
		t.Errorf("kernels %v, want those of most launches first", names)
	}
	if back := got.times(2); back.Launches != 10 || back.Kernels["c"] != 4 || back.Work["a"].Blocks != 6 {
		t.Errorf("twice the counts are %+v", back)
	}
}

func TestThePeaksOfAnH200AreThoseOfItsDataSheet(t *testing.T) {
	r := theH200.peaks()
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"bytes", r.Copy, 4.8e12}, {"float32", r.Peak32, 67e12}, {"float64", r.Peak64, 33.5e12},
		{"tf32", r.PeakTF32, 495e12}, {"bfloat16", r.PeakBF16, 989e12}, {"exponentials", r.Exp32, 4.18e12},
	} {
		if math.Abs(c.got/c.want-1) > 0.09 { // tensor cores are rated at a lower clock
			t.Errorf("%s: %.3g a second, want %.3g", c.what, c.got, c.want)
		}
	}
	unknown := hardware{Capability: "99.0", Multiprocessors: 8, ClockMHz: 1000}
	if r := unknown.peaks(); r.Peak32 != 0 || r.Exp32 != 0 {
		t.Errorf("a GPU that nobody knows has the peaks %+v", r)
	}
}

func TestAPredictionIsTheSlowerOfHostAndDevice(t *testing.T) {
	p := &predictor{hardware: theH200, costs: costs{Handover: 1, Submission: 2, Launch: 10, Copy: 4, Wait: 100, Link: 8,
		Share: 0.5}}
	peaks := theH200.peaks()
	host := p.of(counts{Handovers: 2, Submissions: 3, Uploads: 1, Clears: 1, UploadBytes: 16, Waits: 1})
	if want := (predicted{host: 2 + 6 + 8 + 2, waits: 100}); host != want || host.seconds() != 118 {
		t.Errorf("%+v, want %+v", host, want)
	}
	device := p.of(counts{
		Kernels: map[string]float64{"none": 2}, OperandBytes: peaks.Copy,
		Work: map[string]kernelWork{"none": {Blocks: 2 * 66, Operations32: peaks.Peak32}}, // on half of the multiprocessors
	})
	if want := 20 + 1/0.5 + 1/(0.5*0.5); math.Abs(device.seconds()-want) > 1e-9 {
		t.Errorf("%+v takes %g, want %g", device, device.seconds(), want)
	}
}

func TestCountsNeedAGPUAndAKnownName(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--device cpu --count", "only a GPU is asked for launches"},
		{"--device cpu --count=nothing", "--count nothing: want all or some of train-nci1-path"},
		{"--device cpu --count --op matmul", "leave out --op and --model"},
		{"predict", "predict wants a report"},
	} {
		if _, _, err := execute(t, strings.Fields(c.args)...); err == nil || exitCode(err) != 2 ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("bench %s: %v, want wrong usage that says %q", c.args, err, c.want)
		}
	}
}

func TestPredictionsComeFromAReport(t *testing.T) {
	step := counts{Launches: 86, Submissions: 86, Uploads: 26, Handovers: 66,
		Kernels: map[string]float64{"adam_f32": 86}, Work: map[string]kernelWork{"adam_f32": {Blocks: 86}}}
	r := &report{Date: "2026-01-02T03:04:05Z", Counts: map[string]counted{
		"train-nci1-path": {Per: "step", Pieces: 20, counts: step},
	}}
	file := filepath.Join(t.TempDir(), "counts.json")
	if err := r.saveJSON(file); err != nil {
		t.Fatal(err)
	}
	out, _, err := execute(t, "predict", file)
	if err != nil {
		t.Fatal(err)
	}
	seconds := (&predictor{hardware: theH200, costs: assumed}).of(step).seconds()
	for _, want := range []string{duration(seconds) + " a step", "not counted: encode-nci1-path", "4.80 TB/s"} {
		if !strings.Contains(out, want) {
			t.Errorf("the predictions do not say %q:\n%s", want, out)
		}
	}
	r.Counts = nil
	if err := r.saveJSON(file); err != nil {
		t.Fatal(err)
	}
	if _, _, err := execute(t, "predict", file); err == nil || !strings.Contains(err.Error(), "a report without counts") {
		t.Errorf("predictions without counts: %v", err)
	}
}

func TestTheTableNamesKernelsAndTheDevice(t *testing.T) {
	r := &report{Counts: map[string]counted{"treeg-mutag": {Per: "search", Pieces: 9, Shape: "trees", counts: counts{
		Launches: 12.5, UploadBytes: 2048, Kernels: map[string]float64{"best_splits_f64": 8, "subset_walks_f64": 4.5}},
		Round: &perRound{9, 209, 12.5}}}}
	r.Machine.Hardware, r.Machine.Cold = &hardware{Name: "a GPU", Simulated: true}, &cold{1, 0.01, 0.00001}
	var out bytes.Buffer
	if err := r.write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"treeg-mutag: trees", "12.5", "2.05 kB", "a round: 9 searches, 209 uploads, 12.5 waits",
		"8 best_splits_f64, 4.5 subset_walks_f64", "the GPU is simulated: counts are those of a real one",
		"cold start: 1.00 s to open the device, 10.0 ms for the first call of an operation, 10.0 us for the second"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table does not say %q:\n%s", want, out.String())
		}
	}
}
