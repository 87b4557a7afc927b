package dataset_test

import (
	"fmt"
	"log"
	"os"

	"github.com/grove-graph/grove/dataset"
)

// A generated data set is written in the TU format and read again.
func Example() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	made, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 20, Vertices: 10})
	if err != nil {
		log.Fatal(err)
	}
	if err := dataset.WriteTU(dir+"/molecules", made); err != nil {
		log.Fatal(err)
	}
	d, err := dataset.Open(dir + "/molecules")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d graphs of classes %v, sizes %v\n", d.Name, d.NumGraphs(), d.ClassNames, d.ClassSizes())
	// Output: molecules: 20 graphs of classes [0 1], sizes [10 10]
}

// What a model sees of the vertices is learned once and then means the same in other data: labels by their codes.
func ExampleFitEncoding() {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 20, Vertices: 10})
	if err != nil {
		log.Fatal(err)
	}
	e, err := dataset.FitEncoding(d, dataset.LabelFeatures, nil)
	if err != nil {
		log.Fatal(err)
	}
	b, err := e.Apply(d.Select([]int{3, 4}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.NumGraphs(), b.NumLabels == len(d.LabelCodes))
	// Output: 2 true
}

// A data set may stay on disk: its graphs are read shard by shard.
func ExampleOpenShards() {
	dir, err := os.MkdirTemp("", "shards")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 20, Vertices: 10})
	if err != nil {
		log.Fatal(err)
	}
	if err := dataset.WriteShards(dir+"/store", d); err != nil {
		log.Fatal(err)
	}
	s, err := dataset.OpenShards(dir + "/store")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	graphs := 0
	err = s.Each(func(shard *dataset.Dataset) error {
		graphs += shard.NumGraphs()
		return nil
	})
	fmt.Println(s.NumGraphs(), graphs, err)
	// Output: 20 20 <nil>
}
