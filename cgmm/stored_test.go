package cgmm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/storetest"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
)

// blocksOf are the graphs of a batch in blocks of so many.
func blocksOf(b *graph.Batch, size int) *Blocks {
	return &Blocks{Graphs: b.NumGraphs(), Read: func(from, to int) (*graph.Batch, error) {
		return b.Select(split.All(to)[from:]), nil
	}, size: size}
}

// Where a block of the graphs ends does not show in a model, whatever its layers look at; and a training on blocks that
// was killed goes on from its last layer to the same bits.
func TestBlocksMakeTheSameModel(t *testing.T) {
	ctx := context.Background()
	b := randomBatch(t, 12, true)
	for _, in := range []Input{{Labels: 4}, {Labels: 4, ArcLabels: 3}, {Labels: 4, Attributes: 2}} {
		opt := smallOptions(3)
		opt.Previous, opt.Pool = []int{1, 2}, 2
		whole := contents(t, trained(t, engine.NewCPU(1), b, in, opt, Training{}))
		for _, size := range []int{1, 5, 12} {
			m, err := FitBlocks(ctx, engine.NewCPU(2), blocksOf(b, size), in, opt, Training{})
			if err != nil {
				t.Fatal(err)
			}
			if contents(t, m) != whole {
				t.Errorf("%+v: blocks of %d graphs make another model", in, size)
			}
		}
		file := filepath.Join(t.TempDir(), "checkpoint")
		reads, dying := 0, blocksOf(b, 12)
		read := dying.Read
		dying.Read = func(from, to int) (*graph.Batch, error) {
			if reads++; reads == 5 { // observations, identity, two layers above the first
				return nil, errKilled
			}
			return read(from, to)
		}
		_, err := FitBlocks(ctx, engine.NewCPU(2), dying, in, opt, Training{Checkpoint: file})
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
		m, err := FitBlocks(ctx, engine.NewCPU(1), blocksOf(b, 5), in, opt, Training{Checkpoint: file})
		if err != nil {
			t.Fatal(err)
		}
		if contents(t, m) != whole {
			t.Errorf("%+v: other bits after a kill", in)
		}
	}
	soft := smallOptions(2)
	soft.Soft = true
	if _, err := FitBlocks(ctx, engine.NewCPU(1), blocksOf(b, 5), Input{Labels: 4}, soft, Training{}); err == nil {
		t.Error("soft states of blocks are no error")
	}
}

// A model of graphs that stay on disk has the bytes of one of graphs in memory.
func TestModelsOfStoresAreThoseOfMemory(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := storetest.Write(t, d)
	for name, s := range map[string]Estimator{
		"counts":          {},
		"frequencies":     {Options: Options{Fingerprint: Fingerprint{Frequencies: true, Bigrams: true, Depth: 2}}},
		"arc labels":      {ArcLabels: true},
		"degrees":         {Features: dataset.DegreeFeatures},
		"a kernel":        {Classifier: svm.VectorKernel{Kind: svm.JaccardKernel}},
		"soft, in memory": {Options: Options{Soft: true}},
		"a pool":          {Options: Options{Pool: 2}},
	} {
		o := DefaultOptions()
		o.States, o.Layers, o.Soft, o.Fingerprint, o.Seed = 5, 3, s.Options.Soft, s.Options.Fingerprint, 4
		o.Pool = max(s.Options.Pool, 1)
		s.Options, s.C = o, []float64{1}
		t.Run(name, func(t *testing.T) { storetest.SameModel(t, dir, d, s, []float64{1}) })
	}
}
