package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// noisy is a setting whose columns carry the class with some noise. It records what it may learn from.
type noisy struct {
	classes []int
	noise   float64
	seed    uint64
	mu      sync.Mutex
	trained [][]int
}

func (s *noisy) String() string { return fmt.Sprintf("noise %g", s.noise) }

func (s *noisy) Represent(_ context.Context, train []int) (*tensor.Dense, error) {
	s.mu.Lock()
	s.trained = append(s.trained, train)
	s.mu.Unlock()
	rng := rand.New(rand.NewPCG(s.seed, 2))
	const d = 4
	x := make([]float64, len(s.classes)*d)
	for i := range x {
		x[i] = s.noise * rng.NormFloat64()
		if i%d == s.classes[i/d]%d {
			x[i]++
		}
	}
	return tensor.New(tensor.WithShape(len(s.classes), d), tensor.WithBacking(x)), nil
}

// vectors are what the estimators of these tests represent graphs by.
type vectors interface {
	String() string
	Represent(ctx context.Context, train []int) (*tensor.Dense, error)
}

// classified is an estimator that puts a machine on vectors.
type classified struct {
	vectors
	c      []float64
	kernel svm.VectorKernel
}

func (classified) Name() string                                { return "classified" }
func (classified) Params() any                                 { return nil }
func (s classified) Grid() model.Grid                          { return machine.Grid(s.c, svm.CGrid()) }
func (classified) Sees(*model.Work) (*dataset.Encoding, error) { return nil, nil }

func (s classified) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	x, err := s.Represent(ctx, w.Seen)
	if err != nil {
		return nil, err
	}
	v, err := machine.OnVectors(x, s.kernel, engine.NewCPU(1))
	return onVectors{v}, err
}

// onVectors is a learner that never becomes a model.
type onVectors struct{ *machine.Vectors }

func (onVectors) Model(context.Context, model.Trial) (model.Model, error) { panic("not asked for") }

// linear classifies vectors with a short grid.
func linear(v vectors) model.Estimator { return classified{vectors: v, c: []float64{0.01, 0.1, 1}} }

// nowhere is work without graphs, for estimators that need none.
func nowhere() *model.Work {
	return model.NewWork(&dataset.Dataset{Batch: &graph.Batch{}}, engine.NewCPU(1))
}

func labels(n, classes int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i * i % classes
	}
	return out
}

