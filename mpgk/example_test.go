package mpgk_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/mpgk"
)

// The kernel that compares neighbourhoods by R-convolution and graphs by an assignment, with a support vector machine.
func Example() {
	ctx := context.Background()
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 60, Vertices: 12})
	if err != nil {
		log.Fatal(err)
	}
	options, err := mpgk.Preset("mpgk-ra")
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.Fit(ctx, d, mpgk.Estimator{Options: options, C: []float64{100}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	said, err := m.Predict(ctx, d.Select([]int{0, 1}), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.About().Model, m.About().Classes[said.Classes[0]], m.About().Classes[said.Classes[1]])
	// Output: mpgk-ra 0 1
}
