package wl

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
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
	d.Name = "store"
	dir := t.TempDir()
	if err := dataset.WriteShards(filepath.Join(dir, "store"), d); err != nil {
		t.Fatal(err)
	}
	deep := Estimator{Options: DefaultOptions(Assignment), Machine: machine.ByRows, C: []float64{1}}
	for _, s := range []model.Estimator{
		Estimator{Options: DefaultOptions(Subtree), Machine: machine.ByRows, C: []float64{1}},
		Estimator{Options: DefaultOptions(Assignment), Machine: machine.ByRows, C: []float64{1}},
		Estimator{Options: DefaultOptions(Subtree), Machine: machine.ByKernel, C: []float64{1}},
		Estimator{Options: DefaultOptions(Subtree), Machine: machine.ByRows, C: []float64{1},
			Features: dataset.DegreeFeatures},
		DeepEstimator{Kernel: deep, Deep: DefaultDeepOptions(0)}, DeepEstimator{Kernel: deep, Deep: DefaultDeepOptions(3)},
	} {
		shards, err := dataset.OpenShards(filepath.Join(dir, "store"))
		if err != nil {
			t.Fatal(err)
		}
		stored := model.NewStoredWork(shards, engine.NewCPU(2))
		var files [2][]byte
		for i, w := range []*model.Work{model.NewWork(d, engine.NewCPU(1)), stored} {
			m, err := model.FitWork(context.Background(), w, s, []float64{1})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "model")
			if err := model.Save(path, m); err != nil {
				t.Fatal(err)
			}
			if files[i], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(files[0], files[1]) {
			t.Errorf("%s, %+v: another model", s.Name(), s)
		}
		if err := stored.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
