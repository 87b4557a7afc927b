package gckn

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
)

// A training that reads its graphs from a store on disk gives the bits of one that has them in memory.
func TestStreamedTraining(t *testing.T) {
	for features, variant := range map[dataset.Features]string{dataset.LabelFeatures: "gckn-subtree",
		dataset.DegreeFeatures: "gckn-path", dataset.AttributesAndLabels: "gckn-subtree"} {
		d, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 60}, variant)
		b := *d.Batch
		b.AttributeDim = 2
		for v := range b.NumVertices() {
			b.Attributes = append(b.Attributes, float64(v%5), float64(b.Degree(int32(v))))
		}
		d = d.WithBatch(&b)
		encoding, err := dataset.FitEncoding(d, features, training.Train)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := encoding.Apply(d)
		if err != nil {
			t.Fatal(err)
		}
		if training.Examples.Input, err = train.InputOf(encoded); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "store")
		if err := dataset.WriteShards(dir, d); err != nil {
			t.Fatal(err)
		}
		shards, err := dataset.OpenShards(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer shards.Close()
		for _, start := range []int{0, 20} {
			training.Options.StartGraphs, training.Options.Alternate = start, start > 0
			e := enginetest.Open(t, 1)
			training.Examples.Graphs = train.InMemory(encoded)
			want := supervise(t, e, training)
			training.Examples.Graphs = train.Streamed(shards, encoding)
			training.Checkpoint.Path = filepath.Join(t.TempDir(), "checkpoint")
			got := supervise(t, e, training)
			if bytesOf(t, got) != bytesOf(t, want) {
				t.Errorf("%s, start from %d graphs: other bits", features, start)
			}
			if !slices.EqualFunc(got.Records, want.Records, sameRecord) {
				t.Errorf("%s: records %+v, want %+v", features, got.Records, want.Records)
			}
			training.Checkpoint.Path = ""
		}
		training.Examples.Targets.Task = model.NodeTask
		_, err = Supervise(context.Background(), enginetest.Open(t, 1), training)
		if err == nil || !strings.Contains(err.Error(), "needs its graphs in memory") {
			t.Errorf("a task on vertices: %v", err)
		}
	}
}

func sameRecord(a, b autodiff.Record) bool {
	return a.Epoch == b.Epoch && a.Loss == b.Loss && a.Accuracy == b.Accuracy && slices.Equal(a.Scores, b.Scores)
}

// Unless the options say otherwise the start from a store holds a bounded number of graphs, and learns the first
// classifier from the same ones.
func TestStreamedStartIsBounded(t *testing.T) {
	d, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 60}, "gckn-path")
	counted := &countingGraphs{Graphs: training.Examples.Graphs}
	training.Examples.Graphs = counted
	training.Train = nil
	for range StreamedStart + 20 {
		training.Train = append(training.Train, 0)
	}
	r := &supervision{run: &train.Run{Training: training.Training}, opt: training.Options}
	items, b, err := r.startItems()
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != StreamedStart || b.NumGraphs() != StreamedStart || counted.most != StreamedStart {
		t.Errorf("%d items and %d graphs, want %d of %d", len(items), b.NumGraphs(), StreamedStart, len(training.Train))
	}
	r.opt.StartGraphs = 7
	if items, _, err := r.startItems(); err != nil || len(items) != 7 {
		t.Errorf("%d items, error %v, want 7", len(items), err)
	}
	r.opt.StartGraphs, r.run.Examples.Graphs = 0, train.InMemory(d.Batch)
	if items, _, err := r.startItems(); err != nil || len(items) != len(training.Train) {
		t.Errorf("%d items of graphs in memory, error %v, want all", len(items), err)
	}
}

// countingGraphs notes the largest number of graphs that were asked for at once.
type countingGraphs struct {
	train.Graphs
	most int
}

func (c *countingGraphs) Select(graphs []int) (*graph.Batch, error) {
	c.most = max(c.most, len(graphs))
	return c.Graphs.Select(graphs)
}
