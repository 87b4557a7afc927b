package layout

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/spatial/r2"
)

// Six-membered rings around an atom of degree four are convex, and all of a size.
func TestRingsAreNotTwisted(t *testing.T) {
	ends := []int32{}
	n := int32(2)
	for hub := range int32(2) {
		for range 3 {
			ends = append(ends, hub, n)
			for k := range int32(6) {
				ends = append(ends, n+k, n+(k+1)%6)
			}
			n += 6
		}
	}
	ends = append(ends, 0, n, n, n+1, n+1, 1)
	b := batchOf(t, int(n)+2, false, ends...)
	points := Place(b, 0, Formula{}).Points
	for _, ring := range Rings(b, 0, nil) {
		if !convex(points, ring) {
			t.Errorf("ring %v crosses itself or has a dent", ring)
		}
		for i, v := range ring {
			if side := r2.Norm(r2.Sub(points[v], points[ring[(i+1)%len(ring)]])); math.Abs(side-1) > 0.15 {
				t.Errorf("a side of ring %v has length %.2f", ring, side)
			}
		}
	}
	if got := len(Rings(b, 0, nil)); got != 6 {
		t.Fatalf("%d rings", got)
	}
}

// The neighbours of a straight vertex lie on a line with it, those of another one do not.
func TestStraightVertices(t *testing.T) {
	b := batchOf(t, 8, false, 0, 1, 1, 2, 2, 3, 3, 4, 2, 5, 5, 6, 6, 7)
	straight := make([]bool, 8)
	straight[3] = true
	points := Place(b, 0, Formula{Straight: straight}).Points
	angle := func(a, v, c int) float64 {
		x, y := r2.Unit(r2.Sub(points[a], points[v])), r2.Unit(r2.Sub(points[c], points[v]))
		return math.Acos(max(-1, min(1, r2.Dot(x, y)))) * 180 / math.Pi
	}
	if got := angle(2, 3, 4); got < 165 {
		t.Errorf("%.0f degrees at the straight vertex", got)
	}
	if got := angle(2, 5, 6); math.Abs(got-120) > 15 {
		t.Errorf("%.0f degrees at another one", got)
	}
}
