package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/internal/digest"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Kept is a comparison as it is kept in a file and printed as JSON: its circumstances, every model with its figures and
// all that it says of the test parts. A comparison that finds its file goes on from there.
type Kept struct {
	Dataset     string      `json:"dataset"`
	Digest      string      `json:"digest"` // of the data set
	Graphs      int         `json:"n_graphs"`
	Task        model.Task  `json:"task"`
	Names       []string    `json:"names,omitempty"` // of the classes, or of the target
	Device      string      `json:"device"`
	Protocol    string      `json:"protocol"`
	FoldsFrom   string      `json:"folds_from"`
	FoldsDigest string      `json:"folds_digest"`
	Metric      Metric      `json:"metric"`
	Calibration Calibration `json:"calibration,omitempty"`
	Seed        uint64      `json:"seed"`
	Repeats     int         `json:"repeats"`
	Folds       [][]int     `json:"folds"` // the examples of the test part of every fold

	Models  []KeptModel `json:"models"`
	Chosen  *KeptChoice `json:"chosen,omitempty"`
	Voted   *KeptVote   `json:"voted,omitempty"`
	Tests   []KeptTest  `json:"tests"`
	LeftOut []LeftOut   `json:"left_out,omitempty"`
	Ranks   *KeptRanks  `json:"ranks,omitempty"`
	Notes   []string    `json:"notes,omitempty"`
	Total   float64     `json:"seconds"` // of this run
}

// KeptModel is what a comparison says of a model.
type KeptModel struct {
	Model    string `json:"model"`
	Settings string `json:"settings"` // digest of all that it was chosen among and by
	Measured
	Scores    []Measured `json:"scores"`
	Seconds   float64    `json:"seconds"` // of all folds
	Error     string     `json:"error,omitempty"`
	Footprint *Footprint `json:"footprint,omitempty"`
	Tested    []KeptFold `json:"tested"`
}

// KeptFold is what a model says of the test part of a fold, in the order of [Kept.Folds].
type KeptFold struct {
	Fold       int      `json:"fold"` // counted from 1
	Place      int      `json:"place"`
	Setting    string   `json:"setting"`
	Grid       string   `json:"grid,omitempty"`
	Value      float64  `json:"value"`
	Score      *float64 `json:"score"` // that it was chosen for
	Validation Numbers  `json:"validation,omitempty"`
	Voice      *Voice   `json:"voice,omitempty"`
	Seconds    float64  `json:"seconds"`
	KeptPredictions
}

// KeptPredictions is what is kept of predictions.
type KeptPredictions struct {
	Classes       []int       `json:"classes,omitempty"`
	Decisions     [][]float64 `json:"decisions,omitempty"`
	Probabilities [][]float64 `json:"probabilities,omitempty"`
	Values        []float64   `json:"values,omitempty"`
}

// keepPredictions is what is kept of some.
func keepPredictions(p *model.Predictions) KeptPredictions {
	kept := KeptPredictions{Classes: p.Classes}
	if p.Decisions != nil {
		kept.Decisions = rowsOf(p.Decisions)
	}
	if p.Probabilities != nil {
		kept.Probabilities = rowsOf(p.Probabilities)
	}
	if p.Values != nil {
		kept.Values = p.Values.Float64s()
	}
	return kept
}

// predictions are those that are kept.
func (k *KeptPredictions) predictions() *model.Predictions {
	said := &model.Predictions{
		Classes: k.Classes, Decisions: ofRows(k.Decisions), Probabilities: ofRows(k.Probabilities),
	}
	if k.Values != nil {
		said.Values = model.Column(k.Values)
	}
	return said
}

// KeptChoice is the figure of choosing the model too.
type KeptChoice struct {
	Measured
	Scores []Measured `json:"scores"`
	Models []string   `json:"models"` // of every fold
}

