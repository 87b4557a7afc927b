package nystrom_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/nystrom"
)

// plainPartition computes its means anew from all points.
type plainPartition struct {
	vectors nystrom.Vectors
	means   nystrom.Means
	cluster []int32
}

func (p *plainPartition) Vectors() *nystrom.Vectors { return &p.vectors }
func (p *plainPartition) Means() *nystrom.Means     { return &p.means }
func (p *plainPartition) Empty()                    {}

func (p *plainPartition) Put(point int, cluster int32, times float64) {
	if times > 0 {
		p.cluster[point] = cluster
	}
}

func (p *plainPartition) Update() {
	m, d, columns := &p.means, p.vectors.Width, p.vectors.Sparse.Cols
	weight := make([]float64, len(m.Offset))
	clear(m.Slope)
	clear(m.Table)
	for i, k := range p.cluster {
		w := p.vectors.Weights[i]
		weight[k] += w
		dense, sparse, values := p.vectors.Row(i)
		for j, x := range dense {
			m.Slope[int(k)*d+j] += w * x
		}
		for e, c := range sparse {
			m.Table[int(k)/nystrom.Lanes*columns+int(c)][k%nystrom.Lanes] += w * values[e]
		}
	}
	for k := range m.Offset {
		m.Offset[k] = math.Inf(1)
		if weight[k] == 0 {
			continue
		}
		square := 0.0
		for j := range d {
			m.Slope[k*d+j] /= weight[k]
			square += m.Slope[k*d+j] * m.Slope[k*d+j]
		}
		for c := range columns {
			at := &m.Table[k/nystrom.Lanes*columns+c][k%nystrom.Lanes]
			*at /= weight[k]
			square += *at * *at
		}
		m.Offset[k] = square / 2
	}
}

// newPartition returns n random points in k clusters.
func newPartition(rng *rand.Rand, n, entries, columns, width, k int) (p *plainPartition, start []int32) {
	groups := (k + nystrom.Lanes - 1) / nystrom.Lanes
	p = &plainPartition{means: nystrom.Means{K: k, Offset: make([]float64, groups*nystrom.Lanes),
		Slope: make([]float64, groups*nystrom.Lanes*width), Table: make([]nystrom.Lane, groups*columns)}}
	p.vectors.Width, p.vectors.Sparse = width, &engine.Sparse{Cols: columns, RowPtr: []int32{0}}
	for range n {
		dense, counts := make([]float64, width), make([]float64, columns)
		for j := range dense {
			dense[j] = rng.NormFloat64()
		}
		for _, c := range rng.Perm(columns)[:entries] {
			counts[c] = float64(1 + rng.IntN(3))
		}
		p.add(counts, dense, float64(1+rng.IntN(3)))
		start = append(start, rng.Int32N(int32(k)))
	}
	return p, start
}

// mirrored returns pairs of points that are mirror images, in clusters 2c and 2c+1. Every other pair is two equal
// points, which are as near to one of these as to the other but for rounding.
func mirrored(rng *rand.Rand, pairs, columns, clusters int) (p *plainPartition, start []int32) {
	p, _ = newPartition(rng, 0, 0, columns, 0, 2*clusters)
	for i := range pairs {
		counts := make([]float64, columns)
		for c := range counts {
			counts[c] = float64(rng.IntN(3))
		}
		mirror := slices.Clone(counts)
		slices.Reverse(mirror)
		if i%2 == 0 {
			copy(counts[columns/2:], mirror[columns/2:])
			mirror = counts
		}
		weight, c := float64(1+rng.IntN(3)), 2*rng.Int32N(int32(clusters))
		p.add(counts, nil, weight)
		p.add(mirror, nil, weight)
		start = append(start, c, c+1)
	}
	return p, start
}

// add adds a point with the given counts of all columns and dense features.
func (p *plainPartition) add(counts, dense []float64, weight float64) {
	v, square := &p.vectors, 0.0
	for c, x := range counts {
		if x != 0 {
			v.Sparse.Col, v.Sparse.Values = append(v.Sparse.Col, int32(c)), append(v.Sparse.Values, x)
		}
		square += x * x
	}
	for _, x := range dense {
		square += x * x
	}
	v.Dense = append(v.Dense, dense...)
	v.Sparse.RowPtr = append(v.Sparse.RowPtr, int32(len(v.Sparse.Col)))
	v.Squares, v.Weights = append(v.Squares, square), append(v.Weights, weight)
	p.cluster = append(p.cluster, 0)
}

// lloyd is k-means without any shortcut.
func (p *plainPartition) lloyd(start []int32, iterations int, refill bool) (final, means []int32, ties int) {
	p.cluster = slices.Clone(start)
	distance := make([]float64, len(start))
	for range iterations {
		means = slices.Clone(p.cluster)
		p.Update()
		for i := range p.cluster {
			var to int32
			var tie bool
			to, distance[i], tie = p.nearest(i)
			if tie {
				ties++
			}
			p.cluster[i] = to
		}
		for k := range int32(p.means.K) {
			if refill && !slices.Contains(p.cluster, k) {
				far := p.farthest(distance)
				p.cluster[far], distance[far] = k, 0
			}
		}
		if slices.Equal(means, p.cluster) {
			break
		}
	}
	return p.cluster, means, ties
}

