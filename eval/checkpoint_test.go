package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
)

// searches are evaluations that can go on from a checkpoint, by what is special about them.
var searches = map[string]struct {
	published bool
	problem   func(t *testing.T) Problem
}{
	"published": {true, func(t *testing.T) Problem { return named(problem(t, 60, 2, 2, 0.5, 1, 3), 2) }},
	"published, anchors of folds": {true, func(t *testing.T) Problem {
		p := named(problem(t, 60, 2, 2, 0.5, 1, 3), 2)
		p.FromTrain = true
		return p
	}},
	"published repeats": {true, func(t *testing.T) Problem {
		return numbers(t, &meanOf{steps: []float64{1, 2}}, &meanOf{steps: []float64{-1, 0, 3}}, &meanOf{spoil: 2})
	}},
	"published, one setting": {true, func(t *testing.T) Problem {
		return numbers(t, &meanOf{steps: []float64{-1, 0, 3}})
	}},
	"nested": {false, func(t *testing.T) Problem { return named(problem(t, 60, 2, 2, 0.5, 1, 3), 2) }},
	"nested, anchors of folds": {false, func(t *testing.T) Problem {
		p := named(problem(t, 60, 2, 2, 0.5, 1, 3), 2)
		p.FromTrain = true
		return p
	}},
	"one setting": {false, func(t *testing.T) Problem { return numbers(t, &meanOf{spoil: 1}) }},
	"halving": {false, func(t *testing.T) Problem {
		p := named(problem(t, 100, 2, 3, 2, 0.5, 1, 3, 2), 2)
		p.FromTrain, p.Halving = true, true
		return p
	}},
	"calibrated": {false, func(t *testing.T) Problem {
		p := named(problem(t, 80, 2, 2, 0.5, 1), 2)
		p.Metric, p.Calibration = MetricLogLoss, Calibrations()[1]
		return p
	}},
	"voices": {false, func(t *testing.T) Problem {
		p := named(problem(t, 60, 3, 2, 0.5), 3)
		p.Validated = true
		return p
	}},
	"redrawn": {false, func(t *testing.T) Problem {
		p := numbers(t, &meanOf{steps: []float64{1, 2}}, &meanOf{spoil: 2})
		p.Redrawn = [][]model.Estimator{{&meanOf{steps: []float64{1, 2}, spoil: 0.5}, &meanOf{spoil: 1}}}
		return p
	}},
	"side by side": {false, func(t *testing.T) Problem {
		var at, most atomic.Int64
		var all []model.Estimator
		for s := range 3 {
			all = append(all, crowded{&meanOf{steps: []float64{-1, 0, 3}, spoil: float64(s-1) / 8}, &at, &most, 0})
		}
		p := numbers(t, all...)
		p.Work, p.FromTrain = model.NewWork(p.Work.Data, shared{engine.NewCPU(1)}), true
		return p
	}},
}

// sideBySide is watched that trains beside others.
type sideBySide struct{ watched }

func (sideBySide) SideBySide() {}

// all is everything in an outcome but its times, as text: there may be numbers that are none.
func all(t *testing.T, o *Outcome) string {
	t.Helper()
	var r Result
	r.Add(o, func(setting int) any { return setting })
	parts := []any{r}
	for _, said := range o.Predicted {
		parts = append(parts, keepPredictions(said))
	}
	for _, c := range o.Chosen {
		parts = append(parts, c.Setting, c.Name, c.Grid, c.Value, Number(c.Score), Numbers(c.Validation), c.Voice)
	}
	for _, c := range o.Curves {
		parts = append(parts, c.Name, c.Grid, Numbers(c.Mean), Numbers(c.Std))
	}
	text, err := json.Marshal(parts)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// watchedSearch returns a search that counts its trainings.
func watchedSearch(t *testing.T, name string, trainings *atomic.Int64) Problem {
	t.Helper()
	p := searches[name].problem(t)
	for _, estimators := range append([][]model.Estimator{p.Estimators}, p.Redrawn...) {
		for i, e := range estimators {
			w := watched{e, trainings}
			if estimators[i] = w; name == "side by side" {
				estimators[i] = sideBySide{w}
			}
		}
	}
	p.Workers = 2
	return p
}

// searched evaluates with the checkpoint at path and returns how many trainings that took.
func searched(t *testing.T, name, path string) (outcome string, trained int64) {
	t.Helper()
	s := searches[name]
	var trainings atomic.Int64
	p := watchedSearch(t, name, &trainings)
	protocol := Nested
	if s.published {
		protocol = Published
	}
	if path != "" {
		c, err := OpenCheckpoint(path, "this test", p, s.published)
		if err != nil {
			t.Fatal(name, err)
		}
		defer func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}()
		p.Checkpoint = c
	}
	o, err := protocol(context.Background(), p)
	if err != nil {
		t.Fatal(name, err)
	}
	return all(t, o), trainings.Load()
}

