package cgmm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/split"
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

// Graphs that are gone over in rounds make the model of all graphs at once, by one process and by parts; a layer is
// trained once.
func TestRoundsMakeTheSameModel(t *testing.T) {
	ctx := context.Background()
	b := randomBatch(t, 12, true)
	for _, in := range []Input{{Labels: 4}, {Labels: 4, ArcLabels: 3}, {Labels: 4, Attributes: 2}} {
		opt := smallOptions(3)
		opt.Previous, opt.Pool = []int{1, 2}, 2
		want := contents(t, trained(t, engine.NewCPU(1), b, in, opt, Training{}))
		layers := 0
		fit := func(by *rounds.Rounds) (*Model, error) {
			graphs := blocksOf(b, 5)
			graphs.Rounds = by
			return FitBlocks(ctx, engine.NewCPU(2), graphs, in, opt, Training{
				Progress: func(stage string, done, total int) {
					if stage == "layers" && done < total {
						layers++
					}
				},
			})
		}
		dir, pass := filepath.Join(t.TempDir(), "known"), ""
		var result []byte
		layers = 0
		for {
			m, err := fit(rounds.Lead(dir, pass, func(visit func(io.Reader) error) error {
				return visit(bytes.NewReader(result))
			}))
			var next *rounds.NextError
			if err == nil {
				if contents(t, m) != want || layers != opt.Layers*opt.Pool {
					t.Errorf("%+v: another model in rounds, %d candidates", in, layers)
				}
				break
			}
			if !errors.As(err, &next) {
				t.Fatal(err)
			}
			var out bytes.Buffer
			pass = next.Pass
			if _, err := fit(rounds.Take(dir, pass, 0, 12, &out)); !errors.Is(err, rounds.ErrDone) {
				t.Fatal(err)
			}
			result = out.Bytes()
		}
	}
}
