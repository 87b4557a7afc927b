package nystrom_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

// shape of a random cloud of points.
type shape struct {
	n, p, d, rows int // rows = 0: as many as points need, each its own
	blobs         int // rows scatter around so many directions; 0: no structure
	short         int // so many rows are zero or shorter than 1
	weights       bool
}

func (s shape) String() string {
	return fmt.Sprintf("n%d p%d d%d rows%d blobs%d short%d weights %v", s.n, s.p, s.d, s.rows, s.blobs, s.short, s.weights)
}

func (s shape) cloud(e testEngine, rng *rand.Rand) nystrom.Points {
	rows := s.rows
	if rows == 0 {
		rows = s.n * s.p
	}
	values := make([]float64, rows*s.d)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	for r := range rows {
		row := values[r*s.d : (r+1)*s.d]
		if s.blobs > 0 && r >= s.blobs {
			for e, v := range values[(r%s.blobs)*s.d : (r%s.blobs+1)*s.d] {
				row[e] = v + 0.1*row[e]
			}
		}
		square := 0.0
		for _, v := range row {
			square += v * v
		}
		length := 1.0
		if r < s.short {
			length = float64(r) / float64(2*s.short)
		}
		for e := range row {
			row[e] *= length / math.Sqrt(square)
		}
	}
	points := nystrom.Points{Points: engine.Points{Table: table(e, rows, s.d, values), Size: s.p}}
	if s.p > 1 || s.rows > 0 {
		for i := range s.n * s.p {
			row := int32(i)
			if s.rows > 0 {
				row = rng.Int32N(int32(rows))
			}
			points.Rows = append(points.Rows, row)
		}
	}
	if s.weights {
		for range s.n {
			points.Weights = append(points.Weights, 0.1+rng.ExpFloat64())
		}
	}
	return points
}

// The bounds, the sums that follow the moves and the products over the whole table change nothing.
func TestKMeansIsThePlainAlgorithm(t *testing.T) {
	shapes := []shape{
		{n: 40, p: 1, d: 3},
		{n: 300, p: 1, d: 16, blobs: 9},
		{n: 300, p: 1, d: 16, blobs: 9, short: 5, weights: true},
		{n: 200, p: 2, d: 5, blobs: 6},
		{n: 200, p: 3, d: 4, short: 7},
		{n: 500, p: 3, d: 7, rows: 7},
		{n: 500, p: 4, d: 6, rows: 11, short: 2, weights: true},
		{n: 400, p: 1, d: 12, rows: 50, blobs: 4, weights: true},
		{n: 60, p: 2, d: 8, rows: 900, blobs: 5},
		{n: 60, p: 3, d: 1}, // means that vanish
		{n: 80, p: 2, d: 1, short: 30},
		{n: 5000, p: 1, d: 8, blobs: 12},
		{n: 5000, p: 2, d: 6, rows: 800, blobs: 8, weights: true},
	}
	for _, s := range shapes {
		for _, e := range engines()[1:3] {
			t.Run(s.String()+"/"+e.name, func(t *testing.T) {
				for _, k := range []int{1, 2, 5, 20} {
					rng := rand.New(rand.NewPCG(uint64(k), 5))
					points := s.cloud(e, rng)
					samePlain(t, e, points, k)
				}
			})
		}
	}
}

func samePlain(t *testing.T, e testEngine, points nystrom.Points, k int) {
	t.Helper()
	draws := func() func() float64 { return rand.New(rand.NewPCG(3, 4)).Float64 }
	got, err := nystrom.KMeans(context.Background(), e.engine, points, k, nystrom.KMeansOptions{Source: draws()})
	if err != nil {
		t.Fatal(err)
	}
	want := newPlain(points)
	if points.Len() < 1000 {
		if start := want.plusPlus(k, draws()); !slices.Equal(got.Init, start) {
			t.Fatalf("k = %d: start %v, want %v", k, got.Init, start)
		}
	}
	z, assignment, objective, final := want.lloyd(got.Init, 100, 1e-6)
	near(t, "objective", got.Objective, objective, 1e-11)
	near(t, "final objective", []float64{got.FinalObjective}, []float64{final}, 1e-11)
	if !slices.Equal(got.Assignment, assignment) {
		t.Errorf("k = %d: assignments differ", k)
	}
	var anchors []float64
	for _, anchor := range z {
		anchors = append(anchors, slices.Concat(anchor...)...)
	}
	near(t, "anchors", byCluster(got.Anchors), anchors, 1e-9)
}

