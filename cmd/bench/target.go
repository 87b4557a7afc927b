package main

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
}

// judge holds a measured figure against t.
func (t target) judge(name string, measured float64) verdict {
	holds := measured <= t.limit
	if t.sense == atLeast {
		holds = measured >= t.limit
	}
	return verdict{name, t.what, measured, t.sense.String(), t.limit, holds}
}
