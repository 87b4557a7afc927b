package cgmm

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

func TestModelFile(t *testing.T) {
	b := randomBatch(t, 8, false)
	for name, in := range inputs() {
		opt := smallOptions(5)
		opt.Soft = in.Labels > 0
		m := trained(t, engine.NewCPU(1), b, in, opt, Training{})
		file := filepath.Join(t.TempDir(), "model.grove")
		if err := modelfile.Write(file, "cgmm", m, m.Tensors()); err != nil {
			t.Fatal(err)
		}
		f, err := modelfile.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(enginetest.Open(t, 2), f.Model, f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if contents(t, loaded) != contents(t, m) {
			t.Errorf("%s: the loaded model has other bits", name)
		}
		x, err := m.Transform(context.Background(), b, nil)
		if err != nil {
			t.Fatal(err)
		}
		y, err := loaded.Transform(context.Background(), b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(x.Float64s(), y.Float64s()) {
			t.Errorf("%s: the loaded model gives other fingerprints", name)
		}
	}
}

// A file whose parts do not fit each other is refused.
func TestDamagedModelFile(t *testing.T) {
	m := trained(t, engine.NewCPU(1), randomBatch(t, 8, false), inputs()["labels and reals"], smallOptions(5), Training{})
	description, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	load := func(change func(s *stored, tensors map[string]*tensor.Dense)) error {
		var s stored
		if err := json.Unmarshal(description, &s); err != nil {
			t.Fatal(err)
		}
		tensors := m.Tensors()
		change(&s, tensors)
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Load(engine.NewCPU(1), raw, &modelfile.File{Tensors: tensors})
		return err
	}
	if err := load(func(*stored, map[string]*tensor.Dense) {}); err != nil {
		t.Fatal(err)
	}
	vector := func(x ...float64) *tensor.Dense { return tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x)) }
	for name, change := range map[string]func(s *stored, tensors map[string]*tensor.Dense){
		"options":           func(s *stored, _ map[string]*tensor.Dense) { s.Options.States = 0 },
		"many states":       func(s *stored, _ map[string]*tensor.Dense) { s.Options.States = 4000 },
		"many layers":       func(s *stored, _ map[string]*tensor.Dense) { s.Options.Layers = 2 },
		"no layers":         func(s *stored, _ map[string]*tensor.Dense) { s.History = nil },
		"input":             func(s *stored, _ map[string]*tensor.Dense) { s.Input = Input{} },
		"many arc labels":   func(s *stored, _ map[string]*tensor.Dense) { s.Input.ArcLabels = 1 << 20 },
		"no scale":          func(s *stored, _ map[string]*tensor.Dense) { s.Scale = nil },
		"a scale of 0":      func(s *stored, _ map[string]*tensor.Dense) { s.Scale[0] = 0 },
		"a missing tensor":  func(_ *stored, t map[string]*tensor.Dense) { delete(t, "cgmm-2-marginal") },
		"another shape":     func(_ *stored, t map[string]*tensor.Dense) { t["cgmm-2-marginal"] = vector(1, 0) },
		"a negative number": func(_ *stored, t map[string]*tensor.Dense) { t["cgmm-2-marginal"] = vector(1, -1, 1, 0) },
		"a variance of 0": func(_ *stored, t map[string]*tensor.Dense) {
			t["cgmm-1-variance"] = tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(t["cgmm-1-variance"].Shape()...))
		},
	} {
		if err := load(change); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzLoad(f *testing.F) {
	m, err := Fit(context.Background(), engine.NewCPU(1), randomBatch(f, 8, false), Input{Labels: 4}, smallOptions(5),
		Training{})
	if err != nil {
		f.Fatal(err)
	}
	description, err := m.MarshalJSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(description)
	f.Add([]byte(`{"options":{"states":4096,"layers":256,"previous":[1],"iterations":1,"pool":1},` +
		`"input":{"labels":1048576,"arc_labels":1048576},"history":[{},{},{}]}`))
	b := randomBatch(f, 8, false)
	f.Fuzz(func(t *testing.T, raw []byte) {
		loaded, err := Load(engine.NewCPU(1), raw, &modelfile.File{Tensors: m.Tensors()})
		if err != nil {
			return
		}
		if _, err := loaded.Transform(context.Background(), b, nil); err != nil && bytes.Contains([]byte(err.Error()),
			[]byte("\n")) {
			t.Errorf("error of several lines: %v", err)
		}
	})
}
