package cgmm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/cgmm"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
)

// Three layers of eight hidden states, with a linear classifier on the fingerprints of the graphs.
func Example() {
	ctx := context.Background()
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 60, Vertices: 12})
	if err != nil {
		log.Fatal(err)
	}
	options := cgmm.DefaultOptions()
	options.States, options.Layers = 8, 3
	m, err := model.Fit(ctx, d, cgmm.Estimator{Options: options, C: []float64{1}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	said, err := m.Predict(ctx, d.Select([]int{0, 1}), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.About().Model, m.About().Classes[said.Classes[0]], m.About().Classes[said.Classes[1]])
	// Output: cgmm 0 1
}
