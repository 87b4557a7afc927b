package autodiff

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// regression returns n rows of d inputs and two targets: a linear and a curved function of them.
func regression(n, d int, seed uint64) (x, y *tensor.Dense) {
	rng := rand.New(rand.NewPCG(seed, 0))
	in, out := make([]float64, n*d), make([]float64, 2*n)
	for i := range n {
		row := in[i*d : (i+1)*d]
		for j := range row {
			row[j] = 3 + rng.NormFloat64()
		}
		out[2*i] = 40 + 5*row[0] - 2*row[1]
		out[2*i+1] = math.Abs(row[0]-3) + 0.5*row[1]
	}
	x = tensor.New(tensor.WithShape(n, d), tensor.WithBacking(in))
	return x, tensor.New(tensor.WithShape(n, 2), tensor.WithBacking(out))
}

func trainMLP(t *testing.T, workers int, x, y *tensor.Dense, rows []int, opt MLPOptions) *MLP {
	t.Helper()
	n, err := FitMLP(t.Context(), engine.NewCPU(workers), x, y, rows, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func smallMLP() MLPOptions {
	opt := DefaultMLP()
	opt.Hidden, opt.Epochs, opt.BatchSize, opt.Rate = 32, 80, 16, 1e-2
	return opt
}

func TestMLPLearnsWhatALineCannot(t *testing.T) {
	x, y := regression(500, 3, 1)
	var train, test []int
	for i := range 500 {
		if i%5 == 0 {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	n := trainMLP(t, 2, x, y, train, smallMLP())
	got, err := n.Predict(x, test)
	if err != nil {
		t.Fatal(err)
	}
	for k, most := range []float64{0.2, 0.1} { // |x| alone has the standard deviation 0.6 about its best line
		sum := 0.0
		for i, r := range test {
			d := got.Float64s()[2*i+k] - y.Float64s()[2*r+k]
			sum += d * d
		}
		if rmse := math.Sqrt(sum / float64(len(test))); rmse > most {
			t.Errorf("target %d: root mean square error %v, want at most %v", k, rmse, most)
		}
	}
}

// The gradients of a step are those of the formula in float64.
func TestMLPGradients(t *testing.T) {
	const n, d, h, k = 7, 5, 6, 3
	rng := rand.New(rand.NewPCG(2, 0))
	e := engine.NewCPU(1)
	net := newPerceptron(e, d, h, k, rng)
	b := net.newBatch(e, n)
	inputs, targets := b.input.Rows, b.targets.values
	for _, fill := range []*tensor.Dense{inputs, targets, net[1], net[3]} {
		for i := range fill.Float32s() {
			fill.Float32s()[i] = float32(rng.NormFloat64())
		}
	}
	p, err := net.program(e, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.run(b); err != nil {
		t.Fatal(err)
	}
	mean := float64(p.value(p.loss).Float32s()[0])
	loss := func() float64 {
		w1, b1, w2, b2 := net[0].Float32s(), net[1].Float32s(), net[2].Float32s(), net[3].Float32s()
		total := 0.0
		for r := range n {
			hidden := make([]float64, h)
			for i := range hidden {
				hidden[i] = float64(b1[i])
				for j := range d {
					hidden[i] += float64(w1[i*d+j]) * float64(inputs.Float32s()[r*d+j])
				}
				hidden[i] = max(hidden[i], 0)
			}
			for o := range k {
				out := float64(b2[o])
				for i := range hidden {
					out += float64(w2[o*h+i]) * hidden[i]
				}
				out -= float64(targets.Float32s()[r*k+o])
				total += out * out / 2
			}
		}
		return total / n
	}
	if math.Abs(mean-loss()) > 1e-5 {
		t.Errorf("loss %v, want %v", mean, loss())
	}
	const step = 1.0 / 256
	for w := range net {
		x := net[w].Float32s()
		for i, old := range x {
			x[i] = old + step
			above := loss()
			x[i] = old - step
			below := loss()
			x[i] = old
			want := (above - below) / (2 * step)
			if got := float64(p.value(p.gradients[w]).Float32s()[i]); math.Abs(got-want) > 2e-2*(0.1+math.Abs(want)) {
				t.Errorf("parameter %d, element %d: gradient %v, difference quotient %v", w, i, got, want)
			}
		}
	}
}

func TestMLPHasTheSameBitsForAnyNumberOfWorkersAndStored(t *testing.T) {
	x, y := regression(150, 4, 3)
	opt := smallMLP()
	opt.Epochs, opt.BatchSize = 3, 40 // the last batch is smaller
	first := trainMLP(t, 1, x, y, nil, opt)
	want, err := first.Predict(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := modelfile.Encode("mlp", first, first.Tensors())
	if err != nil {
		t.Fatal(err)
	}
	file, err := modelfile.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadMLP(engine.NewCPU(1), file.Model, file)
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]*MLP{
		"two workers": trainMLP(t, 2, x, y, nil, opt), "eight workers": trainMLP(t, 8, x, y, nil, opt), "stored": loaded,
	} {
		got, err := n.Predict(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want.Float64s() {
			if got.Float64s()[i] != v {
				t.Fatalf("%s: prediction %d is %v, want %v", name, i, got.Float64s()[i], v)
			}
		}
	}
	opt.Seed++
	other, err := trainMLP(t, 1, x, y, nil, opt).Predict(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if other.Float64s()[0] == want.Float64s()[0] {
		t.Error("another seed predicts the same")
	}
}

func TestMLPRatesFallOnALine(t *testing.T) {
	o := MLPOptions{Rate: 1, MinRate: 0.2}
	for step, want := range []float64{1, 0.8, 0.6, 0.4, 0.2} {
		if got := o.rate(step, 5); math.Abs(got-want) > 1e-15 {
			t.Errorf("step %d: rate %v, want %v", step, got, want)
		}
	}
	if o.rate(0, 1) != 1 {
		t.Error("a single step has another rate than the first")
	}
}

func TestMLPOnDegenerateData(t *testing.T) {
	opt := smallMLP()
	opt.Epochs = 2
	constant := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float32{1, 1, 1, 1, 1, 1}))
	y := tensor.New(tensor.WithShape(3, 1), tensor.WithBacking([]float64{5, 5, 5}))
	for _, rows := range [][]int{nil, {1}} {
		got, err := trainMLP(t, 1, constant, y, rows, opt).Predict(constant, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range got.Float64s() {
			if math.Abs(v-5) > 1 {
				t.Errorf("a constant 5 is predicted as %v", v)
			}
		}
	}
}

func TestMLPMistakesAreNamed(t *testing.T) {
	x, y := regression(20, 3, 4)
	e := engine.NewCPU(1)
	for want, change := range map[string]func(o *MLPOptions){
		"hidden": func(o *MLPOptions) { o.Hidden = 0 }, "epochs": func(o *MLPOptions) { o.Epochs = 0 },
		"batches": func(o *MLPOptions) { o.BatchSize = 0 }, "rate": func(o *MLPOptions) { o.Rate = math.NaN() },
		"least rate": func(o *MLPOptions) { o.MinRate = 1 }, "decay": func(o *MLPOptions) { o.Decay = -1 },
	} {
		opt := smallMLP()
		change(&opt)
		if _, err := FitMLP(t.Context(), e, x, y, nil, opt, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	bad := y.Clone().(*tensor.Dense)
	bad.Float64s()[9] = math.NaN()
	short, _ := regression(5, 3, 4)
	for want, fit := range map[string]func() error{
		"row 20":  func() error { _, err := FitMLP(t.Context(), e, x, y, []int{1, 20}, smallMLP(), nil); return err },
		"0 rows":  func() error { _, err := FitMLP(t.Context(), e, x, y, []int{}, smallMLP(), nil); return err },
		"target":  func() error { _, err := FitMLP(t.Context(), e, x, bad, nil, smallMLP(), nil); return err },
		"targets": func() error { _, err := FitMLP(t.Context(), e, short, y, nil, smallMLP(), nil); return err },
		"3 columns": func() error {
			_, err := trainMLP(t, 1, x, y, []int{1, 2}, smallMLP()).Predict(y, nil)
			return err
		},
	} {
		if err := fit(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	if _, err := FitMLP(t.Context(), e, x, bad, []int{1, 2}, smallMLP(), nil); err != nil {
		t.Errorf("a NaN in a row that is left out: %v", err)
	}
	wild := smallMLP()
	wild.Rate = 1e30
	var diverged *Diverged
	if _, err := FitMLP(t.Context(), e, x, y, nil, wild, nil); !errors.As(err, &diverged) {
		t.Errorf("a rate of 1e30: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := FitMLP(ctx, e, x, y, nil, smallMLP(), func(epoch, _ int, _ float64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestDamagedMLPFilesAreRefused(t *testing.T) {
	x, y := regression(20, 3, 5)
	opt := smallMLP()
	opt.Epochs = 1
	n := trainMLP(t, 1, x, y, nil, opt)
	description, err := n.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	load := func(description string, tensors map[string]*tensor.Dense) error {
		_, err := LoadMLP(engine.NewCPU(1), []byte(description), &modelfile.File{Tensors: tensors})
		return err
	}
	if err := load(string(description), n.Tensors()); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"hidden":32`, `"hidden":33`}, {`"hidden":32`, `"hidden":-1`}, {`"mean":[`, `"mean":[1,`},
		{`"scale":[`, `"scale":[0,`}, {`{`, `[`},
	} {
		if load(strings.Replace(string(description), change[0], change[1], 1), n.Tensors()) == nil {
			t.Errorf("loaded with %s", change[1])
		}
	}
	for name := range n.Tensors() {
		tensors := n.Tensors()
		delete(tensors, name)
		if load(string(description), tensors) == nil {
			t.Errorf("loaded without %s", name)
		}
		tensors[name] = tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{1}))
		if load(string(description), tensors) == nil {
			t.Errorf("loaded with a wrong %s", name)
		}
	}
}
