package walks

import "slices"

// Lanes is the number of features of a block. At vertex level features go along walks in blocks: one look at an arc
// serves a cache line of features.
const Lanes = 8

// Blocks returns the number of blocks of features.
func (d *Data) Blocks() int { return (len(d.features) + Lanes - 1) / Lanes }

// block returns the features of a block from all vertices as sources, lanes numbers for each vertex. Missing values
// are zeros.
func (d *Data) block(b int) []float64 {
	n := d.Batch.NumVertices() * Lanes
	return d.lanes[b*n : (b+1)*n]
}

// fillBlocks lays the values out for Block.
func (d *Data) fillBlocks() {
	d.lanes = make([]float64, d.Blocks()*d.Batch.NumVertices()*Lanes)
	for k := range d.features {
		x := d.block(k / Lanes)
		for s := d.features[k].from; s < d.features[k].to; s++ {
			st := &d.segments[s]
			for _, v := range d.sources[st.from:st.to] {
				x[int(v)*Lanes+k%Lanes] = d.values[st.at+int(v-st.first)]
			}
		}
	}
}

// sourcesIn returns the number of values of a block that are neither 0 nor missing.
func (d *Data) sourcesIn(b int) (sources int) {
	for _, k := range d.features[b*Lanes : min((b+1)*Lanes, len(d.features))] {
		if k.from < k.to {
			sources += d.segments[k.to-1].to - d.segments[k.from].from
		}
	}
	return sources
}

// sparse reports whether most vertices have only zeros in a block.
func (d *Data) sparse(b int) bool { return 4*d.sourcesIn(b) < d.Batch.NumVertices() }

// FewSources reports whether a block has fewer values than a node has examples, and none is missing.
func (d *Data) FewSources(b, examples int) bool { return d.sourcesIn(b) < examples && !d.missingIn(b) }

// EachSource calls visit for the examples of a node, vertices in ascending order, in which a feature is neither 0 nor
// missing: with their place among the examples and the value.
func (d *Data) EachSource(k int, examples []int32, visit func(i int, value float64)) {
	from := 0
	for s := d.features[k].from; s < d.features[k].to; s++ {
		st := &d.segments[s]
		for _, v := range d.sources[st.from:st.to] {
			at, found := slices.BinarySearch(examples[from:], v)
			from += at
			if found {
				visit(from, d.values[st.at+int(v-st.first)])
			}
		}
	}
}

// exactBlock reports whether all sums of a block along walks are exact.
func (d *Data) exactBlock(b int) bool {
	for _, k := range d.features[b*Lanes : min((b+1)*Lanes, len(d.features))] {
		if !k.exact {
			return false
		}
	}
	return !d.Weighted()
}

// BlockWalks holds a block of features along walks from the subsets of a cut.
type BlockWalks struct {
	d       *Data
	grids   [Lanes]Grid
	vectors [][2][]float64 // operator*length + length-1, then below and above: lanes for each vertex
	made    [2]bool        // the sides that were made; the other is the rest of all walks
}

// Init makes s ready for a batch.
func (s *BlockWalks) Init(d *Data) {
	s.d = d
	s.vectors = make([][2][]float64, len(d.Operators)*d.Length)
}

// Walk makes walks of up to the given length from the subsets of a cut, as planned.
func (s *BlockWalks) Walk(c *Cut, b, length int, plan *WalkPlan) {
	d := s.d
	for lane := range s.grids {
		if k := b*Lanes + lane; k < len(d.features) {
			s.grids[lane] = d.features[k].grid
		}
	}
	s.made = [2]bool{true, true}
	if c.Whole && d.exactBlock(b) {
		s.made = plan.fewer()
	}
	sparse := d.sparse(b)
	for o := range d.Operators {
		for side, made := range s.made {
			if made {
				s.walkSide(c, b, o, side, length, &plan.operators[o], sparse)
			}
		}
	}
}

// walkSide makes the walks of one operator from one subset. Of a block with few values only these are pushed, unless
// few entries are needed.
func (s *BlockWalks) walkSide(c *Cut, b, o, side, length int, n *neededRows, sparse bool) {
	d, op := s.d, s.d.Operators[o]
	x := d.block(b)
	for l := 1; l <= length; l++ {
		at := d.Index(o, l)
		if s.vectors[at][side] == nil {
			s.vectors[at][side] = make([]float64, len(x))
		}
		y := s.vectors[at][side]
		switch {
		case sparse && n.most[l-1]:
			for _, g := range c.Graphs {
				first, last := d.Batch.Vertices(int(g))
				clear(y[int(first)*Lanes : int(last)*Lanes])
				from := d.All(first, last)
				if l == 1 {
					from = c.Subset(g, side == 1)
				}
				for _, j := range from {
					s.push(&op.Out, y, x, j)
				}
			}
		case l == 1:
			from := &n.first[side]
			for i, v := range n.rows[0] {
				s.pull(from, y, x, v, from.ptr[i], from.ptr[i+1])
			}
		default:
			for _, v := range n.rows[l-1] {
				s.pull(&op.In, y, x, v, op.In.ptr[v], op.In.ptr[v+1])
			}
		}
		x = y
	}
}

