package nystrom_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

// The outputs of a layer lie around some directions; the cloud without structure is the worst case of the
// bounds.
func BenchmarkKMeans(b *testing.B) {
	e := testEngine{"cpu", engine.NewCPU(1), tensor.Float32, 0}
	for _, c := range []struct {
		name string
		shape
	}{
		{"300000 x 128 around 100", shape{n: 300000, p: 1, d: 128, blobs: 100}},
		{"300000 x 128 anywhere", shape{n: 300000, p: 1, d: 128}},
		{"300000 x 4 of 40000 x 18", shape{n: 300000, p: 4, d: 18, rows: 40000, blobs: 300}},
		{"5000 label paths", shape{n: 5000, p: 4, d: 37, rows: 37}},
	} {
		cloud := sync.OnceValue(func() nystrom.Points { return c.cloud(e, rand.New(rand.NewPCG(1, 2))) })
		b.Run(c.name+"/start", func(b *testing.B) {
			points := cloud()
			for b.Loop() {
				cluster(b, e, points, 128, nystrom.KMeansOptions{Seed: 1, MaxIterations: 1})
			}
		})
		b.Run(c.name+"/iterations", func(b *testing.B) {
			points := cloud()
			start := cluster(b, e, points, 128, nystrom.KMeansOptions{Seed: 1, MaxIterations: 1}).Init
			iterations := 0
			for b.Loop() {
				iterations += cluster(b, e, points, 128,
					nystrom.KMeansOptions{Init: start, MaxIterations: 20, Tolerance: -1}).Iterations
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(iterations), "ms/iteration")
		})
	}
}

func BenchmarkDistinct(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]int32, 300000*4)
	for i := range rows {
		rows[i] = rng.Int32N(8)
	}
	for b.Loop() {
		nystrom.Distinct(rows, 4, nil)
	}
}

func BenchmarkSampleSorted(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		nystrom.SampleSorted(1000000, 300000, rng)
	}
}
