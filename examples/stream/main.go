// Command stream trains a network on a data set that stays on disk, and predicts shard by shard.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/model"
)

func main() {
	ctx, store := context.Background(), must(dataset.OpenShards(os.Args[1]))
	defer store.Close()
	options := gckn.DefaultSupervised(must(gckn.Preset("gckn-path", 3, 16, 0.5)))
	options.Epochs = 10
	w, right := model.NewStoredWork(store, engine.NewCPU(2)), 0
	m := must(model.FitWork(ctx, w, gckn.SupervisedEstimator{Options: options}, nil))
	err := store.Each(func(d *dataset.Dataset) error {
		said := must(m.Predict(ctx, d, nil))
		for i, class := range m.About().Truth(d) {
			if said.Classes[i] == class {
				right++
			}
		}
		return nil
	})
	fmt.Printf("%d of %d graphs are right (%v)\n", right, store.NumGraphs(), err)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
