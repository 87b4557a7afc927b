package mpgk

import "github.com/grove-graph/grove/nystrom"

// step is one of the features [x_c >= i] of a column c of counts that divide a set of points.
type step struct {
	weight      float64
	norm        float64 // sum of the weights from the lowest step of the column up to this one
	first, last bool    // it is the lowest or the highest of its column
}

// workspace is memory for one split at a time. It knows where the columns of counts have their steps.
type workspace struct {
	columns []columnSteps
	touched []int32
	stamp   int32

	steps   []step
	entries []int32
	dense   []float64
	counts  []nystrom.Lane
	table   []nystrom.Lane
}

// columnSteps are the steps of a column in a split.
type columnSteps struct {
	stamp     int32 // of the split
	members   int32
	low, high int32 // least and largest count of the members
	base      int32 // first step, that of the count low+1; -1 where all counts are equal
}

func newWorkspace(columns int) *workspace { return &workspace{columns: make([]columnSteps, columns)} }

// resized returns n elements of any content in the memory of x.
func resized[T any](x *[]T, n int) []T {
	if cap(*x) < n {
		*x = make([]T, n+n/4)
	}
	return (*x)[:n]
}

// findSteps finds the counts at which the members differ.
func (s *split) findSteps() {
	x := s.space
	x.stamp++
	x.touched = x.touched[:0]
	for _, i := range s.members {
		column, count := s.points.counts.row(i)
		for e, c := range column {
			o := &x.columns[c]
			if o.stamp != x.stamp {
				*o = columnSteps{stamp: x.stamp, low: count[e], high: count[e]}
				x.touched = append(x.touched, c)
			}
			o.members++
			o.low, o.high = min(o.low, count[e]), max(o.high, count[e])
		}
	}
	steps := x.steps[:0]
	for _, c := range x.touched {
		o := &x.columns[c]
		if int(o.members) < len(s.members) {
			o.low = 0
		}
		o.base = -1
		if o.low < o.high {
			o.base = int32(len(steps))
		}
		weight := s.points.counts.weight[c]
		for i := o.low; i < o.high; i++ {
			norm := weight * float64(i-o.low+1)
			steps = append(steps, step{weight, norm, i == o.low, i == o.high-1})
		}
	}
	s.steps, x.steps = steps, steps
}

// reach appends the highest step that row i reaches in each of its columns.
func (s *split) reach(entries []int32, h *histograms, i int32) []int32 {
	column, count := h.row(i)
	for e, c := range column {
		o := &s.space.columns[c]
		if o.stamp != s.space.stamp || o.base < 0 || count[e] <= o.low {
			continue
		}
		entries = append(entries, o.base+min(count[e], o.high)-o.low-1)
	}
	return entries
}
