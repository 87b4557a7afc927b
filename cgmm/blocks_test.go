package cgmm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/rounds"
)

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