// Wherever an evaluation was cut off, in the middle of a line too, it goes on to the same outcome, and does again no
// more than what it was at.
func TestCheckpointGoesOnToTheSameOutcome(t *testing.T) {
	for name := range searches {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "checkpoint")
			want, most := searched(t, name, "")
			if got, trained := searched(t, name, path); got != want || trained != most {
				t.Fatalf("with a checkpoint %s in %d trainings, without %s in %d", got, trained, want, most)
			}
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := bytes.SplitAfter(whole, []byte("\n"))
			lines = lines[:len(lines)-1]
			last := most
			for n := 1; n <= len(lines); n += max(1, len(lines)/7) {
				kept := bytes.Join(lines[:n], nil)
				if n < len(lines) {
					kept = append(kept, lines[n][:len(lines[n])/2]...)
				}
				if err := os.WriteFile(path, kept, 0o666); err != nil {
					t.Fatal(err)
				}
				got, trained := searched(t, name, path)
				if got != want || trained > last {
					t.Errorf("after %d of %d lines %s in %d trainings, want %s in at most %d", n, len(lines), got, trained, want,
						last)
				}
				last = trained
			}
			if got, trained := searched(t, name, path); got != want || trained != 0 {
				t.Errorf("once more %s in %d trainings, want %s in none", got, trained, want)
			}
		})
	}
}

