// Command train trains a model on a data set, saves it, loads it and predicts with it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/wl"
)

func main() {
	data, file := os.Args[1], os.Args[2]
	ctx := context.Background()
	d := must(dataset.Open(data))
	m := must(eval.Fit(ctx, d, 0, wl.Estimator{Options: wl.DefaultOptions(wl.Assignment)})) // chooses C
	if err := model.Save(file, m); err != nil {
		log.Fatal(err)
	}
	m = must(model.Load(file, nil))
	fmt.Printf("%s, %s, C %g %s\n", m.About().Model, m.About().Training.Setting, *m.About().Training.Value,
		m.About().Training.ChosenBy)
	said := must(m.Predict(ctx, d.Select([]int{0, 1, 2}), nil))
	for g, class := range said.Classes {
		fmt.Printf("graph %d: class %s, decision %.2f\n", g, m.About().Classes[class], said.Decisions.Float64s()[g])
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
