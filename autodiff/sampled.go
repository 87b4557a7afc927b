package autodiff

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Sampling says which paths [KernelNetwork.PrepareSampled] draws.
type Sampling struct {
	FanOut []int // of every position of the layers but their last, from the items on: those of the top layer come first
	Draw   graph.Draw
}

// maxSampled bounds the positions of all paths of a layer of a batch, whose number is 32 bits wide.
const maxSampled = math.MaxInt32

// PrepareSampled lays out a batch whose items are vertices of the sampler's graphs, for sums over paths that are drawn
// ([graph.PathSample]): what the pooling of a layer computes is for sums an unbiased estimate, given what the layer
// sees of the vertices; for means the weighted mean of the paths drawn, which tends to the mean as the fan-out grows;
// and for maxima that of the paths drawn. It is exact where the fan-out covers the degrees. The features are unit rows;
// without an index the batch takes up the rows that it needs alone.
//
// Prepare may run while the network works on another batch.
func (n *KernelNetwork) PrepareSampled(
	s *graph.Sampler, of Sampling, f Features, t Targets, vertices []int32,
) (*Batch, error) {
	d := n.opt.dim(n.parameters.Anchors, 0)
	switch hops := n.opt.hops(); {
	case f.Rows == nil || !f.Unit || f.Rows.Dtype() != n.dtype:
		return nil, errors.New("a sampled batch wants unit rows on the engine, of the dtype of the network")
	case f.Rows.Shape()[1] != d:
		return nil, fmt.Errorf("features of shape %v, the network wants %d columns", f.Rows.Shape(), d)
	case f.Index != nil && f.Norms != nil:
		return nil, errors.New("rows that several vertices share have no norms")
	case len(of.FanOut) != hops:
		return nil, fmt.Errorf("fan-outs of %d positions, the paths of the network have %d", len(of.FanOut), hops)
	case n.opt.equalizes():
		return nil, errors.New("generalised max pooling takes no samples")
	case slices.ContainsFunc(n.opt.Layers, func(l Layer) bool { return l.whole() }):
		return nil, errors.New("norms of whole paths take no samples")
	case slices.ContainsFunc(n.opt.Layers, func(l Layer) bool { return l.Route == graph.NonBacktracking }):
		return nil, errors.New("what is sampled is neither paths nor walks")
	}
	items, at := distinct(vertices)
	samples, need := make([]*graph.PathSample, len(n.opt.Layers)), items
	for l, first := len(samples)-1, 0; l >= 0; l-- {
		layer := &n.opt.Layers[l]
		samples[l] = s.Paths(need, graph.PathSampling{Size: layer.Size, AllSizes: layer.AllLengths,
			Walks: layer.Route == graph.Walks, FanOut: of.FanOut[first:], Draw: of.Draw.For(l)})
		need, first = samples[l].Vertices, first+layer.Size-1
	}
	out := &Batch{items: len(vertices)}
	channels, err := n.takeRows(out, &f, need)
	if err != nil {
		return nil, err
	}
	differentiable := t.Classes != nil || t.Values != nil
	for l := range n.opt.Layers {
		layer := &n.opt.Layers[l]
		y := stage{in: channels, out: channels}
		if layer.Size > 1 {
			if y.out, y.sequences, err = sampledSequences(layer, channels, samples[l], l > 0 || f.Norms != nil); err != nil {
				return nil, err
			}
		}
		channels = y.out
		if n.opt.reads(l) {
			y.readout = newReadout(&graph.Batch{}, channels, at)
			if differentiable && n.opt.GlobalPooling != engine.Max {
				y.readout.transposed = transpose(&y.readout.segments, rowsOf(channels), n.opt.GlobalPooling)
			}
		}
		out.stages = append(out.stages, y)
	}
	return out, n.aim(out, t, out.items)
}

// Arcs are the arcs of a batch of graphs, to be drawn from for networks of [Graph.Neighbours]. They serve one
// goroutine.
type Arcs struct {
	graphs  *graph.Batch
	sampler *graph.Sampler
	root    []float64 // of all vertices, see [inverseRoots]; nil until asked for
}

