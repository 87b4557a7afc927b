package autodiff

import (
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Layer is one layer of a network: what is pooled over the paths of a vertex, and how.
type Layer struct {
	Size       int  // vertices of the longest path
	AllLengths bool // paths of 1 to Size vertices, each its own channel; otherwise of Size vertices alone
	Route      graph.Route
	Kernel     engine.Kernel
	Pool       engine.Pooling
	Ridge      float64 // unless 0, of generalised max pooling in place of Pool

	// PathNorms makes the kernel of paths of several vertices homogeneous in the whole path (GCKN, section 3.4), with the
	// vectors x and z of a path and of an anchor, of j vertices that stand one after another, divided by the root of j:
	//
	//	kappa_j(z, x) = |x| exp(alpha (<z, x> / (|z| |x|) - 1))
	//
	// with alpha j in place of alpha for the exponent as a sum over positions. Otherwise every position of x has norm 1,
	// and the norm of the first vertex stands for that of the path. The two agree where all vertices have norm 1.
	PathNorms bool
}

// whole reports whether the kernel has the norms of whole paths, other than those of their first vertices.
func (l *Layer) whole() bool { return l.PathNorms && l.Size > 1 }

// lengths returns the number of channels that the layer makes of one.
func (l *Layer) lengths() int {
	if l.AllLengths {
		return l.Size
	}
	return 1
}

// pooling returns what an engine pools over, without graph, index and roots.
func (l *Layer) pooling() engine.PathPooling {
	return engine.PathPooling{
		Size: l.Size, AllLengths: l.AllLengths && l.Size > 1, Route: l.Route, Kernel: l.Kernel, Pool: l.Pool,
	}
}

// PathPool adds the pooled kernel values of layer number l of the batch from a table of scores, as
// [engine.Engine.PathPool] computes them. The result stacks a matrix of q columns for each channel, new
// channel = old channel * lengths + length; [Batch] knows which row belongs to which vertex.
func (g *Graph) PathPool(l int, layer Layer, scores *G.Node) *G.Node {
	columns := g.dims("PathPool", scores, 2)[1]
	if !g.want(layer.Size >= 1 && columns%layer.Size == 0, "PathPool: %d columns of scores for paths of %d vertices",
		columns, layer.Size) {
		return nil
	}
	q := columns / layer.Size
	op := &operation{name: "path pooling", shape: tensor.Shape{varying, q}, wrt: []bool{true}}
	m, bySequence := op.newMemory(), op.newSequencePooling(layer)
	op.compute = func(in []G.Value) (G.Value, error) {
		scores, stage := in[0].(*Table), &g.batch.stages[l]
		out := m.tensor(g.engine, g.dtype, rowsOf(stage.out), q)
		if stage.sequences != nil {
			return out, bySequence.pool(g, stage.sequences, out, scores)
		}
		return out, stage.eachPooling(&layer, func(p *engine.PathPooling, in block, outs []block) error {
			table := in.of(m, scores)
			return g.engine.PathPool(viewsOf(m, out, outs), table.Rows, table.Norms, p)
		})
	}
	op.gradient = func(in G.Nodes, _, grad *G.Node) G.Nodes {
		back := &operation{name: "gradient of path pooling", shape: tensor.Shape{varying, columns}}
		rows, norms, table := back.newMemory(), back.newMemory(), &Table{}
		back.compute = func(in []G.Value) (G.Value, error) {
			scores, grad, stage := in[0].(*Table), dense(in[1]), &g.batch.stages[l]
			n := scores.Rows.Shape()[0]
			table.Rows, table.Norms = rows.tensor(g.engine, g.dtype, n, columns), nil
			if scores.Norms != nil {
				table.Norms = norms.tensor(g.engine, g.dtype, n)
			}
			if stage.sequences != nil {
				return table, bySequence.back(g, stage.sequences, table, grad)
			}
			return table, stage.eachPooling(&layer, func(p *engine.PathPooling, in block, outs []block) error {
				dst, src := in.of(rows, table), in.of(rows, scores)
				return g.engine.PathPoolGrad(dst.Rows, dst.Norms, viewsOf(rows, grad, outs), src.Rows, src.Norms, p)
			})
		}
		return G.Nodes{g.add(back, in[0], grad)}
	}
	return g.add(op, scores)
}

// block is a channel within stacked rows: rows from first on, and the row (counted from first) of every
// vertex; a nil index means that vertex v has row v.
type block struct {
	first, rows int
	index       []int32
	keys        []graph.Key // of the rows, in every batch alike; nil: their numbers are
}

// row returns the row of a vertex, counted from the first.
func (b block) row(v int32) int {
	if b.index == nil {
		return int(v)
	}
	return int(b.index[v])
}

// ranks returns the places of the rows in the order of their keys.
func (b block) ranks() []int32 {
	order := ascending(b.rows)[:b.rows]
	if b.keys == nil {
		return order
	}
	slices.SortStableFunc(order, func(i, j int32) int { return b.keys[i].Compare(b.keys[j]) })
	return places(order, b.rows)
}

// rowsOf returns the number of stacked rows.
func rowsOf(blocks []block) int {
	if len(blocks) == 0 {
		return 0
	}
	last := blocks[len(blocks)-1]
	return last.first + last.rows
}

// of returns the rows of the block.
func (b block) of(m *memory, t *Table) Table {
	if b.rows == t.Rows.Shape()[0] {
		return *t
	}
	columns := t.Rows.Shape()[1]
	own := Table{Rows: m.view(t.Rows, b.first*columns, b.rows, columns)}
	if t.Norms != nil {
		own.Norms = m.view(t.Norms, b.first, b.rows)
	}
	return own
}

// viewsOf returns the rows of every block.
func viewsOf(m *memory, t *tensor.Dense, blocks []block) []*tensor.Dense {
	if len(blocks) == 1 && blocks[0].rows == t.Shape()[0] {
		return []*tensor.Dense{t}
	}
	views, columns := make([]*tensor.Dense, len(blocks)), t.Shape()[1]
	for i, b := range blocks {
		views[i] = m.view(t, b.first*columns, b.rows, columns)
	}
	return views
}

// stage is what a layer works on: the channels that enter and leave it, and the vertices that its pooling
// starts from.
type stage struct {
	graph     *graph.Batch
	in, out   []block
	ranks     [][]int32   // for each channel that enters, of its rows; nil: the order of neighbours counts
	roots     [][][]int32 // for each channel that enters, those of every length; nil: every vertex
	sequences *sequences  // what is pooled over in place of paths; nil: paths
	masks     *pathList   // the paths, each of which has a mask; nil: they have none
	whole     *wholePaths // the paths, whose norms count; nil: those of vertices do
	readout   readout     // of layers that are pooled over items
}

// eachPooling calls body for each channel that enters with the channels it becomes. Layers of single
// vertices take all channels at once.
func (s *stage) eachPooling(layer *Layer, body func(p *engine.PathPooling, in block, out []block) error) error {
	p := layer.pooling()
	if layer.Size == 1 {
		p.Pool = engine.Sum // a single vertex is its own path: every pooling gives its kernel value
		all := block{rows: rowsOf(s.in)}
		return body(&p, all, []block{all})
	}
	lengths := layer.lengths()
	p.Graph = s.graph
	for c, in := range s.in {
		p.Index, p.Roots, p.Ranks = in.index, nil, nil
		if s.ranks != nil {
			p.Ranks = s.ranks[c]
		}
		if s.roots != nil {
			p.Roots = s.roots[c]
		}
		if err := body(&p, in, s.out[c*lengths:(c+1)*lengths]); err != nil {
			return err
		}
	}
	return nil
}
