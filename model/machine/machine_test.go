package machine

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// clusters returns vectors that lie around a corner for each class, and their targets.
func clusters(n, classes int) (*tensor.Dense, *model.Targets) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, 0, n*classes)
	t := &model.Targets{Task: model.GraphTask}
	for i := range n {
		t.Classes = append(t.Classes, i%classes)
		for c := range classes {
			v := 0.3 * rng.NormFloat64()
			if c == i%classes {
				v++
			}
			x = append(x, v)
		}
	}
	for c := range classes {
		t.Names = append(t.Names, string(rune('a'+c)))
	}
	return tensor.New(tensor.WithShape(n, classes), tensor.WithBacking(x)), t
}

// halves returns a trial that learns from four fifths of the examples and asks for the others.
func halves(known *model.Targets, grid ...float64) model.Trial {
	t := model.Trial{Grid: grid, Workers: 1}
	for i := range known.Len() {
		if i%5 == 1 {
			t.Test = append(t.Test, i)
		} else {
			t.Train = append(t.Train, i)
		}
	}
	t.Known = known.Only(t.Train)
	return t
}

var rbf = svm.VectorKernel{Kind: svm.RBFKernel, Gamma: 0.5}

func TestMachinesLearn(t *testing.T) {
	for _, kernel := range []svm.VectorKernel{{}, rbf} {
		for _, classes := range []int{2, 3} {
			x, known := clusters(90, classes)
			trial := halves(known, 0.1, 1, 10)
			var first []*model.Predictions
			for _, workers := range []int{1, 2, 8} {
				v, err := OnVectors(x, kernel, engine.NewCPU(workers))
				if err != nil {
					t.Fatal(err)
				}
				trial.Workers = workers
				said, err := v.Learn(context.Background(), trial)
				if err != nil || len(said) != 3 {
					t.Fatalf("%d predictions of 3: %v", len(said), err)
				}
				if first == nil {
					first = said
				}
				if !reflect.DeepEqual(said, first) {
					t.Errorf("kernel %q, %d workers say something else", kernel.Kind, workers)
				}
			}
			right := 0
			for k, i := range trial.Test {
				if first[1].Classes[k] == known.Classes[i] {
					right++
				}
			}
			if right < 17 {
				t.Errorf("kernel %q, %d classes: %d of %d right", kernel.Kind, classes, right, len(trial.Test))
			}
		}
	}
}

// A machine that is kept says what the learner said.
func TestFitIsTheMachineThatLearned(t *testing.T) {
	for _, kernel := range []svm.VectorKernel{{}, rbf} {
		x, known := clusters(60, 3)
		trial := halves(known, 1)
		v, err := OnVectors(x, kernel, engine.NewCPU(1))
		if err != nil {
			t.Fatal(err)
		}
		said, err := v.Learn(context.Background(), trial)
		if err != nil {
			t.Fatal(err)
		}
		m, err := v.Fit(context.Background(), trial)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := m.Predict(model.Rows(x, trial.Test))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(kept.Classes, said[0].Classes) {
			t.Errorf("kernel %q: %d kept, %d learned", kernel.Kind, kept.Classes, said[0].Classes)
		}
	}
}

