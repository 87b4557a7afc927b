package main

import "fmt"

// target is a figure that a measurement is held against.
type target struct {
	what  string
	limit float64
	sense sense
}

// sense says on which side of the limit a figure should be.
type sense int

const (
	atMost sense = iota
	atLeast
)

func (s sense) String() string {
	if s == atLeast {
		return "at least"
	}
	return "at most"
}

// verdict is a target with what was measured.
type verdict struct {
	Name     string  `json:"name"` // of the benchmark
	What     string  `json:"what"`
	Measured float64 `json:"measured"`
	Sense    string  `json:"sense"` // "at most" or "at least"
	Limit    float64 `json:"limit"`
	Holds    bool    `json:"holds"`

	// Undecided says why the figure proves nothing, for a target that does not hold.
	Undecided string `json:"undecided,omitempty"`
}

// judge holds a measured figure against t.
func (t target) judge(name string, measured float64) verdict {
	holds := measured <= t.limit
	if t.sense == atLeast {
		holds = measured >= t.limit
	}
	return verdict{Name: name, What: t.what, Measured: measured, Sense: t.sense.String(), Limit: t.limit, Holds: holds}
}

// disturbed is the number of processors that other processes may keep busy while two workers are compared
// with one; beyond it a missing speed-up says nothing.
const disturbed = 0.1

// judgeSpeedup is judge for a ratio of wall-clock seconds, taken while other processes kept the given number
// of processors busy.
func (t target) judgeSpeedup(name string, measured, others float64) verdict {
	v := t.judge(name, measured)
	if !v.Holds && others > disturbed {
		v.Undecided = fmt.Sprintf("other processes kept %.2f CPUs busy", others)
	}
	return v
}
