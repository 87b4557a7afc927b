package cgmm

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/svm"
)

// byName sets options by name, "states=3" for instance, and checks them.
func byName(verb model.Verb, settings ...string) (model.Options, error) {
	o := model.FamilyOf(name).New(name)
	s := new(param.Set)
	o.Declare(s, verb)
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if err := s.Set(name, value); err != nil {
			return nil, err
		}
	}
	return o, o.Check()
}

func estimators(t *testing.T, d *dataset.Dataset, verb model.Verb, settings ...string) []model.Estimator {
	t.Helper()
	o, err := byName(verb, settings...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := o.Estimators(model.NewWork(d, engine.NewCPU(1)), 7)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestOptionsByName(t *testing.T) {
	d := molecules(t)
	want := DefaultOptions()
	want.Seed = 7
	one := estimators(t, d, model.Eval)
	if got := one[0].(Estimator); len(one) != 1 || fmt.Sprintf("%#v", got.Options) != fmt.Sprintf("%#v", want) ||
		!slices.Equal(got.Grid().Values, svm.CGrid()) {
		t.Errorf("defaults %#v, want %#v", got, want)
	}
	all := estimators(t, d, model.Eval, "states=3,4", "fingerprint=counts,frequencies", "depth=1,2", "layers=2",
		"classifier=rbf,jaccard", "gamma=0.1,1")
	if len(all) != 24 {
		t.Fatalf("%d estimators, want 24", len(all))
	}
	either := estimators(t, d, model.Eval, "bigrams=false,true", "depth=1,2", "last=true")
	for i, want := range []Fingerprint{
		{Depth: 1, Last: true}, {Depth: 2, Last: true}, {Depth: 1, Last: true, Bigrams: true},
		{Depth: 2, Last: true, Bigrams: true},
	} {
		if got := either[i].(Estimator).Options.Fingerprint; got != want {
			t.Errorf("fingerprint %d is %+v, want %+v", i, got, want)
		}
	}
	for i, want := range map[int]string{
		1:  "3 states, 2 layers, 10 iterations, counts of 1 layers, rbf kernel, gamma 1",
		23: "4 states, 2 layers, 10 iterations, frequencies of 2 layers, jaccard kernel",
	} {
		if got := all[i].String(); got != want {
			t.Errorf("estimator %d is %q, want %q", i, got, want)
		}
	}
}

func TestOptionsByNameRefuse(t *testing.T) {
	for _, c := range []struct {
		verb           model.Verb
		setting, words string
	}{
		{model.Embed, "states=4,5", "2 settings"}, {model.Eval, "previous=2", "distance 1"},
		{model.Eval, "depth=9", "depth 9"}, {model.Eval, "states=0", "from 1"}, {model.Eval, "tolerance=2", "from 0 to 1"},
		{model.Eval, "classifier=tree", "linear, rbf or jaccard"}, {model.Eval, "gamma=0", "positive"},
		{model.Eval, "fingerprint=sums", "counts or frequencies"}, {model.Eval, "checkpoint=x", "no such option"},
		{model.Embed, "c=1", "no such option"}, {model.Train, "c=1 c-grid=1", "leave out c, or c-grid"},
	} {
		_, err := byName(c.verb, strings.Fields(c.setting)...)
		var named *param.Error
		if !errors.As(err, &named) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s %s: error %v, want %q", c.verb, c.setting, err, c.words)
		}
	}
	w := model.NewWork(molecules(t), engine.NewCPU(1))
	if _, err := (Estimator{Features: dataset.AttributeFeatures}).Sees(w); err == nil ||
		!strings.Contains(err.Error(), "features attributes") {
		t.Errorf("attributes that are not there: %v", err)
	}
	b := *w.Data.Batch
	b.ArcLabels = nil
	w = model.NewWork(w.Data.WithBatch(&b), engine.NewCPU(1))
	if _, err := (Estimator{ArcLabels: true}).Sees(w); err == nil || !strings.Contains(err.Error(), "arc-labels") {
		t.Errorf("labels of arcs that are not there: %v", err)
	}
}

// classifiers are small estimators with every machine.
func classifiers() []Estimator {
	var all []Estimator
	for _, k := range []svm.VectorKernel{{}, {Kind: svm.RBFKernel, Gamma: 0.01}, {Kind: svm.JaccardKernel}} {
		s := smallEstimator()
		s.Classifier, s.C = k, []float64{1}
		s.Options.Fingerprint.Bigrams = k.Kind != ""
		all = append(all, s)
	}
	return all
}

func TestModelsPredictTheSameFromTheirFiles(t *testing.T) {
	d := molecules(t)
	for _, s := range classifiers() {
		m, err := model.Fit(t.Context(), d, s, engine.NewCPU(1))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "m.grove")
		if err := model.Save(path, m); err != nil {
			t.Fatal(err)
		}
		loaded, err := model.Load(path, engine.NewCPU(2))
		if err != nil {
			t.Fatal(err)
		}
		var said [2]string
		for i, m := range []model.Model{m, loaded} {
			p, err := m.Predict(t.Context(), d, nil)
			if err != nil {
				t.Fatal(err)
			}
			said[i] = fmt.Sprintf("%v %x", p.Classes, p.Decisions.Float64s())
			x, err := model.Matrix(t.Context(), m.(model.Embedder), d, true)
			if err != nil || x.Shape()[0] != d.Batch.NumVertices() {
				t.Errorf("%s: vectors of vertices %v, %v", s, x.Shape(), err)
			}
		}
		if said[0] != said[1] {
			t.Errorf("%s: %s, from the file %s", s, said[0], said[1])
		}
	}
}

