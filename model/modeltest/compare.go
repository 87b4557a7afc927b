package modeltest

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// sameBits returns an error where two predictions differ in a bit.
func sameBits(got, want *model.Predictions) error { return agree(got, want, 0) }

// agree returns an error where numbers of two predictions differ by more than a share of the largest one, and with
// tolerance 0 in a bit. Classes must be the same, but where decision values lie within the tolerance of a tie.
func agree(got, want *model.Predictions, tolerance float64) error {
	if got.Len() != want.Len() {
		return fmt.Errorf("predictions of %d examples in place of %d", got.Len(), want.Len())
	}
	sided := true // the numbers say which class wins
	for _, m := range []struct {
		name      string
		got, want *tensor.Dense
	}{
		{"decision", got.Decisions, want.Decisions}, {"probability", got.Probabilities, want.Probabilities},
		{"value", got.Values, want.Values},
	} {
		if (m.got == nil) != (m.want == nil) {
			return fmt.Errorf("one of two predictions has no %s", m.name)
		}
		if m.got == nil {
			continue
		}
		sided = false
		if err := near(m.name, m.got.Float64s(), m.want.Float64s(), tolerance); err != nil {
			return err
		}
	}
	if sided || tolerance == 0 {
		for i := range want.Classes {
			if got.Classes[i] != want.Classes[i] {
				return fmt.Errorf("example %d: class %d in place of %d", i, got.Classes[i], want.Classes[i])
			}
		}
	}
	return nil
}

// near compares numbers by their bits, or by a tolerance.
func near(what string, got, want []float64, tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d numbers in place of %d: %s", len(got), len(want), what)
	}
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	worst, at := 0.0, -1
	for i := range want {
		if math.Float64bits(got[i]) == math.Float64bits(want[i]) {
			continue
		}
		if d := math.Abs(got[i]-want[i]) / largest; at < 0 || !(d <= worst) {
			worst, at = d, i
		}
	}
	if at >= 0 && !(worst <= tolerance && tolerance > 0) {
		return fmt.Errorf("%s %d is %v in place of %v, %.1e of the largest", what, at, got[at], want[at], worst)
	}
	return nil
}

// finite returns an error where a prediction is no number, or of no class that the model knows.
func finite(p *model.Predictions, h *model.Head, examples int) error {
	if p.Len() != examples {
		return fmt.Errorf("predictions of %d examples in place of %d", p.Len(), examples)
	}
	for _, m := range []*tensor.Dense{p.Decisions, p.Probabilities, p.Values} {
		if m == nil {
			continue
		}
		for i, v := range m.Float64s() {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("number %d of the predictions is %g", i, v)
			}
		}
	}
	if k := slices.IndexFunc(p.Classes, func(c int) bool { return c < 0 || c >= len(h.Classes) }); k >= 0 {
		return fmt.Errorf("example %d is of class %d of %d", k, p.Classes[k], len(h.Classes))
	}
	return nil
}
