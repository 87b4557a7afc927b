package autodiff

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Counts are what a network sees of graphs whose vertices show labels alone, counted once for all the batches that are
// made of them: for every length of paths of the first layer, the classes of the vertices of each graph and how many
// vertices are in each. Where nothing but sums and means follows the first layer, it counts label sequences in place
// of classes, whose kernel values then go to the graphs without a detour over vertices.
type Counts struct {
	layer     Layer
	pool      engine.Pooling // of the graphs
	sequences *graph.PathSequences
	direct    bool // tallies are of sequences
	vertices  []int32
	tallies   []tally   // by length
	numbers   sync.Pool // of *numbering
}

// tally lists what each graph has: item[i], count[i] times, for i in [offsets[g], offsets[g+1]). Items come in the
// order of their first vertex in the graph, whatever their numbers.
type tally struct {
	offsets []int32
	item    []int32
	count   []float64
}

// numbering gives the items of a batch numbers in the order in which they come up.
type numbering struct {
	local [][]int32 // by length and item: 1 + its number, 0 for none
	items [][]int32 // by length: the items that have one
}

// Count counts graphs for the batches of [KernelNetwork.PrepareCounted]. classes are those of the vertices that
// [graph.Batch.PathClasses] finds for the first layer, and s the sequences of these classes. It returns nil for a
// network whose later layers look further than a vertex, or that pools by generalised maxima, which look at every path
// or vertex.
func (n *KernelNetwork) Count(b *graph.Batch, classes [][]int32, s *graph.PathSequences) (*Counts, error) {
	if s == nil {
		return nil, errors.New("no sequences to count")
	}
	f := Features{Classes: classes, Sequences: s, Unit: true}
	if err := f.checkSequences(&n.opt.Layers[0]); err != nil {
		return nil, err
	}
	if n.opt.equalizes() {
		return nil, nil
	}
	for _, layer := range n.opt.Layers[1:] {
		if layer.Size > 1 {
			return nil, nil
		}
	}
	layer := n.opt.Layers[0]
	c := &Counts{layer: layer, pool: n.opt.GlobalPooling, sequences: s}
	c.direct = len(n.opt.Layers) == 1 && layer.Pool != engine.Max && c.pool != engine.Max
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		c.vertices = append(c.vertices, to-from)
	}
	for _, of := range classes {
		if len(of) != b.NumVertices() {
			return nil, fmt.Errorf("classes of %d vertices, the graphs have %d", len(of), b.NumVertices())
		}
	}
	numbers := c.take()
	defer c.numbers.Put(numbers)
	for i, of := range classes {
		c.tallies = append(c.tallies, c.tally(i, b, of, numbers))
	}
	return c, nil
}

// tally counts the items of length i in every graph.
func (c *Counts) tally(i int, b *graph.Batch, classes []int32, numbers *numbering) tally {
	t := tally{offsets: make([]int32, 1, b.NumGraphs()+1)}
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		first := len(t.item)
		for _, class := range classes[from:to] {
			c.eachItem(i, class, func(item int32, count float64) {
				at := numbers.of(i, item)
				if first+int(at) == len(t.item) {
					t.item, t.count = append(t.item, item), append(t.count, 0)
				}
				t.count[first+int(at)] += count
			})
		}
		numbers.forget(i)
		t.offsets = append(t.offsets, int32(len(t.item)))
	}
	return t
}

// eachItem calls body for the items of a vertex: its class, or the sequences of the class with their counts or shares.
func (c *Counts) eachItem(i int, class int32, body func(item int32, count float64)) {
	if !c.direct {
		body(class, 1)
		return
	}
	from, to := c.sequences.Offsets[i][class], c.sequences.Offsets[i][class+1]
	total := routes(c.sequences, i, class, c.layer.Pool)
	for e := from; e < to; e++ {
		body(c.sequences.Number[i][e], float64(c.sequences.Count[i][e])/total)
	}
}

// routes returns what the counts of a class are divided by: for a mean the number of its routes.
func routes(s *graph.PathSequences, i int, class int32, pool engine.Pooling) float64 {
	if pool != engine.Mean {
		return 1
	}
	total := 0.0
	for _, count := range s.Count[i][s.Offsets[i][class]:s.Offsets[i][class+1]] {
		total += float64(count)
	}
	return total
}

