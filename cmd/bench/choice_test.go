package main

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func TestNamesChooseBenchmarks(t *testing.T) {
	all, onCPU, onGPU := operations(), 0, 0
	for _, op := range all {
		if op.kind != deviceAlone {
			onCPU++
		}
		if op.kind != onHost {
			onGPU++
		}
	}
	for _, c := range []struct {
		name       string
		flags      flags
		device     bool
		ops, model int // number of each; -1: all, for models without those that want to be named
	}{
		{"nothing", flags{}, false, onCPU, -1},
		{"nothing, on a device", flags{}, true, onGPU, -1},
		{"an operation alone", flags{ops: []string{"gram"}}, false, 1, 0},
		{"work of the host, on a device", flags{ops: []string{"kmeans"}}, true, 1, 0},
		{"a model alone", flags{models: []string{"nci1-path"}}, false, 0, 1},
		{"a data set", flags{models: []string{"nci1"}}, false, 0, 2},
		{"both", flags{ops: []string{"gram", "assign"}, models: []string{"mutag"}}, false, 2, 2},
		{"all and none", flags{ops: []string{"all"}, models: []string{"none"}}, false, onCPU, 0},
		{"by name only", flags{models: []string{"collab"}}, false, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ops, err := c.flags.chosenOperations(c.device)
			if err != nil {
				t.Fatal(err)
			}
			chosen, err := c.flags.chosenModels()
			if err != nil {
				t.Fatal(err)
			}
			common := slices.DeleteFunc(models(), func(m staged) bool { return m.extra })
			if c.model < 0 {
				c.model = len(common)
			}
			if len(ops) != c.ops || len(chosen) != c.model {
				t.Errorf("%d operations and %d models, want %d and %d", len(ops), len(chosen), c.ops, c.model)
			}
		})
	}
}

