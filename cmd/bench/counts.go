package main

import (
	"errors"
	"maps"
	"slices"

	"github.com/grove-graph/grove/engine"
)

// instruments are what a GPU engine can tell of itself.
type instruments interface {
	Counts() (counts, error)                             // since the engine was opened
	Elapsed(run func() error) (seconds float64, _ error) // that the device takes, by events
	Hardware() hardware
	MeasureRates() (rates, error) // of multiply-adds and exponentials, by kernels that do nothing else
}

// instrumentsOf returns those of an engine, nil where it has none. A build with GPU support sets it.
var instrumentsOf = func(engine.Engine) instruments { return nil }

var errNothingToCount = errors.New("--count: only a GPU is asked for launches and copies; name one with " +
	"--device cuda, real or simulated (cuda/sim/with.sh)")

// counts are what a piece of work asks of a GPU, or the mean of many.
type counts struct {
	Submissions   float64 `json:"submissions"` // calls that hand kernels to the driver
	Launches      float64 `json:"launches"`    // kernels
	Uploads       float64 `json:"uploads"`     // copies from the host
	Downloads     float64 `json:"downloads"`   // copies to the host
	UploadBytes   float64 `json:"upload_bytes"`
	DownloadBytes float64 `json:"download_bytes"`
	Clears        float64 `json:"clears"`       // of memory
	Moves         float64 `json:"moves"`        // copies within the device
	Nodes         float64 `json:"nodes"`        // of graphs: kernels, clears and moves
	Updates       float64 `json:"updates"`      // of nodes
	Handovers     float64 `json:"handovers"`    // tasks for the thread of the context
	Waits         float64 `json:"waits"`        // of that thread for the device
	Exponentials  float64 `json:"exponentials"` // in float32 and in float64
	OperandBytes  float64 `json:"operand_bytes"`

	Kernels map[string]float64    `json:"kernels"` // launches of each
	Work    map[string]kernelWork `json:"work"`    // blocks and arithmetic of each
}

// kernelWork is what a kernel does, as far as it is counted.
type kernelWork struct {
	Blocks         float64 `json:"blocks"`
	Exponentials32 float64 `json:"float32_exponentials,omitempty"`
	Exponentials64 float64 `json:"float64_exponentials,omitempty"`
	Operations32   float64 `json:"float32_operations,omitempty"`
	Operations64   float64 `json:"float64_operations,omitempty"`
	Values         float64 `json:"values,omitempty"` // of columns that are searched for splits
}

func (c *counts) numbers() []*float64 {
	return []*float64{&c.Submissions, &c.Launches, &c.Uploads, &c.Downloads, &c.UploadBytes, &c.DownloadBytes, &c.Clears,
		&c.Moves, &c.Nodes, &c.Updates, &c.Handovers, &c.Waits, &c.Exponentials, &c.OperandBytes}
}

func (w *kernelWork) numbers() []*float64 {
	return []*float64{&w.Blocks, &w.Exponentials32, &w.Exponentials64, &w.Operations32, &w.Operations64, &w.Values}
}

// since returns the counts since before, divided by a number of pieces of work.
func (c counts) since(before counts, pieces float64) counts {
	from := before.numbers()
	for i, x := range c.numbers() {
		*x = (*x - *from[i]) / pieces
	}
	kernels, work := c.Kernels, c.Work
	c.Kernels, c.Work = map[string]float64{}, map[string]kernelWork{}
	for name, n := range kernels {
		if n -= before.Kernels[name]; n == 0 {
			continue
		}
		w, was := work[name], before.Work[name]
		from := was.numbers()
		for i, x := range w.numbers() {
			*x = (*x - *from[i]) / pieces
		}
		c.Kernels[name], c.Work[name] = n/pieces, w
	}
	return c
}

// times returns the counts of so many pieces of work.
func (c counts) times(pieces float64) counts { return c.since(counts{}, 1/pieces) }

// mostLaunched returns the names of the kernels by their launches.
func (c *counts) mostLaunched() []string {
	names := slices.Sorted(maps.Keys(c.Kernels))
	slices.SortStableFunc(names, func(a, b string) int {
		switch x, y := c.Kernels[a], c.Kernels[b]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return names
}

// counted are the counts of a piece of work.
type counted struct {
	Per    string  `json:"per"`    // what is counted: a step, a search, the whole
	Pieces float64 `json:"pieces"` // that the counts are the mean of
	Shape  string  `json:"shape"`
	counts
	Round *perRound   `json:"per_round,omitempty"` // of boosting
	Floor *kernelWork `json:"floor,omitempty"`     // of an operation: the work at full size
	Bytes float64     `json:"floor_bytes,omitempty"`
}

// perRound are counts of a boosting round.
type perRound struct {
	Searches float64 `json:"searches"`
	Uploads  float64 `json:"uploads"`
	Waits    float64 `json:"waits"`
}