// of returns the number of an item of length i.
func (n *numbering) of(i int, item int32) int32 {
	at := &n.local[i][item]
	if *at == 0 {
		n.items[i] = append(n.items[i], item)
		*at = int32(len(n.items[i]))
	}
	return *at - 1
}

// forget takes the numbers of length i back.
func (n *numbering) forget(i int) {
	for _, item := range n.items[i] {
		n.local[i][item] = 0
	}
	n.items[i] = n.items[i][:0]
}

// take returns numbers that nobody uses.
func (c *Counts) take() *numbering {
	if n, ok := c.numbers.Get().(*numbering); ok {
		return n
	}
	n := &numbering{items: make([][]int32, len(c.sequences.Size))}
	for i := range c.sequences.Size {
		items := len(c.sequences.Offsets[i]) - 1
		if c.direct {
			items = len(c.sequences.Labels[i]) / c.sequences.Size[i]
		}
		n.local = append(n.local, make([]int32, items))
	}
	return n
}

// PrepareCounted is [KernelNetwork.Prepare] for some of the graphs that were counted, which are the items. rows are the
// unit vectors that the labels stand for. Batches of the same counts may be prepared at the same time.
func (n *KernelNetwork) PrepareCounted(c *Counts, graphs []int, rows *tensor.Dense, t Targets) (*Batch, error) {
	if rows.Dims() != 2 || rows.Shape()[1] != n.opt.dim(n.parameters.Anchors, 0) || rows.Dtype() != n.dtype {
		return nil, fmt.Errorf("labels as %v of %v, the network wants %d columns of %v", rows.Shape(), rows.Dtype(),
			n.opt.dim(n.parameters.Anchors, 0), n.dtype)
	}
	if len(graphs) == 0 {
		return nil, errors.New("a batch of no graphs")
	}
	for _, g := range graphs {
		if g < 0 || g >= len(c.vertices) {
			return nil, fmt.Errorf("graph %d of %d", g, len(c.vertices))
		}
	}
	numbers := c.take()
	defer c.numbers.Put(numbers)
	matrix, blocks := c.readout(graphs, numbers)
	out := &Batch{items: len(graphs), input: Table{Rows: rows}}
	list := newSequences
	if c.direct {
		list = singleSequences
	}
	first := stage{out: blocks, sequences: list(&c.layer, rows.Shape()[0], c.sequences, numbers.items)}
	out.stages = append(out.stages, first)
	for range n.opt.Layers[1:] {
		out.stages = append(out.stages, stage{in: blocks, out: blocks})
	}
	last := &out.stages[len(out.stages)-1].readout
	for i := range numbers.items {
		last.blocks = append(last.blocks, block{first: i * len(graphs), rows: len(graphs)})
		numbers.forget(i)
	}
	if c.pool == engine.Max {
		last.segments = engine.Segments{Offsets: matrix.RowPtr, Index: matrix.Col}
	} else {
		last.matrix, last.transposed = matrix, matrix.Transpose()
	}
	return out, n.aim(out, t, out.items)
}

// readout returns the matrix that pools the rows of a batch over its graphs, channel after channel, and where the
// rows of every channel are.
func (c *Counts) readout(graphs []int, numbers *numbering) (*engine.Sparse, []block) {
	entries := 0
	for i := range c.tallies {
		for _, g := range graphs {
			entries += int(c.tallies[i].offsets[g+1] - c.tallies[i].offsets[g])
		}
	}
	m := &engine.Sparse{RowPtr: make([]int32, 1, len(graphs)*len(c.tallies)+1)}
	m.Col, m.Values = make([]int32, 0, entries), make([]float64, 0, entries)
	var blocks []block
	for i := range c.tallies {
		t := &c.tallies[i]
		for _, g := range graphs {
			share := 1.0
			if c.pool == engine.Mean {
				share = 1 / math.Max(float64(c.vertices[g]), 1)
			}
			for e := t.offsets[g]; e < t.offsets[g+1]; e++ {
				m.Col = append(m.Col, int32(m.Cols)+numbers.of(i, t.item[e]))
				m.Values = append(m.Values, t.count[e]*share)
			}
			m.RowPtr = append(m.RowPtr, int32(len(m.Col)))
		}
		rows := len(numbers.items[i])
		blocks = append(blocks, block{first: m.Cols, rows: rows})
		m.Cols += rows
	}
	return m, blocks
}
