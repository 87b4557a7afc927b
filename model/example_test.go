package model_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/treeg"
	"github.com/grove-graph/grove/wl"
)

func molecules() *dataset.Dataset {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 60, Vertices: 12})
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// A model is fitted, saved, loaded and says the same.
func Example() {
	ctx, d := context.Background(), molecules()
	m, err := model.Fit(ctx, d, wl.Estimator{Options: wl.DefaultOptions(wl.Assignment), C: []float64{1}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "molecules.grove")
	if err := model.Save(path, m); err != nil {
		log.Fatal(err)
	}
	loaded, err := model.Load(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	said, err := loaded.Predict(ctx, d, nil)
	if err != nil {
		log.Fatal(err)
	}
	right := 0
	for i, c := range loaded.About().Truth(d) {
		if said.Classes[i] == c {
			right++
		}
	}
	fmt.Println(loaded.About().Model, "is right on most of the", said.Len(), "graphs:", right > 50)
	// Output: wl-oa is right on most of the 60 graphs: true
}

// Some models say what a prediction rests on.
func ExampleExplainer() {
	ctx, d := context.Background(), molecules()
	m, err := model.Fit(ctx, d, treeg.Estimator{Options: treeg.Defaults(treeg.Graphs, treeg.Boosting)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	explained, err := m.(model.Explainer).Explain(ctx, d, []int{1}, model.ExplainOptions{})
	if err != nil {
		log.Fatal(err)
	}
	sum := 0.0
	for _, importance := range explained[0].Vertices {
		sum += importance
	}
	fmt.Printf("graph %d is of class %s; the importances of its vertices add up to %.0f\n",
		explained[0].Graph, m.About().Classes[explained[0].Predicted], sum)
	// Output: graph 1 is of class 1; the importances of its vertices add up to 1
}

// Families that are imported are known by the names of their models, with their options by name.
func ExampleFamilyOf() {
	f := model.FamilyOf("wl-oa")
	fmt.Println(f.Title, f.Verbs)
	fmt.Println(model.FamilyOf("treeg").Tasks)
	// Output:
	// WL [eval train gram]
	// [graph node edge]
}
