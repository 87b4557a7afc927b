//go:build gpu

package sim

import (
	"encoding/json"
	"fmt"
)

// View is what the lens saw of all launches since the last look: what each kernel did, by name, and what is wrong.
//
// A library that cuda/sim/build.sh made with --lens has one. It watches every load and store of the kernels, each
// thread on its own, and then goes through what the lanes of a warp did as a GPU would, those at the same place of the
// code together.
type View struct {
	Kernels  []Kernel  `json:"kernels"`
	Findings []Finding `json:"findings"`
}

// Kernel is what all launches of a kernel did. Sums are over its launches, threads and lanes.
type Kernel struct {
	Name     string `json:"name"`
	Launches int64  `json:"launches"`
	Blocks   int64  `json:"blocks"`
	Threads  int64  `json:"threads"`

	Device Requests `json:"device"` // in sectors of 32 bytes
	Shared Requests `json:"shared"` // in turns: each serves a word of every bank

	ReadSectors    int64 `json:"read_sectors"` // of device memory, each counted once a launch
	WrittenSectors int64 `json:"written_sectors"`

	Exponentials32 int64 `json:"exponentials32"`
	Exponentials64 int64 `json:"exponentials64"`
	Flops32        int64 `json:"flops32"` // a multiply-add counts as two
	Flops64        int64 `json:"flops64"`
	Divisions32    int64 `json:"divisions32"` // and square roots
	Divisions64    int64 `json:"divisions64"`
	Runs           int64 `json:"runs"`      // of basic blocks by warps
	RunLanes       int64 `json:"run_lanes"` // lanes that took part in them
	Chain          int64 `json:"chain"`     // cycles that the longest warp of a launch takes, see docs/benchmarks

	Lines   []Line `json:"lines"`   // whose requests take most beyond the least
	Busiest Line   `json:"busiest"` // whose requests take most of device memory
}

// Requests are accesses of the lanes of a warp at the same place at once: how many, of how many lanes, what they took
// and the least that would do for the same bytes.
type Requests struct {
	Requests int64 `json:"requests"`
	Lanes    int64 `json:"lanes"`
	Took     int64 `json:"took"`
	Least    int64 `json:"least"`
}

// Line is what the requests of one line of the source took, in memory of one kind.
type Line struct {
	Line   string   `json:"line"` // FILE:LINE
	Device Requests `json:"device"`
	Shared Requests `json:"shared"`
}

// Finding is a race between two lines or a read of memory that was never written.
type Finding struct {
	What     string `json:"what"`
	Kernel   string `json:"kernel"`
	Line     string `json:"line"`  // FILE:LINE
	Other    string `json:"other"` // the line of the earlier access of a race
	Times    int64  `json:"times"`
	Example  string `json:"example"`
	Intended string `json:"intended"` // why the race is, where the source says that it is intended
}

func (f Finding) String() string {
	at := f.Line
	if f.Other != "" {
		at += " after " + f.Other
	}
	return fmt.Sprintf("%s: %s at %s, %d times, first in %s", f.Kernel, f.What, at, f.Times, f.Example)
}

// Look returns what the lens saw since the last Look; ok is false where the library has none.
func Look() (v View, ok bool) {
	if !Loaded() {
		return v, false
	}
	seen := text("lens")
	if seen == "" {
		return v, false
	}
	if err := json.Unmarshal([]byte(seen), &v); err != nil {
		panic("sim: the lens: " + err.Error())
	}
	return v, true
}
