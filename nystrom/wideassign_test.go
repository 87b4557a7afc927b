package nystrom

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// directed are n points of p unit vectors of dimension d, of which many are the same and many lie between two others:
// the mean of two rows is as far from either.
func directed(e engine.Engine, rng *rand.Rand, n, p, d int, dtype tensor.Dtype) Points {
	const rows = 500
	values := make([]float64, rows*d)
	for r := range rows {
		row := values[r*d : (r+1)*d]
		for c := range row {
			row[c] = math.Round(2 * rng.NormFloat64())
			if r%3 == 2 {
				row[c] = values[(r-1)*d+c] + values[(r-2)*d+c]
			}
		}
		row[r%d]++
	}
	table := tensor.New(tensor.WithEngine(e.Host()), tensor.WithShape(rows, d), tensor.WithBacking(values))
	if err := e.Host().NormalizeRows(table, nil, table, 1e-9); err != nil {
		panic(err)
	}
	if dtype == tensor.Float32 {
		narrow := e.Host().New(dtype, rows, d)
		if err := e.Host().Convert(narrow, table); err != nil {
			panic(err)
		}
		table = narrow
	}
	points := Points{Points: engine.Points{Table: table, Size: p}}
	for range n * p {
		points.Rows = append(points.Rows, rng.Int32N(rows))
	}
	return points
}

// What decides about a point does not depend on the others, nor on where the first guess comes from.
func TestProductsOfPointsHaveTheirOwnBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	for _, s := range []struct{ n, p, d, k int }{{2100, 2, 20, 40}, {300, 3, 33, 16}, {130, 1, 7, 130}, {130, 2, 40, 5},
		{77, 4, 3, 15}} {
		e := enginetest.Open(t, 2)
		c, err := newCloud[float32](e, 2, directed(e, rng, s.n, s.p, s.d, tensor.Float32))
		if err != nil {
			t.Fatal(err)
		}
		l := newLloyd(c, nil, rng.Perm(s.n)[:s.k])
		bits := func(fill func([]float32, []int32) error, points []int32) []string {
			out := make([]string, len(points))
			err := l.twoLargest(ctx, fill, points, func(o int, f int32, first, second float32) {
				out[o] = fmt.Sprintf("%d %x %x", f, math.Float32bits(first), math.Float32bits(second))
			})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		all := make([]int32, s.n)
		for i := range all {
			all[i] = int32(i)
		}
		want := bits(l.multiplied(l.values, l.z, l.d), all)
		for _, i := range []int{0, 1, s.n / 2, s.n - 1} {
			if got := bits(l.multiplied(l.values, l.z, l.d), all[i:i+1]); got[0] != want[i] {
				t.Errorf("%+v: point %d alone has %s, among all %s", s, i, got, want[i])
			}
		}
		err = l.nearestTwo(ctx, all, func(o int, f int32, _, _ float32) {
			if !strings.HasPrefix(want[o], fmt.Sprint(f, " ")) {
				t.Errorf("%+v: point %d has the anchor %d by shared products, else %s", s, o, f, want[o])
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// otherSums is a wide engine whose sums are rounded in another way than those of the host.
type otherSums struct {
	engine.Engine
	calls int
}

func (e *otherSums) Capabilities() engine.Capabilities { return engine.Capabilities{Wide: true} }
func (e *otherSums) Assign(index []int32, best *tensor.Dense, points engine.Points, z *tensor.Dense) error {
	e.calls++
	return engine.Reference{}.Assign(index, best, points, z)
}

// A device gives the clusters of the host to the bit: where anchors are equally near, where they are equal, and where
// clusters lose all points.
func TestClustersOfADeviceAreThoseOfTheHost(t *testing.T) {
	device := enginetest.Open(t, 2)
	host := device.Host()
	if !device.Capabilities().Wide {
		device = &otherSums{Engine: device}
	}
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, s := range []struct{ n, p, d, k int }{{3000, 1, 16, 40}, {9000, 1, 16, 120}, {6000, 2, 11, 130},
			{70000, 2, 9, 14}, {9000, 1, 2, 950}} {
			points := directed(host, rand.New(rand.NewPCG(3, uint64(s.n))), s.n, s.p, s.d, dtype)
			opt := KMeansOptions{Seed: 5, MaxIterations: 5}
			if s.n*s.k > 200_000 { // a simulated device would draw for minutes
				opt.Init = rand.New(rand.NewPCG(4, 4)).Perm(s.n)[:s.k]
			}
			var results []string
			for _, e := range []engine.Engine{host, device} {
				c, err := KMeans(context.Background(), e, points, s.k, opt)
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, fmt.Sprint(c.Anchors.Data(), c.Assignment, c.Objective, c.FinalObjective, c.Iterations))
			}
			if results[0] != results[1] {
				t.Errorf("%v %+v: the device gives other clusters", dtype, s)
			}
		}
	}
	if w, ok := device.(*otherSums); ok && w.calls == 0 {
		t.Error("the device was never asked")
	}
}
