package wl

import (
	"context"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/internal/storetest"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/split"
)

// Graphs that are looked at in blocks, each by itself, make the model of all of them: where a block ends does not show.
func TestBlocksMakeTheSameModel(t *testing.T) {
	d := molecules(t, 60)
	opt := DefaultOptions(Assignment)
	want := fit(t, engine.NewCPU(2), d.Batch, opt)
	for _, size := range []int{1, 7, 60, 100} {
		all := nothing(d.Batch, opt)
		for from := 0; from < 60; from += size {
			b := d.Batch.Select(split.All(60)[from:min(from+size, 60)])
			next := nothing(b, opt)
			if err := next.see(context.Background(), b, 1, nil); err != nil {
				t.Fatal(err)
			}
			if err := all.join(next.block().seen(opt), 2); err != nil {
				t.Fatal(err)
			}
		}
		m := all.model(engine.NewCPU(2))
		if !slices.Equal(gram(t, m), gram(t, want)) || !slices.Equal(m.NumColours(), want.NumColours()) {
			t.Errorf("blocks of %d graphs make another model", size)
		}
		for name, tensor := range want.Tensors() {
			if !slices.Equal(m.Tensors()[name].Float32s(), tensor.Float32s()) {
				t.Errorf("blocks of %d graphs: another %s", size, name)
			}
		}
	}
}

// A model of graphs that stay on disk has the bytes of one of graphs in memory, by both machines.
func TestModelsOfStoresAreThoseOfMemory(t *testing.T) {
	d := molecules(t, 300)
	dir := storetest.Write(t, d)
	deep := Estimator{Options: DefaultOptions(Assignment), Machine: machine.ByRows, C: []float64{1}}
	for _, s := range []model.Estimator{
		Estimator{Options: DefaultOptions(Subtree), Machine: machine.ByRows, C: []float64{1}},
		Estimator{Options: DefaultOptions(Assignment), Machine: machine.ByRows, C: []float64{1}},
		Estimator{Options: DefaultOptions(Subtree), Machine: machine.ByKernel, C: []float64{1}},
		Estimator{Options: DefaultOptions(Subtree), Machine: machine.ByRows, C: []float64{1},
			Features: dataset.DegreeFeatures},
		DeepEstimator{Kernel: deep, Deep: DefaultDeepOptions(0)}, DeepEstimator{Kernel: deep, Deep: DefaultDeepOptions(3)},
	} {
		storetest.SameModel(t, dir, d, s, []float64{1})
	}
}