// push adds the lanes of vertex j to those of the vertices where its arcs lead.
func (s *BlockWalks) push(r *rows, y, x []float64, j int32) {
	v := (*[Lanes]float64)(x[int(j)*Lanes:])
	if v[0] == 0 && v[1] == 0 && v[2] == 0 && v[3] == 0 && v[4] == 0 && v[5] == 0 && v[6] == 0 && v[7] == 0 {
		return
	}
	if r.weight != nil {
		for p := r.ptr[j]; p < r.ptr[j+1]; p++ {
			s.addWeighted((*[Lanes]float64)(y[int(r.col[p])*Lanes:]), v, r.weight[p])
		}
		return
	}
	for _, i := range r.col[r.ptr[j]:r.ptr[j+1]] {
		add((*[Lanes]float64)(y[int(i)*Lanes:]), v)
	}
}

// pull adds up the lanes of the vertices from which some arcs lead to vertex i, in the order of push.
func (s *BlockWalks) pull(r *rows, y, x []float64, i, from, to int32) {
	sum := (*[Lanes]float64)(y[int(i)*Lanes:])
	if r.weight == nil {
		addUp(sum, x, r.col[from:to])
		return
	}
	*sum = [Lanes]float64{}
	for p := from; p < to; p++ {
		s.addWeighted(sum, (*[Lanes]float64)(x[int(r.col[p])*Lanes:]), r.weight[p])
	}
}

// addUp sets sum to the sum of the lanes of some vertices.
func addUp(sum *[Lanes]float64, x []float64, vertices []int32) {
	var a, b, c, d, e, f, g, h float64
	for _, j := range vertices {
		v := (*[Lanes]float64)(x[int(j)*Lanes:])
		a += v[0]
		b += v[1]
		c += v[2]
		d += v[3]
		e += v[4]
		f += v[5]
		g += v[6]
		h += v[7]
	}
	*sum = [Lanes]float64{a, b, c, d, e, f, g, h}
}

func add(y, v *[Lanes]float64) {
	y[0] += v[0]
	y[1] += v[1]
	y[2] += v[2]
	y[3] += v[3]
	y[4] += v[4]
	y[5] += v[5]
	y[6] += v[6]
	y[7] += v[7]
}

func (s *BlockWalks) addWeighted(y, v *[Lanes]float64, weight float64) {
	for lane, g := range s.grids {
		if x := v[lane]; x != 0 {
			y[lane] += g.Round(weight * x)
		}
	}
}

// Fill writes the entries of walks of a length from one subset at some vertices to a column for each lane. Those of the
// side that was not made are all walks less the other side's.
func (s *BlockWalks) Fill(columns *[Lanes][]float64, k Kind, b int, vertices []int32, useful *[Lanes]bool) {
	side := k.Side()
	at := s.d.Index(k.Op, k.Length)
	y := s.vectors[at][side]
	if !s.made[side] {
		y = s.vectors[at][1-side]
	}
	for i, v := range vertices {
		row := (*[Lanes]float64)(y[int(v)*Lanes:])
		for lane, x := range row {
			columns[lane][i] = x
		}
	}
	if s.made[side] {
		*useful = nonZero(columns)
	} else {
		*useful = s.subtractFrom(columns, k, b, vertices)
	}
}

// nonZero tells the columns that are not zero everywhere.
func nonZero(columns *[Lanes][]float64) (any [Lanes]bool) {
	for lane := range any {
		any[lane] = slices.ContainsFunc(columns[lane], func(x float64) bool { return x != 0 })
	}
	return any
}

// fillScaled writes the features of a block times a factor of each vertex, nil for ones, to a column for each lane; of
// vertices that are not on the wanted side of a cut zeros, unless there is none.
func (d *Data) fillScaled(
	columns *[Lanes][]float64, b int, factor []float64, vertices []int32, c *Cut, want uint8, useful *[Lanes]bool,
) {
	x := d.block(b)
	for i, v := range vertices {
		scale := 1.0
		if factor != nil {
			scale = factor[v]
		}
		if c != nil && c.Side[v] != want {
			scale = 0
		}
		for lane, y := range (*[Lanes]float64)(x[int(v)*Lanes:]) {
			columns[lane][i] = scale * y
		}
	}
	*useful = nonZero(columns)
}

// subtractFrom turns columns into all walks less their entries and tells those that are not zero everywhere.
func (s *BlockWalks) subtractFrom(columns *[Lanes][]float64, k Kind, b int, vertices []int32) (any [Lanes]bool) {
	all := s.d.walks[k.Op][k.Length-1]
	for lane := range columns {
		feature := b*Lanes + lane
		if feature >= len(s.d.features) {
			break
		}
		column := columns[lane]
		s.d.eachRange(vertices, func(g int32, from, to int) {
			st := s.d.Segment(feature, g)
			if st == nil {
				return // the entries are zeros
			}
			walks := st.vector(all)
			for i := from; i < to; i++ {
				x := walks[vertices[i]-st.first] - column[i]
				column[i] = x
				if x != 0 {
					any[lane] = true
				}
			}
		})
	}
	return any
}

// eachRange splits ascending vertices by their graphs.
func (d *Data) eachRange(vertices []int32, visit func(g int32, from, to int)) {
	for from := 0; from < len(vertices); {
		g := d.GraphOf[vertices[from]]
		_, last := d.Batch.Vertices(int(g))
		to := from + 1
		for to < len(vertices) && vertices[to] < last {
			to++
		}
		visit(g, from, to)
		from = to
	}
}
