package wl

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/split"
)

// molecules returns generated molecules of two classes.
func molecules(t *testing.T, graphs int) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: graphs, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The products of the rows are the kernel, of all rounds.
func TestRowsGiveTheKernel(t *testing.T) {
	d := molecules(t, 40)
	for _, kernel := range []Kernel{Subtree, Assignment} {
		for _, normalise := range []bool{true, false} {
			opt := DefaultOptions(kernel)
			opt.Normalise = normalise
			m := fit(t, engine.NewCPU(2), d.Batch, opt)
			for _, h := range []int{0, 2, opt.Iterations} {
				opt.Iterations = h
				want := gram(t, fit(t, engine.NewCPU(1), d.Batch, opt))
				x := m.rows(h)
				for i := range 40 {
					w := make([]float64, x.Columns)
					for e := x.RowPtr[i]; e < x.RowPtr[i+1]; e++ {
						w[x.Column[e]] += entry(x.Value, e) * entry64(x.Scale, i)
					}
					for j := range 40 {
						got := 0.0
						for e := x.RowPtr[j]; e < x.RowPtr[j+1]; e++ {
							got += w[x.Column[e]] * entry(x.Value, e) * entry64(x.Scale, j)
						}
						if i == j {
							got += x.Alone[i]
						}
						if k := want[i*40+j]; math.Abs(got-k) > 1e-12*max(1, k) {
							t.Fatalf("%s, %d rounds, normalised %t: k(%d, %d) is %g, want %g", kernel, h, normalise, i, j, got, k)
						}
					}
				}
			}
		}
	}
}

func entry(x []float32, e int) float64 {
	if x == nil {
		return 1
	}
	return float64(x[e])
}

func entry64(x []float64, i int) float64 {
	if x == nil {
		return 1
	}
	return x[i]
}

// Sums of kernel values are those of the matrix, of graphs with colours that were never seen too.
func TestExpandIsTheSumOfCross(t *testing.T) {
	d := molecules(t, 60)
	known, other := d.Select(split.All(60)[:40]), d.Select(split.All(60)[40:])
	for _, kernel := range []Kernel{Subtree, Assignment} {
		m := fit(t, engine.NewCPU(2), known.Batch, DefaultOptions(kernel))
		coefs := [][]float64{make([]float64, 40), make([]float64, 40)}
		for g := range 40 {
			coefs[0][g], coefs[1][g] = float64(g%7-3), 1/float64(1+g)
		}
		got, err := m.Sums(coefs)(context.Background(), other.Batch, nil)
		if err != nil {
			t.Fatal(err)
		}
		k := cross(t, m, other.Batch)
		for i := range 20 {
			for c, coef := range coefs {
				want := 0.0
				for g, v := range coef {
					want += v * k[i*40+g]
				}
				if have := got.Float64s()[2*i+c]; math.Abs(have-want) > 1e-11 {
					t.Errorf("%s: graph %d: %g, want %g", kernel, i, have, want)
				}
			}
		}
	}
}