// KeptVote is the figure of a vote of the models that do well at the choice, see [VotedModels].
type KeptVote struct {
	Measured
	Scores []Measured `json:"scores"`
	Models [][]string `json:"models"` // of every fold, the best first
}

// KeptTest holds a model against the best one, see [Against].
type KeptTest struct {
	Model        string  `json:"model"`
	Best         string  `json:"best"`
	Difference   float64 `json:"difference"` // in the units of the metric
	T            Number  `json:"t"`
	THolm        Number  `json:"t_holm"`
	Wilcoxon     Number  `json:"wilcoxon"`
	WilcoxonHolm Number  `json:"wilcoxon_holm"`
}

// LeftOut is a model that does not fit the data.
type LeftOut struct {
	Model string `json:"model"`
	Why   string `json:"why"`
}

// Number is one that may be missing: NaN, in JSON null.
type Number float64

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Settle fills in what identifies a comparison.
func (k *Kept) Settle(c *Comparison) error {
	p := c.Problem
	for _, e := range c.Entrants {
		p.Estimators = append(p.Estimators, e.Estimators...)
	}
	if err := p.check(); err != nil {
		return err
	}
	d := p.Work.Data
	k.Dataset, k.Digest, k.Graphs, k.Task = d.Name, d.Digest(), d.NumGraphs(), p.Targets.Task
	k.Names, k.Protocol, k.Metric, k.Calibration = p.Targets.Names, nestedProtocol, p.Metric, p.Calibration
	k.Seed, k.Repeats, k.Folds = p.Seed, p.Repeats, nil
	var parts []any
	for _, f := range p.Folds {
		k.Folds = append(k.Folds, f.Test)
		parts = append(parts, f.Train, f.Test)
	}
	k.FoldsDigest = digest.Of(parts...)
	for _, e := range c.Entrants {
		k.Models = append(k.Models, KeptModel{Model: e.Name, Settings: e.digest(p.Seed)})
	}
	return nil
}

// digest is that of all that an entrant is chosen among and by.
func (e *Entrant) digest(seed uint64) string {
	parts := []any{fmt.Sprint(e.Inner, e.HoldOut, seed)}
	for _, folds := range e.InnerFolds {
		for _, f := range folds {
			parts = append(parts, f.Train, f.Test)
		}
	}
	for _, s := range e.Estimators {
		raw, err := json.Marshal(s.Params())
		if err != nil {
			raw = []byte(err.Error())
		}
		grid := s.Grid()
		parts = append(parts, s.Name(), s.String(), raw, grid.Name, grid.Values)
	}
	return digest.Of(parts...)
}

// KeptModels lists the models of the comparison in the file at path, none where there is no file.
func KeptModels(path string) ([]string, error) {
	old, err := readKept(path)
	if err != nil || old == nil {
		return nil, err
	}
	var names []string
	for _, m := range old.Models {
		names = append(names, m.Model)
	}
	return names, nil
}

// readKept reads the comparison in the file at path, nil where there is no file.
func readKept(path string) (*Kept, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	old := new(Kept)
	if err := json.Unmarshal(raw, old); err != nil || len(old.Models) == 0 {
		return nil, fmt.Errorf("this is no comparison; name another file")
	}
	return old, nil
}

// GoOn takes over what an earlier comparison, in the file at path, found out: of the same models with the same settings
// the folds that are done. A file that is not there is none. The error says what is different where it is not the same
// comparison.
func (k *Kept) GoOn(path string) error {
	old, err := readKept(path)
	if err != nil || old == nil {
		return err
	}
	for _, one := range []struct {
		what string
		same bool
	}{
		{"data", old.Digest == k.Digest}, {"folds", old.FoldsDigest == k.FoldsDigest}, {"metric", old.Metric == k.Metric},
		{"calibration", old.Calibration == k.Calibration}, {"seed", old.Seed == k.Seed},
	} {
		if !one.same {
			return fmt.Errorf("it holds a comparison of other %s (%s on %s); name another file", one.what, old.Metric,
				old.Dataset)
		}
	}
	for _, m := range old.Models {
		at := slices.IndexFunc(k.Models, func(one KeptModel) bool { return one.Settings == m.Settings })
		if at >= 0 && k.Models[at].Model == m.Model {
			k.Models[at].Tested, k.Models[at].Footprint = m.Tested, m.Footprint
		}
	}
	return nil
}

