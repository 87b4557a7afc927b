package autodiff

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Features are the input vectors of the vertices of a batch. One of Rows and Raw is given.
type Features struct {
	Rows  *tensor.Dense // rows x d, of the network's dtype and on its engine
	Raw   *tensor.Dense // rows x d in host memory, not written to before the first run; on a device they go up with it
	Index []int32       // row of each vertex; nil: vertex v has row v
	Unit  bool          // the rows are used as they are, with norm 1
	Norms *tensor.Dense // for [KernelNetwork.PrepareSampled]: that the unit rows were divided by, one each; nil: ones

	// Classes spares Prepare the visit of the paths of the first layer, where Index is given: for each of its
	// lengths, a number for every vertex that two vertices share only if they start equal paths. Those of
	// [graph.Batch.PathClasses] of all graphs of a data set serve all batches of them.
	Classes [][]int32

	// Sequences, unless nil, are those of Classes with Index as labels; Classes must then be numbered as there, and
	// the rows be unit ones. The first layer pools over sequences in place of paths.
	Sequences *graph.PathSequences

	// Masked asks for a batch of [KernelNetwork.StepMasked], with the graphs as items: every path of the layers of more
	// than single vertices is listed by itself, in the order of [graph.Batch.Visit].
	Masked bool

	// Own says that nobody but the batch has the graphs: with it goes what an engine keeps of them.
	Own bool
}

// rows returns the rows of features that fit a network of a dtype and the graphs.
func (f *Features) rows(dtype tensor.Dtype, b *graph.Batch) (*tensor.Dense, error) {
	rows := f.Rows
	if rows == nil {
		rows = f.Raw
	}
	switch {
	case rows == nil:
		return nil, errors.New("features without rows")
	case rows.Dims() != 2:
		return nil, fmt.Errorf("features of shape %v, want a matrix", rows.Shape())
	case f.Rows != nil && rows.Dtype() != dtype:
		return nil, fmt.Errorf("features of %v, the network computes in %v: convert them", rows.Dtype(), dtype)
	}
	count := len(f.Index)
	if f.Index == nil {
		count = rows.Shape()[0]
	}
	if count != b.NumVertices() {
		return nil, fmt.Errorf("features of %d vertices, the graphs have %d", count, b.NumVertices())
	}
	return rows, nil
}

// Targets are what a network shall answer for the items of a batch. One of Classes and Values is given.
type Targets struct {
	Classes []int32       // class of each item; with a single output class 1 is the positive one
	Values  *tensor.Dense // items x outputs, for the squared loss; not written to before the first run
	Weights []float64     // weight of each item in the mean; nil: ones
}

// Batch is a set of graphs with all that a step needs of them beside the parameters. It is made by
// [Network.Layout] or [KernelNetwork.Prepare], is never written to afterwards, and may be used again and again.
type Batch struct {
	Graphs *graph.Batch

	items   int
	input   Table
	layout  layout // of networks of one's own
	stages  []stage
	targets targets
	own     []*tensor.Dense // made for the batch
	alone   bool            // with its graphs
	late    []func() error  // what the device is to do before the first run
}

// Items returns the number of graphs, or of vertices in a task on vertices.
func (b *Batch) Items() int { return b.items }

// Release gives the memory back that was taken for the batch. It must not be used again.
func (b *Batch) Release(e engine.Engine) {
	e.Release(b.own...)
	b.own, b.layout = nil, layout{}
	if b.alone {
		engine.Forget(e, b.Graphs)
	}
}

// first does work that the first run needs: at once on a host, beside the steps, and on a device with that run, so that
// all that the run asks of it is one piece.
func (b *Batch) first(e engine.Engine, work func() error) error {
	if !e.Capabilities().Deferred {
		return work()
	}
	b.late = append(b.late, work)
	return nil
}

// arrive does what is left to do before the first run.
func (b *Batch) arrive() error {
	for len(b.late) > 0 {
		if err := b.late[0](); err != nil {
			return err
		}
		b.late = b.late[1:]
	}
	return nil
}

