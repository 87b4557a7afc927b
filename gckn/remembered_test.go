package gckn

import (
	"context"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/internal/cputime"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// gridOf are estimators of all settings of a grid with two values of everything.
func gridOf(t *testing.T, variant string) []Estimator {
	t.Helper()
	base, err := Preset(variant, 3, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Grid{
		PathSizes: []int{2, 3}, Filters: []int{4, 6}, Sigmas: []float64{0.4, 1}, Local: []Pooling{Sum, Max},
		Global: []Pooling{Sum, Mean},
	}.Options(variant, base)
	if err != nil {
		t.Fatal(err)
	}
	var estimators []Estimator
	for _, o := range all {
		estimators = append(estimators, Estimator{Options: o})
	}
	return estimators
}

func TestRememberedAnchorsAreThoseThatAreLearned(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 12, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	e := enginetest.Open(t, 1)
	for _, variant := range Variants() {
		shared := model.NewWork(d, e).InFold([]int{0, 1, 2, 5, 7, 8, 11})
		for _, s := range gridOf(t, variant) {
			alone := model.NewWork(d, e).InFold([]int{0, 1, 2, 5, 7, 8, 11})
			got, _, err := s.fit(context.Background(), shared)
			if err != nil {
				t.Fatal(err)
			}
			want, _, err := s.fit(context.Background(), alone)
			if err != nil {
				t.Fatal(err)
			}
			for l := range s.Options.Layers {
				if err := closeTo(float64s(e, got.fitted.Anchors(l)), float64s(e, want.fitted.Anchors(l)), 0); err != nil {
					t.Errorf("%s, %v: anchors of layer %d: %v", variant, s, l+1, err)
				}
				roots := func(n *network) []float64 { return float64s(e, n.fitted.layers[l].invSqrt) }
				if err := closeTo(roots(got), roots(want), 0); err != nil {
					t.Errorf("%s, %v: inverse square roots of layer %d: %v", variant, s, l+1, err)
				}
			}
		}
	}
}

func TestLayersAreMadeOnceForWhatTheyDependOn(t *testing.T) {
	for variant, want := range map[string][][2]int{ // anchors and roots, for 2 path sizes and 2 numbers of filters
		"gckn-path":    {{4, 8}},           // and roots for 2 bandwidths
		"gckn-subtree": {{4, 8}, {16, 16}}, // and 2 bandwidths and 2 local poolings below
		"gckn-3layer":  {{4, 8}, {16, 16}, {16, 16}},
	} {
		w := model.NewWork(&dataset.Dataset{}, enginetest.Open(t, 1))
		got := make([][2]int, len(want))
		for _, s := range gridOf(t, variant) {
			made := s.remembered(w)
			for l := range s.Options.Layers {
				_, err := made(l, func() (*tensor.Dense, error) {
					got[l][0]++
					return tensor.New(tensor.WithShape(1), tensor.Of(tensor.Float64)), nil
				}, func(anchors *tensor.Dense) (*layer, error) {
					got[l][1]++
					return &layer{stored: anchors}, nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for l := range want {
			if got[l] != want[l] {
				t.Errorf("%s: anchors and roots of layer %d are made %v times for 32 settings, want %v", variant, l+1, got[l],
					want[l])
			}
		}
	}
}

func TestOneEncodingServesAllGlobalPoolings(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 12, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	e, ctx := enginetest.Open(t, 1), context.Background()
	seen := []int{0, 1, 2, 5, 7, 8, 11}
	for _, variant := range Variants() {
		for _, concat := range []bool{false, true} {
			base, err := Preset(variant, 3, 4, 1)
			if err != nil {
				t.Fatal(err)
			}
			base.Concat, base.Double = concat, concat
			all, err := Grid{
				PathSizes: []int{3}, Filters: []int{5}, Sigmas: []float64{0.7}, Local: []Pooling{Mean, GeneralizedMax},
				Global: []Pooling{Sum, Mean, Max, GeneralizedMax},
			}.Options(variant, base)
			if err != nil {
				t.Fatal(err)
			}
			shared := model.NewWork(d, e).InFold(seen)
			for _, o := range all {
				n, graphs, err := (Estimator{Options: o}).fit(ctx, shared)
				if err != nil {
					t.Fatal(err)
				}
				want, err := (Estimator{Options: o}).represent(ctx, n.fitted, graphs, shared)
				if err != nil {
					t.Fatal(err)
				}
				s, before := Estimator{Options: o, poolings: globalPoolings(all)}, (*tensor.Dense)(nil)
				for again := range 2 {
					got, err := s.represent(ctx, n.fitted, graphs, shared)
					if err != nil {
						t.Fatal(err)
					}
					if err := closeTo(float64s(e, got), float64s(e, want), 0); err != nil {
						t.Errorf("%s, concat %v, %v: %v", variant, concat, s, err)
					}
					if again > 0 && o.GlobalPooling != GeneralizedMax && got != before {
						t.Errorf("%s, concat %v, %v is encoded twice", variant, concat, s)
					}
					before = got
				}
			}
		}
	}
}

// BenchmarkGlobalPoolings represents MUTAG by three global poolings: in one encoding, and, to compare, in one for each.
func BenchmarkGlobalPoolings(b *testing.B) {
	d, err := dataset.Open(testfiles.Data(b, "tu", "MUTAG"))
	if err != nil {
		b.Fatal(err)
	}
	e, ctx, poolings := engine.NewCPU(1), context.Background(), []Pooling{Sum, Mean, Max}
	for _, variant := range []string{"gckn-walk", "gckn-path", "gckn-subtree"} {
		b.Run(variant, func(b *testing.B) {
			o, err := Preset(variant, 6, 512, 0.6)
			if err != nil {
				b.Fatal(err)
			}
			_, graphs, input, err := train.Encode(model.NewWork(d, e), "")
			if err != nil {
				b.Fatal(err)
			}
			m, err := Fit(ctx, e, graphs, input, o, nil)
			if err != nil {
				b.Fatal(err)
			}
			together, apart := 0.0, 0.0
			for range b.N {
				start := cputime.Seconds()
				if _, err := m.representBy(ctx, graphs, poolings, nil); err != nil {
					b.Fatal(err)
				}
				between := cputime.Seconds()
				for _, p := range poolings {
					if _, err := m.representBy(ctx, graphs, []Pooling{p}, nil); err != nil {
						b.Fatal(err)
					}
				}
				together, apart = together+between-start, apart+cputime.Seconds()-between
			}
			b.ReportMetric(together/float64(b.N), "cpu-s")
			b.ReportMetric(apart/together, "x-faster")
		})
	}
}
