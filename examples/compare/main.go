// Command compare cross-validates two families of models on the same folds of a data set.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/treeg"
	"github.com/grove-graph/grove/wl"
)

func main() {
	d, err := dataset.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	const folds, seed = 5, 0 // which cut the data in the same way for all
	for _, estimator := range []model.Estimator{
		wl.Estimator{Options: wl.DefaultOptions(wl.Subtree)}, // for several values of C
		treeg.Estimator{Options: treeg.Defaults(treeg.Graphs, treeg.Boosting), Rounds: []int{10, 50}},
	} {
		o, err := eval.CrossValidate(context.Background(), d, folds, seed, estimator)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-6s %.1f +- %.1f %%, by fold %.2f\n", estimator.Name(), 100*o.Mean, 100*o.Std, o.Folds)
	}
}
