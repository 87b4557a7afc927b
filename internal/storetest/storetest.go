// Package storetest holds models of graphs that stay on disk against models of the same graphs in memory.
package storetest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
)

// Write writes graphs to a new store, of the name that d has afterwards.
func Write(t testing.TB, d *dataset.Dataset) (dir string) {
	t.Helper()
	d.Name = "store" // a model knows it
	dir = filepath.Join(t.TempDir(), d.Name)
	if err := dataset.WriteShards(dir, d); err != nil {
		t.Fatal(err)
	}
	return dir
}

// SameModel reports an error where the model that an estimator learns, with the value of its grid, from the store at
// dir by two workers has a file of other bytes than that from the same graphs in memory by one.
func SameModel(t testing.TB, dir string, d *dataset.Dataset, s model.Estimator, value []float64) {
	t.Helper()
	shards, err := dataset.OpenShards(dir)
	if err != nil {
		t.Fatal(err)
	}
	stored := model.NewStoredWork(shards, engine.NewCPU(2))
	defer func() {
		if err := stored.Close(); err != nil {
			t.Error(err)
		}
	}()
	var files [2][]byte
	for i, w := range []*model.Work{model.NewWork(d, engine.NewCPU(1)), stored} {
		m, err := model.FitWork(context.Background(), w, s, value)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		path := filepath.Join(t.TempDir(), "model")
		if err := model.Save(path, m); err != nil {
			t.Fatal(err)
		}
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Errorf("%s: another model of graphs on disk", s)
	}
}