func TestWeightsAreRepeats(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			distinct := shape{n: 150, p: 2, d: 5, blobs: 8}.cloud(e, rng)
			repeated := distinct
			repeated.Rows = nil
			first := make([]int, distinct.Len()) // of the repeats of each point
			count := 0
			for i := range first {
				repeats := 1 + rng.IntN(4)
				distinct.Weights = append(distinct.Weights, float64(repeats))
				first[i] = count
				count += repeats
				for range repeats {
					repeated.Rows = append(repeated.Rows, distinct.Rows[2*i:2*i+2]...)
				}
			}
			one := cluster(t, e, distinct, 8, nystrom.KMeansOptions{Seed: 3})
			all := cluster(t, e, repeated, 8, nystrom.KMeansOptions{Seed: 3})
			for f, i := range all.Init {
				if at, _ := slices.BinarySearch(first, i+1); at-1 != one.Init[f] {
					t.Fatalf("cluster %d starts from the repeat %d, want one of point %d", f, i, one.Init[f])
				}
			}
			near(t, "objective", one.Objective, all.Objective, e.tolerance)
			near(t, "anchors", float64s(one.Anchors), float64s(all.Anchors), e.tolerance)
			for i, f := range one.Assignment {
				if all.Assignment[first[i]] != f {
					t.Errorf("point %d is assigned to %d, its repeats to %d", i, f, all.Assignment[first[i]])
				}
			}
		})
	}
}

func TestOrderOfPointsDoesNotMatter(t *testing.T) {
	e := engines()[1]
	rng := rand.New(rand.NewPCG(1, 2))
	points := shape{n: 400, p: 1, d: 6, rows: 400, blobs: 10, weights: true}.cloud(e, rng)
	one := cluster(t, e, points, 10, nystrom.KMeansOptions{Seed: 3})
	order := rng.Perm(points.Len())
	shuffled := nystrom.Points{Points: engine.Points{Table: points.Table, Size: 1}}
	start := make([]int, 10)
	for to, from := range order {
		shuffled.Rows = append(shuffled.Rows, points.Rows[from])
		shuffled.Weights = append(shuffled.Weights, points.Weights[from])
		for f, i := range one.Init {
			if i == from {
				start[f] = to
			}
		}
	}
	other := cluster(t, e, shuffled, 10, nystrom.KMeansOptions{Init: start})
	near(t, "objective", other.Objective, one.Objective, 1e-12)
	near(t, "anchors", other.Anchors.Float64s(), one.Anchors.Float64s(), 1e-10)
	for to, from := range order {
		if other.Assignment[to] != one.Assignment[from] {
			t.Fatalf("point %d is assigned to %d, shuffled to %d", from, one.Assignment[from], other.Assignment[to])
		}
	}
}

func TestMoreClustersThanDistinctPoints(t *testing.T) {
	for _, e := range engines() {
		values := []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
		rows := []int32{0, 1, 2, 1, 2, 2, 0, 1}
		points := nystrom.Points{Points: engine.Points{Table: table(e, 3, 3, values), Rows: rows, Size: 2}}
		got := cluster(t, e, points, 9, nystrom.KMeansOptions{Seed: 1})
		if got.FinalObjective != 2 {
			t.Errorf("%s: objective %g, want 2: each point is an anchor", e.name, got.FinalObjective)
		}
		// All distances are zero once the three distinct points are chosen; point 0 fills up.
		if slices.Contains(got.Init[:3], got.Init[3]) && !slices.Equal(got.Init[3:], make([]int, 6)) {
			t.Errorf("%s: start %v, want point 0 from the fourth on", e.name, got.Init)
		}
		for _, v := range float64s(got.Anchors) {
			if v != 0 && v != 1 {
				t.Errorf("%s: anchor element %g, want copies of the points", e.name, v)
			}
		}
	}
}

func TestOnePointAndOneCluster(t *testing.T) {
	for _, e := range engines() {
		one := nystrom.Points{Points: engine.Points{Table: table(e, 1, 2, []float64{0.6, 0.8}), Size: 1}}
		for _, k := range []int{1, 3} {
			got := cluster(t, e, one, k, nystrom.KMeansOptions{})
			near(t, "anchors", float64s(got.Anchors), slices.Repeat([]float64{0.6, 0.8}, k), e.tolerance)
			near(t, "objective", []float64{got.FinalObjective}, []float64{1}, e.tolerance)
		}
		three := nystrom.Points{
			Points:  engine.Points{Table: table(e, 3, 2, []float64{1, 0, 0, 1, 0, -1}), Size: 1},
			Weights: []float64{3, 5, 1},
		}
		got := cluster(t, e, three, 1, nystrom.KMeansOptions{})
		near(t, "mean direction", float64s(got.Anchors), []float64{0.6, 0.8}, e.tolerance)
	}
}

// The mean of a cluster is divided by its norm, but not by less than 1e-4.
func TestShortMeansStayShort(t *testing.T) {
	for _, e := range engines() {
		points := nystrom.Points{
			Points:  engine.Points{Table: table(e, 2, 2, []float64{1, 0, -1, 0}), Size: 1},
			Weights: []float64{10, 10.001},
		}
		got := cluster(t, e, points, 1, nystrom.KMeansOptions{})
		want := -(0.001 / 20.001) / 1e-4
		near(t, e.name, float64s(got.Anchors), []float64{want, 0}, e.tolerance)
	}
}