// nearest returns the nearest mean of a point, its squared distance, and whether another one is as near up to
// rounding.
func (p *plainPartition) nearest(i int) (to int32, distance float64, tie bool) {
	score := make([]float64, len(p.means.Offset))
	dense, columns, values := p.vectors.Row(i)
	p.means.Score(score, dense, columns, values)
	to = nystrom.Nearest(score)
	best := score[to]
	score[to] = math.Inf(-1)
	return to, max(p.vectors.Squares[i]-2*best, 0), best-slices.Max(score) < 1e-13*p.vectors.Squares[i]
}

// farthest returns the farthest point from its mean in clusters of several.
func (p *plainPartition) farthest(distance []float64) int {
	members := make([]int, p.means.K)
	for _, k := range p.cluster {
		members[k]++
	}
	far := -1
	for i, d := range distance {
		if members[p.cluster[i]] > 1 && (far < 0 || d > distance[far]) {
			far = i
		}
	}
	return far
}

func TestLloydIsThePlainAlgorithmOnEveryDevice(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	device := enginetest.Open(t, 2)
	for _, c := range []struct {
		name                          string
		n, entries, columns, width, k int
		iterations                    int
		refill, mirrored              bool
	}{
		{"few points", 40, 3, 5, 2, 3, 100, false, false},
		{"one cluster", 30, 3, 5, 0, 1, 100, false, false},
		{"dense points", 3000, 0, 0, 24, 4, 100, false, false},
		{"counts", 9000, 8, 12, 0, 4, 100, false, false},
		{"both", 3000, 16, 40, 8, 6, 100, false, false},
		{"mirror images", 6000, 20, 20, 0, 2, 100, false, true},
		{"more than one lane", 6000, 12, 16, 0, 9, 100, true, false},
		{"mirror images in more than one lane", 6000, 20, 20, 0, 6, 100, true, true},
		{"cut off", 9000, 8, 12, 3, 5, 4, false, false},
		{"one iteration", 9000, 8, 8, 0, 5, 1, true, false},
		{"clusters lost", 60, 2, 3, 0, 40, 100, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, start := newPartition(rng, c.n, c.entries, c.columns, c.width, c.k)
			if c.mirrored {
				p, start = mirrored(rng, c.n/2, c.columns, c.k/2)
			}
			if c.name == "counts" { // a cluster that is empty from the start stays empty
				for i := range start {
					start[i] %= 3
				}
			}
			final, means, ties := p.lloyd(start, c.iterations, c.refill)
			final, means = slices.Clone(final), slices.Clone(means)
			if c.mirrored && ties == 0 {
				t.Error("no point is as near to one mean as to another: the test shows little")
			}
			rough := enginetest.NewRough(2)
			for _, e := range []engine.Engine{engine.NewCPU(1), engine.NewCPU(3), rough, device} {
				opt := nystrom.LloydOptions{Iterations: c.iterations, Refill: c.refill}
				gotFinal, gotMeans, err := nystrom.Lloyd(t.Context(), e, p, start, opt)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(gotFinal, final) {
					t.Errorf("%v, %d workers: clusters differ from the plain ones", e, e.Workers())
				}
				if !slices.Equal(gotMeans, means) {
					t.Errorf("%v, %d workers: means of other clusters than the plain ones", e, e.Workers())
				}
			}
			if big := len(p.vectors.Sparse.Col)+len(p.vectors.Dense) >= 1<<16; big != (rough.Products.Load() > 0) {
				t.Errorf("%d products on the device", rough.Products.Load())
			}
		})
	}
}

func TestScoresAreDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	p, start := newPartition(rng, 50, 4, 9, 3, 6)
	p.cluster = start
	p.Update()
	score := make([]float64, len(p.means.Offset))
	for i := range p.vectors.Len() {
		dense, columns, values := p.vectors.Row(i)
		p.means.Score(score, dense, columns, values)
		for k := range p.means.K {
			x := make([]float64, p.vectors.Sparse.Cols)
			for e, c := range columns {
				x[c] = values[e]
			}
			want := 0.0
			for c, v := range x {
				step := v - p.means.Table[k/nystrom.Lanes*len(x)+c][k%nystrom.Lanes]
				want += step * step
			}
			for j, v := range dense {
				step := v - p.means.Slope[k*len(dense)+j]
				want += step * step
			}
			if got := p.vectors.Squares[i] - 2*score[k]; math.Abs(got-want) > 1e-12*(1+want) {
				t.Fatalf("point %d, mean %d: squared distance %g, want %g", i, k, got, want)
			}
		}
	}
}

func TestLloydReportsFailures(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	p, start := newPartition(rng, 9000, 8, 12, 1, 4)
	opt := nystrom.LloydOptions{Iterations: 100}
	broken := enginetest.NewRough(1)
	broken.Fails = errors.New("the device is gone")
	if _, _, err := nystrom.Lloyd(t.Context(), broken, p, start, opt); !errors.Is(err, broken.Fails) {
		t.Errorf("error %v, want that of the device", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := nystrom.Lloyd(ctx, engine.NewCPU(1), p, start, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