// Prepare lays out a batch for the network. With vertices nil its items are the graphs, otherwise these
// vertices, each by itself. Without targets the batch serves [Network.Forward] alone.
//
// Where the features have an index, vertices that start equal paths share rows on a host, as far up as
// layers can tell; that costs a visit of the paths, here and not in the steps.
//
// Prepare may run while the network works on another batch.
func (n *KernelNetwork) Prepare(b *graph.Batch, features Features, t Targets, vertices []int32) (*Batch, error) {
	out := &Batch{Graphs: b, alone: features.Own}
	rows, err := features.rows(n.dtype, b)
	if err != nil {
		return nil, err
	}
	switch d := n.opt.dim(n.parameters.Anchors, 0); {
	case rows.Shape()[1] != d:
		return nil, fmt.Errorf("features of shape %v, the network wants %d columns", rows.Shape(), d)
	case features.Rows == nil && features.Unit:
		return nil, errors.New("unit features are to lie on the engine")
	case features.Classes != nil && len(features.Classes) != n.opt.Layers[0].lengths():
		return nil, fmt.Errorf("classes for %d lengths of paths, the first layer has %d",
			len(features.Classes), n.opt.Layers[0].lengths())
	}
	for _, classes := range features.Classes {
		if len(classes) != b.NumVertices() {
			return nil, fmt.Errorf("classes of %d vertices, the graphs have %d", len(classes), b.NumVertices())
		}
	}
	if err := features.checkSequences(&n.opt.Layers[0]); err != nil {
		return nil, err
	}
	out.input.Rows = rows
	if whole := n.opt.Layers[0].whole(); !features.Unit {
		if err := n.normalize(out, &features, rows.Shape(), whole); err != nil {
			return nil, err
		}
	}
	channels := []block{{rows: rows.Shape()[0], index: features.Index}}
	differentiable := t.Classes != nil || t.Values != nil
	known, need := features.Classes, n.needed(b, vertices)
	for l := range n.opt.Layers {
		if features.Masked {
			need[l] = ascending(b.NumVertices())[:b.NumVertices()]
		}
		out.stages = append(out.stages, n.stage(&n.opt.Layers[l], b, channels, known, need[l]))
		if features.Masked && n.opt.Layers[l].Size > 1 {
			out.stages[l].masks = listPaths(&n.opt.Layers[l], b, nil)
		}
		if s := &out.stages[l]; known != nil && features.Sequences != nil && need[l] == nil && s.roots != nil {
			s.sequences = newSequences(&n.opt.Layers[l], rows.Shape()[0], features.Sequences, s.classes(known))
		}
		channels, known = out.stages[l].out, nil
		if !n.opt.reads(l) {
			continue
		}
		r := newReadout(b, channels, vertices)
		if differentiable && n.opt.GlobalPooling != engine.Max {
			r.transposed = transpose(&r.segments, rowsOf(channels), n.opt.GlobalPooling)
		}
		out.stages[l].readout = r
	}
	out.items = out.stages[len(out.stages)-1].readout.blocks[0].rows
	return out, n.aim(out, t, out.items)
}

// normalize gives a batch the unit rows and the norms of its features, or these as they are.
func (n *Network) normalize(b *Batch, f *Features, shape tensor.Shape, asTheyAre bool) error {
	in := &b.input
	in.Rows = n.engine.Scratch(n.dtype, shape...)
	if b.own = append(b.own, in.Rows); asTheyAre {
		if f.Rows != nil {
			return n.engine.Convert(in.Rows, f.Rows)
		}
		return b.first(n.engine, func() error { return n.engine.Convert(in.Rows, f.Raw) })
	}
	in.Norms = n.engine.Scratch(n.dtype, shape[0])
	b.own = append(b.own, in.Norms)
	if f.Rows != nil {
		return n.engine.NormalizeRows(in.Rows, in.Norms, f.Rows, NormEps)
	}
	return b.first(n.engine, func() error {
		rows := n.engine.Scratch(n.dtype, shape...)
		defer n.engine.Release(rows)
		if err := n.engine.Convert(rows, f.Raw); err != nil {
			return err
		}
		return n.engine.NormalizeRows(in.Rows, in.Norms, rows, NormEps)
	})
}

// aim gives a batch of so many items its targets, if there are any.
func (n *Network) aim(b *Batch, t Targets, items int) error {
	if t.Classes == nil && t.Values == nil {
		return nil
	}
	of, values, err := n.newTargets(t, items)
	if err != nil || values == nil {
		b.targets = of
		return err
	}
	of.values = n.engine.Scratch(n.dtype, values.Shape()...)
	b.targets, b.own = of, append(b.own, of.values)
	return b.first(n.engine, func() error { return n.engine.Convert(of.values, values) })
}

