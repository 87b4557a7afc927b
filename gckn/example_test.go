package gckn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/model"
)

func molecules() *dataset.Dataset {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 60, Vertices: 12})
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// Paths of up to three vertices and 16 anchors, with a linear classifier on the graphs.
func Example() {
	ctx, d := context.Background(), molecules()
	options, err := gckn.Preset("gckn-path", 3, 16, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.Fit(ctx, d, gckn.Estimator{Options: options, C: []float64{1}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	said, err := m.Predict(ctx, d.Select([]int{0, 1}), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.About().Model, m.About().Classes[said.Classes[0]], m.About().Classes[said.Classes[1]])
	// Output: gckn-path 0 1
}

// The vectors of all graphs: a column for every anchor of every length of paths.
func ExampleEstimator_vectors() {
	ctx, d := context.Background(), molecules()
	options, err := gckn.Preset("gckn-path", 3, 16, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	network := gckn.Estimator{Options: options}
	encoder, err := network.Encoder(ctx, model.NewWork(d, engine.NewCPU(1)), false)
	if err != nil {
		log.Fatal(err)
	}
	x, err := model.Matrix(ctx, encoder, d, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Shape())
	// Output: (60, 48)
}