func TestSameBitsForAnyNumberOfWorkers(t *testing.T) {
	for _, s := range []shape{
		{n: 20000, p: 1, d: 24, blobs: 40, weights: true},
		{n: 20000, p: 3, d: 6, rows: 500, blobs: 20},
		{n: 9000, p: 2, d: 30},
	} {
		e := testEngine{"", engine.NewCPU(1), tensor.Float32, 0}
		points := s.cloud(e, rand.New(rand.NewPCG(1, 2)))
		want := cluster(t, e, points, 32, nystrom.KMeansOptions{MaxIterations: 12})
		for _, workers := range []int{2, 8} {
			e.engine = engine.NewCPU(workers)
			got := cluster(t, e, points, 32, nystrom.KMeansOptions{MaxIterations: 12})
			if !slices.Equal(got.Anchors.Float32s(), want.Anchors.Float32s()) ||
				!slices.Equal(got.Assignment, want.Assignment) ||
				!slices.Equal(got.Objective, want.Objective) || got.FinalObjective != want.FinalObjective {
				t.Errorf("%v: %d workers give other bits than one", s, workers)
			}
		}
	}
}

func TestKMeansRefuses(t *testing.T) {
	e := engines()[1]
	type points = nystrom.Points
	type options = nystrom.KMeansOptions
	good := func() points {
		vectors := table(e, 3, 2, []float64{1, 0, 0, 1, 0, -1})
		return points{Points: engine.Points{Table: vectors, Rows: []int32{0, 1, 2, 1}, Size: 2}}
	}
	spoil := func(change func(p *points)) points {
		p := good()
		change(&p)
		return p
	}
	standard := options{}
	cases := []struct {
		name    string
		points  points
		k       int
		options options
		want    string
	}{
		{"no clusters", good(), 0, standard, "0 clusters"},
		{"no table", points{}, 1, standard, "must be a matrix"},
		{"no points", spoil(func(p *points) { p.Rows = []int32{} }), 1, standard, "no points"},
		{"size", spoil(func(p *points) { p.Size = 3 }), 1, standard,
			"4 row numbers are not points of 3 rows"},
		{"size zero", spoil(func(p *points) { p.Size = 0 }), 1, standard, "points of 0 rows"},
		{"no rows", spoil(func(p *points) { p.Rows = nil }), 1, standard, "need row numbers"},
		{"row number", spoil(func(p *points) { p.Rows[2] = 3 }), 1, standard,
			"point 1: row 3 of a table of 3 rows"},
		{"weights", spoil(func(p *points) { p.Weights = []float64{1} }), 1, standard,
			"1 weights for 2 points"},
		{"weight zero", spoil(func(p *points) { p.Weights = []float64{1, 0} }), 1, standard,
			"point 1 has weight 0"},
		{"weight NaN", spoil(func(p *points) { p.Weights = []float64{math.NaN(), 1} }), 1, standard,
			"point 0 has weight NaN"},
		{"NaN", spoil(func(p *points) { p.Table.Float64s()[5] = math.NaN() }), 1, standard,
			"point 1 has a vector that is not finite"},
		{"infinite", spoil(func(p *points) { p.Table.Float64s()[0] = math.Inf(1) }), 1, standard,
			"point 0 has a vector that is not finite"},
		{"long", spoil(func(p *points) { p.Table.Float64s()[0] = 2 }), 1, standard, "longer than 1"},
		{"start length", good(), 2, options{Init: []int{0}}, "1 points to start from for 2 clusters"},
		{"start range", good(), 1, options{Init: []int{2}}, "start from point 2 of 2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := nystrom.KMeans(context.Background(), e.engine, c.points, c.k, c.options)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
		})
	}
}

func TestKMeansStopsWhenCancelled(t *testing.T) {
	e := engines()[1]
	points := shape{n: 500, p: 1, d: 4}.cloud(e, rand.New(rand.NewPCG(1, 2)))
	ctx, cancel := context.WithCancel(context.Background())
	draws := 0
	source := func() float64 {
		if draws++; draws == 20 {
			cancel()
		}
		return rand.Float64()
	}
	_, err := nystrom.KMeans(ctx, e.engine, points, 100, nystrom.KMeansOptions{Source: source})
	if err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if draws > 30 {
		t.Errorf("%d draws after the end", draws-20)
	}
	_, err = nystrom.KMeans(ctx, e.engine, points, 2, nystrom.KMeansOptions{Init: []int{0, 1}})
	if err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// The arguments belong to the caller.
func TestKMeansLeavesItsArgumentsAlone(t *testing.T) {
	e := engines()[1]
	points := shape{n: 200, p: 2, d: 4, rows: 900, short: 3, weights: true}.cloud(e, rand.New(rand.NewPCG(1, 2)))
	table, rows, weights := slices.Clone(points.Table.Float64s()), slices.Clone(points.Rows), slices.Clone(points.Weights)
	cluster(t, e, points, 30, nystrom.KMeansOptions{})
	if !slices.Equal(table, points.Table.Float64s()) || !slices.Equal(rows, points.Rows) ||
		!slices.Equal(weights, points.Weights) {
		t.Error("KMeans changed its points")
	}
}

func cluster(
	t testing.TB, e testEngine, points nystrom.Points, k int, options nystrom.KMeansOptions,
) *nystrom.Clusters {
	t.Helper()
	got, err := nystrom.KMeans(context.Background(), e.engine, points, k, options)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