// classes returns the class of the root of every row of the one channel that enters.
func (s *stage) classes(known [][]int32) [][]int32 {
	of := make([][]int32, len(known))
	for i, roots := range s.roots[0] {
		of[i] = make([]int32, len(roots))
		for r, v := range roots {
			of[i][r] = known[i][v]
		}
	}
	return of
}

// stage lays out a layer for the channels that enter it. known are the path classes of the one channel, or
// nil; need are the vertices whose rows must leave the layer, nil for all. Few vertices share few rows, which
// are then not looked for.
func (n *KernelNetwork) stage(layer *Layer, b *graph.Batch, in []block, known [][]int32, need []int32) stage {
	s := stage{graph: b, in: in}
	if layer.Size == 1 {
		s.out = in
		return s
	}
	if layer.whole() {
		s.layWhole(layer, need, n.parameters.Roots == nil)
		return s
	}
	wide := n.engine.Capabilities().Wide
	first := 0
	var at []int32 // of the needed vertices
	if need != nil {
		at = places(need, b.NumVertices())
	}
	for _, c := range in {
		var classes *graph.PathClasses
		switch {
		case need != nil:
			s.roots = append(s.roots, slices.Repeat([][]int32{need}, layer.lengths()))
		case c.index != nil && (!wide || known != nil) && n.shares(layer):
			if known != nil {
				classes = renumber(known)
			} else {
				classes = b.PathClasses(c.index, c.keys, layer.Size, layer.AllLengths, layer.Route == graph.Walks,
					n.engine.Workers())
			}
			s.roots = append(s.roots, classes.Roots)
			if n.parameters.Roots != nil && known == nil {
				s.ranks = append(s.ranks, c.ranks())
			}
		}
		for j := range layer.lengths() {
			next := block{first: first, rows: b.NumVertices()}
			switch {
			case need != nil:
				next.rows, next.index = len(need), at
			case classes != nil:
				next.rows, next.index = len(classes.Roots[j]), classes.Class[j]
				if classes.Keys != nil {
					next.keys = classes.Keys[j]
				}
			}
			s.out = append(s.out, next)
			first += next.rows
		}
	}
	return s
}

// shares reports whether vertices with equal label sequences may share rows behind a layer. Where anchors stay as they
// are, sums over walks follow the order of neighbours, and rows shall have the same bits in every batch.
func (n *KernelNetwork) shares(layer *Layer) bool {
	return layer.Route == graph.Paths || layer.Route == graph.Walks && n.parameters.Roots == nil
}

// checkSequences says what does not fit about the sequences of the first layer.
func (f *Features) checkSequences(layer *Layer) error {
	switch s := f.Sequences; {
	case s == nil:
		return nil
	case f.Classes == nil || !f.Unit:
		return fmt.Errorf("sequences without the classes that they belong to, or for rows with norms")
	case len(s.Size) != layer.lengths() || s.Size[len(s.Size)-1] != layer.Size:
		return fmt.Errorf("sequences for %v vertices, the first layer has paths of up to %d", s.Size, layer.Size)
	}
	for i, classes := range f.Classes {
		for _, c := range classes {
			if c < 0 || int(c) >= len(f.Sequences.Offsets[i])-1 {
				return fmt.Errorf("class %d of paths of %d vertices, there are sequences of %d",
					c, f.Sequences.Size[i], len(f.Sequences.Offsets[i])-1)
			}
		}
	}
	return nil
}

// renumber returns classes with numbers of any size as [graph.Batch.PathClasses] numbers them, by first vertex.
func renumber(known [][]int32) *graph.PathClasses {
	c := &graph.PathClasses{}
	var slots []int32 // open addressing: 1 + number of the class
	for _, ids := range known {
		shift := 64 - bits.Len(uint(2*len(ids)))
		slots = append(slots[:0], make([]int32, 1<<(64-shift))...)
		class, roots := make([]int32, len(ids)), []int32(nil)
		for v, id := range ids {
			at := uint64(id) * 0x9e3779b97f4a7c15 >> shift
			for slots[at] != 0 && ids[roots[slots[at]-1]] != id {
				at = (at + 1) & (1<<(64-shift) - 1)
			}
			if slots[at] == 0 {
				roots = append(roots, int32(v))
				slots[at] = int32(len(roots))
			}
			class[v] = slots[at] - 1
		}
		c.Class, c.Roots = append(c.Class, class), append(c.Roots, roots)
	}
	return c
}

// ascending returns 0 to n.
func ascending(n int) []int32 {
	all := make([]int32, n+1)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
