package mpgk

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// reload stores a model and loads it again.
func reload(t *testing.T, m *Model) *Model {
	t.Helper()
	raw, err := modelfile.Encode("mpgk", m, m.Tensors())
	if err != nil {
		t.Fatal(err)
	}
	file, err := modelfile.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(m.engine, file.Model, file)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func TestStoredModelHasTheSameBits(t *testing.T) {
	for _, s := range settings(t) {
		s.GraphLandmarks = 6
		b, fresh := batch(t, molecules(40, 21, s.content)), batch(t, molecules(12, 22, s.content))
		m := fit(t, enginetest.Open(t, 2), b, s.Options)
		loaded := reload(t, m)
		wantSameBits(t, s, grams(t, loaded), grams(t, m))
		want, got := transform(t, m, fresh), transform(t, loaded, fresh)
		wantSameBits(t, s, crosses(t, got, loaded.train), crosses(t, want, m.train))
		x, err := m.Features(t.Context(), fresh, nil)
		if err != nil {
			t.Fatal(err)
		}
		y, err := loaded.Features(t.Context(), fresh, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantSameBits(t, s, y.Float64s(), x.Float64s())
	}
}

func TestKeepLeavesTheKernelAlone(t *testing.T) {
	for _, s := range settings(t) {
		b, fresh := batch(t, molecules(20, 23, s.content)), batch(t, molecules(5, 24, s.content))
		m := fit(t, enginetest.Open(t, 1), b, s.Options)
		all, err := m.Cross(t.Context(), fresh, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Keep([]int{17, 3, 4, 11}); err != nil {
			t.Fatal(err)
		}
		if err := m.Keep([]int{3, 1}); err != nil { // of those that are left: 11 and 3
			t.Fatal(err)
		}
		m = reload(t, m)
		if m.NumGraphs() != 2 {
			t.Fatalf("%s: %d graphs kept, want 2", s, m.NumGraphs())
		}
		few, err := m.Cross(t.Context(), fresh, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		for g := range fresh.NumGraphs() {
			row := all.Float64s()[g*b.NumGraphs() : (g+1)*b.NumGraphs()]
			want = append(want, row[11], row[3])
		}
		if err := closeTo(few.Float64s(), want, 1e-13); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		for _, wrong := range [][]int{nil, {2}, {-1}} {
			if m.Keep(wrong) == nil {
				t.Errorf("%s: kept the graphs %v of 2", s, wrong)
			}
		}
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	opt, err := Preset("mpgk-aa")
	if err != nil {
		t.Fatal(err)
	}
	opt.Landmarks, opt.GraphLandmarks = 9, 4
	m := fit(t, enginetest.Open(t, 1), batch(t, molecules(15, 25, labelled)), opt)
	if err := m.Keep([]int{1, 2}); err != nil {
		t.Fatal(err)
	}
	description, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	load := func(description string, tensors map[string]*tensor.Dense) error {
		_, err := Load(m.engine, json.RawMessage(description), &modelfile.File{Tensors: tensors})
		return err
	}
	if err := load(string(description), m.Tensors()); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"iterations":4`, `"iterations":5`}, {`"iterations":4`, `"iterations":-1`}, {`"labels":4`, `"labels":-4`},
		{`"labels":4`, `"labels":4000000000`}, {`"attributes":0`, `"attributes":3`}, {`"variant":"aa"`, `"variant":"xx"`},
		{`"depth":8`, `"depth":2`}, {`"branching":4`, `"branching":2`}, {`"landmarks":9`, `"landmarks":0`}, {`{`, `[`},
	} {
		if !strings.Contains(string(description), change[0]) {
			t.Fatalf("description %s has no %s", description, change[0])
		}
		if load(strings.Replace(string(description), change[0], change[1], 1), m.Tensors()) == nil {
			t.Errorf("loaded with %s", change[1])
		}
	}
	// Any change of any list is an error or gives another valid model, and never a panic.
	rng := rand.New(rand.NewPCG(1, 1))
	for name := range m.Tensors() {
		for range 60 {
			tensors := m.Tensors()
			x := slices.Clone(tensors[name].Float64s())
			switch rng.IntN(4) {
			case 0:
				x = x[:rng.IntN(len(x))]
			case 1:
				x = append(x, x[rng.IntN(len(x))])
			case 2:
				x[rng.IntN(len(x))] += float64(rng.IntN(9) - 4)
			default:
				x[rng.IntN(len(x))] = []float64{-1, 1e18, math.NaN(), math.Inf(1), 0.5, -0.5}[rng.IntN(6)]
			}
			if len(x) == 0 {
				delete(tensors, name)
			} else {
				tensors[name] = tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))
			}
			if err := load(string(description), tensors); err != nil && !strings.HasPrefix(err.Error(), "damaged model file: ") {
				t.Errorf("%s: error %q", name, err)
			}
		}
		tensors := m.Tensors()
		tensors[name] = tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float32{1, 2}))
		if load(string(description), tensors) == nil {
			t.Errorf("loaded with %s as a matrix", name)
		}
	}
}
