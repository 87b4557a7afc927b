package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// tangle returns a random graph of n vertices with self loops, repeated arcs and hubs.
func tangle(t *testing.T, n, arcs int, seed uint64) *Batch {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	g := Graph{NumVertices: n}
	for range arcs {
		g.AddArc(int32(rng.IntN(1+rng.IntN(n))), int32(rng.IntN(n)))
	}
	b, err := NewBatch([]Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Every number is chosen with the same probability, and so is every pair.
func TestChooseIsUniform(t *testing.T) {
	const n, limit, draws = 7, 3, 40000
	var ones [n]float64
	var pairs [n][n]float64
	for seed := range uint64(draws) {
		some := NewDraw(seed, 5).Choose(nil, 11, n, limit)
		if len(some) != limit || !slices.IsSorted(some) {
			t.Fatalf("chose %v", some)
		}
		for i, a := range some {
			ones[a]++
			for _, b := range some[i+1:] {
				pairs[a][b]++
			}
		}
	}
	for a := range n {
		if p := ones[a] / draws; math.Abs(p-float64(limit)/n) > 0.012 {
			t.Errorf("%d is chosen with frequency %.3f, want %.3f", a, p, float64(limit)/n)
		}
		for b := a + 1; b < n; b++ {
			want := float64(limit*(limit-1)) / (n * (n - 1))
			if p := pairs[a][b] / draws; math.Abs(p-want) > 0.01 {
				t.Errorf("%d and %d are chosen with frequency %.3f, want %.3f", a, b, p, want)
			}
		}
	}
	if all := NewDraw(1).Choose([]int32{9}, 2, 3, 3); !slices.Equal(all, []int32{9, 0, 1, 2}) {
		t.Errorf("all of 3 are %v", all)
	}
}

// What is drawn depends on the numbers of the draw and on the vertex.
func TestDrawsDiffer(t *testing.T) {
	base := NewDraw(3, 1, 2).Choose(nil, 4, 1000, 5)
	for name, other := range map[string][]int32{
		"seed": NewDraw(4, 1, 2).Choose(nil, 4, 1000, 5), "first use": NewDraw(3, 2, 2).Choose(nil, 4, 1000, 5),
		"second use": NewDraw(3, 1, 3).Choose(nil, 4, 1000, 5), "order of uses": NewDraw(3, 2, 1).Choose(nil, 4, 1000, 5),
		"vertex": NewDraw(3, 1, 2).Choose(nil, 5, 1000, 5),
	} {
		if slices.Equal(other, base) {
			t.Errorf("another %s draws the same", name)
		}
	}
	if !slices.Equal(NewDraw(3, 1, 2).Choose(nil, 4, 1000, 5), base) {
		t.Error("a draw is not repeated")
	}
}

// With a fan-out above all degrees a sample holds every path, with weight 1.
func TestSampleOfAllPaths(t *testing.T) {
	for seed := range uint64(10) {
		b := tangle(t, 30, 60, seed)
		s := b.Sampler()
		for _, walks := range []bool{false, true} {
			route := Paths
			if walks {
				route = Walks
			}
			roots := []int32{7, 3, 29}
			sample := s.Paths(roots, PathSampling{Size: 3, AllSizes: true, Walks: walks, FanOut: []int{100, 100}})
			for i, size := range sample.Size {
				for r, root := range roots {
					var want, got [][]int32
					b.Visit(route, root, size, func(path []int32) {
						if len(path) == size {
							want = append(want, slices.Clone(path))
						}
					})
					for p := sample.Offsets[i][r]; p < sample.Offsets[i][r+1]; p++ {
						var path []int32
						for _, at := range sample.Paths[i][int(p)*size : int(p+1)*size] {
							path = append(path, sample.Vertices[at])
						}
						if got = append(got, path); sample.Weights[i][p] != 1 {
							t.Errorf("weight %g", sample.Weights[i][p])
						}
					}
					if !slices.EqualFunc(got, want, slices.Equal) {
						t.Fatalf("walks %v: paths %v from %d, want %v", walks, got, root, want)
					}
				}
			}
		}
	}
}

// The mean of weighted sums over samples is the sum over all paths, whatever the fan-out; and no sample depends on
// which other roots there are.
func TestSampledSumsAreUnbiased(t *testing.T) {
	b := tangle(t, 25, 120, 3)
	value := func(path []int32) float64 { // no product of functions of single vertices
		x := 0.0
		for i, v := range path {
			x += float64((int(v)*(i+3))%7) - 2
		}
		return math.Abs(x) + 0.1
	}
	const draws, root, size = 20000, 2, 3
	for _, walks := range []bool{false, true} {
		route := Paths
		if walks {
			route = Walks
		}
		exact := 0.0
		b.Visit(route, root, size, func(path []int32) {
			if len(path) == size {
				exact += value(path)
			}
		})
		s, sum, squares := b.Sampler(), 0.0, 0.0
		for seed := range uint64(draws) {
			of := PathSampling{Size: size, Walks: walks, FanOut: []int{3, 2}, Draw: NewDraw(seed)}
			estimate := func(roots []int32, r int) (x float64) {
				sample := s.Paths(roots, of)
				for p := sample.Offsets[0][r]; p < sample.Offsets[0][r+1]; p++ {
					var path []int32
					for _, at := range sample.Paths[0][p*size : (p+1)*size] {
						path = append(path, sample.Vertices[at])
					}
					x += sample.Weights[0][p] * value(path)
				}
				return x
			}
			x := estimate([]int32{root}, 0)
			if seed < 20 && estimate([]int32{5, 17, root}, 2) != x {
				t.Fatal("a sample depends on the other roots")
			}
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / draws
		deviation := math.Sqrt((squares/draws - mean*mean) / draws)
		if deviation == 0 || math.Abs(mean-exact) > 4*deviation {
			t.Errorf("walks %v: mean %.2f +- %.2f of %d samples, want %.2f", walks, mean, deviation, draws, exact)
		}
	}
}
