package treeg

import "slices"

// At vertex level features go along walks in blocks of lanes: one look at an arc serves a cache line of features.
const lanes = 8

// blocks returns the number of blocks of features.
func (d *Data) blocks() int { return (len(d.kept) + lanes - 1) / lanes }

// block returns the features of a block from all vertices as sources, lanes numbers for each vertex. Missing values
// are zeros.
func (d *Data) block(b int) []float64 {
	n := d.batch.NumVertices() * lanes
	return d.lanes[b*n : (b+1)*n]
}

// fillBlocks lays the values out for block.
func (d *Data) fillBlocks() {
	d.lanes = make([]float64, d.blocks()*d.batch.NumVertices()*lanes)
	for k := range d.kept {
		x := d.block(k / lanes)
		for s := d.kept[k].from; s < d.kept[k].to; s++ {
			st := &d.strands[s]
			for _, v := range d.sources[st.from:st.to] {
				x[int(v)*lanes+k%lanes] = d.values[st.at+int(v-st.first)]
			}
		}
	}
}

// sparse reports whether most vertices have only zeros in a block.
func (d *Data) sparse(b int) bool {
	sources := 0
	for _, k := range d.kept[b*lanes : min((b+1)*lanes, len(d.kept))] {
		if k.from < k.to {
			sources += d.strands[k.to-1].to - d.strands[k.from].from
		}
	}
	return 4*sources < d.batch.NumVertices()
}

// exactBlock reports whether all sums of a block along walks are exact.
func (d *Data) exactBlock(b int) bool {
	for _, k := range d.kept[b*lanes : min((b+1)*lanes, len(d.kept))] {
		if !k.exact {
			return false
		}
	}
	return !d.weighted()
}

// blockSpread holds a block of features along walks from the subsets of a cut.
type blockSpread struct {
	d       *Data
	grids   [lanes]grid
	vectors [][2][]float64 // operator*length + length-1, then below and above: lanes for each vertex
	made    [2]bool        // the sides that were made; the other is the rest of all walks
}

func (s *blockSpread) init(d *Data) {
	s.d = d
	s.vectors = make([][2][]float64, len(d.operators)*d.length)
}

// walk makes walks of up to the given length from the subsets of a cut, as planned.
func (s *blockSpread) walk(c *cut, b, length int, plan *walkPlan) {
	d := s.d
	for lane := range s.grids {
		if k := b*lanes + lane; k < len(d.kept) {
			s.grids[lane] = d.kept[k].grid
		}
	}
	s.made = [2]bool{true, true}
	if c.whole && d.exactBlock(b) {
		s.made = plan.fewer()
	}
	sparse := d.sparse(b)
	for o := range d.operators {
		for side, made := range s.made {
			if made {
				s.walkSide(c, b, o, side, length, &plan.operators[o], sparse)
			}
		}
	}
}

// walkSide makes the walks of one operator from one subset. Of a block with few values only these are pushed, unless
// few entries are needed.
func (s *blockSpread) walkSide(c *cut, b, o, side, length int, n *neededRows, sparse bool) {
	d, op := s.d, s.d.operators[o]
	x := d.block(b)
	for l := 1; l <= length; l++ {
		at := d.index(o, l)
		if s.vectors[at][side] == nil {
			s.vectors[at][side] = make([]float64, len(x))
		}
		y := s.vectors[at][side]
		switch {
		case sparse && n.most[l-1]:
			for _, g := range c.of.graphs {
				first, last := d.batch.Vertices(int(g))
				clear(y[int(first)*lanes : int(last)*lanes])
				from := d.all(first, last)
				if l == 1 {
					from = c.subset(g, first, side == 1)
				}
				for _, j := range from {
					s.push(&op.out, y, x, j)
				}
			}
		case l == 1:
			from := &n.first[side]
			for i, v := range n.rows[0] {
				s.pull(from, y, x, v, from.ptr[i], from.ptr[i+1])
			}
		default:
			for _, v := range n.rows[l-1] {
				s.pull(&op.in, y, x, v, op.in.ptr[v], op.in.ptr[v+1])
			}
		}
		x = y
	}
}

// push adds the lanes of vertex j to those of the vertices where its arcs lead.
func (s *blockSpread) push(r *rows, y, x []float64, j int32) {
	v := (*[lanes]float64)(x[int(j)*lanes:])
	if v[0] == 0 && v[1] == 0 && v[2] == 0 && v[3] == 0 && v[4] == 0 && v[5] == 0 && v[6] == 0 && v[7] == 0 {
		return
	}
	if r.weight != nil {
		for p := r.ptr[j]; p < r.ptr[j+1]; p++ {
			s.addWeighted((*[lanes]float64)(y[int(r.col[p])*lanes:]), v, r.weight[p])
		}
		return
	}
	for _, i := range r.col[r.ptr[j]:r.ptr[j+1]] {
		add((*[lanes]float64)(y[int(i)*lanes:]), v)
	}
}

