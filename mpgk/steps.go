package mpgk

// step is one of the features [x_c >= i] of a column that divide the set.
type step struct {
	weight float64
	share  float64 // of the points of the set that have it
	first  bool    // it is the lowest of its column
	last   bool    // it is the highest of its column
}

// columnIndex says where the columns of counts have their steps.
type columnIndex struct {
	of      []columnSteps
	touched []int32
	stamp   int32
}

type columnSteps struct {
	stamp     int32 // of the split that it belongs to
	members   int32
	low, high int32 // least and largest count of the members
	base      int32 // first step, that of the count low+1; -1 where all counts are equal
}

func newColumnIndex(columns int) *columnIndex { return &columnIndex{of: make([]columnSteps, columns)} }

// findSteps finds the counts at which the members differ.
func (s *split) findSteps() {
	x := s.columns
	x.stamp++
	x.touched = x.touched[:0]
	for _, i := range s.members {
		column, count := s.points.counts.row(i)
		for e, c := range column {
			o := &x.of[c]
			if o.stamp != x.stamp {
				*o = columnSteps{stamp: x.stamp, low: count[e], high: count[e]}
				x.touched = append(x.touched, c)
			}
			o.members++
			o.low, o.high = min(o.low, count[e]), max(o.high, count[e])
		}
	}
	for _, c := range x.touched {
		o := &x.of[c]
		if int(o.members) < len(s.members) {
			o.low = 0
		}
		o.base = -1
		if o.low == o.high {
			continue
		}
		o.base = int32(len(s.steps))
		for i := o.low; i < o.high; i++ {
			s.steps = append(s.steps, step{weight: s.points.counts.weight[c], first: i == o.low, last: i == o.high-1})
		}
	}
}

// reach appends the highest step that row i reaches in each of its columns.
func (s *split) reach(entries []int32, h *histograms, i int32) []int32 {
	column, count := h.row(i)
	for e, c := range column {
		o := &s.columns.of[c]
		if o.stamp != s.columns.stamp || o.base < 0 || count[e] <= o.low {
			continue
		}
		entries = append(entries, o.base+min(count[e], o.high)-o.low-1)
	}
	return entries
}

// findShares computes the mean of the set in the steps.
func (s *split) findShares() {
	for n, i := range s.members {
		for _, e := range s.entries[s.start[n]:s.start[n+1]] {
			s.steps[e].share += s.points.copies[i]
		}
	}
	above := 0.0
	for e := len(s.steps) - 1; e >= 0; e-- {
		if s.steps[e].last {
			above = 0
		}
		above += s.steps[e].share
		s.steps[e].share = above / s.total
	}
}

// radii returns |x-m|^2 of every member.
func (s *split) radii() []float64 {
	// In a step with share m and weight w a member that has it adds w(1-m)^2 in place of w m^2.
	rest, gain := 0.0, make([]float64, len(s.steps))
	for e := range s.steps {
		st := &s.steps[e]
		rest += st.weight * st.share * st.share
		gain[e] = st.weight * (1 - 2*st.share)
		if !st.first {
			gain[e] += gain[e-1]
		}
	}
	radii := make([]float64, len(s.members))
	for n := range radii {
		radii[n] = rest
		for j, x := range s.dense[n*len(s.mean) : (n+1)*len(s.mean)] {
			radii[n] += s.points.scale[j] * x * x
		}
		for _, e := range s.entries[s.start[n]:s.start[n+1]] {
			radii[n] += gain[e]
		}
		radii[n] = max(radii[n], 0)
	}
	return radii
}