// NewArcs returns the arcs of a batch.
func NewArcs(b *graph.Batch) *Arcs { return &Arcs{graphs: b, sampler: b.Sampler()} }

// matrix returns the matrix of a hop of a sample, whose rows estimate those of the matrix of all arcs without bias.
func (a *Arcs) matrix(of Adjacency, s *graph.ArcSample, hop int) *engine.Sparse {
	if of == selection {
		return identity(len(s.Vertices))
	}
	arcs := &s.Hops[hop]
	m := &engine.Sparse{RowPtr: make([]int32, 1, len(arcs.RowPtr))}
	if m.Cols = len(s.Vertices); hop+1 < len(s.Hops) {
		m.Cols = len(s.Hops[hop+1].RowPtr) - 1
	}
	if of == SymmetricWithSelf && a.root == nil {
		a.root = inverseRoots(a.graphs)
	}
	scale := func(r, c int32) float64 {
		if of == SymmetricWithSelf {
			return a.root[s.Vertices[r]] * a.root[s.Vertices[c]]
		}
		return 1
	}
	for r := range int32(len(arcs.RowPtr) - 1) {
		if of != SumNeighbours {
			m.Col, m.Values = append(m.Col, r), append(m.Values, scale(r, r))
		}
		for e := arcs.RowPtr[r]; e < arcs.RowPtr[r+1]; e++ {
			c := arcs.Col[e]
			m.Col = append(m.Col, c)
			m.Values = append(m.Values, weightOf(a.graphs, arcs.Arc[e])*arcs.Weight[r]*scale(r, c))
		}
		m.RowPtr = append(m.RowPtr, int32(len(m.Col)))
	}
	return m
}

// LayoutSampled is [Network.Layout] for items that are vertices of a, by arcs that are drawn: every call of
// [Graph.Neighbours] computes an unbiased estimate, given the rows that it sees, of what it computes from all arcs, for
// the vertices that the calls after it look at. of.FanOut has a number for each call, the last call first. Every
// vertex has a row of the features, or an index of one. It wants a network whose items are vertices alone
// ([Definition]).
func (n *Network) LayoutSampled(a *Arcs, of Sampling, f Features, t Targets, vertices []int32) (*Batch, error) {
	rows, err := f.rows(n.dtype, a.graphs)
	if err != nil {
		return nil, err
	}
	if f.Rows == nil {
		return nil, errors.New("a sampled batch wants features on the engine")
	}
	mixings, poolings := n.wants.all()
	calls := 0
	for _, m := range mixings {
		calls = max(calls, m.call+1)
	}
	if len(of.FanOut) != calls {
		return nil, fmt.Errorf("fan-outs of %d hops, the network has %d", len(of.FanOut), calls)
	}
	items, at := distinct(vertices)
	s := a.sampler.Arcs(items, of.FanOut, of.Draw)
	out := &Batch{items: len(vertices)}
	out.layout = layout{rows: rows, index: make([]int32, len(s.Vertices)), at: at, neighbours: map[mixing]*mixture{},
		pools: map[pooling]*readout{}}
	for i, v := range s.Vertices {
		if out.layout.index[i] = v; f.Index != nil {
			out.layout.index[i] = f.Index[v]
		}
	}
	for _, m := range mixings {
		matrix := a.matrix(m.adjacency, s, calls-1-m.call)
		out.layout.neighbours[m] = m.mixture(matrix, out.layout.index, rows.Shape()[0])
	}
	for _, p := range poolings {
		if !p.picked {
			return nil, errors.New("a sampled batch wants a network on vertices")
		}
		out.layout.pools[p] = p.readout(&graph.Batch{}, at)
	}
	return out, n.aim(out, t, out.items)
}

// hops returns the number of arcs along which an item sees.
func (o *Options) hops() int {
	hops := 0
	for _, l := range o.Layers {
		hops += l.Size - 1
	}
	return hops
}

// equalizes reports whether anything is generalised max pooling.
func (o *Options) equalizes() bool {
	return o.Ridge > 0 || slices.ContainsFunc(o.Layers, func(l Layer) bool { return l.Ridge > 0 })
}

