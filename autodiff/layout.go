package autodiff

import (
	"fmt"
	"slices"
	"sync"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// layout is what a batch has for the nodes of [Graph.Vertices], [Graph.Neighbours] and [Graph.Items].
type layout struct {
	rows       *tensor.Dense // of the features
	index      []int32       // row of each vertex; nil: its own
	neighbours map[mixing]*mixture
	pools      map[pooling]*readout
	at         []int32       // row of every item, of a batch of vertices
	seeds      *tensor.Dense // of an explained run: the weights of the logits
	vertices   *tensor.Dense // of an explained run: the features, a row for each vertex
}

// wants lists what the programs of a network want of its batches. Batches are laid out while programs are compiled.
type wants struct {
	mu       sync.Mutex
	mixings  []mixing
	poolings []pooling
}

func (w *wants) mixing(of mixing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.mixings, of) {
		w.mixings = append(w.mixings, of)
	}
}

func (w *wants) pooling(of pooling) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.poolings, of) {
		w.poolings = append(w.poolings, of)
	}
}

func (w *wants) all() ([]mixing, []pooling) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.mixings), slices.Clone(w.poolings)
}

// Layout lays out a batch for the network. With vertices nil its items are the graphs, otherwise these vertices, each
// by itself. Without targets the batch serves [Network.Forward] alone. It may run while the network works on another
// batch.
func (n *Network) Layout(b *graph.Batch, f Features, t Targets, vertices []int32) (*Batch, error) {
	rows, err := f.rows(n.dtype, b)
	if err != nil {
		return nil, err
	}
	for _, v := range f.Index {
		if v < 0 || int(v) >= rows.Shape()[0] {
			return nil, fmt.Errorf("row %d of features, there are %d", v, rows.Shape()[0])
		}
	}
	for _, v := range vertices {
		if v < 0 || int(v) >= b.NumVertices() {
			return nil, fmt.Errorf("vertex %d of %d", v, b.NumVertices())
		}
	}
	out := &Batch{Graphs: b, alone: f.Own, items: b.NumGraphs()}
	if vertices != nil {
		out.items = len(vertices)
	}
	out.layout = layout{rows: rows, index: f.Index, at: vertices, neighbours: map[mixing]*mixture{},
		pools: map[pooling]*readout{}}
	if f.Rows == nil {
		if err := n.convert(out, rows); err != nil {
			return nil, err
		}
	}
	mixings, poolings := n.wants.all()
	matrices := map[Adjacency]*engine.Sparse{}
	for _, of := range mixings {
		first := mixing{of.adjacency, of.features, 0}
		if out.layout.neighbours[first] == nil {
			if matrices[of.adjacency] == nil {
				matrices[of.adjacency] = of.adjacency.matrix(b)
			}
			out.layout.neighbours[first] = of.mixture(matrices[of.adjacency], f.Index, rows.Shape()[0])
		}
		out.layout.neighbours[of] = out.layout.neighbours[first]
	}
	for _, of := range poolings {
		out.layout.pools[of] = of.readout(b, vertices)
	}
	return out, n.aim(out, t, out.items)
}

// convert makes a batch put its features on the engine.
func (n *Network) convert(b *Batch, raw *tensor.Dense) error {
	rows := n.engine.Scratch(n.dtype, raw.Shape()...)
	b.layout.rows, b.own = rows, append(b.own, rows)
	return b.first(n.engine, func() error { return n.engine.Convert(rows, raw) })
}
