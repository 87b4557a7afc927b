package eval

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
)

// Result is what an evaluation prints: an outcome with its circumstances. Shares are in percent,
// errors in the units of the targets.
type Result struct {
	Model    string  `json:"model"`
	Dataset  string  `json:"dataset"`
	Graphs   int     `json:"n_graphs"`
	Device   string  `json:"device"`
	Measured         // by the metric that settings were chosen by
	Protocol string  `json:"protocol"`
	Anchors  string  `json:"anchors,omitempty"` // graphs that the representation was learned from
	Seed     uint64  `json:"seed"`
	Params   []Param `json:"params"` // published: one choice for all folds; nested: one for every fold

	Calibration Calibration `json:"calibration,omitempty"`
	Scores      []Measured  `json:"scores"` // by every metric that the predictions can be measured by
	Seconds     Seconds     `json:"seconds"`
}

// Measured is a [Score] in the units that are printed.
type Measured struct {
	Metric Metric  `json:"metric"`
	Mean   float64 `json:"mean"`
	Std    float64 `json:"std"`
	Folds  Numbers `json:"folds"`
}

// Numbers are numbers of which some may be missing: NaN, in JSON null.
type Numbers []float64

// MarshalJSON implements [json.Marshaler].
func (n Numbers) MarshalJSON() ([]byte, error) {
	list := make([]Number, len(n))
	for i, v := range n {
		list[i] = Number(v)
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Numbers) UnmarshalJSON(raw []byte) error {
	var list []*float64
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	*n = make(Numbers, len(list))
	for i, v := range list {
		if (*n)[i] = math.NaN(); v != nil {
			(*n)[i] = *v
		}
	}
	return nil
}

// measured returns a score in units.
func (s *Score) measured() Measured {
	m := Measured{Metric: s.Metric, Mean: s.Metric.InUnits(s.Mean), Std: s.Metric.InUnits(s.Std)}
	for _, score := range s.Folds {
		m.Folds = append(m.Folds, s.Metric.InUnits(score))
	}
	return m
}

// Param is a chosen setting with the value of its grid. In JSON grid and metric go by their names:
// {"options": ..., "c": 0.1, "accuracy": 87.5}; a setting without a grid has no
// such entry, and one that was the only one has no score.
type Param struct {
	Options any
	Grid    string // its name
	Value   float64
	Metric  Metric
	Score   float64 // that it was chosen for, NaN for none
}

// MarshalJSON implements [json.Marshaler].
func (p Param) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	entry := func(before, name string, value any) error {
		raw, err := json.Marshal(map[string]any{name: value})
		if err == nil {
			out.WriteString(before)
			out.Write(raw[1 : len(raw)-1])
		}
		return err
	}
	if err := entry("{", "options", p.Options); err != nil {
		return nil, err
	}
	if p.Grid != "" {
		if err := entry(",", strings.ToLower(p.Grid), p.Value); err != nil {
			return nil, err
		}
	}
	if !math.IsNaN(p.Score) {
		if err := entry(",", string(p.Metric), p.Score); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Seconds says where the time went. Total is wall time; the others are added over goroutines and may
// exceed it.
type Seconds struct {
	Load      float64 `json:"load"`      // reading the data
	Fit       float64 `json:"fit"`       // sampling and anchors
	Transform float64 `json:"transform"` // encoding
	Select    float64 `json:"select"`    // standardising, training and testing classifiers
	Total     float64 `json:"total"`
	Before    float64 `json:"before,omitempty"` // what a [Checkpoint] held has taken; it is not in the others
}

// measures returns the scores of all metrics that say something, in units.
func (o *Outcome) measures() []Measured {
	var all []Measured
	for _, s := range o.Scores {
		if !math.IsNaN(s.Mean) {
			all = append(all, s.measured())
		}
	}
	return all
}

// Add takes over an outcome. options returns what to print of a setting, given its index in Problem.Estimators.
func (r *Result) Add(o *Outcome, options func(setting int) any) {
	r.Protocol, r.Measured, r.Scores = o.Protocol, o.measured(), o.measures()
	for _, c := range o.Chosen {
		r.Params = append(r.Params, Param{options(c.Setting), c.Grid, c.Value, r.Metric, r.Metric.InUnits(c.Score)})
	}
}
