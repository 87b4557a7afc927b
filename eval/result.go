package eval

// Result is what an evaluation prints: an outcome with its circumstances. Accuracies are in percent.
type Result struct {
	Model    string    `json:"model"`
	Dataset  string    `json:"dataset"`
	Graphs   int       `json:"n_graphs"`
	Device   string    `json:"device"`
	Metric   string    `json:"metric"` // "accuracy"
	Mean     float64   `json:"mean"`
	Std      float64   `json:"std"`
	Folds    []float64 `json:"folds"`
	Protocol string    `json:"protocol"`
	Anchors  string    `json:"anchors,omitempty"` // graphs that the representation was learned from
	Seed     uint64    `json:"seed"`
	Params   []Param   `json:"params"` // published: one choice for all folds; nested: one for every fold
	Seconds  Seconds   `json:"seconds"`
}

// Param is a chosen setting with its C.
type Param struct {
	Options  any     `json:"options"`
	C        float64 `json:"c"`
	Accuracy float64 `json:"accuracy"` // percent, that it was chosen for
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

// Add takes over an outcome, in percent. options returns what to print of a setting, given its index in
// Problem.Settings.
func (r *Result) Add(o *Outcome, options func(setting int) any) {
	r.Metric, r.Protocol = "accuracy", o.Protocol
	r.Mean, r.Std = 100*o.Mean, 100*o.Std
	for _, a := range o.Folds {
		r.Folds = append(r.Folds, 100*a)
	}
	for _, c := range o.Chosen {
		r.Params = append(r.Params, Param{Options: options(c.Setting), C: c.C, Accuracy: 100 * c.Accuracy})
	}
}