// A kernel that does not fit in its memory is computed by rows, with the same outcome.
func TestKernelBeyondMemory(t *testing.T) {
	x, known := clusters(60, 2)
	trial := halves(known, 0.1, 1, 10)
	var said [2][]*model.Predictions
	for i, memory := range []int{kernelMemory, 8 * 60 * 20} {
		k, err := kernelOn(x, rbf, engine.NewCPU(1), memory)
		if err != nil {
			t.Fatal(err)
		}
		if _, byRow := k.(*svm.RowCache); byRow != (i == 1) {
			t.Fatalf("a %T for 60 rows in %d bytes", k, memory)
		}
		l := Kernel{Gram: k}
		if said[i], err = l.Learn(context.Background(), trial); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(said[0], said[1]) {
		t.Error("another outcome by rows")
	}
}

func TestRegression(t *testing.T) {
	x, known := make([]float64, 60), &model.Targets{Task: model.GraphTask, Names: []string{"sine"}}
	for i := range x {
		x[i] = float64(i*17%60) / 10
		known.Values = append(known.Values, math.Sin(x[i]))
	}
	points := tensor.New(tensor.WithShape(60, 1), tensor.WithBacking(x))
	k, err := kernelOn(points, svm.VectorKernel{Kind: svm.RBFKernel, Gamma: 1}, engine.NewCPU(1), kernelMemory)
	if err != nil {
		t.Fatal(err)
	}
	trial := halves(known, 100)
	l := Kernel{Gram: k, Epsilon: 0.01}
	said, err := l.Learn(context.Background(), trial)
	if err != nil {
		t.Fatal(err)
	}
	for k, i := range trial.Test {
		if got := said[0].Values.Float64s()[k]; math.Abs(got-known.Values[i]) > 0.05 {
			t.Errorf("sin(%g) is %g", x[i], got)
		}
	}
	v, err := OnVectors(points, svm.VectorKernel{}, engine.NewCPU(1))
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.Learn(context.Background(), trial)
	if err == nil || !strings.Contains(err.Error(), "cannot learn numbers") {
		t.Errorf("error %v", err)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	if _, err := OnVectors(nil, rbf, engine.NewCPU(1)); err == nil || !strings.Contains(err.Error(), "not a matrix") {
		t.Errorf("error %v", err)
	}
	x, known := clusters(12, 2)
	k, err := kernelOn(x, rbf, engine.NewCPU(1), kernelMemory)
	if err != nil {
		t.Fatal(err)
	}
	numbers := &model.Targets{Names: []string{"y"}, Values: make([]float64, 12)}
	for want, c := range map[string]struct {
		of Kernel
		t  model.Trial
	}{
		"have class 1":       {Kernel{Gram: k}, model.Trial{Train: []int{1, 3, 5}, Known: known, Grid: []float64{1}}},
		"grid of C is 0":     {Kernel{Gram: k}, model.Trial{Train: []int{0, 1, 2}, Known: known, Grid: []float64{0}}},
		"grid of C is empty": {Kernel{Gram: k}, model.Trial{Train: []int{0, 1, 2}, Known: known, Grid: []float64{}}},
		"epsilon is -1":      {Kernel{Gram: k, Epsilon: -1}, halves(numbers, 1)},
		"context cancele":    {Kernel{Gram: k}, halves(known, 1)},
	} {
		ctx, stop := context.WithCancel(context.Background())
		if strings.HasPrefix(want, "context") {
			stop()
		}
		if _, err := c.of.Learn(ctx, c.t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		stop()
	}
}

func TestConstants(t *testing.T) {
	for _, c := range []struct {
		set  [][2]string
		want []float64
		err  string
	}{
		{nil, nil, ""},
		{[][2]string{{"c", "2"}}, []float64{2}, ""},
		{[][2]string{{"c-grid", "10,0.1, 1,1"}}, []float64{0.1, 1, 10}, ""},
		{[][2]string{{"c-grid", "code"}}, svm.CGrid(), ""},
		{[][2]string{{"c-grid", "paper"}}, svm.PaperGrid(), ""},
		{[][2]string{{"c-grid", "1"}, {"c", "1"}}, nil, "leave out c, or c-grid"},
		{[][2]string{{"c", "0"}}, nil, "not a number from 1e-12 to 1e+12"},
		{[][2]string{{"c-grid", "1,NaN"}}, nil, "not a number"},
	} {
		var m Constants
		var s param.Set
		m.Declare(&s, "7 values")
		var err error
		for _, p := range c.set {
			if err == nil {
				err = s.Set(p[0], p[1])
			}
		}
		var got []float64
		if err == nil {
			got, err = m.Values()
		}
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) ||
			err == nil && !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, %v; want %v, %q", c.set, got, err, c.want, c.err)
		}
	}
}

// Machines that take their steps side by side say what each says by itself.
func TestTrialsTogether(t *testing.T) {
	for _, classes := range []int{2, 3} {
		x, known := clusters(120, classes)
		var trials []model.Trial
		for fold := range 3 {
			trial := model.Trial{Grid: svm.CGrid(), Workers: 2}
			for i := range known.Len() {
				if i%3 == fold {
					trial.Test = append(trial.Test, i)
				} else {
					trial.Train = append(trial.Train, i)
				}
			}
			trial.Known = known.Only(trial.Train)
			trials = append(trials, trial)
		}
		v, err := OnVectors(x, svm.VectorKernel{}, engine.NewCPU(1))
		if err != nil {
			t.Fatal(err)
		}
		together, err := v.LearnAll(context.Background(), trials)
		if err != nil {
			t.Fatal(err)
		}
		for i, trial := range trials {
			for k, c := range trial.Grid {
				alone := trial
				alone.Grid = []float64{c}
				want, err := v.Learn(context.Background(), alone)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(together[i][k].Classes, want[0].Classes) {
					t.Errorf("%d classes, trial %d, C %g: %v together, %v alone", classes, i, c, together[i][k].Classes,
						want[0].Classes)
				}
			}
		}
	}
}
