package layout

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
	"gonum.org/v1/gonum/spatial/r2"
)

func batchOf(t testing.TB, n int, directed bool, ends ...int32) *graph.Batch {
	t.Helper()
	g := graph.Graph{NumVertices: n, Directed: directed}
	for i := 0; i+1 < len(ends); i += 2 {
		g.AddArc(ends[i], ends[i+1])
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func path(n int) []int32 {
	var ends []int32
	for v := 1; v < n; v++ {
		ends = append(ends, int32(v-1), int32(v))
	}
	return ends
}

func cycle(n int) []int32 { return append(path(n), int32(n-1), 0) }

func starEnds(leaves int) []int32 {
	var ends []int32
	for v := 1; v <= leaves; v++ {
		ends = append(ends, 0, int32(v))
	}
	return ends
}

func complete(n int) []int32 {
	var ends []int32
	for u := range n {
		for v := range u {
			ends = append(ends, int32(u), int32(v))
		}
	}
	return ends
}

func tree(children, n int) []int32 {
	var ends []int32
	for v := 1; v < n; v++ {
		ends = append(ends, int32(v), int32((v-1)/children))
	}
	return ends
}

func random(seed uint64, n, m int) []int32 {
	r := rand.New(rand.NewPCG(seed, 7))
	var ends []int32
	for range m {
		ends = append(ends, int32(r.IntN(n)), int32(r.IntN(n)))
	}
	return ends
}

// Structural formulas, vertices as in a drawing by hand.
var (
	nitrobenzene = append(cycle(6), 0, 6, 6, 7, 6, 8)
	naphthalene  = []int32{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 4, 6, 6, 7, 7, 8, 8, 9, 9, 5}
	// 2-nitrophenanthrene: three fused rings and a nitro group, graph 0 of MUTAG
	nitrophenanthrene = []int32{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 4, 6, 6, 7, 7, 8, 8, 9, 9, 3, 9, 10, 10, 11, 11, 12,
		12, 13, 13, 8, 11, 14, 14, 15, 14, 16}
	indole = []int32{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 4, 6, 6, 7, 7, 8, 8, 5}
)

type shape struct {
	name  string
	batch *graph.Batch
}

func shapes(t testing.TB) []shape {
	s := []shape{
		{"no vertex", batchOf(t, 0, false)},
		{"one vertex", batchOf(t, 1, false)},
		{"one vertex with a loop", batchOf(t, 1, false, 0, 0)},
		{"two isolated", batchOf(t, 2, false)},
		{"edge", batchOf(t, 2, false, 0, 1)},
		{"path 3", batchOf(t, 3, false, path(3)...)},
		{"path 39", batchOf(t, 39, false, path(39)...)},
		{"path 1000", batchOf(t, 1000, false, path(1000)...)},
		{"triangle", batchOf(t, 3, false, cycle(3)...)},
		{"hexagon", batchOf(t, 6, false, cycle(6)...)},
		{"cycle 500", batchOf(t, 500, false, cycle(500)...)},
		{"star 5", batchOf(t, 6, false, starEnds(5)...)},
		{"star 40", batchOf(t, 41, false, starEnds(40)...)},
		{"star 300", batchOf(t, 301, false, starEnds(300)...)},
		{"star 600", batchOf(t, 601, false, starEnds(600)...)},
		{"K4", batchOf(t, 4, false, complete(4)...)},
		{"K6", batchOf(t, 6, false, complete(6)...)},
		{"K60", batchOf(t, 60, false, complete(60)...)},
		{"nearly complete", batchOf(t, 120, false, complete(120)[2:]...)},
		{"binary tree", batchOf(t, 63, false, tree(2, 63)...)},
		{"bushy tree", batchOf(t, 121, false, tree(5, 121)...)},
		{"large tree", batchOf(t, 700, false, tree(3, 700)...)},
		{"nitrobenzene", batchOf(t, 9, false, nitrobenzene...)},
		{"nitrophenanthrene", batchOf(t, 17, false, nitrophenanthrene...)},
		{"indole", batchOf(t, 9, false, indole...)},
		{"directed cycle with loop", batchOf(t, 4, true, 0, 1, 1, 2, 2, 0, 3, 3, 3, 0)},
		{"three pieces and two isolated", batchOf(t, 10, false, 0, 1, 1, 2, 2, 0, 3, 4, 5, 6, 6, 7)},
	}
	for seed := range uint64(12) {
		n := 5 + int(seed)*9
		s = append(s, shape{fmt.Sprintf("random %d", seed),
			batchOf(t, n, seed%2 == 0, random(seed, n, n*(1+int(seed)%4))...)})
	}
	return s
}

func TestVerticesNeverOverlap(t *testing.T) {
	for _, s := range shapes(t) {
		t.Run(s.name, func(t *testing.T) { checkApart(t, s) })
	}
}

// checkApart wants a position for each vertex, inside the box and apart from the others.
func checkApart(t *testing.T, s shape) {
	l := Place(s.batch, 0, Formula{})
	if len(l.Points) != s.batch.NumVertices() {
		t.Fatalf("%d positions for %d vertices", len(l.Points), s.batch.NumVertices())
	}
	for i, p := range l.Points {
		if math.IsNaN(p.X) || math.IsNaN(p.Y) || math.IsInf(p.X, 0) || math.IsInf(p.Y, 0) {
			t.Fatalf("vertex %d is at %v", i, p)
		}
		if p.X < l.Min.X || p.X > l.Max.X || p.Y < l.Min.Y || p.Y > l.Max.Y {
			t.Errorf("vertex %d at %v lies outside the box %v %v", i, p, l.Min, l.Max)
		}
		for j, q := range l.Points[:i] {
			if d := r2.Norm(r2.Sub(p, q)); d < Gap*(1-1e-9) {
				t.Fatalf("vertices %d and %d are %.3f apart, less than %v", j, i, d, Gap)
			}
		}
	}
	if l.Closest < Gap*(1-1e-9) || l.Closest > 1 {
		t.Errorf("closest distance %v", l.Closest)
	}
}

func TestSameGraphSamePositions(t *testing.T) {
	for _, s := range shapes(t) {
		if a, b := Place(s.batch, 0, Formula{}), Place(s.batch, 0, Formula{}); !slices.Equal(a.Points, b.Points) {
			t.Errorf("%s: two layouts differ", s.name)
		}
	}
}

// A drawing of a molecule has bonds of one length, within 5%.
func TestBondsHaveOneLength(t *testing.T) {
	for name, ends := range map[string][]int32{
		"hexagon": cycle(6), "pentagon": cycle(5), "nitrobenzene": nitrobenzene, "naphthalene": naphthalene,
		"nitrophenanthrene": nitrophenanthrene, "indole": indole, "chain": path(12),
	} {
		t.Run(name, func(t *testing.T) {
			n := int(slices.Max(ends)) + 1
			points := Place(batchOf(t, n, false, ends...), 0, Formula{}).Points
			shortest, longest := math.Inf(1), 0.0
			for i := 0; i < len(ends); i += 2 {
				d := r2.Norm(r2.Sub(points[ends[i]], points[ends[i+1]]))
				shortest, longest = min(shortest, d), max(longest, d)
			}
			if longest > 1.05*shortest {
				t.Errorf("bonds from %.3f to %.3f", shortest, longest)
			}
		})
	}
}

// Angles of a regular hexagon are 120 degrees; in fused and substituted rings within 6 degrees.
func TestRingsAreRegularPolygons(t *testing.T) {
	for _, test := range []struct {
		name      string
		ends      []int32
		tolerance float64 // degrees
	}{
		{"hexagon", cycle(6), 1e-6}, {"nitrobenzene", nitrobenzene, 6}, {"naphthalene", naphthalene, 6},
		{"nitrophenanthrene", nitrophenanthrene, 6},
		{"indole", indole, 6},
	} {
		b := batchOf(t, int(slices.Max(test.ends))+1, false, test.ends...)
		points := Place(b, 0, Formula{}).Points
		for _, ring := range Rings(b, 0, nil) {
			k := len(ring)
			for i, v := range ring {
				a, c := points[ring[(i+k-1)%k]], points[ring[(i+1)%k]]
				angle := math.Acos(r2.Cos(r2.Sub(a, points[v]), r2.Sub(c, points[v]))) * 180 / math.Pi
				if want := 180 - 360/float64(k); math.Abs(angle-want) > test.tolerance {
					t.Errorf("%s: ring of %d has an angle of %.1f degrees, want %.1f", test.name, k, angle, want)
				}
			}
		}
	}
}

func TestPlanarMoleculesHaveNoCrossings(t *testing.T) {
	for name, ends := range map[string][]int32{"nitrobenzene": nitrobenzene, "nitrophenanthrene": nitrophenanthrene,
		"tree": tree(2, 40)} {
		points := Place(batchOf(t, int(slices.Max(ends))+1, false, ends...), 0, Formula{}).Points
		for i := 0; i < len(ends); i += 2 {
			for j := 0; j < i; j += 2 {
				a, b, p, q := ends[i], ends[i+1], ends[j], ends[j+1]
				if a != p && a != q && b != p && b != q && cross(points[a], points[b], points[p], points[q]) {
					t.Errorf("%s: edges %d-%d and %d-%d cross", name, a, b, p, q)
				}
			}
		}
	}
}

func TestRings(t *testing.T) {
	for _, test := range []struct {
		name string
		n    int
		ends []int32
		want []int // sizes
	}{
		{"tree", 40, tree(3, 40), nil}, {"hexagon", 6, cycle(6), []int{6}}, {"naphthalene", 10, naphthalene, []int{6, 6}},
		{"nitrophenanthrene", 17, nitrophenanthrene, []int{6, 6, 6}}, {"indole", 9, indole, []int{5, 6}},
		{"too large", 9, cycle(9), nil}, {"dense", 9, complete(9), nil},
	} {
		b := batchOf(t, test.n, false, test.ends...)
		var sizes []int
		for _, ring := range Rings(b, 0, nil) {
			sizes = append(sizes, len(ring))
			for i, v := range ring {
				if !b.HasArc(v, ring[(i+1)%len(ring)]) {
					t.Errorf("%s: %v is not a cycle", test.name, ring)
				}
			}
		}
		slices.Sort(sizes)
		if !slices.Equal(sizes, test.want) {
			t.Errorf("%s: rings of %v, want %v", test.name, sizes, test.want)
		}
	}
}

func TestMajorisationNeverRaisesStress(t *testing.T) {
	b := batchOf(t, 30, false, append(path(30), random(3, 30, 20)...)...)
	c := components(b, 0)[0]
	springs := c.pathSprings()
	points := scatter(c.size(), 1)
	last := stress(points, springs)
	for range 60 {
		majorise(points, springs, 1, 0)
		now := stress(points, springs)
		if now > last*(1+1e-12) {
			t.Fatalf("stress rose from %v to %v", last, now)
		}
		last = now
	}
}

// A second graph of a batch is laid out by its own vertices.
func TestGraphInsideABatch(t *testing.T) {
	hexagon := graph.Graph{NumVertices: 6}
	for v := range int32(6) {
		hexagon.AddArc(v, (v+1)%6)
	}
	b, err := graph.NewBatch([]graph.Graph{{NumVertices: 3}, hexagon})
	if err != nil {
		t.Fatal(err)
	}
	got, want := Place(b, 1, Formula{}).Points, Place(b.Select([]int{1}), 0, Formula{}).Points
	if !slices.Equal(got, want) {
		t.Errorf("positions %v, alone %v", got, want)
	}
}

func TestVerticesOfLargeGraphsNeverOverlap(t *testing.T) {
	if testing.Short() {
		t.Skip("large graphs are left out of short tests")
	}
	for _, s := range []shape{
		{"5000 vertices, 15000 edges", batchOf(t, 5000, false, append(path(5000), random(1, 5000, 10000)...)...)},
		{"400 vertices, dense", batchOf(t, 400, false, complete(400)[2:]...)},
		{"tree of 5000", batchOf(t, 5000, false, tree(2, 5000)...)},
		{"1000 vertices, 200000 edges", batchOf(t, 1000, false, random(2, 1000, 200000)...)},
		{"star of 5000", batchOf(t, 5001, false, starEnds(5000)...)},
	} {
		t.Run(s.name, func(t *testing.T) { checkApart(t, s) })
	}
}
