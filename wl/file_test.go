package wl

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// throughFile encodes and decodes a model.
func throughFile(t *testing.T, model json.Marshaler, tensors map[string]*tensor.Dense) *modelfile.File {
	t.Helper()
	raw, err := modelfile.Encode("wl", model, tensors)
	if err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestStoredModelsCompareTheSame(t *testing.T) {
	everyOption(t, func(t *testing.T, opt Options, directed bool) {
		rng := rand.New(rand.NewPCG(1, 3))
		opt.Normalise = true
		m := fit(t, enginetest.Open(t, 1), batch(t, randomGraphs(rng, 15, directed)), opt)
		f := throughFile(t, m, m.Tensors())
		got, err := Load(enginetest.Open(t, 2), f.Model, f)
		if err != nil {
			t.Fatal(err)
		}
		if got.Options() != opt || !slices.Equal(got.NumColours(), m.NumColours()) {
			t.Errorf("options %+v, want %+v; colours %v, want %v", got.Options(), opt, got.NumColours(), m.NumColours())
		}
		fresh := batch(t, randomGraphs(rng, 15, directed))
		if !slices.Equal(cross(t, got, fresh), cross(t, m, fresh)) || !slices.Equal(gram(t, got), gram(t, m)) {
			t.Error("the loaded model has another kernel")
		}
	})
}

func TestStoredDeepKernelsCompareTheSame(t *testing.T) {
	ctx := context.Background()
	deepCases(t, func(t *testing.T, m *Model, classes []int, opt DeepOptions) {
		d := learn(t, m, nil, classes, opt)
		f := throughFile(t, d, d.Tensors())
		got, err := LoadDeep(enginetest.Open(t, 1), f.Model, f)
		if err != nil {
			t.Fatal(err)
		}
		if got.opt != opt {
			t.Errorf("options %+v, want %+v", got.opt, opt)
		}
		same := slices.EqualFunc(got.model.weights, d.model.weights, slices.Equal)
		if !same || !slices.EqualFunc(got.group, d.group, slices.Equal) {
			t.Error("the loaded kernel has other weights or groups")
		}
		b := batch(t, randomGraphs(rand.New(rand.NewPCG(2, 3)), 20, false))
		want, err := d.Cross(ctx, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		have, err := got.Cross(ctx, b, nil)
		if err != nil || !slices.Equal(have.Float64s(), want.Float64s()) {
			t.Errorf("kernel %v, want %v, error %v", have, want, err)
		}
	})
}

// Files from when there was a classifier beside the weights, and weights for each class, have the kernel that they had.
func TestOlderDeepKernelsAreRead(t *testing.T) {
	deepCases(t, func(t *testing.T, m *Model, classes []int, opt DeepOptions) {
		d := learn(t, m, nil, classes, opt)
		weights := slices.Concat(d.model.weights...)
		var each []float64
		for class := range 3 {
			for _, w := range weights {
				each = append(each, w*float64(class)) // the mean over the classes is w
			}
		}
		tensors := d.Tensors()
		tensors[tensorWeights] = tensor.New(tensor.WithShape(3, len(weights)), tensor.WithBacking(each))
		tensors["wl-coefficients"] = tensor.New(tensor.WithShape(3, m.NumGraphs()), tensor.Of(tensor.Float64))
		f := throughFile(t, d, tensors)
		description := strings.Replace(string(f.Model), `"options":{`,
			`"classes":[0,1,2],"bias":[1,2,3],"options":{"machine_lambda":0.1,`, 1)
		got, err := LoadDeep(enginetest.Open(t, 1), json.RawMessage(description), f)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "weights", slices.Concat(got.model.weights...), weights, 1e-15)
		if got.opt != opt {
			t.Errorf("options %+v, want %+v", got.opt, opt)
		}
	})
}

// Whatever stands in a file whose checksum fits, loading it returns an error or a model, and does not panic.
func TestDamagedModelsAreRefused(t *testing.T) {
	graphs, y := marked(rand.New(rand.NewPCG(3, 3)), 12, 2)
	opt := Options{Kernel: Assignment, Iterations: 2, ArcLabels: true, Follow: FollowOut}
	m := fit(t, enginetest.Open(t, 1), batch(t, graphs), opt)
	d := learn(t, m, nil, y, DefaultDeepOptions(3))
	good := throughFile(t, d, d.Tensors())
	load := func(description string, f *modelfile.File) error {
		deep, err := LoadDeep(enginetest.Open(t, 1), json.RawMessage(description), f)
		if err == nil {
			if _, err := deep.Cross(context.Background(), batch(t, graphs), nil); err != nil {
				t.Error(err)
			}
		}
		return err
	}
	description := string(good.Model)
	if err := load(description, good); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{`"graphs":12`, `"graphs":-1`}, {`"graphs":12`, `"graphs":1000000000000`}, {`"iterations":2`, `"iterations":3`},
		{`"colours":[3,`, `"colours":[-3,`}, {`"colours":[3,`, `"colours":[2,`}, {`"colours":[3,`, `"colours":[4000000000,`},
		{`"kernel":"wl-oa"`, `"kernel":"wl"`}, {`"groups":3`, `"groups":-3`},
		{`"groups":3`, `"groups":1`}, {`"kernel":{`, `"kernel":3,"other":{`}, {`"follow":"out"`, `"follow":"up"`},
	} {
		changed := strings.Replace(description, c[0], c[1], 1)
		if changed == description {
			t.Fatalf("%s is not in %s", c[0], description)
		}
		if err := load(changed, good); err == nil || !strings.HasPrefix(err.Error(), "damaged model file: ") {
			t.Errorf("%s in place of %s: error %v", c[1], c[0], err)
		}
	}
	if err := load("{", good); err == nil {
		t.Error("half a description was accepted")
	}
	rng := rand.New(rand.NewPCG(4, 3))
	refused := 0
	for name, was := range good.Tensors {
		without := &modelfile.File{Tensors: map[string]*tensor.Dense{}}
		for other, t := range good.Tensors {
			if other != name {
				without.Tensors[other] = t
			}
		}
		if err := load(description, without); err == nil && name != tensorMarks {
			t.Errorf("a file without %s was accepted", name)
		}
		n := was.DataSize()
		for _, shape := range [][]int{{n}, {n - 1}, {0}, {1, n}, {n, 1}} {
			for range 30 {
				values := make([]float64, 0, n)
				for i := range tensor.Shape(shape).TotalSize() {
					values = append(values, element(was, i))
				}
				if len(values) > 0 && slices.Equal(shape, []int(was.Shape())) {
					values[rng.IntN(len(values))] = []float64{-1, 0, 1, 0.5, 7, 1e6, 1e10, math.NaN(), math.Inf(1)}[rng.IntN(9)]
				}
				without.Tensors[name] = tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
				if err := load(description, without); err != nil {
					refused++
					if strings.Contains(err.Error(), "\n") {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
		}
	}
	if refused < 500 {
		t.Errorf("only %d damaged files were refused", refused)
	}
}

func element(t *tensor.Dense, i int) float64 {
	if t.Dtype() == tensor.Float32 {
		return float64(t.Float32s()[i])
	}
	return t.Float64s()[i]
}

func FuzzLoad(f *testing.F) {
	graphs, y := marked(rand.New(rand.NewPCG(5, 3)), 8, 2)
	f.Add(int64(0), 0.0)
	f.Fuzz(func(t *testing.T, at int64, value float64) {
		m := fit(t, enginetest.Open(t, 1), batch(t, graphs), Options{Kernel: Assignment, Iterations: 1, Follow: FollowOut})
		d := learn(t, m, nil, y, DefaultDeepOptions(2))
		tensors := d.Tensors()
		var names []string
		for name := range tensors {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			x := tensors[name]
			if n := int64(x.DataSize()); at >= n {
				at -= n
				continue
			}
			if at < 0 {
				break
			}
			if x.Dtype() == tensor.Float32 {
				x.Float32s()[at] = float32(value)
			} else {
				x.Float64s()[at] = value
			}
			break
		}
		file := throughFile(t, d, tensors)
		loaded, err := LoadDeep(enginetest.Open(t, 1), file.Model, file)
		if err != nil {
			return
		}
		if _, err := loaded.Cross(context.Background(), batch(t, graphs), nil); err != nil {
			t.Error(fmt.Errorf("a loaded model fails: %w", err))
		}
	})
}
