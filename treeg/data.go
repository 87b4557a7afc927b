package treeg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
)

// Data is a batch prepared for fitting and prediction: its features along walks from all vertices, which
// do not depend on a tree. It is safe for concurrent use.
//
// Features are stored by strands: the values of one feature on the vertices of one graph, in a row. Only
// features that occur in a graph have a strand there, so one-hot labels cost what they hold; small graphs have none
// where only leaves are wanted, see demand.
type Data struct {
	batch     *graph.Batch
	input     Input
	engine    engine.Engine
	length    int // of walks, at most
	demand    demand
	operators []*operator

	strands  []strand
	of       []int32 // strand of feature k in graph g at k*NumGraphs+g, -1 where there is none
	values   []float64
	sources  []int32       // vertices whose value is neither 0 nor missing
	lanes    []float64     // values in blocks, at vertex level, see block
	walks    [][][]float64 // operator, length-1: A^d f of all strands, laid out as values
	diagonal [][][]float64 // operator, length-1: diag(A^d) of all vertices
	cyclic   [][]bool      // whether a diagonal is not zero
	starts   [][][]float64 // operator, length-1: number of walks that start in each vertex; nil with weights

	kept     []kept      // by feature
	frequent []int       // features, for fits: those of the most graphs first
	graphOf  []int32     // graph of every vertex, at vertex level
	inWords  bool        // small graphs go through trees as words
	numbers  []int32     // 0, 1, 2, ... for all vertices
	whole    [][]float64 // column, strand: values of whole graphs, for fits at graph level; see wholeColumn

	resident      engineData
	throughEngine bool // search by operations of the engine although it is no device, as tests do
	oneByOne      bool // search features at vertex level alone although nodes may use many, as tests do
	histogramFrom int  // examples of a tree from which histograms replace sorting; tests want fewer
}

// strand is the place of one feature of one graph.
type strand struct {
	graph         int32
	at            int // in values
	from, to      int // in sources
	first, number int32
}

// kept is what is known of a feature in all graphs.
type kept struct {
	grid    grid
	missing bool // some values are
	exact   bool // sums along walks are
	from    int  // first strand
	to      int
}

// demand says what of the features along walks is needed.
type demand struct {
	fit    bool    // not for predictions only
	length int     // of walks, at most
	cycles bool    // closed walks too
	words  bool    // of small graphs only what they need as words, where they can be
	memory *memory // for the numbers; nil: of their own
}

// Prepare makes a batch ready for fits with the options' level, features, arcs and walks of at most
// MaxLength and of the options' types. Errors say what in the batch is not fit.
func Prepare(ctx context.Context, e engine.Engine, b *graph.Batch, opt Options) (*Data, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	in, err := inputOf(b, &opt)
	if err != nil {
		return nil, err
	}
	return prepare(ctx, e, b, in, demand{fit: true, length: opt.MaxLength, cycles: slices.Contains(opt.Walks, Cycle)})
}

