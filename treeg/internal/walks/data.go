// Package walks computes dynamic features: what a feature of the vertices becomes along walks that are restricted to a
// subset of them (Eq. 1), its aggregation over a graph (section 3.5), and the subsets that a split generates (Eq. 3).
//
// A batch is made ready once ([Data]): its features by segments, on grids that make sums exact, the walks from all
// vertices and the closed walks. An [Evaluator] computes any split on one graph, as predictions and the growth of trees
// want it; [DenseWalks], [SparseWalks] and [BlockWalks] make the walks from both subsets of a [Cut] for the search.
//
// There are several routines because each is worth its lines (CPU seconds of fits and predictions on one worker):
// blocks of features take 0.57 s where one feature after another takes 0.98 s, but where nodes draw 18 of 336 features
// sparse vectors take 0.27 s and blocks 0.78 s; small graphs as words are predicted in 1.4 ms, as lists in 3.2 ms; the
// operations of the engine, made for devices, take 0.80 s on the CPU for graphs that the host searches in 0.16 s, and
// 3.6 s for vertices that it searches in 0.57 s.
package walks

import (
	"context"
	"sync"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Data is a batch made ready: its features along walks from all vertices, which do not depend on a tree. It is safe
// for concurrent use.
//
// Features are stored by segments: the values of one feature on the vertices of one graph, in a row. Only
// features that occur in a graph have a segment there, so one-hot labels cost what they hold; small graphs have none
// where only leaves are wanted, see [Demand].
type Data struct {
	Batch     *graph.Batch
	Input     Input
	Engine    engine.Engine
	Length    int // of walks, at most
	Demand    Demand
	Operators []*operator

	made     sync.Once // what MakeWalks makes
	segments []Segment
	of       []int32 // segment of feature k in graph g at k*NumGraphs+g, -1 where there is none
	values   []float64
	sources  []int32       // vertices whose value is neither 0 nor missing
	lanes    []float64     // values in blocks, at vertex level, see block
	walks    [][][]float64 // operator, length-1: A^d f of all segments, laid out as values
	diagonal [][][]float64 // operator, length-1: diag(A^d) of all vertices
	cyclic   [][]bool      // whether a diagonal is not zero
	starts   [][][]float64 // operator, length-1: number of walks that start in each vertex; nil with weights

	features []feature   // by feature
	Frequent []int       // features, for fits: those of the most graphs first
	GraphOf  []int32     // graph of every vertex, at vertex level
	InWords  bool        // small graphs go through trees as words
	numbers  []int32     // 0, 1, 2, ... for all vertices
	whole    [][]float64 // column, segment: values of whole graphs, for fits at graph level; see wholeColumn
	size     int         // of values
	narrow   *compact    // in place of values, walks and whole of many graphs; see CompactFrom
}

// Segment is the place of one feature of one graph.
type Segment struct {
	graph         int32
	at            int // in values
	from, to      int // in sources
	first, number int32
}

// feature is what is known of a feature in all graphs.
type feature struct {
	grid    Grid
	missing bool // some values are
	exact   bool // sums along walks are
	from    int  // first segment
	to      int
}

// Demand says what of the features along walks is needed.
type Demand struct {
	Fit    bool    // not for predictions only
	Length int     // of walks, at most
	Cycles bool    // closed walks too
	Words  bool    // of small graphs only what they need as words, where they can be
	Memory *Memory // for the numbers; nil: of their own
}

// Prepare reads the batch as in says. Grids that in lacks are chosen.
func Prepare(ctx context.Context, e engine.Engine, b *graph.Batch, in Input, want Demand) (*Data, error) {
	d, err := read(e, b, in, want)
	if err != nil {
		return nil, err
	}
	if want.Fit {
		d.orderFeatures()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.numbers = make([]int32, b.NumVertices())
	for v := range d.numbers {
		d.numbers[v] = int32(v)
	}
	if want.Cycles && (want.Fit || len(d.segments) > 0) {
		d.computeDiagonals()
	}
	if !e.Capabilities().Wide {
		d.MakeWalks()
	}
	if in.Level == Vertices {
		d.GraphOf = make([]int32, b.NumVertices())
		for g := range b.NumGraphs() {
			from, to := b.Vertices(g)
			for v := from; v < to; v++ {
				d.GraphOf[v] = int32(g)
			}
		}
	}
	return d, ctx.Err()
}

// read lays a batch out, and chooses grids.
func read(e engine.Engine, b *graph.Batch, in Input, want Demand) (*Data, error) {
	if err := in.check(b); err != nil {
		return nil, err
	}
	d := &Data{Batch: b, Input: in, Engine: e, Length: want.Length, Demand: want}
	for _, a := range in.Arcs {
		d.Operators = append(d.Operators, newOperator(b, a, in.MeanSteps))
	}
	d.InWords = d.wordsSuit()
	d.layOut()
	d.chooseGrids()
	return d, nil
}

// MakeWalks makes the features along walks from all vertices on the host, unless they are there. On a device
// fits and predictions have their own, so that the host makes them when somebody asks for an explanation.
func (d *Data) MakeWalks() {
	d.made.Do(func() {
		if !d.Demand.Fit && len(d.segments) == 0 {
			return
		}
		if d.values == nil && !d.makeCompact() {
			d.widen()
		}
		if d.narrow == nil {
			d.computeWalks()
			d.countStarts()
		}
		switch {
		case d.Input.Level == Graphs && d.Demand.Fit:
			d.computeWhole()
		case d.Input.Level == Vertices && d.Demand.Fit:
			d.fillBlocks()
		}
	})
}

// Examples returns the number of graphs or vertices.
func (d *Data) Examples() int {
	if d.Input.Level == Graphs {
		return d.Batch.NumGraphs()
	}
	return d.Batch.NumVertices()
}

// Present reports whether a feature has a segment.
func (d *Data) Present(k int) bool { return d.features[k].from < d.features[k].to }

// Occurring returns the features that have one, ascending.
func (d *Data) Occurring() (features []int) {
	for k := range d.features {
		if d.Present(k) {
			features = append(features, k)
		}
	}
	return features
}

// Upload puts some features on the engine, one row of all vertices for each, and a row of zeros where there are none.
func (d *Data) Upload(features []int) (*tensor.Dense, error) {
	n := d.Batch.NumVertices()
	values := make([]float64, max(len(features), 1)*n)
	for i, k := range features {
		d.Put(values[i*n:], 1, k)
	}
	return engine.FromHost(d.Engine, tensor.New(tensor.WithShape(max(len(features), 1), n), tensor.WithBacking(values),
		tensor.WithEngine(d.Engine.Host())))
}

// GridOf returns the grid of a feature.
func (d *Data) GridOf(k int) Grid { return d.features[k].grid }

// Put writes the values of a feature to every width-th entry of out, one for each vertex.
func (d *Data) Put(out []float64, width, k int) {
	var buffer []float64
	for _, st := range d.segments[d.features[k].from:d.features[k].to] {
		for i, x := range d.valuesOf(&st, &buffer) {
			out[(int(st.first)+i)*width] = x
		}
	}
}

// Weighted reports whether steps weigh what they bring.
func (d *Data) Weighted() bool { return d.Batch.ArcWeights != nil || d.Input.MeanSteps }

// SegmentsOf returns the segment of a feature in every graph, -1 where there is none.
func (d *Data) SegmentsOf(k int) []int32 {
	n := d.Batch.NumGraphs()
	return d.of[k*n : (k+1)*n]
}

// Segment returns the segment of feature k in graph g, or nil.
func (d *Data) Segment(k int, g int32) *Segment {
	if s := d.of[k*d.Batch.NumGraphs()+int(g)]; s >= 0 {
		return &d.segments[s]
	}
	return nil
}

// All returns the vertices from first to last-1.
func (d *Data) All(first, last int32) []int32 { return d.numbers[first:last] }

// vector returns the entries of a segment in data laid out as values.
func (s *Segment) vector(values []float64) []float64 { return values[s.at : s.at+int(s.number)] }

// featureOf returns the feature of a segment.
func (d *Data) featureOf(s int) int {
	lo, hi := 0, len(d.features)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; d.features[mid].from <= s {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