// Save writes the comparison to a file, as a whole or not at all.
func (k *Kept) Save(path string) error {
	return atomicfile.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(k) })
}

// Known is that of [Comparison].
func (k *Kept) Known(entrant, fold int) *Tested {
	for _, t := range k.Models[entrant].Tested {
		if t.Fold != fold+1 {
			continue
		}
		score := math.NaN()
		if t.Score != nil {
			score = *t.Score
		}
		said := t.predictions()
		if said.Len() != len(k.Folds[fold]) {
			return nil
		}
		return &Tested{Choice{t.Place, t.Setting, t.Grid, t.Value, score, t.Validation, t.Voice}, said, t.Seconds}
	}
	return nil
}

// ofRows returns the matrix of some rows, nil of none.
func ofRows(rows [][]float64) *tensor.Dense {
	if len(rows) == 0 {
		return nil
	}
	return tensor.New(tensor.WithShape(len(rows), len(rows[0])), tensor.WithBacking(slices.Concat(rows...)))
}

// Add adds a fold that is done.
func (k *Kept) Add(entrant, fold int, t *Tested) {
	m := &k.Models[entrant]
	m.Tested = append(m.Tested, KeepFold(fold, t))
	slices.SortFunc(m.Tested, func(a, b KeptFold) int { return a.Fold - b.Fold })
}

// KeepFold is what is kept of a fold, counted from 0, that is done.
func KeepFold(fold int, t *Tested) KeptFold {
	kept := KeptFold{Fold: fold + 1, Place: t.Setting, Setting: t.Name, Grid: t.Grid, Value: t.Value, Seconds: t.Seconds,
		Validation: t.Validation, Voice: t.Voice, KeptPredictions: keepPredictions(t.Predicted)}
	if !math.IsNaN(t.Score) {
		kept.Score = &t.Score
	}
	return kept
}

// Finish fills in the figures of the entries, one for each model; with choose those of choosing among them.
func (k *Kept) Finish(c *Comparison, entries []Entry, choose bool) error {
	k.Tests, k.Chosen, k.Voted = []KeptTest{}, nil, nil
	for i, e := range entries {
		m := &k.Models[i]
		if e.Err != nil {
			m.Error = e.Err.Error()
			continue
		}
		m.Measured, m.Scores, m.Seconds, m.Error = e.Outcome.measured(), e.Outcome.measures(), e.Seconds, ""
	}
	for _, a := range CompareWithBest(c, entries) {
		k.Tests = append(k.Tests, KeptTest{
			entries[a.Model].Name, entries[a.Best].Name, k.Metric.InUnits(a.Difference),
			Number(a.T), Number(a.THolm), Number(a.Wilcoxon), Number(a.WilcoxonHolm),
		})
	}
	if !choose {
		return nil
	}
	o, models, err := ChosenModels(c, entries)
	if err != nil {
		return err
	}
	k.Chosen = &KeptChoice{Measured: o.measured(), Scores: o.measures()}
	for _, i := range models {
		k.Chosen.Models = append(k.Chosen.Models, entries[i].Name)
	}
	voted, voters, err := VotedModels(c, entries)
	if err != nil || voted == nil {
		return err
	}
	k.Voted = &KeptVote{Measured: voted.measured(), Scores: voted.measures()}
	for _, places := range voters {
		var names []string
		for _, i := range places {
			names = append(names, entries[i].Name)
		}
		k.Voted.Models = append(k.Voted.Models, names)
	}
	return nil
}