// Of one setting nothing that was learned is learned again.
func TestCheckpointOfOneSetting(t *testing.T) {
	for _, name := range []string{"published, one setting", "one setting"} {
		path := filepath.Join(t.TempDir(), "checkpoint")
		want, most := searched(t, name, path)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(whole, []byte("\n"))
		if err := os.WriteFile(path, bytes.Join(lines[:3], nil), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, trained := searched(t, name, path); got != want || trained != most-2 {
			t.Errorf("%s: after two of %d trainings %s in %d more, want %s", name, most, got, trained, want)
		}
	}
}

// Scores are kept where decisions are not finite, as those of a training that diverged.
func TestCheckpointOfADivergedSetting(t *testing.T) {
	p := named(problem(t, 60, 2, 2, 0.5), 2)
	path := filepath.Join(t.TempDir(), "checkpoint")
	open := func() *Checkpoint {
		c, err := OpenCheckpoint(path, "this test", p, true)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := open()
	said := KeptPredictions{Classes: make([]int, len(p.Folds[0].Test)), Decisions: [][]float64{{math.NaN()}}}
	scores := make(Numbers, p.Estimators[0].Grid().Size())
	if err := c.keep(piece{Scores: scores, All: []KeptPredictions{said}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open()
	defer c.Close()
	if k := c.of(0, 0); k == nil || len(k.Scores) != len(scores) || k.All != nil {
		t.Errorf("kept is %+v, want scores alone", k)
	}
}

// What was measured before an interruption is there afterwards.
func TestCheckpointOfAnInterruption(t *testing.T) {
	for _, name := range []string{"published, anchors of folds", "nested, anchors of folds"} {
		path := filepath.Join(t.TempDir(), "checkpoint")
		want, most := searched(t, name, "")
		s := searches[name]
		stopped := s.problem(t)
		ctx, stop := context.WithCancel(context.Background())
		stopped.Progress = func(done, total int, _ string) {
			if done == total/2 {
				stop()
			}
		}
		var err error
		if stopped.Checkpoint, err = OpenCheckpoint(path, "this test", stopped, s.published); err != nil {
			t.Fatal(err)
		}
		protocol := Nested
		if s.published {
			protocol = Published
		}
		if _, err := protocol(ctx, stopped); err == nil {
			t.Fatal("an interrupted evaluation has an outcome")
		}
		if err := stopped.Checkpoint.Close(); err != nil {
			t.Fatal(err)
		}
		if got, trained := searched(t, name, path); got != want || trained > most*2/3 {
			t.Errorf("%s: %s in %d trainings, want %s in fewer than %d", name, got, trained, want, most)
		}
	}
}

func TestCheckpointRefuses(t *testing.T) {
	folder := t.TempDir()
	fresh := func() Problem { return named(problem(t, 60, 2, 2, 0.5), 2) }
	path := filepath.Join(folder, "checkpoint")
	c, err := OpenCheckpoint(path, "grove 1", fresh(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(folder, "other")
	if err := os.WriteFile(other, []byte("graph,class\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(p *Problem) (file, by string, published bool){
		"other data": func(p *Problem) (string, string, bool) {
			p.Targets.Classes[0] = 1
			return path, "grove 1", false
		},
		"other folds": func(p *Problem) (string, string, bool) {
			p.Folds[0], p.Folds[1] = p.Folds[1], p.Folds[0]
			return path, "grove 1", false
		},
		"other settings": func(p *Problem) (string, string, bool) {
			p.Estimators = p.Estimators[:1]
			return path, "grove 1", false
		},
		"inner folds": func(p *Problem) (string, string, bool) {
			p.Inner = 3
			return path, "grove 1", false
		},
		"flags of the protocol":             func(*Problem) (string, string, bool) { return path, "grove 1", true },
		"written by grove 1, and this is 2": func(*Problem) (string, string, bool) { return path, "2", false },
		"no checkpoint of an evaluation":    func(*Problem) (string, string, bool) { return other, "grove 1", false },
		"no such file or directory": func(*Problem) (string, string, bool) {
			return filepath.Join(folder, "none", "checkpoint"), "grove 1", false
		},
	} {
		p := fresh()
		file, by, published := change(&p)
		_, err := OpenCheckpoint(file, by, p, published)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, want)
		}
	}
	if c, err = OpenCheckpoint(path, "grove 1", fresh(), false); err != nil || c.Before() != 0 {
		t.Errorf("%v, %v of an empty checkpoint", err, c.Before())
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// Lines that cannot be of this evaluation are as if they were not there.
func TestCheckpointIgnoresWhatDoesNotFit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	want, most := searched(t, "nested", "")
	c, err := OpenCheckpoint(path, "this test", searches["nested"].problem(t), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"", "{", "[]", `{"setting":4,"fold":0,"scores":[1,1,1]}`, `{"setting":-1,"fold":0,"scores":[1,1,1]}`,
		`{"setting":0,"fold":5,"scores":[1,1,1]}`, `{"setting":0,"fold":0,"scores":[1,1]}`,
		`{"setting":0,"fold":0,"scores":[1,1,1],"said":{"classes":[1]}}`, `{"setting":0,"fold":0,"rungs":[1,1,1]}`,
		`{"setting":0,"fold":0,"scores":[1,1,1],"said":{"classes":[0,0,0,0,0,0,0,0,0,0,0,2]}}`,
		`{"setting":0,"fold":0,"scores":[1,1,1],"said":{"classes":[0,0,0,0,0,0,0,0,0,0,0,1],"decisions":[[1],[]]}}`,
	} {
		if _, err := fmt.Fprintln(c.file, line); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got, trained := searched(t, "nested", path); got != want || trained != most {
		t.Errorf("%s in %d trainings, want %s in %d", got, trained, want, most)
	}
}
