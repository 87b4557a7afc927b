package baseline

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/trees"
)

// A model of graphs that stay on disk, and are read in several pieces, has the bytes of one of graphs in memory.
func TestModelsOfStoresAreThoseOfMemory(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 12000, Vertices: 18, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	d.Name = "store"
	dir := t.TempDir()
	if err := dataset.WriteShards(filepath.Join(dir, "store"), d); err != nil {
		t.Fatal(err)
	}
	shards, err := dataset.OpenShards(filepath.Join(dir, "store"))
	if err != nil {
		t.Fatal(err)
	}
	pieces := 0
	if err := shards.Each(func(*dataset.Dataset) error {
		pieces++
		return nil
	}); err != nil || pieces < 2 {
		t.Fatalf("%d pieces: %v", pieces, err)
	}
	o := trees.Default()
	o.Rounds = 2
	stored := model.NewStoredWork(shards, engine.NewCPU(2))
	defer func() { _ = stored.Close() }()
	for _, s := range []model.Estimator{
		Majority{}, Linear{C: []float64{1}}, Static{Options: o, Steps: 1, Colours: 3, Rounds: []int{2}},
	} {
		var files [2][]byte
		for i, w := range []*model.Work{model.NewWork(d, engine.NewCPU(1)), stored} {
			m, err := model.FitWork(context.Background(), w, s, s.Grid().Values)
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
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%s: another model", s.Name())
		}
	}
}
