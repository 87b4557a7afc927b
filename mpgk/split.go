package mpgk

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

// split divides a set of points into clusters by their squared distances to the clusters' means in feature space.
// What all points of the set have in common is left out: it moves every distance by the same amount.
//
// With m the mean of the set and c the mean of a cluster, |x-c|^2 = |x-m|^2 - 2 score and
// score = <x-m, c-m> - |c-m|^2/2. In counts the features are 0/1, [x_c >= i] for i = 1, 2, ..., so that a mean is a
// share of the points, and the part of a score that comes from column c is looked up at x_c in a table of
// sums over i.
type split struct {
	points  *points
	members []int32
	k       int

	mean  []float64 // of the dense columns
	dense []float64 // members x columns, less the mean

	columns *columnIndex
	steps   []step  // one for each step of each column
	start   []int32 // of the members' entries
	entries []int32 // the highest step that a member reaches in each of its columns
	total   float64 // copies of all members

	// The clusters, in groups of lanes; those beyond k are empty.
	weight []float64 // copies in each
	offset []float64
	sums   []float64 // k x columns: copies times dense columns
	slope  []float64 // k x columns: scale (c-m)
	counts []lane    // groups x steps: copies in each cluster whose highest step in its column is this one
	table  []lane    // groups x steps
}

// lanes is the number of clusters that stand together, so that one look-up serves all of them.
const lanes = 4

type lane [lanes]float64

// newSplit prepares the set of the given points to be divided into k clusters. The index serves one split at a
// time.
func newSplit(p *points, members []int32, k int, index *columnIndex) *split {
	s := &split{points: p, members: members, k: k, columns: index}
	for _, i := range members {
		s.total += p.copies[i]
	}
	s.centre()
	s.findSteps()
	s.start = make([]int32, 1, len(members)+1)
	for _, i := range members {
		s.entries = s.reach(s.entries, &p.counts, i)
		s.start = append(s.start, int32(len(s.entries)))
	}
	s.findShares()
	d, groups := len(p.scale), (k+lanes-1)/lanes
	s.weight, s.offset = make([]float64, groups*lanes), make([]float64, groups*lanes)
	s.counts, s.table = make([]lane, groups*len(s.steps)), make([]lane, groups*len(s.steps))
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
	for _, i := range s.members {
		simd.Axpy(s.points.copies[i], s.points.row(i), s.mean)
	}
	simd.Scale(1/s.total, s.mean)
	s.dense = make([]float64, len(s.members)*d)
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

// sum computes the sums of the dense columns of clusters that hold the members as given; -1 is none.
func (s *split) sum(cluster []int32) {
	d := len(s.points.scale)
	if d == 0 {
		return
	}
	clear(s.sums)
	for n, k := range cluster {
		if k >= 0 {
			simd.Axpy(s.points.copies[s.members[n]], s.row(n), s.sums[int(k)*d:int(k+1)*d])
		}
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
	var above, inverse, offset lane
	for j, w := range s.weight[group*lanes : (group+1)*lanes] {
		if w > 0 {
			inverse[j] = 1 / w
		}
	}
	counts, table := s.counts[group*len(s.steps):], s.table[group*len(s.steps):]
	for e := len(s.steps) - 1; e >= 0; e-- {
		st := &s.steps[e]
		if st.last {
			above = lane{}
		}
		n, t := &counts[e], &table[e]
		for j := range n {
			above[j] += n[j]
			c := above[j] * inverse[j]
			t[j] = st.weight * (c - st.share)
			// <x-m, c-m> - |c-m|^2/2 = <x, c-m> - <c-m, c+m>/2
			offset[j] += t[j] * (c + st.share) / 2
		}
	}
	for e := range s.steps {
		if s.steps[e].first {
			continue
		}
		for j, below := range table[e-1] {
			table[e][j] += below
		}
	}
	for j := range offset {
		s.offset[group*lanes+j] += offset[j]
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
