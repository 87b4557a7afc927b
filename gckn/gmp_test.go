package gckn

import (
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
)

// Networks that pool by generalised maxima, over paths, vertices or both, learn end to end, by steps alone and beneath
// an exact classifier: the loss falls, and the bits are the same for any number of workers.
func TestGeneralizedMaxLearns(t *testing.T) {
	for _, c := range []struct {
		variant       string
		local, global Pooling
		alternate     bool
	}{
		{"gckn-path", Sum, GeneralizedMax, false}, {"gckn-subtree", GeneralizedMax, Mean, false},
		{"gckn-subtree", GeneralizedMax, GeneralizedMax, true},
	} {
		_, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 40, Seed: 2}, c.variant)
		if c.alternate {
			training.Options = TunedSupervised(training.Options.Network)
		}
		// Steps over all graphs, small ones by the true gradient, never lose.
		training.Options.BatchSize, training.Options.Rate, training.Options.ExactGradient = 1000, 1e-4, true
		training.Options.Epochs, training.Options.Network.GlobalPooling = 6, c.global
		for l := range training.Options.Network.Layers {
			training.Options.Network.Layers[l].Pooling = c.local
		}
		m := supervise(t, enginetest.Open(t, 1), training)
		if first, last := m.Records[1].Loss, m.Records[6].Loss; !(last < first) {
			t.Errorf("%+v: loss %g in the sixth epoch, %g in the first", c, last, first)
		}
		if other := supervise(t, enginetest.Open(t, 3), training); bytesOf(t, other) != bytesOf(t, m) {
			t.Errorf("%+v: other bits with three workers", c)
		}
		b := training.Examples.Whole()
		if !slices.Equal(represent(t, restored(t, m.Model), b), represent(t, m.Model, b)) {
			t.Errorf("%+v: the model from its file has other bits", c)
		}
	}
}
