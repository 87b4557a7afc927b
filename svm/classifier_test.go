package svm

import (
	"context"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gorgonia.org/tensor"
)

// clusters draws rows around one centre for each class.
func clusters(n, d int, classes []int, seed uint64) (x *tensor.Dense, y []int) {
	r := rand.New(rand.NewPCG(seed, 2))
	data := make([]float32, n*d)
	y = make([]int, n)
	for i := range n {
		k := r.IntN(len(classes))
		y[i] = classes[k]
		for j := range d {
			data[i*d+j] = float32(r.NormFloat64())
			if j%len(classes) == k {
				data[i*d+j] += 2
			}
		}
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(data)), y
}

func share(predicted, truth []int) float64 {
	right := 0
	for i := range truth {
		if predicted[i] == truth[i] {
			right++
		}
	}
	return float64(right) / float64(len(truth))
}

// The classifier learns classes of any numbers, and predicts the same for all C at once, from one
// model, and by hand.
func TestClassifier(t *testing.T) {
	for _, classes := range [][]int{{-1, 1}, {3, 10}, {-5, 0, 7}, {1, 2, 3, 4, 5, 6}} {
		x, y := clusters(400, 24, classes, 8)
		var train, test []int
		for i := range y {
			if i%3 == 0 {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		grid := []float64{1e-3, 0.1, 10}
		c, err := FitClassifier(context.Background(), x, train, y, grid, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(c.Classes, classes) {
			t.Errorf("classes %v, want %v", c.Classes, classes)
		}
		all, err := c.Predict(x, test)
		if err != nil {
			t.Fatal(err)
		}
		var truth []int
		for _, i := range test {
			truth = append(truth, y[i])
		}
		z, err := c.Scaler.Transform(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k := range grid {
			model := c.Model(k)
			if err := model.Check(); err != nil {
				t.Error(err)
			}
			one, err := model.Predict(x, test)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(one, all[k]) {
				t.Errorf("classes %v, C = %g: one model and all models disagree", classes, grid[k])
			}
			if s := share(one, truth); s < 0.9 {
				t.Errorf("classes %v, C = %g: accuracy %.2f on well separated classes", classes, grid[k], s)
			}
			labels := make([]float64, len(y))
			for i := range y {
				labels[i] = -1
				if y[i] == classes[len(classes)-1] {
					labels[i] = 1
				}
			}
			path, err := FitPath(context.Background(), z, train, labels, grid, Options{})
			if err != nil {
				t.Fatal(err)
			}
			closeTo(t, "weights of the last problem", model.Weights[len(model.Weights)-1], path.Weight[k], 1e-9)
		}
	}
}

// Equal decisions go to the smallest class.
func TestTies(t *testing.T) {
	for _, c := range []struct {
		classes   []int
		decisions []float64
		want      int
	}{
		{[]int{4}, []float64{0}, 4},
		{[]int{2, 9}, []float64{0}, 2},
		{[]int{2, 9}, []float64{1e-300}, 9},
		{[]int{2, 9}, []float64{-1}, 2},
		{[]int{1, 2, 3}, []float64{-1, 5, 5}, 2},
		{[]int{1, 2, 3}, []float64{-2, -2, -2}, 1},
	} {
		if got := choose(c.classes, c.decisions); got != c.want {
			t.Errorf("classes %v, decisions %v: %d, want %d", c.classes, c.decisions, got, c.want)
		}
	}
}

// One class in the training rows is predicted everywhere; a class absent from them never is.
func TestAbsentClasses(t *testing.T) {
	x, y := clusters(90, 6, []int{1, 2, 3}, 3)
	var only, without []int
	for i, class := range y {
		if class == 2 {
			only = append(only, i)
		} else {
			without = append(without, i)
		}
	}
	for _, c := range []struct {
		rows    []int
		classes []int
	}{{only, []int{2}}, {only[:1], []int{2}}, {without, []int{1, 3}}} {
		fit, err := FitClassifier(context.Background(), x, c.rows, y, []float64{1}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		model := fit.Model(0)
		if err := model.Check(); err != nil {
			t.Error(err)
		}
		if !reflect.DeepEqual(model.Classes, c.classes) {
			t.Errorf("classes %v, want %v", model.Classes, c.classes)
		}
		predicted, err := model.Predict(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		all, err := fit.Predict(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(all[0], predicted) {
			t.Error("one model and all models disagree")
		}
		for i, p := range predicted {
			if p != c.classes[0] && p != c.classes[len(c.classes)-1] {
				t.Errorf("row %d: class %d is not among the training classes %v", i, p, c.classes)
			}
		}
	}
}

func TestClassifierErrors(t *testing.T) {
	x, y := clusters(20, 3, []int{0, 1}, 1)
	for _, c := range []struct {
		name, want string
		rows       []int
		classes    []int
		grid       []float64
	}{
		{"too few classes", "19 classes", nil, y[:19], []float64{1}},
		{"no rows", "no rows", []int{}, y, []float64{1}},
		{"row out of range", "row 20", []int{20}, y, []float64{1}},
		{"no grid", "grid of C is empty", nil, y, nil},
	} {
		_, err := FitClassifier(context.Background(), x, c.rows, c.classes, c.grid, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	fit, err := FitClassifier(context.Background(), x, nil, y, []float64{1}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, _ := clusters(5, 4, []int{0, 1}, 1)
	if _, err := fit.Model(0).Predict(other, nil); err == nil || !strings.Contains(err.Error(), "4 columns") {
		t.Errorf("other width: error %v", err)
	}
	if _, err := fit.Predict(other, nil); err == nil || !strings.Contains(err.Error(), "4 columns") {
		t.Errorf("other width, all models: error %v", err)
	}
}

// A model whose parts do not fit is refused before it is used.
func TestModelCheck(t *testing.T) {
	good := func() *Model {
		return &Model{
			Classes: []int{1, 2, 3}, C: 1,
			Scaler:  Scaler{Mean: []float64{0, 0}, Scale: []float64{1, 1}},
			Weights: [][]float64{{1, 2}, {3, 4}, {5, 6}}, Bias: []float64{0, 0, 0},
		}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	nan := good()
	nan.Weights[1][0] /= 0
	nan.Weights[1][0] -= nan.Weights[1][0]
	for _, c := range []struct {
		want  string
		spoil func(m *Model)
	}{
		{"no classes", func(m *Model) { m.Classes = nil }},
		{"not ascending", func(m *Model) { m.Classes[1] = 1 }},
		{"means and", func(m *Model) { m.Scaler.Mean = m.Scaler.Mean[:1] }},
		{"weight vectors", func(m *Model) { m.Weights = m.Weights[:2] }},
		{"biases", func(m *Model) { m.Bias = nil }},
		{"entries for 2 features", func(m *Model) { m.Weights[2] = m.Weights[2][:1] }},
		{"not finite", func(m *Model) { m.Weights[1] = nan.Weights[1] }},
		{"mean 0 and scale 0", func(m *Model) { m.Scaler.Scale[1] = 0 }},
		{"mean 1e+30 and scale 2", func(m *Model) { m.Scaler.Mean[0], m.Scaler.Scale[0] = 1e30, 2 }},
		{"trained with C", func(m *Model) { m.C = 0 }},
	} {
		m := good()
		c.spoil(m)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
