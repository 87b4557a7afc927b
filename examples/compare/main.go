// Command compare cross-validates two families of models on the same folds of a data set.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/treeg"
	"github.com/grove-graph/grove/wl"
)

func main() {
	d := must(dataset.Open(os.Args[1]))
	p := eval.Problem{Work: model.NewWork(d, engine.NewCPU(1)), FromTrain: true, Workers: runtime.GOMAXPROCS(0)}
	p.Folds = must(eval.Folds(model.TargetsOf(d), 5, 1, 0))
	for _, estimator := range []model.Estimator{
		wl.Estimator{Options: wl.DefaultOptions(wl.Subtree)},
		treeg.Estimator{Options: treeg.Defaults(treeg.Graphs, treeg.Boosting), Rounds: []int{10, 50}},
	} {
		p.Estimators = []model.Estimator{estimator}
		o := must(eval.Nested(context.Background(), p))
		fmt.Printf("%-6s %.1f +- %.1f %%, by fold %.2f\n", estimator.Name(), 100*o.Mean, 100*o.Std, o.Folds)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
