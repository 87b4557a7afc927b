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

// blockSpread holds a block of features along walks from the subsets of a cut.
type blockSpread struct {
	d       *Data
	grids   [lanes]grid
	vectors [][2][]float64 // operator*length + length-1, then below and above: lanes for each vertex
	made    [2]bool        // the sides that were made; the other is the rest of all walks
	needed  [][]int32      // by length-1, for one operator: vertices whose entries are needed; nil for all
	marks   []uint32       // of vertices that are in a list of needed
	mark    uint32
}

func (s *blockSpread) init(d *Data) {
	s.d = d
	s.vectors = make([][2][]float64, len(d.operators)*d.length)
	s.needed = make([][]int32, d.length)
}

// walk makes walks of up to the given length from the subsets of a cut. Only the entries of rows are needed.
func (s *blockSpread) walk(c *cut, b, length int, rows []int32) {
	d := s.d
	exact := !d.weighted()
	for lane := range s.grids {
		if k := b*lanes + lane; k < len(d.kept) {
			s.grids[lane] = d.kept[k].grid
			exact = exact && d.kept[k].exact
		}
	}
	s.made = [2]bool{true, true}
	if c.whole && exact {
		up, down := 0, 0
		for _, g := range c.of.graphs {
			up += int(c.counts[g][0])
			down += int(c.counts[g][1])
		}
		s.made[0], s.made[1] = down <= up, up < down
	}
	for o, op := range d.operators {
		s.need(op, length, rows, c)
		for side, made := range s.made {
			if made {
				s.walkSide(c, b, o, side, length)
			}
		}
	}
}

// need lists the vertices whose entries are needed of walks of each length: rows, and for the steps that follow the
// vertices from which an arc leads to a needed one. A list of most vertices becomes nil.
func (s *blockSpread) need(op *operator, length int, rows []int32, c *cut) {
	vertices := 0
	for _, g := range c.of.graphs {
		first, last := s.d.batch.Vertices(int(g))
		vertices += int(last - first)
	}
	if s.marks == nil {
		s.marks = make([]uint32, s.d.batch.NumVertices())
	}
	s.mark++
	list := append(s.needed[length-1][:0], rows...)
	for _, v := range list {
		s.marks[v] = s.mark
	}
	for l := length; l >= 1; l-- {
		if 2*len(list) > vertices {
			for ; l >= 1; l-- {
				s.needed[l-1] = s.needed[l-1][:0]
			}
			return
		}
		s.needed[l-1] = list
		if l == 1 {
			return
		}
		more := append(s.needed[l-2][:0], list...)
		for _, v := range list {
			for _, u := range op.in.col[op.in.ptr[v]:op.in.ptr[v+1]] {
				if s.marks[u] != s.mark {
					s.marks[u] = s.mark
					more = append(more, u)
				}
			}
		}
		list = more
	}
}

// walkSide makes the walks of one operator from one subset.
func (s *blockSpread) walkSide(c *cut, b, o, side, length int) {
	d, op := s.d, s.d.operators[o]
	x := d.block(b)
	for l := 1; l <= length; l++ {
		at := d.index(o, l)
		if s.vectors[at][side] == nil {
			s.vectors[at][side] = make([]float64, len(x))
		}
		y := s.vectors[at][side]
		switch needed := s.needed[l-1]; {
		case len(needed) > 0 && l == 1:
			for _, i := range needed {
				s.pullSide(&op.in, y, x, i, c.side, below>>side)
			}
		case len(needed) > 0:
			for _, i := range needed {
				s.pull(&op.in, y, x, i)
			}
		default:
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

// pull adds up the lanes of the vertices from which arcs lead to vertex i, in the order of push.
func (s *blockSpread) pull(r *rows, y, x []float64, i int32) {
	var sum [lanes]float64
	for p := r.ptr[i]; p < r.ptr[i+1]; p++ {
		v := (*[lanes]float64)(x[int(r.col[p])*lanes:])
		if r.weight != nil {
			s.addWeighted(&sum, v, r.weight[p])
		} else {
			add(&sum, v)
		}
	}
	*(*[lanes]float64)(y[int(i)*lanes:]) = sum
}

// pullSide is pull from the vertices on one side of a cut only.
func (s *blockSpread) pullSide(r *rows, y, x []float64, i int32, sides []uint8, want uint8) {
	var sum [lanes]float64
	for p := r.ptr[i]; p < r.ptr[i+1]; p++ {
		j := r.col[p]
		if sides[j] != want {
			continue
		}
		v := (*[lanes]float64)(x[int(j)*lanes:])
		if r.weight != nil {
			s.addWeighted(&sum, v, r.weight[p])
		} else {
			add(&sum, v)
		}
	}
	*(*[lanes]float64)(y[int(i)*lanes:]) = sum
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
