package mpgk

import (
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	folds "github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
)

// products returns the inner products of all rows.
func products(x *svm.Sparse) []float64 {
	n := x.Len()
	dense := make([]float64, n*x.Columns)
	for i := range n {
		scale := 1.0
		if x.Scale != nil {
			scale = x.Scale[i]
		}
		for e := x.RowPtr[i]; e < x.RowPtr[i+1]; e++ {
			dense[i*x.Columns+int(x.Column[e])] += float64(x.Value[e]) * scale
		}
	}
	k := make([]float64, n*n)
	for i := range n {
		k[i*n+i] = x.Alone[i]
		for j := range n {
			for c := range x.Columns {
				k[i*n+j] += dense[i*x.Columns+c] * dense[j*x.Columns+c]
			}
		}
	}
	return k
}

// The products of the rows are the kernel, of every variant and after all iterations, within the rounding of an entry
// to float32 (2^-24 of each factor).
func TestRowsGiveTheKernel(t *testing.T) {
	for _, name := range Variants() {
		for _, c := range []content{labelled, attributed, bare} {
			for _, landmarks := range []int{0, 8} {
				o := mustPreset(t, name)
				o.Iterations, o.Landmarks, o.Depth = 3, landmarks, 4
				for how := range 4 {
					o.Normalise, o.SumIterations = how&1 > 0, how&2 > 0
					m, err := Fit(t.Context(), engine.NewCPU(2), batch(t, molecules(20, 5, c)), o, nil)
					if err != nil {
						t.Fatal(err)
					}
					for after := 1; after <= o.Iterations; after++ {
						k, err := m.train.Gram(after)
						if err != nil {
							t.Fatal(err)
						}
						x, want := m.train.rows(after), k.Float64s()
						for i, got := range products(x) {
							scale := math.Sqrt(want[i/20*21] * want[i%20*21])
							if math.Abs(got-want[i]) > 2e-7*max(scale, 1e-9) {
								t.Fatalf("%s, %s, %d landmarks, options %d, %d iterations: k(%d, %d) is %g, want %g", name, c, landmarks, how,
									after, i/20, i%20, got, want[i])
							}
						}
					}
				}
			}
		}
	}
}

// Both ways to train the machine say the same of graphs that were not there, for every C, and both keep a model that
// says it again: decisions agree within 0.01 of a margin, ten times the tolerance of the machines.
func TestMachinesAgree(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 300, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	d.Classes[3], d.Classes[90], d.Classes[200] = 1-d.Classes[3], 1-d.Classes[90], 1-d.Classes[200] // some are wrong
	known := model.TargetsOf(d)
	train, test := folds.All(300)[:200], folds.All(300)[200:]
	for _, name := range Variants() {
		var said [2][]*model.Predictions
		for i, choice := range []machine.Choice{machine.ByKernel, machine.ByRows} {
			s := Estimator{Options: mustPreset(t, name), Machine: choice, C: []float64{0.01, 1, 100}}
			s.Options.Iterations, s.Options.Normalise = 2, true
			l, err := s.Learner(t.Context(), model.NewWork(d, engine.NewCPU(2)))
			if err != nil {
				t.Fatal(err)
			}
			trial := model.Trial{Train: train, Known: known.Only(train), Test: test, Grid: s.C, Workers: 2}
			if said[i], err = l.Learn(t.Context(), trial); err != nil {
				t.Fatal(err)
			}
			trial.Grid, trial.Test = []float64{1}, nil
			m, err := l.Model(t.Context(), trial)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := m.Predict(t.Context(), d.Select(test), nil)
			if err != nil {
				t.Fatal(err)
			}
			wantClose(t, fmt.Sprintf("%s, %s, kept", name, choice), kept, said[i][1], 0.01)
			if k, err := l.(model.Grammer).KernelMatrix(t.Context(), known); err != nil || k.Shape()[0] != 300 {
				t.Errorf("%s, %s: no kernel matrix, %v", name, choice, err)
			}
		}
		for k := range said[0] {
			wantClose(t, fmt.Sprintf("%s, value %d", name, k), said[1][k], said[0][k], 0.01)
		}
	}
}

func wantClose(t *testing.T, name string, got, want *model.Predictions, tolerance float64) {
	t.Helper()
	a, b := got.Decisions.Float64s(), want.Decisions.Float64s()
	if len(a) != len(b) {
		t.Fatalf("%s: %d decisions, want %d", name, len(a), len(b))
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > tolerance || got.Classes[i] != want.Classes[i] && math.Abs(b[i]) > tolerance {
			t.Errorf("%s: decision %d is %g, want %g", name, i, a[i], b[i])
		}
	}
}
