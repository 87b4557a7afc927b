package eval

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
)

// Result is what an evaluation prints: an outcome with its circumstances. Accuracies are in percent,
// errors in the units of the targets.
type Result struct {
	Model    string    `json:"model"`
	Dataset  string    `json:"dataset"`
	Graphs   int       `json:"n_graphs"`
	Device   string    `json:"device"`
	Metric   Metric    `json:"metric"`
	Mean     float64   `json:"mean"`
	Std      float64   `json:"std"`
	Folds    []float64 `json:"folds"`
	Protocol string    `json:"protocol"`
	Anchors  string    `json:"anchors,omitempty"` // graphs that the representation was learned from
	Seed     uint64    `json:"seed"`
	Params   []Param   `json:"params"` // published: one choice for all folds; nested: one for every fold
	Seconds  Seconds   `json:"seconds"`
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
}

// Add takes over an outcome, accuracies in percent. options returns what to print of a setting, given its
// index in Problem.Settings.
func (r *Result) Add(o *Outcome, options func(setting int) any) {
	unit := 1.0
	if o.Metric == MetricAccuracy {
		unit = 100
	}
	r.Metric, r.Protocol = o.Metric, o.Protocol
	r.Mean, r.Std = unit*o.Mean, unit*o.Std
	for _, score := range o.Folds {
		r.Folds = append(r.Folds, unit*score)
	}
	for _, c := range o.Chosen {
		r.Params = append(r.Params, Param{options(c.Setting), c.Grid, c.Value, o.Metric, unit * c.Score})
	}
}
