package train_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
)

// A network is trained on all graphs but every fifth, which choose the epoch whose parameters it gets.
func Example() {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 60, Vertices: 12})
	if err != nil {
		log.Fatal(err)
	}
	_, graphs, input, err := train.Encode(model.NewWork(d, engine.NewCPU(1)), dataset.LabelFeatures)
	if err != nil {
		log.Fatal(err)
	}
	network, err := gckn.Preset("gckn-path", 3, 16, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	training := &gckn.Training{Options: gckn.DefaultSupervised(network)}
	training.Examples = train.Examples{Graphs: train.InMemory(graphs), Input: input, Targets: model.TargetsOf(d)}
	training.Options.Epochs = 10
	for i := 0; i < d.NumGraphs(); i += 5 {
		training.Validation = append(training.Validation, i)
	}
	m, err := gckn.Supervise(context.Background(), engine.NewCPU(1), training)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(m.Records), "records; more than 3 of 4 held-out graphs are right:", m.Records[m.Best].Scores[0] > 0.75)
	// Output: 11 records; more than 3 of 4 held-out graphs are right: true
}
