package cgmm

import (
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/internal/storetest"
	"github.com/grove-graph/grove/svm"
)

// A model of graphs that stay on disk has the bytes of one of graphs in memory.
func TestModelsOfStoresAreThoseOfMemory(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := storetest.Write(t, d)
	for name, s := range map[string]Estimator{
		"counts":          {},
		"frequencies":     {Options: Options{Fingerprint: Fingerprint{Frequencies: true, Bigrams: true, Depth: 2}}},
		"arc labels":      {ArcLabels: true},
		"degrees":         {Features: dataset.DegreeFeatures},
		"a kernel":        {Classifier: svm.VectorKernel{Kind: svm.JaccardKernel}},
		"soft, in memory": {Options: Options{Soft: true}},
		"a pool":          {Options: Options{Pool: 2}},
	} {
		o := DefaultOptions()
		o.States, o.Layers, o.Soft, o.Fingerprint, o.Seed = 5, 3, s.Options.Soft, s.Options.Fingerprint, 4
		o.Pool = max(s.Options.Pool, 1)
		s.Options, s.C = o, []float64{1}
		t.Run(name, func(t *testing.T) { storetest.SameModel(t, dir, d, s, []float64{1}) })
	}
}