// pull adds up the lanes of the vertices from which some arcs lead to vertex i, in the order of push.
func (s *blockSpread) pull(r *rows, y, x []float64, i, from, to int32) {
	sum := (*[lanes]float64)(y[int(i)*lanes:])
	if r.weight == nil {
		addUp(sum, x, r.col[from:to])
		return
	}
	*sum = [lanes]float64{}
	for p := from; p < to; p++ {
		s.addWeighted(sum, (*[lanes]float64)(x[int(r.col[p])*lanes:]), r.weight[p])
	}
}

// addUp sets sum to the sum of the lanes of some vertices.
func addUp(sum *[lanes]float64, x []float64, vertices []int32) {
	var a, b, c, d, e, f, g, h float64
	for _, j := range vertices {
		v := (*[lanes]float64)(x[int(j)*lanes:])
		a += v[0]
		b += v[1]
		c += v[2]
		d += v[3]
		e += v[4]
		f += v[5]
		g += v[6]
		h += v[7]
	}
	*sum = [lanes]float64{a, b, c, d, e, f, g, h}
}

func add(y, v *[lanes]float64) {
	y[0] += v[0]
	y[1] += v[1]
	y[2] += v[2]
	y[3] += v[3]
	y[4] += v[4]
	y[5] += v[5]
	y[6] += v[6]
	y[7] += v[7]
}

func (s *blockSpread) addWeighted(y, v *[lanes]float64, weight float64) {
	for lane, g := range s.grids {
		if x := v[lane]; x != 0 {
			y[lane] += g.round(weight * x)
		}
	}
}

// fill writes the entries of walks of a length from one subset at some vertices to a column for each lane. Those of the
// side that was not made are all walks less the other side's.
func (s *blockSpread) fill(columns *[lanes][]float64, k kind, b int, vertices []int32, useful *[lanes]bool) {
	side := 0
	if k.up {
		side = 1
	}
	at := s.d.index(k.op, k.length)
	y := s.vectors[at][side]
	if !s.made[side] {
		y = s.vectors[at][1-side]
	}
	var any [lanes]bool
	for i, v := range vertices {
		row := (*[lanes]float64)(y[int(v)*lanes:])
		for lane, x := range row {
			columns[lane][i] = x
		}
	}
	if s.made[side] {
		for lane := range columns {
			if slices.ContainsFunc(columns[lane], func(x float64) bool { return x != 0 }) {
				any[lane] = true
			}
		}
	} else {
		s.subtractFrom(columns, k, b, vertices, &any)
	}
	*useful = any
}

// fillScaled writes the features of a block times a factor of each vertex, nil for ones, to a column for each lane; of
// vertices that are not on the wanted side of a cut zeros, unless there is none.
func (d *Data) fillScaled(
	columns *[lanes][]float64, b int, factor []float64, vertices []int32, c *cut, want uint8, useful *[lanes]bool,
) {
	x := d.block(b)
	var any [lanes]bool
	for i, v := range vertices {
		scale := 1.0
		if factor != nil {
			scale = factor[v]
		}
		if c != nil && c.side[v] != want {
			scale = 0
		}
		for lane, y := range (*[lanes]float64)(x[int(v)*lanes:]) {
			columns[lane][i] = scale * y
		}
	}
	for lane := range any {
		any[lane] = slices.ContainsFunc(columns[lane], func(x float64) bool { return x != 0 })
	}
	*useful = any
}

// subtractFrom turns columns into all walks less their entries.
func (s *blockSpread) subtractFrom(columns *[lanes][]float64, k kind, b int, vertices []int32, any *[lanes]bool) {
	all := s.d.walks[k.op][k.length-1]
	for lane := range columns {
		feature := b*lanes + lane
		if feature >= len(s.d.kept) {
			return
		}
		column := columns[lane]
		s.d.eachRange(vertices, func(g int32, from, to int) {
			st := s.d.strand(feature, g)
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
}

// eachRange splits ascending vertices by their graphs.
func (d *Data) eachRange(vertices []int32, visit func(g int32, from, to int)) {
	for from := 0; from < len(vertices); {
		g := d.graphOf[vertices[from]]
		_, last := d.batch.Vertices(int(g))
		to := from + 1
		for to < len(vertices) && vertices[to] < last {
			to++
		}
		visit(g, from, to)
		from = to
	}
}
