package nystrom

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
)

// Vectors are weighted points of a Euclidean space with sparse and dense features: point i is row i of the sparse
// matrix, whose entries are not negative, beside row i of the dense one.
type Vectors struct {
	Sparse  *engine.Sparse
	Dense   []float64 // points x Width
	Width   int
	Squares []float64 // |x|^2 of each point
	Weights []float64 // of each point, > 0
}

// Len returns the number of points.
func (v *Vectors) Len() int { return len(v.Squares) }

// Row returns the features of point i: the dense ones, the columns of its sparse entries and their values, nil for
// ones.
func (v *Vectors) Row(i int) (dense []float64, columns []int32, values []float64) {
	from, to := v.Sparse.RowPtr[i], v.Sparse.RowPtr[i+1]
	if v.Sparse.Values != nil {
		values = v.Sparse.Values[from:to]
	}
	return v.Dense[i*v.Width : (i+1)*v.Width], v.Sparse.Col[from:to], values
}

// Lanes is the number of means that stand together, so that one look-up serves all of them.
const Lanes = 4

// Lane holds a number for each of Lanes means.
type Lane [Lanes]float64

// Means are the centres c_f of k clusters, as what points are scored by: |x - c_f|^2 = |x|^2 - 2 score_f(x) with
//
//	score_f(x) = <x, c_f> - |c_f|^2/2,  <x, c_f> = sum_j y_j Slope_fj + sum_e v_e Table_e,f
//
// over the dense features y_j of x and its sparse entries v_e. The features may have a metric of their own, which the
// slope and the table then contain. Columns of the table are not negative.
type Means struct {
	K      int
	Offset []float64 // |c_f|^2/2, +Inf for a cluster without points; filled up with +Inf to whole lanes
	Slope  []float64 // len(Offset) x width
	Table  []Lane    // len(Offset)/Lanes x columns
}

// Score writes the scores of a point to dst, of the length of Offset. Their terms are added in one order, whatever
// computes: first those of the dense features, then those of the entries, one after another.
func (m *Means) Score(dst, dense []float64, columns []int32, values []float64) {
	d := len(dense)
	for j, o := range m.Offset {
		dst[j] = -o
		if d > 0 && j < m.K {
			dst[j] += simd.Dot(dense, m.Slope[j*d:(j+1)*d])
		}
	}
	groups := len(dst) / Lanes
	width := len(m.Table) / groups
	for group := range groups {
		sum := (*Lane)(dst[group*Lanes:])
		table := m.Table[group*width : (group+1)*width]
		a, b, c, d := sum[0], sum[1], sum[2], sum[3]
		if values == nil {
			for _, e := range columns {
				t := &table[e]
				a, b, c, d = a+t[0], b+t[1], c+t[2], d+t[3]
			}
		} else {
			for i, e := range columns {
				t, v := &table[e], values[i]
				a, b, c, d = a+float64(v*t[0]), b+float64(v*t[1]), c+float64(v*t[2]), d+float64(v*t[3]) // never fused
			}
		}
		*sum = Lane{a, b, c, d}
	}
}

// Nearest returns the first mean with the largest score.
func Nearest(score []float64) int32 {
	best := 0
	for j, v := range score {
		if v > score[best] {
			best = j
		}
	}
	return int32(best)
}

// rounding returns what bounds the errors of scores, as a multiple of |x|^2 + max |x|^2: of their terms, of the
// bounds of [Lloyd] over its iterations, and of sums that points have joined and left.
func (v *Vectors) rounding() (unit, longest float64) {
	entries := int32(0)
	for i := range v.Len() {
		entries = max(entries, v.Sparse.RowPtr[i+1]-v.Sparse.RowPtr[i])
	}
	if v.Len() > 0 {
		longest = slices.Max(v.Squares)
	}
	return float64(int(entries)+v.Width+v.Len()+512) * 0x1p-50, longest
}

// twoNearest returns the first mean with the largest score, and the two largest scores; the second is -Inf for one
// mean.
func twoNearest(score []float64) (at int32, first, second float64) {
	at = Nearest(score)
	second = math.Inf(-1)
	for j, v := range score {
		if int32(j) != at {
			second = max(second, v)
		}
	}
	return at, score[at], second
}
