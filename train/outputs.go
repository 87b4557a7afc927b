package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// Outputs say what the outputs of a trained network stand for. A regression is trained on targets of mean 0 and
// standard deviation 1 over its training part; the logit of a class that no example has says nothing.
type Outputs struct {
	Shift  []float64 `json:"shift,omitempty"` // the target is Scale times the output, plus Shift; nil for classes
	Scale  []float64 `json:"scale,omitempty"`
	Absent []int     `json:"absent,omitempty"` // classes of no example, which get [model.NeverSeen]
}

// outputsOf returns the outputs of a network that learns the targets of some items.
func outputsOf(t *model.Targets, items []int) Outputs {
	if !t.Regression() {
		return Outputs{Absent: t.Absent()}
	}
	a := autodiff.Standardise(t.Of(items).Values, len(t.Names))
	return Outputs{Shift: a.Mean, Scale: a.Scale}
}

// standardise returns the values that a network is trained on; nil for classes.
func (o *Outputs) standardise(t *model.Targets) []float64 {
	if !t.Regression() {
		return nil
	}
	values := make([]float64, len(t.Values))
	for i, y := range t.Values {
		k := i % len(o.Scale)
		values[i] = (y - o.Shift[k]) / o.Scale[k]
	}
	return values
}

// Settle turns the outputs for an item into targets in their own units, or into logits of all classes.
func (o *Outputs) Settle(row []float64) {
	for k := range o.Scale {
		row[k] = row[k]*o.Scale[k] + o.Shift[k]
	}
	for _, class := range o.Absent {
		row[class] = model.NeverSeen
	}
}

// SettleLinear changes the last layer of a network so that its outputs are settled.
func (o *Outputs) SettleLinear(last *svm.Linear) {
	for k := range o.Scale {
		for j := range last.Weight[k] {
			last.Weight[k][j] *= o.Scale[k]
		}
	}
	for _, class := range o.Absent {
		clear(last.Weight[class])
	}
	o.Settle(last.Bias)
}

// Predictions returns what settled outputs stand for: values, or the class of the largest logit, the first of equal
// ones, with decisions and, where the loss is the cross-entropy, probabilities.
func (o *Options) Predictions(outputs *tensor.Dense, regression bool) *model.Predictions {
	if regression {
		return &model.Predictions{Values: outputs}
	}
	said := model.Largest(outputs)
	if o.Loss == "" || o.Loss == autodiff.CrossEntropy {
		said.Probabilities = softmax(outputs)
	}
	return said
}

// softmax returns the probabilities that logits stand for, exp(x) / sum exp(x) of every row.
func softmax(logits *tensor.Dense) *tensor.Dense {
	p := logits.Clone().(*tensor.Dense)
	for row := range slices.Chunk(p.Float64s(), p.Shape()[1]) {
		most, sum := slices.Max(row), 0.0
		for j, v := range row {
			row[j] = math.Exp(v - most)
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return p
}

// Check reports what does not fit a network of so many outputs, for outputs from a file.
func (o *Outputs) Check(outputs int, regression bool) error {
	if regression && (len(o.Shift) != outputs || len(o.Scale) != outputs) || !regression && len(o.Shift)+len(o.Scale) > 0 {
		return fmt.Errorf("scales of %d and %d outputs for %d", len(o.Shift), len(o.Scale), outputs)
	}
	for _, class := range o.Absent {
		if class < 0 || class >= outputs {
			return fmt.Errorf("class %d of %d", class, outputs)
		}
	}
	return nil
}
