package mpgk

import (
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/nystrom"
)

// split divides a set of points into clusters by their squared distances to the clusters' means in feature space, as a
// [nystrom.Partition]. What all points of the set have in common is left out: it moves every distance by the same
// amount. The mean of the dense columns is subtracted from all points.
//
// In counts the features are 0/1, [x_c >= i] for i = 1, 2, ..., so that the mean of a cluster is a share of its points,
// and the part of a score that comes from a column of counts is looked up at the count in a table of sums over i.
type split struct {
	points  *points
	members []int32
	k       int
	space   *workspace

	mean    []float64       // of the dense columns
	steps   []step          // one for each step of each column
	vectors nystrom.Vectors // the members: dense columns less the mean, and the highest step reached in each column

	// The clusters, in groups of lanes; those beyond k are empty.
	means  nystrom.Means
	weight []float64      // copies in each
	sums   []float64      // clusters x columns: copies times dense columns
	counts []nystrom.Lane // groups x steps: copies in each cluster whose highest step in its column is this one
}

const lanes = nystrom.Lanes

// newSplit prepares the set of the given points to be divided into k clusters. The workspace serves one split at a
// time.
func newSplit(p *points, members []int32, k int, space *workspace) *split {
	s := &split{points: p, members: members, k: k, space: space}
	d, groups := len(p.scale), (k+lanes-1)/lanes
	s.centre()
	s.findSteps()
	start, entries := make([]int32, 1, len(members)+1), space.entries[:0]
	s.vectors.Weights = make([]float64, len(members))
	for n, i := range members {
		s.vectors.Weights[n] = p.copies[i]
		entries = s.reach(entries, &p.counts, i)
		start = append(start, int32(len(entries)))
	}
	space.entries = entries
	s.vectors.Width, s.vectors.Sparse = d, &engine.Sparse{Cols: len(s.steps), RowPtr: start, Col: entries}
	s.vectors.Squares = s.squares()
	s.means = nystrom.Means{
		K: k, Offset: make([]float64, groups*lanes), Slope: make([]float64, groups*lanes*d),
		Table: resized(&space.table, groups*len(s.steps)),
	}
	s.weight, s.sums = make([]float64, groups*lanes), make([]float64, groups*lanes*d)
	s.counts = resized(&space.counts, groups*len(s.steps))
	return s
}

// squares returns |x|^2 of every member.
func (s *split) squares() []float64 {
	norm := make([]float64, len(s.members))
	for n := range norm {
		dense, entries, _ := s.vectors.Row(n)
		for j, x := range dense {
			norm[n] += s.points.scale[j] * x * x
		}
		for _, e := range entries {
			norm[n] += s.steps[e].norm
		}
	}
	return norm
}

// Vectors implements [nystrom.Partition].
func (s *split) Vectors() *nystrom.Vectors { return &s.vectors }

// Means implements [nystrom.Partition].
func (s *split) Means() *nystrom.Means { return &s.means }

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
	s.vectors.Dense = resized(&s.space.dense, len(s.members)*d)
	for n, i := range s.members {
		s.shift(s.vectors.Dense[n*d:(n+1)*d], s.points.row(i))
	}
}

// shift subtracts the mean from a row.
func (s *split) shift(dst, row []float64) {
	copy(dst, row)
	simd.Axpy(-1, s.mean, dst)
}

// Empty implements [nystrom.Partition].
func (s *split) Empty() {
	clear(s.weight)
	clear(s.counts)
	clear(s.sums)
}

// Put implements [nystrom.Partition]. Copies are whole numbers, so that no rounding adds up in counts.
func (s *split) Put(n int, cluster int32, times float64) {
	k := int(cluster)
	copies := times * s.vectors.Weights[n]
	s.weight[k] += copies
	dense, entries, _ := s.vectors.Row(n)
	counts := s.counts[k/lanes*len(s.steps):]
	for _, e := range entries {
		counts[e][k%lanes] += copies
	}
	if d := len(dense); d > 0 {
		simd.Axpy(copies, dense, s.sums[k*d:(k+1)*d])
	}
}

// Update implements [nystrom.Partition].
func (s *split) Update() {
	offset, slope := s.means.Offset, s.means.Slope
	clear(offset)
	d := len(s.points.scale)
	for k, w := range s.weight[:s.k] {
		for j := range d {
			c := 0.0
			if w > 0 {
				c = s.sums[k*d+j] / w
			}
			slope[k*d+j] = s.points.scale[j] * c
			offset[k] += s.points.scale[j] * c * c / 2
		}
	}
	for group := range len(s.weight) / lanes {
		s.finishTable(group)
	}
	for k, w := range s.weight {
		if w == 0 {
			offset[k] = math.Inf(1)
		}
	}
}

// finishTable is Update for counts in one group of clusters: from the top of a column down to the means of its steps,
// and up again to the sums over them.
func (s *split) finishTable(group int) {
	var inverse nystrom.Lane
	for j, w := range s.weight[group*lanes : (group+1)*lanes] {
		if w > 0 {
			inverse[j] = 1 / w
		}
	}
	ia, ib, ic, id := inverse[0], inverse[1], inverse[2], inverse[3]
	counts, table := s.counts[group*len(s.steps):][:len(s.steps)], s.means.Table[group*len(s.steps):][:len(s.steps)]
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
		table[e] = nystrom.Lane{ta, tb, tc, td}
	}
	for e := range s.steps {
		if !s.steps[e].first {
			t, below := &table[e], &table[e-1]
			*t = nystrom.Lane{t[0] + below[0], t[1] + below[1], t[2] + below[2], t[3] + below[3]}
		}
	}
	for j, o := range (nystrom.Lane{oa, ob, oc, od}) {
		s.means.Offset[group*lanes+j] += o / 2
	}
}
