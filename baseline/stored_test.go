package baseline

import (
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/internal/storetest"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/trees"
)

// A model of graphs that stay on disk, and are read in several pieces, has the bytes of one of graphs in memory.
func TestModelsOfStoresAreThoseOfMemory(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 12000, Vertices: 18, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := storetest.Write(t, d)
	shards, err := dataset.OpenShards(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = shards.Close() }()
	pieces := 0
	if err := shards.Each(func(*dataset.Dataset) error {
		pieces++
		return nil
	}); err != nil || pieces < 2 {
		t.Fatalf("%d pieces: %v", pieces, err)
	}
	o := trees.Default()
	o.Rounds = 2
	for _, s := range []model.Estimator{
		Majority{}, Linear{C: []float64{1}}, Static{Options: o, Steps: 1, Colours: 3, Rounds: []int{2}},
	} {
		storetest.SameModel(t, dir, d, s, s.Grid().Values)
	}
}
