package train

import (
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// Targets of the training part have mean 0 and standard deviation 1, and settled outputs their units.
func TestRegressionIsStandardised(t *testing.T) {
	x, o := molecules(t)
	values := make([]float64, 24)
	for i := range values {
		values[i] = float64(i*i) - 40*float64(i%2)
	}
	x.Examples.Targets = &model.Targets{Task: model.GraphTask, Names: []string{"y", "z"}, Values: values}
	x.Validation = []int{0, 11}
	r, err := New(*x, *o)
	if err != nil {
		t.Fatal(err)
	}
	mean, square := [2]float64{}, [2]float64{}
	for i, y := range r.Values(r.Train) {
		mean[i%2] += y / 10
		square[i%2] += y * y / 10
	}
	for k := range mean {
		if math.Abs(mean[k]) > 1e-12 || math.Abs(square[k]-1) > 1e-12 {
			t.Errorf("target %d: mean %g, mean square %g", k, mean[k], square[k])
		}
	}
	for i := range 12 {
		row := r.Values([]int{i})
		r.Outputs.Settle(row)
		for k, y := range row {
			if want := values[2*i+k]; math.Abs(y-want) > 1e-10*math.Abs(want)+1e-10 {
				t.Errorf("target %d of item %d is %g, want %g", k, i, y, want)
			}
		}
	}
}

// A settled last layer gives the outputs that are settled row by row.
func TestSettleLinear(t *testing.T) {
	for _, o := range []Outputs{{}, {Shift: []float64{3, -1}, Scale: []float64{2, 0.5}}, {Absent: []int{1}}} {
		row, x := []float64{0.25 + 3*2, -4 + 5*2}, tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{2}))
		o.Settle(row)
		last := &svm.Linear{Weight: [][]float64{{3}, {5}}, Bias: []float64{0.25, -4}}
		o.SettleLinear(last)
		got, err := last.Outputs(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Float64s(), row) {
			t.Errorf("%+v: outputs %v, want %v", o, got.Float64s(), row)
		}
	}
}

// Probabilities belong to the cross-entropy alone, and add up to one whatever the logits.
func TestPredictions(t *testing.T) {
	outputs := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1000, 1001, model.NeverSeen, -3}))
	said := (&Options{}).Predictions(outputs, false)
	p := said.Probabilities.Float64s()
	if !slices.Equal(said.Classes, []int{1, 1}) || math.Abs(p[0]-1/(1+math.E)) > 1e-12 || p[2] != 0 || p[3] != 1 {
		t.Errorf("%+v with probabilities %v", said, p)
	}
	if said = (&Options{Loss: autodiff.SquaredHinge}).Predictions(outputs, false); said.Probabilities != nil {
		t.Errorf("probabilities %v of a margin", said.Probabilities)
	}
	said = (&Options{Loss: autodiff.Squared}).Predictions(outputs, true)
	if said.Values != outputs || said.Classes != nil {
		t.Errorf("%+v of a regression", said)
	}
}
