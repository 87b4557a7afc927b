package main

import (
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/grove-graph/grove/internal/cputime"
)

// timing holds the samples of one measurement, in seconds for one call.
type timing struct {
	Wall []float64 `json:"wall_seconds"`
	CPU  []float64 `json:"cpu_seconds"` // user and system time of the process, over all its threads

	// Events are the seconds between events on the stream of a GPU, where its cache held nothing of the inputs.
	Events []float64 `json:"event_seconds,omitempty"`
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

// speedup returns how many times as fast the second of two measurements was by the clock on the wall: the median over
// pairs of samples taken one after the other, which the machine mostly ran at one rate.
func speedup(one, other timing) float64 {
	var ratios []float64
	for i := range one.Wall {
		ratios = append(ratios, one.Wall[i]/other.Wall[i])
	}
	return median(ratios)
}

// spread returns the distance between the slowest and the fastest of some samples over their median.
func spread(samples []float64) float64 {
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

// place is where something ran. It decides which seconds count: those of the CPU for one worker, which load
// on the machine disturbs less, those between events on a GPU, and else those of the clock on the wall.
type place struct {
	workers int
	device  string // "" for the CPU
}

func (p place) byWall() bool { return p.device != "" || p.workers > 1 }

// seconds returns the median that counts, and spread that of its samples.
func (p place) seconds(t timing) float64 {
	switch {
	case len(t.Events) > 0:
		return median(t.Events)
	case p.byWall():
		return t.wall()
	}
	return t.cpu()
}

func (p place) spread(t timing) float64 {
	switch {
	case len(t.Events) > 0:
		return spread(t.Events)
	case p.byWall() || median(t.CPU) == 0:
		return spread(t.Wall)
	}
	return spread(t.CPU)
}

// clock says how often things are timed.
type clock struct {
	repeat int           // samples
	budget time.Duration // a measurement that would take longer gets fewer samples, but at least two
	sample time.Duration // calls are repeated within a sample until it takes this long

	place
	wait func() error // for a device to finish what it was asked to do; nil where calls return when done

	// Of a GPU, nil without one: the seconds of a call by events, and what takes its inputs out of the cache before.
	elapsed func(run func() error) (float64, error)
	evict   func() error
}

// measure times the given functions in turn, so that a change of load on the machine meets all of them.
// Each is called once before, to warm up; that call is never a sample. Garbage is collected before
// every sample, outside of the timing. A sample ends when the device has done its work.
func (c clock) measure(runs ...func() error) ([]timing, error) {
	calls := make([]int, len(runs))
	round := 0.0 // seconds that one sample of each takes
	for i, run := range runs {
		if c.wait != nil { // what a device loads at its first call says nothing about the next ones
			if err := c.times(1, run); err != nil {
				return nil, err
			}
		}
		start := time.Now()
		if err := c.times(1, run); err != nil {
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
			cpu, start := cputime.Seconds(), time.Now()
			if err := c.times(calls[i], run); err != nil {
				return nil, err
			}
			n := float64(calls[i])
			out[i].Wall = append(out[i].Wall, time.Since(start).Seconds()/n)
			out[i].CPU = append(out[i].CPU, (cputime.Seconds()-cpu)/n)
			if c.elapsed != nil {
				seconds, err := c.byEvents(calls[i], run)
				if err != nil {
					return nil, err
				}
				out[i].Events = append(out[i].Events, seconds/n)
			}
		}
	}
	return out, nil
}

// byEvents returns the seconds of n calls on a GPU.
func (c clock) byEvents(n int, run func() error) (seconds float64, err error) {
	for range n {
		if c.evict != nil {
			if err := c.evict(); err != nil {
				return 0, err
			}
		}
		took, err := c.elapsed(run)
		if err != nil {
			return 0, err
		}
		seconds += took
	}
	return seconds, nil
}

// times calls run n times and waits for the end.
func (c clock) times(n int, run func() error) error {
	for range n {
		if err := run(); err != nil {
			return err
		}
	}
	if c.wait != nil {
		return c.wait()
	}
	return nil
}
