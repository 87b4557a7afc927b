package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/grove-graph/grove/atomicfile"
)

// report is a run of the benchmark. It is what --json writes.
type report struct {
	Date     string    `json:"date"` // RFC 3339
	Machine  host      `json:"machine"`
	Settings settings  `json:"settings"`
	Results  []result  `json:"results"`
	Targets  []verdict `json:"targets,omitempty"`
	Notes    []string  `json:"notes,omitempty"`

	Counts map[string]counted `json:"counts,omitempty"` // by workload
}

// settings are the flags that bear on the figures.
type settings struct {
	Workers int    `json:"workers"`
	Repeat  int    `json:"repeat"`
	Quick   bool   `json:"quick,omitempty"`
	Device  string `json:"device,omitempty"` // what --device asked for
}

// result is one line of the report: an operation, or a stage of a model as "model/stage".
type result struct {
	Name    string `json:"name"`
	Shape   string `json:"shape,omitempty"`
	Workers int    `json:"workers"`
	Device  string `json:"device,omitempty"` // where it is not the CPU
	timing
	Seconds float64 `json:"seconds"` // what the rates are taken from: CPU seconds on one worker, else wall-clock seconds
	Spread  float64 `json:"spread"`  // (slowest - fastest) / median
	Peak    int64   `json:"peak_memory_bytes,omitempty"`

	Rate float64 `json:"rate,omitempty"`
	Unit string  `json:"unit,omitempty"`

	Floor      float64 `json:"floor_seconds,omitempty"`
	Bound      string  `json:"floor_bound,omitempty"` // what the floor consists of
	Fraction   float64 `json:"fraction_of_floor,omitempty"`
	Bytes      float64 `json:"bytes,omitempty"`       // inputs read once and outputs written once
	Moved      float64 `json:"moved_bytes,omitempty"` // of all accesses, where they are more
	Operations float64 `json:"operations,omitempty"`  // see [floor.operations]

	Throughput *throughput `json:"throughput,omitempty"`

	OverPortable float64 `json:"rate_over_portable,omitempty"`
	TwoWorkers   float64 `json:"two_workers_over_one,omitempty"` // see speedup
	Rival        *rival  `json:"rival,omitempty"`

	Published     float64 `json:"published_seconds,omitempty"`
	OverPublished float64 `json:"published_over_seconds,omitempty"`
}

// throughput is what a stage of a model gets through in a second.
type throughput struct {
	Graphs   float64 `json:"graphs_per_second"`
	Vertices float64 `json:"vertices_per_second"`
	Paths    float64 `json:"paths_per_second"` // of all lengths that are pooled in the first layer
}

// newResult fills in what follows from the timing.
func newResult(name string, on place, t timing) result {
	return result{Name: name, Workers: on.workers, Device: on.device, timing: t, Seconds: on.seconds(t),
		Spread: on.spread(t)}
}

// holdAgainst sets the floor, unless the rates of the machine are not known.
func (r *result) holdAgainst(f floor, rates rates) {
	if r.Floor, r.Bound = f.seconds(rates); r.Floor > 0 {
		r.Fraction = r.Floor / r.Seconds
		r.Operations = f.operations(rates)
	}
}

// against sets the published seconds of the same work.
func (r *result) against(seconds float64) {
	if r.Seconds > 0 {
		r.Published, r.OverPublished = seconds, seconds/r.Seconds
	}
}

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// saveJSON writes the report to a file.
func (r *report) saveJSON(name string) error {
	if err := atomicfile.Write(name, r.writeJSON); err != nil {
		return fmt.Errorf("--json: %w", err)
	}
	return nil
}

// readReport reads what [report.saveJSON] wrote.
func readReport(name string) (*report, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := &report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: not a report of this benchmark: %w", name, err)
	}
	if len(r.Results) == 0 && r.Date == "" {
		return nil, fmt.Errorf("%s: not a report of this benchmark: write one with --json", name)
	}
	return r, nil
}