func problem(t *testing.T, n, classes int, noise ...float64) Problem {
	t.Helper()
	y := labels(n, classes)
	folds, err := split.Stratified(y, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	p := Problem{Work: nowhere(), Targets: &model.Targets{Classes: y}, Folds: folds, Seed: 1}
	for i, v := range noise {
		p.Estimators = append(p.Estimators, linear(&noisy{classes: y, noise: v, seed: uint64(i)}))
	}
	return p
}

func TestBothProtocolsPreferTheBetterSetting(t *testing.T) {
	for _, classes := range []int{2, 3} {
		p := problem(t, 120, classes, 2.5, 0.25, 3)
		published, err := Published(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		nested, err := Nested(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(published.Chosen) != 1 || published.Chosen[0].Setting != 1 || published.Mean < 0.95 {
			t.Errorf("%d classes: published chose %+v, mean %v", classes, published.Chosen, published.Mean)
		}
		if len(nested.Chosen) != 5 || nested.Mean < 0.95 {
			t.Errorf("%d classes: nested mean %v, %d choices", classes, nested.Mean, len(nested.Chosen))
		}
		for f, c := range nested.Chosen {
			if c.Setting != 1 {
				t.Errorf("%d classes: fold %d chose %+v", classes, f, c)
			}
		}
		if len(published.Curves) != 3 || len(published.Curves[0].Mean) != 3 {
			t.Errorf("curves %+v", published.Curves)
		}
	}
}

// On pure noise the published protocol picks a lucky setting; it can only be at least as good as any
// single one. Nested selection has no such licence.
func TestPublishedIsTheMaximum(t *testing.T) {
	p := problem(t, 60, 2, 50, 51, 52, 53, 54, 55)
	best, err := Published(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for s := range p.Estimators {
		one := p
		one.Estimators = p.Estimators[s : s+1]
		o, err := Published(context.Background(), one)
		if err != nil {
			t.Fatal(err)
		}
		if o.Mean > best.Mean+1e-12 {
			t.Errorf("setting %d alone has %v, the best is %v", s, o.Mean, best.Mean)
		}
	}
}

func TestAnchorsSeeTheTrainingPartAlone(t *testing.T) {
	for _, fromTrain := range []bool{false, true} {
		for name, protocol := range protocols {
			p := problem(t, 40, 2, 0.5)
			p.FromTrain = fromTrain
			if _, err := protocol(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			s := p.Estimators[0].(classified).vectors.(*noisy)
			if !fromTrain {
				if len(s.trained) != 1 || s.trained[0] != nil {
					t.Errorf("%s: the shared representation was asked for as %v", name, s.trained)
				}
				continue
			}
			if len(s.trained) != len(p.Folds) {
				t.Fatalf("%s: %d representations for %d folds", name, len(s.trained), len(p.Folds))
			}
			for f, train := range s.trained {
				if fmt.Sprint(train) != fmt.Sprint(p.Folds[f].Train) {
					t.Errorf("%s: fold %d learned from %v", name, f, train)
				}
			}
		}
	}
}

// A setting that hands out poison for the test rows changes nothing about what nested selection picks.
type poisoned struct {
	noisy
	test map[int]bool
}

func (s *poisoned) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	x, err := s.noisy.Represent(ctx, train)
	if err != nil {
		return nil, err
	}
	for i := range s.test {
		for c := range x.Shape()[1] {
			x.Float64s()[i*x.Shape()[1]+c] = 1e6 * float64(c+1)
		}
	}
	return x, nil
}

func TestNestedChoosesWithoutTheTestFold(t *testing.T) {
	clean := problem(t, 60, 2, 1.5, 1.4, 1.3)
	clean.Folds = clean.Folds[:1]
	dirty := clean
	dirty.Estimators = nil
	test := map[int]bool{}
	for _, i := range clean.Folds[0].Test {
		test[i] = true
	}
	for _, s := range clean.Estimators {
		n := s.(classified).vectors.(*noisy)
		dirty.Estimators = append(dirty.Estimators,
			linear(&poisoned{noisy{classes: n.classes, noise: n.noise, seed: n.seed}, test}))
	}
	a, err := Nested(context.Background(), clean)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Nested(context.Background(), dirty)
	if err != nil {
		t.Fatal(err)
	}
	if told(a.Chosen) != told(b.Chosen) {
		t.Errorf("chose %s, with poisoned test rows %s", told(a.Chosen), told(b.Chosen))
	}
}

// told prints choices with all that they hold.
func told(choices []Choice) (text string) {
	for _, c := range choices {
		voice := c.Voice
		if c.Voice = nil; voice != nil {
			text += fmt.Sprintf("%+v, ", *voice)
		}
		text += fmt.Sprintf("%+v\n", c)
	}
	return text
}

func TestSameOutcomeForAnyNumberOfWorkers(t *testing.T) {
	var first string
	for _, workers := range []int{1, 2, 8} {
		p := problem(t, 80, 3, 1, 0.8)
		p.Workers, p.FromTrain = workers, true
		a, err := Published(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Nested(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(a.Folds, told(a.Chosen), b.Folds, told(b.Chosen))
		if first == "" {
			first = got
		}
		if got != first {
			t.Errorf("%d workers: %s, one worker %s", workers, got, first)
		}
	}
}

func TestRepeatsReportTheSpreadOfTheirMeans(t *testing.T) {
	p := problem(t, 60, 2, 1)
	second, err := split.Stratified(p.Targets.Classes, 5, 77)
	if err != nil {
		t.Fatal(err)
	}
	p.Folds = append(p.Folds, second...)
	p.Repeats = 2
	o, err := Published(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	first := p
	first.Folds, first.Repeats = p.Folds[:5], 1
	alone, err := Published(context.Background(), first)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(told(o.Chosen), o.Curves), fmt.Sprint(told(alone.Chosen), alone.Curves); got != want {
		t.Errorf("two repeats choose %s, the first of them %s", got, want)
	}
	last := 0
	p.Progress = func(done, total int, _ string) {
		if want := len(p.Estimators)*5 + 5; done != last+1 || total != want {
			t.Errorf("%d of %d after %d, want %d in all", done, total, last, want)
		}
		last = done
	}
	p.Forecast = func(time.Duration) {}
	if o, err = Published(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	a, _ := MeanStd(o.Folds[:5])
	b, _ := MeanStd(o.Folds[5:])
	if math.Abs(o.Std-math.Abs(a-b)/2) > 1e-12 || math.Abs(o.Mean-(a+b)/2) > 1e-12 {
		t.Errorf("mean %v std %v for repeats %v and %v", o.Mean, o.Std, a, b)
	}
}

func TestAClassMissingFromTrainingIsNeverPredicted(t *testing.T) {
	y := []int{0, 0, 0, 0, 1, 1}
	p := Problem{
		Work: nowhere(), Targets: &model.Targets{Classes: y},
		Estimators: []model.Estimator{classified{vectors: &noisy{classes: y, noise: 0.1}, c: []float64{1}}},
		Folds:      []split.Fold{{Train: []int{0, 1, 2}, Test: []int{3, 4}}},
	}
	o, err := Published(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if o.Mean != 0.5 {
		t.Errorf("accuracy %v, want the share of the class that was there", o.Mean)
	}
}

type failing struct{}

func (failing) String() string { return "broken" }
func (failing) Represent(context.Context, []int) (*tensor.Dense, error) {
	return nil, errors.New("no paths")
}

func TestMistakesAreNamed(t *testing.T) {
	good := problem(t, 20, 2, 0.5)
	for want, change := range map[string]func(p *Problem){
		"no estimators":               func(p *Problem) { p.Estimators = nil },
		"no folds":                    func(p *Problem) { p.Folds = nil },
		"fold 1 has 0 training":       func(p *Problem) { p.Folds = []split.Fold{{Test: []int{1}}} },
		"fold 1 has 1 training and 0": func(p *Problem) { p.Folds = []split.Fold{{Train: []int{1}}} },
		"trains and tests on graph 1": func(p *Problem) { p.Folds = []split.Fold{{Train: []int{1}, Test: []int{1}}} },
		"tests on graph 20 of 20":     func(p *Problem) { p.Folds = []split.Fold{{Train: []int{1}, Test: []int{20}}} },
		"broken: no paths":            func(p *Problem) { p.Estimators = []model.Estimator{linear(failing{})} },
		"5 folds do not make 2":       func(p *Problem) { p.Repeats = 2 },
		"has class -1": func(p *Problem) {
			p.Targets = &model.Targets{Classes: append([]int{-1}, p.Targets.Classes[1:]...)}
		},
		"inner folds of 1 folds for 5": func(p *Problem) { p.InnerFolds = make([][]split.Fold, 1) },
		"estimators of 1 repeats after": func(p *Problem) {
			p.Redrawn = [][]model.Estimator{p.Estimators}
		},
		"0 estimators of a repeat, 1": func(p *Problem) {
			p.Redrawn, p.Repeats = make([][]model.Estimator, 4), 5
		},
	} {
		p := good
		change(&p)
		if _, err := Nested(context.Background(), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	elsewhere := good // what no fold holds needs no class
	elsewhere.Targets = &model.Targets{Classes: append(append([]int(nil), good.Targets.Classes...), -1, -2)}
	_, err := Nested(context.Background(), elsewhere)
	if err == nil || !strings.Contains(err.Error(), "22 classes for a matrix of 20 rows") {
		t.Errorf("items without a class: error %v, want one about the rows alone", err)
	}
	vertices := good
	vertices.Targets = &model.Targets{Task: model.NodeTask, Classes: good.Targets.Classes}
	vertices.Folds = []split.Fold{{Train: []int{1, 1}, Test: []int{2}}}
	if _, err := Nested(context.Background(), vertices); err == nil || err.Error() != "fold 1 trains on vertex 1 twice" {
		t.Errorf("vertices: error %v", err)
	}
	leak := good
	leak.InnerFolds = make([][]split.Fold, 5)
	for f := range leak.InnerFolds {
		leak.InnerFolds[f] = []split.Fold{{Train: good.Folds[f].Train, Test: good.Folds[f].Test}}
	}
	if _, err := Nested(context.Background(), leak); err == nil ||
		!strings.Contains(err.Error(), "which its fold tests on") {
		t.Errorf("inner folds with test graphs: error %v", err)
	}
	redrawn := good
	redrawn.Redrawn, redrawn.Repeats = [][]model.Estimator{good.Estimators}, 2
	redrawn.Folds = good.Folds[:4]
	if _, err := Published(context.Background(), redrawn); err == nil || !strings.Contains(err.Error(), "one setting") {
		t.Errorf("published, by several seeds: error %v", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Published(cancelled, good); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestMetrics(t *testing.T) {
	if a := Accuracy([]int{0, 1, 1, 2}, []int{0, 1, 2, 2}); a != 0.75 {
		t.Errorf("accuracy %v", a)
	}
	if c := fmt.Sprint(Confusion([]int{0, 1, 1, 2}, []int{0, 1, 2, 2}, 3)); c != "[[1 0 0] [0 1 0] [0 1 1]]" {
		t.Errorf("confusion %s", c)
	}
	if m, s := MeanStd([]float64{1, 3}); m != 2 || s != 1 {
		t.Errorf("mean %v, std %v", m, s)
	}
}
