package cgmm

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// dataSet opens a data set of the TU collection and skips where it is missing.
func dataSet(t testing.TB, name string) *dataset.Dataset {
	t.Helper()
	dir := os.Getenv("GROVE_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	dir = filepath.Join(dir, "tu", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no data in %s: set GROVE_DATA", dir)
	}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func BenchmarkFitPROTEINS(b *testing.B) {
	d := dataSet(b, "PROTEINS")
	in := Input{Labels: d.Batch.NumLabels}
	opt := DefaultOptions()
	opt.Tolerance = 0
	for b.Loop() {
		m, err := Fit(context.Background(), engine.NewCPU(1), d.Batch, in, opt, Training{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := m.Transform(context.Background(), d.Batch, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkIteration(b *testing.B, name string, states, arcs, depth int) {
	d := dataSet(b, name)
	batch := *d.Batch
	in := Input{Labels: batch.NumLabels}
	if arcs > 1 {
		rng := rand.New(rand.NewPCG(1, 2))
		batch.ArcLabels = make([]int32, batch.NumArcs())
		for i := range batch.ArcLabels {
			batch.ArcLabels[i] = rng.Int32N(int32(arcs))
		}
		in.ArcLabels = arcs
	}
	opt := DefaultOptions()
	opt.States = states
	opt.Layers = depth
	m, err := Fit(context.Background(), engine.NewCPU(1), &batch, in, opt, Training{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := m.States(context.Background(), &batch, nil)
	if err != nil {
		b.Fatal(err)
	}
	y := m.layers[depth-1]
	c, err := s.contexts(y.previous, y.arcs, false)
	if err != nil {
		b.Fatal(err)
	}
	est := newEstimator(engine.NewCPU(1), s.shown, c, states)
	b.Logf("%d vertices, %d rows, %d entries, merged %v", batch.NumVertices(), len(c.weight), len(c.x.Col), est.merged != nil)
	for b.Loop() {
		if _, err := est.expect(y); err != nil {
			b.Fatal(err)
		}
		est.maximise(y, 0)
	}
	b.ReportMetric(float64(batch.NumVertices())*float64(b.N)/b.Elapsed().Seconds()/1000, "vertices/ms")
	_ = graph.Batch{}
}

func BenchmarkIteration(b *testing.B) {
	for _, name := range []string{"PROTEINS", "NCI1"} {
		for _, c := range []int{20, 40} {
			for _, a := range []int{1, 4} {
				b.Run(name+"/"+string(rune('0'+c/10))+"0-"+string(rune('0'+a)), func(b *testing.B) { benchmarkIteration(b, name, c, a, 4) })
			}
		}
	}
}
