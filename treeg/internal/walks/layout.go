package walks

import "slices"

// occurs marks the features of graph g that are not zero everywhere and have a segment.
func (d *Data) occurs(g int, mark []bool) {
	clear(mark)
	if d.Demand.Words && d.Small(int32(g)) {
		return
	}
	from, to := d.Batch.Vertices(g)
	in := &d.Input
	switch {
	case in.Attributes > 0:
		for i, x := range d.Batch.Attributes[int(from)*in.Attributes : int(to)*in.Attributes] {
			if x != 0 { // NaN too
				mark[i%in.Attributes] = true
			}
		}
	case in.Labels > 0:
		for _, label := range d.Batch.Labels[from:to] {
			if int(label) < in.Labels {
				mark[label] = true
			}
		}
	}
	if in.Constant {
		mark[len(mark)-1] = to > from
	}
}

// layOut finds the segments and fills in their values.
func (d *Data) layOut() {
	b, l := d.Batch, d.Input.Features()
	graphs := b.NumGraphs()
	d.of = make([]int32, l*graphs)
	mark := make([]bool, l)
	for g := range graphs {
		d.occurs(g, mark)
		for k, m := range mark {
			d.of[k*graphs+g] = -1
			if m {
				d.of[k*graphs+g] = 0
			}
		}
	}
	d.features = make([]feature, l)
	size := 0
	for k := range l {
		d.features[k].from = len(d.segments)
		for g := range graphs {
			if d.of[k*graphs+g] < 0 {
				continue
			}
			d.of[k*graphs+g] = int32(len(d.segments))
			from, to := b.Vertices(g)
			d.segments = append(d.segments, Segment{graph: int32(g), at: size, first: from, number: to - from})
			size += int(to - from)
		}
		d.features[k].to = len(d.segments)
	}
	d.size = size
	if !d.suitsCompact(size) {
		d.values = d.Demand.Memory.zeros(size)
	}
	if d.Input.Attributes == 0 {
		d.fillOnes()
		return
	}
	for k := range l {
		for s := d.features[k].from; s < d.features[k].to; s++ {
			st := &d.segments[s]
			st.from = len(d.sources)
			for i := range st.number {
				x := d.Input.value(b, k, st.first+i)
				d.values[st.at+int(i)] = x
				switch {
				case x != x:
					d.features[k].missing = true
				case x != 0:
					d.sources = append(d.sources, st.first+i)
				}
			}
			st.to = len(d.sources)
		}
	}
}

// orderFeatures fills in frequent.
func (d *Data) orderFeatures() {
	d.Frequent = make([]int, len(d.features))
	for k := range d.Frequent {
		d.Frequent[k] = k
	}
	segments := func(k int) int { return d.features[k].to - d.features[k].from }
	slices.SortStableFunc(d.Frequent, func(a, b int) int { return segments(b) - segments(a) })
}

// widen keeps the values of a compact batch as such.
func (d *Data) widen() {
	d.narrow, d.values = nil, make([]float64, d.size)
	for s := range d.segments {
		st := &d.segments[s]
		for _, v := range d.sources[st.from:st.to] {
			d.values[st.at+int(v-st.first)] = 1
		}
	}
}

// fillOnes fills in the values of labels and the constant.
func (d *Data) fillOnes() {
	b, in := d.Batch, &d.Input
	graphs, l := b.NumGraphs(), in.Features()
	counts := make([]int, len(d.segments))
	each := func(visit func(s int32, v int32)) {
		for g := range graphs {
			if d.Demand.Words && d.Small(int32(g)) {
				continue
			}
			from, to := b.Vertices(g)
			for v := from; v < to; v++ {
				if in.Labels > 0 && int(b.Labels[v]) < in.Labels {
					visit(d.of[int(b.Labels[v])*graphs+g], v)
				}
				if in.Constant {
					visit(d.of[(l-1)*graphs+g], v)
				}
			}
		}
	}
	each(func(s, _ int32) { counts[s]++ })
	total := 0
	for s, n := range counts {
		d.segments[s].from, d.segments[s].to = total, total
		total += n
	}
	d.sources = make([]int32, total)
	each(func(s, v int32) {
		st := &d.segments[s]
		d.sources[st.to] = v
		if d.values != nil {
			d.values[st.at+int(v-st.first)] = 1
		}
		st.to++
	})
}