// Both ways to train the machine say the same of graphs that were not there, for every C, and both keep a model that
// says it again.
func TestMachinesAgree(t *testing.T) {
	d := molecules(t, 400)
	d.Classes[3], d.Classes[90], d.Classes[200] = 1-d.Classes[3], 1-d.Classes[90], 1-d.Classes[200] // some are wrong
	known := model.TargetsOf(d)
	train, test := split.All(400)[:300], split.All(400)[300:]
	for kernel, estimator := range map[string]func(s Estimator) model.Estimator{
		"wl":    func(s Estimator) model.Estimator { s.Options = DefaultOptions(Subtree); return s },
		"wl-oa": func(s Estimator) model.Estimator { s.Options = DefaultOptions(Assignment); return s },
		"dwl-oa": func(s Estimator) model.Estimator {
			s.Options = DefaultOptions(Assignment)
			return DeepEstimator{Kernel: s, Deep: DefaultDeepOptions(8)}
		},
	} {
		var said [2][]*model.Predictions
		for i, choice := range []machine.Choice{machine.ByKernel, machine.ByRows} {
			s := estimator(Estimator{Machine: choice})
			l, err := s.Learner(context.Background(), model.NewWork(d, engine.NewCPU(2)))
			if err != nil {
				t.Fatal(err)
			}
			trial := model.Trial{Train: train, Known: known.Only(train), Test: test, Grid: s.Grid().Values, Workers: 2}
			if said[i], err = l.Learn(context.Background(), trial); err != nil {
				t.Fatal(err)
			}
			trial.Grid, trial.Test = []float64{10}, nil
			m, err := l.Model(context.Background(), trial)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := m.Predict(context.Background(), d.Select(test), nil)
			if err != nil {
				t.Fatal(err)
			}
			if at := slices.Index(s.Grid().Values, 10); !slices.Equal(kept.Classes, said[i][at].Classes) {
				t.Errorf("%s, %s: another model is kept", kernel, choice)
			}
		}
		for k := range said[0] {
			if !slices.Equal(said[0][k].Classes, said[1][k].Classes) {
				t.Errorf("%s, value %d: the linear machine says %v, the kernel machine %v", kernel, k, said[1][k].Classes,
					said[0][k].Classes)
			}
		}
	}
}

// The products of the rows of a deep kernel are its values, and its sums are those of the matrix.
func TestRowsGiveTheDeepKernel(t *testing.T) {
	d := molecules(t, 60)
	known, other := d.Select(split.All(60)[:40]), d.Select(split.All(60)[40:])
	for _, groups := range []int{0, 6} {
		for _, normalise := range []bool{true, false} {
			opt := DefaultOptions(Assignment)
			opt.Normalise = normalise
			m := fit(t, engine.NewCPU(2), known.Batch, opt)
			deep, err := m.Learn(context.Background(), split.All(30), known.Classes[:30], DefaultDeepOptions(groups), nil)
			if err != nil {
				t.Fatal(err)
			}
			k, err := deep.Gram(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			want, x := k.Float64s(), deep.model.rows(opt.Iterations)
			for i := range 40 {
				w := make([]float64, x.Columns)
				for e := x.RowPtr[i]; e < x.RowPtr[i+1]; e++ {
					w[x.Column[e]] += entry(x.Value, e) * entry64(x.Scale, i)
				}
				for j := range 40 {
					got := 0.0
					for e := x.RowPtr[j]; e < x.RowPtr[j+1]; e++ {
						got += w[x.Column[e]] * entry(x.Value, e) * entry64(x.Scale, j)
					}
					if i == j {
						got += x.Alone[i]
					}
					if k := want[i*40+j]; math.Abs(got-k) > 1e-6*math.Abs(k)+1e-9 { // weights are float32 there
						t.Fatalf("%d groups, normalised %t: k(%d, %d) is %g, want %g", groups, normalise, i, j, got, k)
					}
				}
			}
			coef := make([]float64, 40)
			for g := range coef {
				coef[g] = float64(g%7 - 3)
			}
			sums, err := deep.Sums([][]float64{coef})(context.Background(), other.Batch, nil)
			if err != nil {
				t.Fatal(err)
			}
			cross, err := deep.Cross(context.Background(), other.Batch, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, have := range sums.Float64s() {
				want := 0.0
				for g, v := range coef {
					want += v * cross.Float64s()[i*40+g]
				}
				if math.Abs(have-want) > 1e-10 {
					t.Errorf("%d groups: graph %d: %g, want %g", groups, i, have, want)
				}
			}
		}
	}
}

// Numbers are not learned from rows.
func TestRowsRefuseNumbers(t *testing.T) {
	d := molecules(t, 20)
	d.Classes = nil
	d.Task, d.Targets, d.TargetNames = dataset.GraphRegression, make([]float64, 20), []string{"y"}
	_, err := Estimator{Options: DefaultOptions(Subtree), Machine: machine.ByRows}.Learner(context.Background(),
		model.NewWork(d, engine.NewCPU(1)))
	if err == nil {
		t.Error("no error")
	}
}