func TestMeasureTakesSamplesInTurn(t *testing.T) {
	var order []string
	run := func(name string) func() error {
		return func() error {
			order = append(order, name)
			time.Sleep(time.Millisecond)
			return nil
		}
	}
	c := clock{repeat: 3, budget: time.Minute}
	times, err := c.measure(run("a"), run("b"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "b", "a", "b", "a", "b", "a", "b"}; !slices.Equal(order, want) {
		t.Errorf("called %v, want a warm-up and three samples, %v", order, want)
	}
	for _, x := range times {
		if len(x.Wall) != 3 || len(x.CPU) != 3 {
			t.Errorf("samples %v and %v, want three", x.Wall, x.CPU)
		}
	}
}

func TestLongMeasurementsKeepTwoSamples(t *testing.T) {
	c := clock{repeat: 9, budget: time.Nanosecond}
	times, err := c.measure(func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if n := len(times[0].Wall); n != 2 {
		t.Errorf("%d samples, want 2", n)
	}
}

func TestMedianAndSpread(t *testing.T) {
	x := timing{Wall: []float64{9, 9, 9}, CPU: []float64{4, 1, 2}}
	one, two := place{workers: 1}, place{workers: 2}
	if one.seconds(x) != 2 || two.seconds(x) != 9 || one.spread(x) != 1.5 || two.spread(x) != 0 {
		t.Errorf("one worker took %g s with spread %g, two took %g s with spread %g; want 2, 1.5, 9 and 0",
			one.seconds(x), one.spread(x), two.seconds(x), two.spread(x))
	}
	if gpu := (place{workers: 1, device: "gpu"}); gpu.seconds(x) != 9 {
		t.Errorf("a device took %g s, want those of the wall clock, 9", gpu.seconds(x))
	}
	if m := median([]float64{4, 1, 2, 3}); m != 2.5 {
		t.Errorf("median of four is %g, want 2.5", m)
	}
}

func TestFloorIsTheSlowerOfArithmeticAndTransfers(t *testing.T) {
	r := rates{Copy: 10, Peak32: 100, Peak64: 50, Gonum: 1, Exp32: 20, Exp64: 5}
	for _, c := range []struct {
		f     floor
		want  float64
		bound string
	}{
		{floor{flops32: 200, bytes: 10}, 2, "multiply-adds"},
		{floor{flops64: 50, exps64: 10, bytes: 10}, 3, "exponentials"},
		{floor{flops32: 200, bytes: 100}, 10, "bytes"},
	} {
		if got, bound := c.f.seconds(r); got != c.want || bound != c.bound {
			t.Errorf("%+v: %g seconds of %s, want %g of %s", c.f, got, bound, c.want, c.bound)
		}
	}
}

func TestFloorOfWorkAtUnknownRates(t *testing.T) {
	r := rates{Copy: 10, Peak32: 100, Exp32: 20}
	if got, _ := (floor{flopsTF32: 1, bytes: 10}).seconds(r); got != 0 {
		t.Errorf("products of an unknown rate have a floor of %g seconds, want none", got)
	}
	if got, _ := (floor{upload: 30, bytes: 10}).seconds(rates{Copy: 10, Upload: 15, Peak32: 1}); got != 3 {
		t.Errorf("an upload takes %g seconds, want 2 and 1 for the bytes", got)
	}
	if got := (floor{flops32: 50, exps32: 10}).operations(r); got != 100 {
		t.Errorf("%g operations, want 50 and as many as 10 exponentials take the time of", got)
	}
}

func TestADeviceIsWaitedForOncePerSample(t *testing.T) {
	calls, waits := 0, 0
	c := clock{repeat: 2, budget: time.Minute, wait: func() error { waits++; return nil }}
	if _, err := c.measure(func() error { calls++; return nil }); err != nil {
		t.Fatal(err)
	}
	if calls != 4 || waits != 4 {
		t.Errorf("%d calls and %d waits, want two warm-ups and two samples", calls, waits)
	}
	failure := errors.New("lost")
	c.wait = func() error { return failure }
	if _, err := c.measure(func() error { return nil }); !errors.Is(err, failure) {
		t.Errorf("error %v, want that of the device", err)
	}
}

func TestTargetsHoldOnTheirSide(t *testing.T) {
	for _, c := range []struct {
		sense    sense
		measured float64
		holds    bool
	}{{atMost, 1, true}, {atMost, 2, true}, {atMost, 3, false}, {atLeast, 1, false}, {atLeast, 2, true},
		{atLeast, 3, true}} {
		if v := (target{"x", 2, c.sense}).judge("y", c.measured); v.Holds != c.holds {
			t.Errorf("%g %s 2: holds is %v", c.measured, c.sense, v.Holds)
		}
	}
}

func TestSpeedupIsUndecidedOnABusyMachine(t *testing.T) {
	for _, c := range []struct {
		measured, others float64
		holds, undecided bool
	}{{1.9, 0, true, false}, {1.9, 1, true, false}, {1.1, 0, false, false}, {1.1, 1, false, true}} {
		v := (target{"x", 1.8, atLeast}).judgeSpeedup("y", c.measured, c.others)
		if v.Holds != c.holds || (v.Undecided != "") != c.undecided {
			t.Errorf("%g times while %g CPUs were busy: holds is %v, undecided %q", c.measured, c.others, v.Holds, v.Undecided)
		}
	}
}

func TestPublishedFiguresBelongToModels(t *testing.T) {
	names := map[string]bool{}
	for _, m := range models() {
		names[m.name] = true
	}
	for name, p := range publishedFigures() {
		if !names[name] || !(p.total() > p.encode) {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if p := publishedFigures()["nci1-subtree"]; p.total() < 22 || p.total() > 22.2 {
		t.Errorf("NCI1 subtree took %g seconds, want 22", p.total())
	}
}

func TestLapsDivideCallsByTheirProgress(t *testing.T) {
	l := &laps{}
	for range 3 { // a warm-up and two samples
		report := l.progress()
		for layer := range 2 {
			report("sample", layer, 2)
			report("anchors", layer, 2)
		}
		report("anchors", 2, 2)
	}
	var names []string
	for _, r := range l.results("m/fit", place{workers: 1}) {
		names = append(names, r.Name)
		if len(r.Wall) != 2 || len(r.CPU) != 2 {
			t.Errorf("%s has samples %v and %v, want two", r.Name, r.Wall, r.CPU)
		}
	}
	want := []string{"m/fit: sample, layer 1", "m/fit: anchors, layer 1", "m/fit: sample, layer 2",
		"m/fit: anchors, layer 2"}
	if !slices.Equal(names, want) {
		t.Errorf("parts %q, want %q", names, want)
	}
}
