package eval_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/treeg"
)

// Five-fold cross-validation of two estimators: in every fold the better one on the training part is tested.
func ExampleCrossValidate() {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 60, Vertices: 12})
	if err != nil {
		log.Fatal(err)
	}
	few := treeg.Estimator{Options: treeg.Defaults(treeg.Graphs, treeg.Boosting)}
	many := few
	few.Options.Estimators, many.Options.Estimators = 5, 20
	o, err := eval.CrossValidate(context.Background(), d, 5, 0, few, many)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(o.Folds), "folds, chosen", len(o.Chosen), "times, better than chance:", o.Mean > 0.5)
	// Output: 5 folds, chosen 5 times, better than chance: true
}

func ExampleConfusion() {
	predicted, truth := []int{0, 1, 1, 1}, []int{0, 0, 1, 1}
	fmt.Println(eval.Accuracy(predicted, truth), eval.Confusion(predicted, truth, 2))
	// Output: 0.75 [[1 1] [0 2]]
}
