package render

import (
	"container/heap"
	"math"
	"slices"
)

// rectangle is a place that lines keep out of.
type rectangle struct{ left, top, right, bottom float64 }

// grown returns the rectangle with room around it.
func (r rectangle) grown(by float64) rectangle {
	return rectangle{r.left - by, r.top - by, r.right + by, r.bottom + by}
}

// meets reports whether a horizontal or vertical line has points inside.
func (r rectangle) meets(x0, y0, x1, y1 float64) bool {
	return max(x0, x1) > r.left && min(x0, x1) < r.right && max(y0, y1) > r.top && min(y0, y1) < r.bottom
}

// router finds ways of horizontal and vertical lines around obstacles.
type router struct {
	obstacles []rectangle
	xs, ys    []float64 // where lines may run
	used      []bool    // pieces of the ways so far, see [router.index]
	tried     []int8    // pieces: 1 meets no obstacle, -1 does
}

// What a way costs beside its length.
const (
	clearance  = 3.0  // between a line and an obstacle
	costOfTurn = 14.0 // as so much length
	costOfUsed = 4.0  // of a piece that another way takes, as a factor
)

// newRouter makes a router for lines along the given coordinates.
func newRouter(obstacles []rectangle, xs, ys []float64) *router {
	sorted := func(values []float64) []float64 {
		values = slices.Clone(values)
		slices.Sort(values)
		return slices.CompactFunc(values, func(a, b float64) bool { return math.Abs(b-a) < 0.01 })
	}
	r := &router{obstacles: obstacles, xs: sorted(xs), ys: sorted(ys)}
	r.used, r.tried = make([]bool, 2*len(r.xs)*len(r.ys)), make([]int8, 2*len(r.xs)*len(r.ys))
	return r
}

// point is a crossing of the lines of a router by column and row.
type point struct{ column, row int }

func (r *router) pointAt(x, y float64) point {
	near := func(values []float64, v float64) int {
		best := 0
		for i := range values {
			if math.Abs(values[i]-v) < math.Abs(values[best]-v) {
				best = i
			}
		}
		return best
	}
	return point{near(r.xs, x), near(r.ys, y)}
}

// index numbers the pieces from p to the right (along 0) or down (along 1), and the states in p.
func (r *router) index(p point, along int) int { return 2*(p.column*len(r.ys)+p.row) + along }

// free reports whether a piece meets no obstacle.
func (r *router) free(p point, along int) bool {
	at := r.index(p, along)
	if r.tried[at] == 0 {
		x0, y0 := r.xs[p.column], r.ys[p.row]
		x1, y1 := x0, y0
		if along == 0 {
			x1 = r.xs[p.column+1]
		} else {
			y1 = r.ys[p.row+1]
		}
		r.tried[at] = 1
		if slices.ContainsFunc(r.obstacles, func(o rectangle) bool { return o.grown(clearance).meets(x0, y0, x1, y1) }) {
			r.tried[at] = -1
		}
	}
	return r.tried[at] > 0
}

// state is a point that is reached along a direction; step is one on the way to it.
type state struct {
	point
	along int
}

type step struct {
	state
	cost float64
}

type steps []step

func (s steps) Len() int { return len(s) }
func (s steps) Less(i, j int) bool {
	if s[i].cost != s[j].cost {
		return s[i].cost < s[j].cost
	}
	a, b := s[i].state, s[j].state
	if a.column != b.column {
		return a.column < b.column
	}
	if a.row != b.row {
		return a.row < b.row
	}
	return a.along < b.along
}
func (s steps) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *steps) Push(x any)   { *s = append(*s, x.(step)) }
func (s *steps) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// way returns the corners of the cheapest way from a point, which it leaves upwards, to one of several others, which it
// reaches upwards; nil where there is none.
func (r *router) way(from point, to []point) [][2]float64 {
	best, before := make([]float64, len(r.tried)), make([]state, len(r.tried))
	for i := range best {
		best[i] = math.Inf(1)
	}
	start := state{from, 1}
	best[r.index(from, 1)] = 0
	queue := &steps{{start, 0}}
	for queue.Len() > 0 {
		now := heap.Pop(queue).(step)
		if now.cost > best[r.index(now.point, now.along)] {
			continue
		}
		if now.along == 1 && slices.Contains(to, now.point) {
			return r.take(now.state, start, before)
		}
		r.each(now, func(next step) {
			if at := r.index(next.point, next.along); next.cost < best[at]-1e-9 {
				best[at], before[at] = next.cost, now.state
				heap.Push(queue, next)
			}
		})
	}
	return nil
}

// each calls visit for the steps that follow one, never downwards.
func (r *router) each(now step, visit func(next step)) {
	try := func(piece point, along int, to point, length float64) {
		if !r.free(piece, along) {
			return
		}
		cost := length
		if r.used[r.index(piece, along)] {
			cost = costOfUsed*length + 1
		}
		if along != now.along {
			cost += costOfTurn
		}
		visit(step{state{to, along}, now.cost + cost})
	}
	p := now.point
	if p.column > 0 {
		left := point{p.column - 1, p.row}
		try(left, 0, left, r.xs[p.column]-r.xs[p.column-1])
	}
	if p.column+1 < len(r.xs) {
		try(p, 0, point{p.column + 1, p.row}, r.xs[p.column+1]-r.xs[p.column])
	}
	if p.row > 0 {
		up := point{p.column, p.row - 1}
		try(up, 1, up, r.ys[p.row]-r.ys[p.row-1])
	}
}

// take marks the pieces of a way as used and returns its corners from the beginning.
func (r *router) take(end, start state, before []state) [][2]float64 {
	at := func(p point) [2]float64 { return [2]float64{r.xs[p.column], r.ys[p.row]} }
	corners := [][2]float64{at(end.point)}
	for s := end; s != start; {
		previous := before[r.index(s.point, s.along)]
		r.used[r.index(point{min(s.column, previous.column), min(s.row, previous.row)}, s.along)] = true
		if previous.along != s.along {
			corners = append(corners, at(previous.point))
		}
		s = previous
	}
	corners = append(corners, at(start.point))
	slices.Reverse(corners)
	return slices.Compact(corners)
}