// prepare reads the batch as in says. Grids that in lacks are chosen.
func prepare(ctx context.Context, e engine.Engine, b *graph.Batch, in Input, want demand) (*Data, error) {
	if err := in.check(b); err != nil {
		return nil, err
	}
	d := &Data{batch: b, input: in, engine: e, length: want.length, demand: want, histogramFrom: histogramFrom}
	for _, a := range in.Arcs {
		d.operators = append(d.operators, newOperator(b, a, in.MeanSteps))
	}
	d.inWords = d.wordsSuit()
	d.layOut()
	d.chooseGrids()
	if want.fit {
		d.orderFeatures()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.numbers = make([]int32, b.NumVertices())
	for v := range d.numbers {
		d.numbers[v] = int32(v)
	}
	if want.fit || len(d.strands) > 0 {
		d.computeWalks()
		d.countStarts()
		if want.cycles {
			d.computeDiagonals()
		}
	}
	switch {
	case in.Level == Graphs && want.fit:
		d.computeWhole()
	case in.Level == Vertices && want.fit:
		d.fillBlocks()
	}
	if in.Level == Vertices {
		d.graphOf = make([]int32, b.NumVertices())
		for g := range b.NumGraphs() {
			from, to := b.Vertices(g)
			for v := from; v < to; v++ {
				d.graphOf[v] = int32(g)
			}
		}
	}
	return d, ctx.Err()
}

// Input returns what the data show of the batch.
func (d *Data) Input() Input { return d.input }

// Examples returns the number of graphs or vertices.
func (d *Data) Examples() int {
	if d.input.Level == Graphs {
		return d.batch.NumGraphs()
	}
	return d.batch.NumVertices()
}

// weighted reports whether steps weigh what they bring.
func (d *Data) weighted() bool { return d.batch.ArcWeights != nil || d.input.MeanSteps }

// occurs marks the features of graph g that are not zero everywhere and have a strand.
func (d *Data) occurs(g int, mark []bool) {
	clear(mark)
	if d.demand.words && d.small(int32(g)) {
		return
	}
	from, to := d.batch.Vertices(g)
	in := &d.input
	switch {
	case in.Attributes > 0:
		for i, x := range d.batch.Attributes[int(from)*in.Attributes : int(to)*in.Attributes] {
			if x != 0 { // NaN too
				mark[i%in.Attributes] = true
			}
		}
	case in.Labels > 0:
		for _, label := range d.batch.Labels[from:to] {
			if int(label) < in.Labels {
				mark[label] = true
			}
		}
	}
	if in.Constant {
		mark[len(mark)-1] = to > from
	}
}

// layOut finds the strands and fills in their values.
func (d *Data) layOut() {
	b, l := d.batch, d.input.Features()
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
	d.kept = make([]kept, l)
	size := 0
	for k := range l {
		d.kept[k].from = len(d.strands)
		for g := range graphs {
			if d.of[k*graphs+g] < 0 {
				continue
			}
			d.of[k*graphs+g] = int32(len(d.strands))
			from, to := b.Vertices(g)
			d.strands = append(d.strands, strand{graph: int32(g), at: size, first: from, number: to - from})
			size += int(to - from)
		}
		d.kept[k].to = len(d.strands)
	}
	d.values = d.demand.memory.zeros(size)
	if d.input.Attributes == 0 {
		d.fillOnes()
		return
	}
	for k := range l {
		for s := d.kept[k].from; s < d.kept[k].to; s++ {
			st := &d.strands[s]
			st.from = len(d.sources)
			for i := range st.number {
				x := d.input.value(b, k, st.first+i)
				d.values[st.at+int(i)] = x
				switch {
				case x != x:
					d.kept[k].missing = true
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
	d.frequent = make([]int, len(d.kept))
	for k := range d.frequent {
		d.frequent[k] = k
	}
	strands := func(k int) int { return d.kept[k].to - d.kept[k].from }
	slices.SortStableFunc(d.frequent, func(a, b int) int { return strands(b) - strands(a) })
}

// fillOnes fills in the values of labels and the constant.
func (d *Data) fillOnes() {
	b, in := d.batch, &d.input
	graphs, l := b.NumGraphs(), in.Features()
	counts := make([]int, len(d.strands))
	each := func(visit func(s int32, v int32)) {
		for g := range graphs {
			if d.demand.words && d.small(int32(g)) {
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
		d.strands[s].from, d.strands[s].to = total, total
		total += n
	}
	d.sources = make([]int32, total)
	each(func(s, v int32) {
		st := &d.strands[s]
		d.sources[st.to] = v
		d.values[st.at+int(v-st.first)] = 1
		st.to++
	})
}

// of returns the strand of feature k in graph g, or nil.
func (d *Data) strand(k int, g int32) *strand {
	if s := d.of[k*d.batch.NumGraphs()+int(g)]; s >= 0 {
		return &d.strands[s]
	}
	return nil
}

// all returns the vertices from first to last-1.
func (d *Data) all(first, last int32) []int32 { return d.numbers[first:last] }

// vector returns the entries of a strand in data laid out as values.
func (s *strand) vector(values []float64) []float64 { return values[s.at : s.at+int(s.number)] }

// reach returns a bound of sums along walks, for each vertex: at graph level, of the weight of all walks that
// start there; at vertex level, of the largest weight of the walks that end in one vertex of its graph.
func (d *Data) reach() []float64 {
	n := d.batch.NumVertices()
	reach := make([]float64, n)
	x, y := make([]float64, n), make([]float64, n)
	for v := range reach {
		reach[v] = 1
	}
	for _, o := range d.operators {
		steps := &o.out
		if d.input.Level == Vertices {
			steps = &o.in
		}
		for v := range x {
			x[v] = 1
		}
		for range d.length {
			for v := range y {
				sum := 0.0
				for p := steps.ptr[v]; p < steps.ptr[v+1]; p++ {
					if steps.weight == nil {
						sum += x[steps.col[p]]
					} else {
						sum += math.Abs(steps.weight[p]) * x[steps.col[p]]
					}
				}
				y[v] = sum
				reach[v] = max(reach[v], sum)
			}
			x, y = y, x
		}
	}
	if d.input.Level == Vertices {
		for g := range d.batch.NumGraphs() {
			from, to := d.batch.Vertices(g)
			most := 0.0
			for _, r := range reach[from:to] {
				most = max(most, r)
			}
			for v := from; v < to; v++ {
				reach[v] = most
			}
		}
	}
	return reach
}

// chooseGrids fixes the grid of each feature, unless the input has them, and rounds the values.
func (d *Data) chooseGrids() {
	l := d.input.Features()
	choose := d.input.FeatureGrids == nil
	if !choose && !d.demand.fit {
		d.applyGrids()
		return
	}
	reach := d.reach()
	if choose {
		d.input.FeatureGrids = make([]grid, l)
	}
	weighted := d.weighted()
	parallel.For(d.engine.Workers(), l, func(k int) {
		bound, largest := 0.0, 0.0
		for s := d.kept[k].from; s < d.kept[k].to; s++ {
			st := &d.strands[s]
			x, r := st.vector(d.values), reach[st.first:st.first+st.number]
			sum := 0.0
			for i, v := range x {
				a := math.Abs(v)
				if a > largest {
					largest = a
				}
				if d.input.Level == Vertices && r[i]*a > sum {
					sum = r[i] * a
				} else if d.input.Level == Graphs && a > 0 {
					sum += r[i] * a
				}
			}
			bound = max(bound, sum)
		}
		g := gridFor(bound)
		exact := g != noGrid
		if g.coarse(largest) && (weighted || !d.allOn(k, g)) {
			g, exact = noGrid, false
		}
		if choose {
			d.input.FeatureGrids[k] = g
		} else if d.input.FeatureGrids[k] != g {
			g = d.input.FeatureGrids[k]
			exact = exact && g != noGrid && int(g) >= int(gridFor(bound))
		}
		d.kept[k].exact = exact
	})
	d.applyGrids()
}

// applyGrids rounds the values to the grids of the input.
func (d *Data) applyGrids() {
	parallel.For(d.engine.Workers(), d.input.Features(), func(k int) {
		g := d.input.FeatureGrids[k]
		d.kept[k].grid = g
		if g == noGrid || k >= d.input.Attributes {
			return // ones and zeros are on every grid
		}
		for s := d.kept[k].from; s < d.kept[k].to; s++ {
			x := d.strands[s].vector(d.values)
			for i, v := range x {
				x[i] = g.round(v)
			}
		}
	})
}

// allOn reports whether every value of feature k is a multiple of the grid.
func (d *Data) allOn(k int, g grid) bool {
	for s := d.kept[k].from; s < d.kept[k].to; s++ {
		for _, x := range d.strands[s].vector(d.values) {
			if x == x && !g.holds(x) {
				return false
			}
		}
	}
	return true
}

// computeWalks fills in A^d f for all vertices as sources.
func (d *Data) computeWalks() {
	d.walks = make([][][]float64, len(d.operators))
	for o := range d.operators {
		d.walks[o] = make([][]float64, d.length)
		for i := range d.walks[o] {
			d.walks[o][i] = d.demand.memory.zeros(len(d.values))
		}
	}
	parallel.For(d.engine.Workers(), len(d.strands), func(s int) {
		st := &d.strands[s]
		g := d.kept[d.featureOf(s)].grid
		for o, op := range d.operators {
			for i, all := range d.walks[o] {
				if i == 0 {
					op.out.pushFrom(st.vector(all), st.vector(d.values), d.sources[st.from:st.to], st.first, g)
				} else {
					op.out.push(st.vector(all), st.vector(d.walks[o][i-1]), st.first, g)
				}
			}
		}
	})
}

// countStarts fills in the column sums of A^d, at graph level and without weights.
func (d *Data) countStarts() {
	if d.input.Level == Vertices || d.weighted() {
		return
	}
	d.starts = make([][][]float64, len(d.operators))
	for o, op := range d.operators {
		last := []float64(nil)
		for range d.length {
			next := d.demand.memory.zeros(d.batch.NumVertices())
			for v := range next {
				heads := op.out.col[op.out.ptr[v]:op.out.ptr[v+1]]
				if last == nil {
					next[v] = float64(len(heads))
				}
				for _, u := range heads {
					if last != nil {
						next[v] += last[u]
					}
				}
			}
			d.starts[o] = append(d.starts[o], next)
			last = next
		}
	}
}

// featureOf returns the feature of a strand.
func (d *Data) featureOf(s int) int {
	lo, hi := 0, len(d.kept)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; d.kept[mid].from <= s {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// fits reports why options cannot be used with the data.
func (d *Data) fits(opt *Options) error {
	in, err := inputOf(d.batch, opt)
	switch {
	case err != nil:
		return err
	case !d.demand.fit:
		return errors.New("the data were prepared for predictions only")
	case opt.Level != d.input.Level || in.Constant != d.input.Constant || in.MeanSteps != d.input.MeanSteps ||
		len(in.Arcs) != len(d.input.Arcs):
		return fmt.Errorf("the data were prepared for another level, other features or arcs: prepare them with these options")
	case slices.Contains(opt.Walks, Cycle) && !d.demand.cycles:
		return fmt.Errorf("the data were prepared without cycle walks, the options ask for them")
	case opt.MaxLength > d.length:
		return fmt.Errorf("the data were prepared for walks of length %d, the options ask for %d", d.length, opt.MaxLength)
	}
	return nil
}