// A learner's model says what the learner says. Estimators that differ in fingerprint and machine share their layers.
func TestLearnersShareTheirLayers(t *testing.T) {
	d := molecules(t)
	var train, test []int
	for g := range d.NumGraphs() {
		if g%4 > 0 {
			train = append(train, g)
		} else {
			test = append(test, g)
		}
	}
	w := work(d, train)
	fits := map[*Model]bool{}
	for _, est := range estimators(t, d, model.Eval, "states=4", "layers=3", "depth=1,2,0", "pool=2",
		"fingerprint=counts,frequencies", "classifier=linear,jaccard", "c=1") {
		l, err := est.Learner(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		fits[l.(*learner).fingerprints.layers] = true
		trial := model.Trial{Train: train, Known: model.TargetsOf(d).Only(train), Test: test, Grid: []float64{1}, Workers: 1}
		predicted, err := l.Learn(t.Context(), trial)
		if err != nil {
			t.Fatal(err)
		}
		m, err := l.Model(t.Context(), trial)
		if err != nil {
			t.Fatal(err)
		}
		said, err := m.Predict(t.Context(), d.Select(test), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(said.Classes, predicted[0].Classes) {
			t.Errorf("%s: the learner says %v, its model %v", est, predicted[0].Classes, said.Classes)
		}
	}
	if len(fits) != 1 {
		t.Errorf("the layers were fitted %d times", len(fits))
	}
}

func TestStatesExplain(t *testing.T) {
	d := molecules(t)
	fitted, err := model.Fit(t.Context(), d, classifiers()[0], engine.NewCPU(1))
	if err != nil {
		t.Fatal(err)
	}
	m := fitted.(*Classifier)
	explained, err := m.Explain(t.Context(), d, []int{3, 0}, model.ExplainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := m.states(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	said, err := m.Predict(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range []int{3, 0} {
		x, from := explained[i], d.Batch.Offsets[g]
		if x.Graph != g || x.Predicted != said.Classes[g] || len(x.States) != m.Layers() {
			t.Fatalf("graph %d: %+v", g, x)
		}
		for l, states := range x.States {
			for v, state := range states {
				if want := all.Of(l)[int(from)+v]; state != int(want) {
					t.Errorf("graph %d, layer %d, vertex %d: state %d, want %d", g, l, v, state, want)
				}
			}
		}
	}
	profiles, err := m.Profiles(t.Context(), d, nil)
	if err != nil || len(profiles) != d.NumClasses() {
		t.Fatalf("%d profiles, %v", len(profiles), err)
	}
	for k, p := range profiles {
		if p.Class != d.ClassNames[k] || len(p.Layers) != m.Layers() {
			t.Errorf("profile %+v of class %s", p, d.ClassNames[k])
		}
		for l, frequencies := range p.Layers {
			sum := 0.0
			for _, f := range frequencies {
				sum += f
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("class %s, layer %d: the frequencies add up to %g", p.Class, l+1, sum)
			}
		}
	}
	unclassed := *d
	unclassed.Classes = nil
	if p, err := m.Profiles(t.Context(), &unclassed, nil); p != nil || err != nil {
		t.Errorf("profiles without classes: %v, %v", p, err)
	}
}

// A checkpoint belongs to the fit on all graphs: folds do not touch it.
func TestCheckpointOfAnEstimator(t *testing.T) {
	d := molecules(t)
	s := classifiers()[0]
	plain, err := model.Fit(t.Context(), d, s, engine.NewCPU(1))
	if err != nil {
		t.Fatal(err)
	}
	s.Checkpoint = filepath.Join(t.TempDir(), "layers")
	if _, err := s.Learner(t.Context(), work(d, []int{0, 1, 2, 3, 4, 5})); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Checkpoint); !os.IsNotExist(err) {
		t.Errorf("a fold left a checkpoint: %v", err)
	}
	for range 2 { // the second goes on from the first's
		m, err := model.Fit(t.Context(), d, s, engine.NewCPU(1))
		if err != nil {
			t.Fatal(err)
		}
		if contents(t, m.(*Classifier).layers) != contents(t, plain.(*Classifier).layers) {
			t.Error("a checkpoint changes the model")
		}
	}
	if err := os.WriteFile(s.Checkpoint, []byte("rubbish"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := model.Fit(t.Context(), d, s, engine.NewCPU(1)); err == nil {
		t.Error("a file that is no checkpoint was taken for one")
	}
}
