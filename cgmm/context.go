package cgmm

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/grove-graph/grove/engine"
)

// assignment is what a frozen layer says of every vertex of a batch. Vertices that cannot be told apart in
// the layer share a row.
type assignment struct {
	states    int
	of        []int32   // row of every vertex
	state     []int32   // of every row, the most likely one
	posterior []float64 // rows x states
}

// stateOf returns the most likely state of a vertex.
func (a *assignment) stateOf(v int32) int32 { return a.state[a.of[v]] }

// contexts are what the vertices of a batch show together with what a layer sees of their neighbours, each
// distinct pair once: the likelihood of a layer (Eq. 2) depends on nothing else. Row r of x holds n_uaj/N_ua
// in the column of (l, a, j), see [layer.column]; in the first layer it is a one.
type contexts struct {
	x           *engine.Sparse
	observation []int32   // of every row
	weight      []float64 // vertices of every row
	of          []int32   // row of every vertex
}

// alone reports whether the vertices of a row have no neighbours.
func (c *contexts) alone(r int) bool { return c.x.RowPtr[r] == c.x.RowPtr[r+1] }

// withoutContext returns the rows of the first layer, which looks at nothing: one for each observation.
func withoutContext(o *observations) *contexts {
	c := &contexts{
		x:           &engine.Sparse{Cols: 1, RowPtr: make([]int32, o.count+1), Col: make([]int32, o.count)},
		observation: make([]int32, o.count), weight: slices.Clone(o.number), of: o.of,
	}
	for r := range o.count {
		c.x.RowPtr[r+1] = int32(r + 1)
		c.observation[r] = int32(r)
	}
	return c
}

// gather returns the rows of a layer that looks at the given ones. Vertices share a row where they show the
// same and where, for each layer and arc label, their neighbours are in the same states in the same
// proportions; with soft states it is the neighbours' rows that count, as these decide the posteriors.
func gather(o *observations, n *neighbours, arcs int, below []*assignment, soft bool) (*contexts, error) {
	g, err := newGatherer(arcs, statesOf(below), soft)
	if err != nil {
		return nil, err
	}
	c := g.rows
	if c.of, err = g.add(o.of, n, below); err != nil {
		return nil, err
	}
	c.x = cached(c.x)
	return c, nil
}

func statesOf(below []*assignment) (states []int) {
	for _, b := range below {
		states = append(states, b.states)
	}
	return states
}

// newGatherer returns the gatherer of no vertices, for layers below of so many states.
func newGatherer(arcs int, below []int, soft bool) (*gatherer, error) {
	g := &gatherer{arcs: arcs, soft: soft, table: make([]int32, 1<<10)}
	g.rows = &contexts{x: &engine.Sparse{RowPtr: []int32{0}, Col: []int32{}, Values: []float64{}}}
	for _, states := range below {
		g.first = append(g.first, g.rows.x.Cols)
		g.rows.x.Cols += arcs * states
	}
	if g.rows.x.Cols > math.MaxInt32/2 {
		return nil, fmt.Errorf("%d arc labels and the states of %d layers make a context of %d columns: take fewer", arcs,
			len(below), g.rows.x.Cols)
	}
	return g, nil
}

// add gathers the vertices of a batch, given what they show, and returns their rows. With soft states all vertices
// must be of one batch.
func (g *gatherer) add(shown []int32, n *neighbours, below []*assignment) ([]int32, error) {
	of, c := make([]int32, len(shown)), g.rows
	g.below = below
	for v := range int32(len(of)) {
		g.count(n, v)
		r, err := g.row(shown[v])
		if err != nil {
			return nil, err
		}
		of[v] = int32(r)
		c.weight[r]++
	}
	return of, nil
}

// row returns the row of the current tokens with an observation, a new one of weight 0 where there is none.
func (g *gatherer) row(shown int32) (int, error) {
	r, c := g.find(shown), g.rows
	if r == len(c.observation) {
		c.observation = append(c.observation, shown)
		c.weight = append(c.weight, 0)
		g.append(c.x)
		if len(c.x.Col) > math.MaxInt32-c.x.Cols {
			return 0, fmt.Errorf("the contexts of the vertices have more than %d entries: take fewer graphs or states",
				math.MaxInt32)
		}
	}
	return r, nil
}

// token is what one or several neighbours are to a vertex: their state (or row) in one of the layers below,
// and the label of the arc. Tokens of a group share layer and label.
type token struct {
	group  int32 // layer * arcs + label
	what   int32
	number int32 // of neighbours
}

// gatherer finds equal contexts: an open hash table of rows whose keys are lists of tokens.
type gatherer struct {
	arcs  int
	below []*assignment
	soft  bool
	first []int     // column of every layer below
	rows  *contexts // so far

	tokens []token   // of the current vertex
	dense  []float64 // of the current group, with soft states

	table  []int32 // row + 1, or 0
	ends   []int32 // of the tokens of every row
	shown  []int32 // observation of every row
	hashes []uint64
	keys   []token
}

