package main

import (
	"math"
	"runtime"
	"slices"
	"time"
)

// timing holds the samples of one measurement, in seconds for one call.
type timing struct {
	Wall []float64 `json:"wall_seconds"`
	CPU  []float64 `json:"cpu_seconds"` // user and system time of the process, over all its threads
}

// wall returns the median wall-clock seconds of a call.
func (t timing) wall() float64 { return median(t.Wall) }

// cpu returns the median CPU seconds of a call, or its wall-clock seconds where the system does not
// count CPU time.
func (t timing) cpu() float64 {
	if c := median(t.CPU); c > 0 {
		return c
	}
	return t.wall()
}

// spread returns the distance between the slowest and the fastest sample over the median.
func (t timing) spread() float64 {
	samples := t.CPU
	if median(samples) == 0 {
		samples = t.Wall
	}
	if len(samples) == 0 || median(samples) == 0 {
		return 0
	}
	return (slices.Max(samples) - slices.Min(samples)) / median(samples)
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(x))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

// clock says how often things are timed.
type clock struct {
	repeat int           // samples
	budget time.Duration // a measurement that would take longer gets fewer samples, but at least two
	sample time.Duration // calls are repeated within a sample until it takes this long
}

// measure times the given functions in turn, so that a change of load on the machine meets all of them.
// Each is called once before, to warm up; that call is never a sample. Garbage is collected before
// every sample, outside of the timing.
func (c clock) measure(runs ...func() error) ([]timing, error) {
	calls := make([]int, len(runs))
	round := 0.0 // seconds that one sample of each takes
	for i, run := range runs {
		start := time.Now()
		if err := run(); err != nil {
			return nil, err
		}
		took := max(time.Since(start).Seconds(), 1e-9)
		calls[i] = max(int(math.Ceil(c.sample.Seconds()/took)), 1)
		round += took * float64(calls[i])
	}
	samples := max(min(c.repeat, int(c.budget.Seconds()/round)), 2)
	out := make([]timing, len(runs))
	for range samples {
		for i, run := range runs {
			runtime.GC()
			cpu, start := cpuSeconds(), time.Now()
			for range calls[i] {
				if err := run(); err != nil {
					return nil, err
				}
			}
			n := float64(calls[i])
			out[i].Wall = append(out[i].Wall, time.Since(start).Seconds()/n)
			out[i].CPU = append(out[i].CPU, (cpuSeconds()-cpu)/n)
		}
	}
	return out, nil
}
