package vote_test

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	_ "github.com/grove-graph/grove/families"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/vote"
)

// files are models that were trained on 30 molecules.
var files = filepath.Join("..", "model", "testdata", "files")

func load(t *testing.T, names ...string) (all []model.Model) {
	t.Helper()
	for _, name := range names {
		m, err := model.Load(filepath.Join(files, name+".grove"), nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

func predict(t *testing.T, m model.Model) *model.Predictions {
	t.Helper()
	d, err := dataset.Open(filepath.Join(files, "molecules"))
	if err != nil {
		t.Fatal(err)
	}
	said, err := m.Predict(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// Of every vertex the class is that which most models name, in the memory and from a file.
func TestMostModelsDecide(t *testing.T) {
	members := load(t, "wl-vertices", "treeg-vertices", "gcn-vertices")
	v, err := vote.New(members...)
	if err != nil {
		t.Fatal(err)
	}
	said, split := predict(t, v), 0
	for i, class := range said.Classes {
		votes := make([]int, 3)
		for _, m := range members {
			votes[predict(t, m).Classes[i]]++
		}
		if votes[class] < 2 && max(votes[0], votes[1], votes[2]) >= 2 {
			t.Errorf("vertex %d: class %d of %v votes", i, class, votes)
		}
		if votes[class] < 3 {
			split++
		}
		for c, n := range votes {
			if got := said.Probabilities.Float64s()[3*i+c]; got != float64(n)/3 {
				t.Errorf("vertex %d: a share of %g for %d votes of 3", i, got, n)
			}
		}
	}
	if split == 0 {
		t.Error("all models agree about all vertices, which shows nothing")
	}
	path := filepath.Join(t.TempDir(), "vote.grove")
	if err := model.Save(path, v); err != nil {
		t.Fatal(err)
	}
	again, err := model.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(predict(t, again), said) {
		t.Error("the model from the file says something else")
	}
}

// Of classes with as many votes that wins which the first model to name one of them names.
func TestTheFirstOfEqualsWins(t *testing.T) {
	say := func(classes ...int) *model.Predictions { return &model.Predictions{Classes: classes} }
	got := model.Vote([]*model.Predictions{say(3, 0), say(1, 1), say(2, 2), say(2, 1), say(1, 0)}, 4).Classes
	if want := []int{1, 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("classes %v, want %v", got, want)
	}
}

// The mean of the probabilities counts that sigmoids make of what the models say, in the memory and from a file.
func TestMeanProbabilitiesDecide(t *testing.T) {
	members := load(t, "wl-vertices", "treeg-vertices")
	var sigmoids []model.Sigmoids
	for k := range members {
		s := float64(k + 1)
		sigmoids = append(sigmoids, model.Sigmoids{{Slope: -s, Offset: 0.1}, {Slope: -s}, {Slope: -s, Offset: -0.2}})
	}
	v, err := vote.NewAverage(members, sigmoids)
	if err != nil {
		t.Fatal(err)
	}
	said := predict(t, v)
	for i, class := range said.Classes {
		want := make([]float64, 3)
		for k, m := range members {
			of, row, sum := predict(t, m), make([]float64, 3), 0.0
			for c := range row {
				s := sigmoids[k][c]
				row[c] = 1 / (1 + math.Exp(s.Slope*of.Score(i, c)+s.Offset))
				sum += row[c]
			}
			for c := range row {
				want[c] += row[c] / sum / 2
			}
		}
		got := said.Probabilities.Float64s()[3*i : 3*i+3]
		for c := range want {
			if math.Abs(got[c]-want[c]) > 1e-12 {
				t.Fatalf("vertex %d: probabilities %v, want %v", i, got, want)
			}
		}
		if got[class] < max(got[0], got[1], got[2]) {
			t.Errorf("vertex %d: class %d of probabilities %v", i, class, got)
		}
	}
	path := filepath.Join(t.TempDir(), "vote.grove")
	if err := model.Save(path, v); err != nil {
		t.Fatal(err)
	}
	again, err := model.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(predict(t, again), said) {
		t.Error("the model from the file says something else")
	}
	for want, wrong := range map[string][]model.Sigmoids{
		"sigmoids of 1 models for 2":                     sigmoids[:1],
		"wl: 2 sigmoids for 3 classes: want 3":           {sigmoids[0][:2], sigmoids[1]},
		"treeg: a sigmoid that is no number":             {sigmoids[0], {{Slope: math.NaN()}, {}, {}}},
		"treeg: a sigmoid that is no number\x00infinite": {sigmoids[0], {{Offset: math.Inf(1)}, {}, {}}},
	} {
		want, _, _ = strings.Cut(want, "\x00")
		if _, err := vote.NewAverage(members, wrong); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestModelsThatCannotVote(t *testing.T) {
	together, err := vote.New(load(t, "wl", "linear")...)
	if err != nil {
		t.Fatal(err)
	}
	for want, members := range map[string][]model.Model{
		"less than two models":          load(t, "wl"),
		"has no classes to vote for":    load(t, "wl", "mpgk-svr"),
		`linear votes for ["0" "1"] of`: load(t, "wl-vertices", "linear"),
		"a vote among votes":            {together, together},
	} {
		if _, err := vote.New(members...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
