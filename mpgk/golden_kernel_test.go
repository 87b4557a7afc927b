package mpgk

import (
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/nystrom"
)

func TestGoldenKernelKMeans(t *testing.T) {
	eachGolden(t, (*goldenFile).clusters, func(t *testing.T, g *goldenFile) {
		for i, problem := range g.Problems {
			p := pointsOfKernel(t, problem.Kernel)
			members := make([]int32, p.len())
			for n := range members {
				members[n] = int32(n)
			}
			for j, run := range problem.Runs {
				s := newSplit(p, members, run.K, newWorkspace(0))
				final, means := lloyd(t, s, run.Initial, maxLloyd)
				if fmt.Sprint(final) != fmt.Sprint(run.Assignment) || fmt.Sprint(means) != fmt.Sprint(final) {
					t.Errorf("problem %d, run %d: clusters %v, want %v", i, j, final, run.Assignment)
				}
				var objective []float64
				for at := run.Initial; ; {
					objective = append(objective, inertiaOf(problem.Kernel, at, run.K))
					next, _ := lloyd(t, s, at, 1)
					if fmt.Sprint(next) == fmt.Sprint(at) {
						break
					}
					at = next
				}
				if err := closeTo(objective, run.Objective, 1e-9); err != nil {
					t.Errorf("problem %d, run %d: objective: %v", i, j, err)
				}
			}
		}
	})
}

// lloyd runs k-means from given clusters.
func lloyd(t *testing.T, s *split, start []int32, iterations int) (final, means []int32) {
	t.Helper()
	final, means, err := nystrom.Lloyd(t.Context(), enginetest.Open(t, 1), s, start,
		nystrom.LloydOptions{Iterations: iterations})
	if err != nil {
		t.Fatal(err)
	}
	return final, means
}

// pointsOfKernel returns points with a given kernel matrix.
func pointsOfKernel(t *testing.T, k [][]float64) *points {
	t.Helper()
	n := len(k)
	e := engine.NewCPU(1)
	_, v, err := nystrom.InverseRoot(e, n, flat(k))
	if err != nil {
		t.Fatal(err)
	}
	rank := v.Shape()[1]
	p := &points{copies: ones(n), dense: make([]float64, n*rank), scale: ones(rank)}
	p.counts.start = make([]int32, n+1)
	x := v.Float64s()
	for i := range n {
		for j := range rank {
			e := 0.0 // eigenvalue j
			for a := range n {
				for b := range n {
					e += x[a*rank+j] * k[a][b] * x[b*rank+j]
				}
			}
			p.dense[i*rank+j] = x[i*rank+j] * math.Sqrt(e)
		}
	}
	return p
}

// inertiaOf is the sum of squared distances to the means, by the kernel alone.
func inertiaOf(k [][]float64, cluster []int32, clusters int) float64 {
	total := 0.0
	for c := range int32(clusters) {
		var members []int
		for i, a := range cluster {
			if a == c {
				members = append(members, i)
			}
		}
		within := 0.0
		for _, i := range members {
			total += k[i][i]
			for _, j := range members {
				within += k[i][j]
			}
		}
		if len(members) > 0 {
			total -= within / float64(len(members))
		}
	}
	return total
}

func TestGoldenNystrom(t *testing.T) {
	eachGolden(t, (*goldenFile).approximates, func(t *testing.T, g *goldenFile) {
		for i, problem := range g.Problems {
			n, m := len(problem.Kernel), len(problem.Landmarks)
			p := pointsOfKernel(t, problem.Kernel)
			e := enginetest.Open(t, 2).Host() // vertices stay on the host
			z, err := newVertexMap(e, p.selectRows(problem.Landmarks))
			if err != nil {
				t.Fatal(err)
			}
			if rank := z.root.Shape()[1]; rank != problem.Rank {
				t.Errorf("problem %d: rank %d, want %d", i, rank, problem.Rank)
			}
			s := &state{points: *p}
			if err := z.compress(e, s); err != nil {
				t.Fatal(err)
			}
			k, err := kernel(e, &s.points, &s.points)
			if err != nil {
				t.Fatal(err)
			}
			if err := closeTo(k, flat(problem.Approx), 1e-9); err != nil {
				t.Errorf("problem %d: kernel: %v", i, err)
			}
			if err := closeTo(k, flat(problem.Floored), 1e-8); err != nil {
				t.Errorf("problem %d: kernel with raised singular values: %v", i, err)
			}
			if problem.Rank < m {
				continue // the features themselves are then not determined to this precision
			}
			var w []float64
			for _, a := range problem.Landmarks {
				for _, b := range problem.Landmarks {
					w = append(w, problem.Kernel[a][b])
				}
			}
			_, v, err := nystrom.InverseRoot(e, m, w)
			if err != nil {
				t.Fatal(err)
			}
			features := make([]float64, n*m)
			for a := range n {
				for b := range m {
					for j := range m {
						features[a*m+b] += s.dense[a*m+j] * v.Float64s()[b*m+j]
					}
				}
			}
			if err := closeTo(features, flat(problem.Features), 1e-9); err != nil {
				t.Errorf("problem %d: features: %v", i, err)
			}
		}
	})
}