// count sets the tokens of a vertex: the different ones in ascending order, the numbers of each group in
// lowest terms.
func (g *gatherer) count(n *neighbours, v int32) {
	t := g.tokens[:0]
	for l, b := range g.below {
		for at := n.ptr[v]; at < n.ptr[v+1]; at++ {
			group, what := int32(l*g.arcs), b.of[n.tail[at]]
			if n.label != nil {
				group += n.label[at]
			}
			if !g.soft {
				what = b.state[what]
			}
			t = append(t, token{group, what, 1})
		}
	}
	if len(t) <= 12 { // the usual case, a twentieth of the time of a fit
		insertionSort(t)
	} else {
		slices.SortFunc(t, compare)
	}
	distinct := 0
	for _, next := range t {
		if distinct > 0 && t[distinct-1].group == next.group && t[distinct-1].what == next.what {
			t[distinct-1].number++
		} else {
			t[distinct] = next
			distinct++
		}
	}
	t = t[:distinct]
	eachGroup(t, func(group []token) {
		divisor := int32(0)
		for _, x := range group {
			divisor = gcd(x.number, divisor)
		}
		for i := range group {
			group[i].number /= divisor
		}
	})
	g.tokens = t
}

func compare(a, b token) int {
	if a.group != b.group {
		return int(a.group) - int(b.group)
	}
	return int(a.what) - int(b.what)
}

func insertionSort(t []token) {
	for i := 1; i < len(t); i++ {
		x, j := t[i], i
		for ; j > 0 && compare(t[j-1], x) > 0; j-- {
			t[j] = t[j-1]
		}
		t[j] = x
	}
}

func gcd(a, b int32) int32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// eachGroup calls visit with the runs of tokens of one group.
func eachGroup(t []token, visit func(group []token)) {
	for from := 0; from < len(t); {
		to := from + 1
		for to < len(t) && t[to].group == t[from].group {
			to++
		}
		visit(t[from:to])
		from = to
	}
}

// find returns the row of the current tokens with an observation, a new one where there is none.
func (g *gatherer) find(shown int32) int {
	hash := mix(uint64(uint32(shown)), uint64(len(g.tokens)))
	for _, t := range g.tokens {
		hash = mix(hash^uint64(uint32(t.group))<<32^uint64(uint32(t.what)), uint64(t.number))
	}
	at := int(hash) & (len(g.table) - 1)
	for ; g.table[at] != 0; at = (at + 1) & (len(g.table) - 1) {
		r := g.table[at] - 1
		if g.hashes[r] == hash && g.shown[r] == shown && slices.Equal(g.key(r), g.tokens) {
			return int(r)
		}
	}
	r := len(g.shown)
	g.table[at] = int32(r + 1)
	g.keys = append(g.keys, g.tokens...)
	g.ends = append(g.ends, int32(len(g.keys)))
	g.shown = append(g.shown, shown)
	g.hashes = append(g.hashes, hash)
	if 2*len(g.shown) > len(g.table) {
		g.grow()
	}
	return r
}

func (g *gatherer) key(r int32) []token {
	from := int32(0)
	if r > 0 {
		from = g.ends[r-1]
	}
	return g.keys[from:g.ends[r]]
}

func (g *gatherer) grow() {
	g.table = make([]int32, 4*len(g.table))
	for r, hash := range g.hashes {
		at := int(hash) & (len(g.table) - 1)
		for g.table[at] != 0 {
			at = (at + 1) & (len(g.table) - 1)
		}
		g.table[at] = int32(r + 1)
	}
}

// mix combines two words by the halves of a product.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xbf58476d1ce4e5b9)
	return hi ^ lo
}

// append adds the row of the current tokens to x: proportions of states, with soft states mean posteriors.
func (g *gatherer) append(x *engine.Sparse) {
	eachGroup(g.tokens, func(group []token) {
		l, a := int(group[0].group)/g.arcs, int(group[0].group)%g.arcs
		states := g.below[l].states
		column := g.first[l] + a*states
		total := 0.0
		for _, t := range group {
			total += float64(t.number)
		}
		if !g.soft {
			for _, t := range group {
				x.Col = append(x.Col, int32(column)+t.what)
				x.Values = append(x.Values, float64(t.number)/total)
			}
			return
		}
		g.dense = append(g.dense[:0], make([]float64, states)...)
		for _, t := range group {
			for j, p := range g.below[l].posterior[int(t.what)*states : int(t.what+1)*states] {
				g.dense[j] += float64(t.number) / total * p
			}
		}
		for j, p := range g.dense {
			x.Col = append(x.Col, int32(column+j))
			x.Values = append(x.Values, p)
		}
	})
	x.RowPtr = append(x.RowPtr, int32(len(x.Col)))
}
