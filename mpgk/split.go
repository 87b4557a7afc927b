package mpgk

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

// split divides a set of points into clusters by their squared distances to the clusters' means in feature space.
// What all points of the set have in common is left out: it moves every distance by the same amount.
//
// With the mean m of the dense columns subtracted from all points, x-m in place of x, and c the mean of a cluster,
// |x-c|^2 = |x|^2 - 2 score and score = <x, c> - |c|^2/2. In counts the features are 0/1, [x_c >= i] for
// i = 1, 2, ..., so that c is a share of the points, and the part of a score that comes from a column of counts is
// looked up at the count in a table of sums over i.
type split struct {
	points  *points
	members []int32
	k       int
	space   *workspace

	mean  []float64 // of the dense columns
	dense []float64 // members x columns, less the mean

	steps   []step  // one for each step of each column
	start   []int32 // of the members' entries
	entries []int32 // the highest step that a member reaches in each of its columns

	norm []float64 // of the members, once they are asked for

	// The clusters, in groups of lanes; those beyond k are empty.
	weight []float64 // copies in each
	offset []float64 // |c|^2/2
	sums   []float64 // k x columns: copies times dense columns
	slope  []float64 // k x columns: scale c
	counts []lane    // groups x steps: copies in each cluster whose highest step in its column is this one
	table  []lane    // groups x steps
}

// lanes is the number of clusters that stand together, so that one look-up serves all of them.
const lanes = 4

type lane [lanes]float64

// newSplit prepares the set of the given points to be divided into k clusters. The workspace serves one split at a
// time.
func newSplit(p *points, members []int32, k int, space *workspace) *split {
	s := &split{points: p, members: members, k: k, space: space}
	s.centre()
	s.findSteps()
	s.start = make([]int32, 1, len(members)+1)
	entries := space.entries[:0]
	for _, i := range members {
		entries = s.reach(entries, &p.counts, i)
		s.start = append(s.start, int32(len(entries)))
	}
	s.entries, space.entries = entries, entries
	d, groups := len(p.scale), (k+lanes-1)/lanes
	s.weight, s.offset = make([]float64, groups*lanes), make([]float64, groups*lanes)
	s.counts, s.table = room(&space.counts, groups*len(s.steps)), room(&space.table, groups*len(s.steps))
	s.sums, s.slope = make([]float64, k*d), make([]float64, k*d)
	return s
}

// centre subtracts the mean from the dense columns.
func (s *split) centre() {
	d := len(s.points.scale)
	s.mean = make([]float64, d)
	if d == 0 {
		return
	}
	total := 0.0
	for _, i := range s.members {
		total += s.points.copies[i]
		simd.Axpy(s.points.copies[i], s.points.row(i), s.mean)
	}
	simd.Scale(1/total, s.mean)
	s.dense = room(&s.space.dense, len(s.members)*d)
	for n, i := range s.members {
		s.shift(s.dense[n*d:(n+1)*d], s.points.row(i))
	}
}

// shift subtracts the mean from a row.
func (s *split) shift(dst, row []float64) {
	copy(dst, row)
	simd.Axpy(-1, s.mean, dst)
}

// row returns the dense columns of member n, less the mean.
func (s *split) row(n int) []float64 {
	d := len(s.points.scale)
	return s.dense[n*d : (n+1)*d]
}

// empty removes all members from the clusters.
func (s *split) empty() {
	clear(s.weight)
	clear(s.counts)
	clear(s.sums)
}

// put adds member n to cluster k, a number of times that may be negative.
func (s *split) put(n, k int, times float64) {
	copies := times * s.points.copies[s.members[n]]
	s.weight[k] += copies
	counts := s.counts[k/lanes*len(s.steps):]
	for _, e := range s.entries[s.start[n]:s.start[n+1]] {
		counts[e][k%lanes] += copies
	}
}

// sum adds the dense columns of member n to cluster k, a number of times that may be negative.
func (s *split) sum(n, k int, times float64) {
	if d := len(s.mean); d > 0 {
		simd.Axpy(times*s.points.copies[s.members[n]], s.row(n), s.sums[k*d:(k+1)*d])
	}
}

// finish computes what scores need from the counts and sums of the clusters.
func (s *split) finish() {
	clear(s.offset)
	d := len(s.points.scale)
	for k, w := range s.weight[:s.k] {
		for j := range d {
			c := 0.0
			if w > 0 {
				c = s.sums[k*d+j] / w
			}
			s.slope[k*d+j] = s.points.scale[j] * c
			s.offset[k] += s.points.scale[j] * c * c / 2
		}
	}
	for group := range len(s.weight) / lanes {
		s.finishTable(group)
	}
	for k, w := range s.weight {
		if w == 0 {
			s.offset[k] = math.Inf(1)
		}
	}
}

// finishTable is finish for counts in one group of clusters: from the top of a column down to the means of its steps,
// and up again to the sums over them.
func (s *split) finishTable(group int) {
	var inverse lane
	for j, w := range s.weight[group*lanes : (group+1)*lanes] {
		if w > 0 {
			inverse[j] = 1 / w
		}
	}
	ia, ib, ic, id := inverse[0], inverse[1], inverse[2], inverse[3]
	counts, table := s.counts[group*len(s.steps):][:len(s.steps)], s.table[group*len(s.steps):][:len(s.steps)]
	var a, b, c, d float64     // copies that reach the step
	var oa, ob, oc, od float64 // squared norms of the means
	for e := len(s.steps) - 1; e >= 0; e-- {
		st, n := &s.steps[e], &counts[e]
		if st.last {
			a, b, c, d = 0, 0, 0, 0
		}
		a, b, c, d = a+n[0], b+n[1], c+n[2], d+n[3]
		ma, mb, mc, md := a*ia, b*ib, c*ic, d*id
		ta, tb, tc, td := st.weight*ma, st.weight*mb, st.weight*mc, st.weight*md
		oa, ob, oc, od = oa+ta*ma, ob+tb*mb, oc+tc*mc, od+td*md
		table[e] = lane{ta, tb, tc, td}
	}
	for e := range s.steps {
		if !s.steps[e].first {
			t, below := &table[e], &table[e-1]
			*t = lane{t[0] + below[0], t[1] + below[1], t[2] + below[2], t[3] + below[3]}
		}
	}
	for j, o := range (lane{oa, ob, oc, od}) {
		s.offset[group*lanes+j] += o / 2
	}
}

// score writes the scores of a point to dst, one for each cluster, given its dense columns less the mean and its
// entries.
func (s *split) score(dst, dense []float64, entries []int32) {
	d := len(dense)
	for j, o := range s.offset {
		dst[j] = -o
		if d > 0 && j < s.k {
			dst[j] += simd.Dot(dense, s.slope[j*d:(j+1)*d])
		}
	}
	for group := range len(dst) / lanes {
		sum := (*lane)(dst[group*lanes:])
		table := s.table[group*len(s.steps):]
		a, b, c, d := sum[0], sum[1], sum[2], sum[3]
		for _, e := range entries {
			t := &table[e]
			a, b, c, d = a+t[0], b+t[1], c+t[2], d+t[3]
		}
		*sum = lane{a, b, c, d}
	}
}

// nearest returns the first cluster with the largest score.
func nearest(score []float64) int32 {
	best := 0
	for j, v := range score {
		if v > score[best] {
			best = j
		}
	}
	return int32(best)
}