// distinct returns the given vertices, each once, and which of them every one is.
func distinct(vertices []int32) (once, at []int32) {
	place := make(map[int32]int32, len(vertices))
	for _, v := range vertices {
		if _, known := place[v]; !known {
			place[v] = int32(len(once))
			once = append(once, v)
		}
		at = append(at, place[v])
	}
	return once, at
}

// takeRows gives a batch the rows of some vertices.
func (n *KernelNetwork) takeRows(b *Batch, f *Features, vertices []int32) ([]block, error) {
	if f.Index != nil {
		index := make([]int32, len(vertices))
		for i, v := range vertices {
			index[i] = f.Index[v]
		}
		b.input = Table{Rows: f.Rows}
		return []block{{rows: f.Rows.Shape()[0], index: index}}, nil
	}
	rows := n.engine.Scratch(n.dtype, len(vertices), f.Rows.Shape()[1])
	b.input, b.own = Table{Rows: rows}, append(b.own, rows)
	take := engine.Placement{Stride: 1}
	if f.Norms != nil {
		b.input.Norms = n.engine.Scratch(n.dtype, len(vertices))
		b.own = append(b.own, b.input.Norms)
	}
	return []block{{rows: len(vertices)}}, b.first(n.engine, func() error {
		if err := n.engine.Place(rows, f.Rows, vertices, take); err != nil || f.Norms == nil {
			return err
		}
		return n.engine.Place(column(b.input.Norms), column(f.Norms), vertices, take)
	})
}

// column views a vector as a matrix of one column.
func column(t *tensor.Dense) *tensor.Dense { return engine.View(t, 0, t.Shape()[0], 1) }

// sampledSequences lists the paths of a sample for a layer, for each channel that enters: a row of its own for each.
// It returns the channels that leave. With normed roots have norms.
func sampledSequences(layer *Layer, in []block, of *graph.PathSample, normed bool) ([]block, *sequences, error) {
	positions, paths := 0, 0
	for i := range of.Size {
		positions, paths = positions+len(of.Paths[i])*len(in), paths+len(of.Weights[i])*len(in)
	}
	table := rowsOf(in)
	if positions > maxSampled || table > maxSampled/layer.Size {
		return nil, nil, fmt.Errorf("a batch of %d sampled paths is too large: choose a smaller fan-out or batch size", paths)
	}
	s, mean := &sequences{first: []int{0}}, newMeans(layer, table, paths)
	count := &engine.Sparse{Cols: paths, RowPtr: []int32{0}}
	count.Col, count.Values = ascending(paths)[:paths], make([]float64, 0, paths)
	if normed {
		s.norms = &engine.Sparse{Cols: table, RowPtr: ascending(paths), Col: make([]int32, 0, paths)}
	}
	var out []block
	labels := make([]int32, layer.Size)
	for _, c := range in {
		for i, size := range of.Size {
			roots := len(of.Offsets[i]) - 1
			for r := range roots {
				from, to := of.Offsets[i][r], of.Offsets[i][r+1]
				total := 1.0
				if layer.Pool == engine.Mean {
					total = 0
					for _, w := range of.Weights[i][from:to] {
						total += w
					}
				}
				for p := from; p < to; p++ {
					for k, v := range of.Paths[i][int(p)*size : int(p+1)*size] {
						labels[k] = int32(c.first + c.row(v))
					}
					mean.add(labels[:size])
					count.Values = append(count.Values, of.Weights[i][p]/total)
					if normed {
						s.norms.Col = append(s.norms.Col, labels[0])
					}
				}
				count.RowPtr = append(count.RowPtr, int32(len(count.Values)))
			}
			s.sizes, s.first = append(s.sizes, size), append(s.first, mean.Rows())
			out = append(out, block{first: rowsOf(out), rows: roots})
		}
	}
	s.mean, s.meanBack = mean.Sparse, mean.Sparse.Transpose()
	if normed {
		s.normsBack = s.norms.Transpose()
	}
	if layer.Pool == engine.Max {
		s.maxima = engine.Segments{Offsets: count.RowPtr, Index: count.Col}
	} else {
		s.count, s.countBack = count, count.Transpose()
	}
	return out, s, nil
}
