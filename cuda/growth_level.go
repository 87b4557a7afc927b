//go:build gpu

package cuda

import (
	"slices"

	"github.com/grove-graph/grove/engine"
)

// level is a search that is put together.
type level struct {
	*growth
	*engine.Level
	nodes, fields pointer[int32]
	centres       pointer[float64]
	words         pointer[int32] // where the bits of each node begin
	seeds         pointer[int64] // of draws
	masks         []pointer[uint8]
	base          uint64 // of what the passes have packed
	most          int    // examples of a node
	all           int    // examples

	examples         pointer[int32]
	weights, targets pointer[float64]
	classes          pointer[int32]
	columns, walked  pointer[float64]
	hollow           pointer[uint8] // of draws
	best             pointer[float64]
	bits, chosen     pointer[int32]
	matrices         []deviceSparse[float64]
	vectors          []pointer[float64]
	factors          pointer[float64]
	sides, before    pointer[uint8] // now, and of which so many bytes are to be moved there
	bytes            int
}

// Split implements [engine.Growth].
func (g *growth) Split(l *engine.Level) ([]engine.FoundSplit, error) {
	if err := engine.CheckLevel(g.f, g.planted.count, l); err != nil {
		return nil, err
	}
	if len(l.Nodes) == 0 {
		return nil, nil
	}
	k := g.e.begin("Split")
	passes := g.passes(l)
	var p packed
	v := &level{growth: g, Level: l}
	places, words := v.describe(&p)
	masks := make([]offset, len(g.f.Blocks))
	seeds := offset(-1)
	if g.f.Draws != nil {
		seeds = pack(&p, signed(l.Nodes, func(n engine.LevelNode) uint64 { return n.Seed }))
	}
	for i := range masks {
		masks[i] = pack(&p, v.maskOf(i))
	}
	for _, s := range passes {
		g.describe(&p, l, s)
	}
	v.base = upload(k, p.bytes).address
	v.nodes, v.fields = on[int32](v.base, places[0]), on[int32](v.base, places[1])
	v.centres, v.words = on[float64](v.base, places[2]), on[int32](v.base, places[3])
	v.seeds = on[int64](v.base, seeds)
	for _, at := range masks {
		v.masks = append(v.masks, on[uint8](v.base, at))
	}
	v.memory(k, passes, words)
	launches := v.splits(k, passes)
	raw := make([]float64, (4+2*g.sums())*len(l.Nodes))
	fetch(k, raw, v.best)
	g.stamp++
	enqueue := func(s *stream) error {
		if err := copyTo(s, v.sides, v.before, v.bytes); err != nil {
			return err
		}
		if err := v.gather(s); err != nil {
			return err
		}
		for i, of := range passes {
			if err := v.pass(s, of, launches[i], i == 0); err != nil {
				return err
			}
		}
		return nil
	}
	// Levels have equal sequences of kernels, which come again and again.
	if err := g.e.Record(func() error { return k.run(enqueue) }); err != nil {
		return nil, err
	}
	return g.unpack(raw, len(l.Nodes)), nil
}

// describe packs what all passes read of the nodes. It returns where it lies, and the number of words of bits.
func (v *level) describe(p *packed) (places [4]offset, size int) {
	nodes, words, fields, centres := []int32{0}, []int32{}, []int32{}, []float64{}
	for _, n := range v.Nodes {
		words = append(words, int32(size))
		m := n.To - n.From
		size += (m + 31) / 32
		v.most, v.all = max(v.most, m), v.all+m
		nodes, centres = append(nodes, int32(v.all)), append(centres, n.Centre)
		fields = append(fields, int32(n.From), int32(n.Depth), int32(n.Row))
	}
	return [4]offset{pack(p, nodes), pack(p, fields), pack(p, centres), pack(p, words)}, size
}

// maskOf returns the masks for the features of a block, nil without masks.
func (v *level) maskOf(block int) (out []uint8) {
	for _, mask := range v.Masks {
		for _, k := range v.f.Blocks[block].Features {
			allowed := uint8(0)
			if mask[k] {
				allowed = 1
			}
			out = append(out, allowed)
		}
	}
	return out
}

// memory takes what the passes write, and finds what they read.
func (v *level) memory(k *op, passes []*pass, words int) {
	v.examples, v.weights = scratch[int32](k, v.all), scratch[float64](k, v.all)
	if v.f.Impurity == engine.Variance {
		v.targets = scratch[float64](k, v.all)
	} else {
		v.classes = scratch[int32](k, v.all)
	}
	columns, hollow, walked, rows := 0, 0, 0, v.growth.rows
	for _, s := range passes {
		of := v.f.Blocks[s.block].Vectors.Shape()
		columns = max(columns, s.columns)
		hollow = max(hollow, s.columns/max(v.f.Kinds()*of[2], 1))
		walked = max(walked, 2*len(s.rows)*s.steps*len(v.f.Matrices)*of[1]*of[2])
	}
	if v.f.Draws != nil && v.f.Offsets != nil {
		v.hollow = scratch[uint8](k, hollow)
	}
	v.columns, v.walked = scratch[float64](k, columns), scratch[float64](k, walked)
	v.best, v.bits = scratch[float64](k, (4+2*v.sums())*len(v.Nodes)), scratch[int32](k, words)
	v.chosen = scratch[int32](k, len(v.Nodes))
	for _, a := range v.f.Matrices {
		v.matrices = append(v.matrices, sparse[float64](k, a))
	}
	for i := range v.f.Blocks {
		v.vectors = append(v.vectors, of[float64](k, v.f.Blocks[i].Vectors))
	}
	v.factors = of[float64](k, v.f.Factors)
	for _, n := range v.Nodes {
		rows = max(rows, n.Row+1)
	}
	v.extend(k, rows)
	for _, b := range []*block{v.constants, v.tree, v.information, v.growth.sides} {
		if b != nil && k.err == nil {
			k.touch(b.retain())
		}
	}
	if v.growth.sides != nil {
		v.sides = pointer[uint8]{v.growth.sides.address}
	}
}

// extend makes memory for so many rows of sides, twice as many as it had at least.
func (v *level) extend(k *op, rows int) {
	if rows <= v.growth.rows || k.err != nil {
		return
	}
	rows = max(rows, 2*v.growth.rows)
	b, err := v.e.take(max(rows*v.f.Vertices(), 1))
	if err != nil {
		k.fail(err)
		return
	}
	if old := v.growth.sides; old != nil {
		k.touch(old) // until its content is moved
		v.before, v.bytes = pointer[uint8]{old.address}, v.growth.rows*v.f.Vertices()
	}
	v.growth.sides, v.growth.rows = b, rows
}

// splits returns the searches of the passes.
func (v *level) splits(k *op, passes []*pass) (list []*splitLaunch) {
	information := pointer[float64]{}
	if v.information != nil {
		information = pointer[float64]{v.information.address}
	}
	var widest *splitLaunch
	columns := 0
	for _, s := range passes {
		q := len(v.f.Blocks[s.block].Features)
		l := &splitLaunch{
			splitKernels: v.e.splitKernels(), columns: v.columns, q: q, mask: v.masks[s.block], weights: v.weights,
			targets: v.targets, classes: v.classes, information: information, impurity: v.f.Impurity,
			width: max(v.f.Number, 1), bins: v.planted.bins, minLeaf: v.f.MinLeaf, unit: v.planted.unit,
			ofGraphs: v.f.Offsets != nil,
			searches: searches{
				fields: on[int32](v.base, s.fields), empties: on[float64](v.base, s.empties),
				places: on[int64](v.base, s.places), nodes: v.nodes, count: len(s.searches), perSearch: v.f.Kinds() * q,
				longest: s.longest,
			},
		}
		if v.f.Draws != nil {
			l.draws = &draws{v.hollow, v.seeds, on[int64](v.base, s.streams), v.streams, v.blocks[s.block].streams}
		}
		k.limit(&l.searches)
		list, columns = append(list, l), max(columns, l.count*l.perSearch)
		if widest == nil || s.longest > widest.longest {
			widest = l
		}
	}
	if widest == nil {
		return nil
	}
	// All passes share the memory that the largest one needs.
	widest.space(k, columns)
	for _, l := range list {
		l.share(widest)
	}
	return list
}

// gather writes the examples of all nodes where the passes read them.
func (v *level) gather(s *stream) error {
	if v.all == 0 {
		return nil
	}
	stamps := v.stamps
	if rows, _ := v.Walked(); len(rows) == 0 {
		stamps = pointer[int32]{}
	}
	t, targets := &v.planted, pointer[float64]{}
	if v.f.Impurity == engine.Variance {
		targets = t.targets
	}
	return s.levelExamplesF64(linear(v.all, 256), v.weights, v.targets, v.classes, v.examples, stamps, t.order, v.fields,
		v.centres, v.nodes, int32(len(v.Nodes)), t.numbers, t.weights, targets, t.classes, v.offsets, v.stamp,
		int32(t.count))
}

// pass enqueues a pass.
func (v *level) pass(s *stream, of *pass, l *splitLaunch, first bool) error {
	if of.walks {
		if err := v.walk(s, of); err != nil {
			return err
		}
	}
	x, b := v.vectors[of.block], &v.blocks[of.block]
	shape := v.f.Blocks[of.block].Vectors.Shape()
	shared, n, q, count := int32(shape[0]), int32(shape[1]), int32(l.q), int32(len(v.Nodes))
	perSearch := int32(l.perSearch)
	if l.longest*l.perSearch > 0 {
		if err := s.dynamicFeaturesF64(featureGrid(l.longest, l.q, l.count), v.columns, v.hollow, x, v.walked, shared,
			l.fields, l.empties, l.places, v.examples, v.nodes, v.offsets, v.sides, v.factors, b.shifts, v.kinds,
			int32(v.f.Kinds()), n, q, int32(l.count)); err != nil {
			return err
		}
	}
	s.engine.counter.next.Values = int64(of.columns)
	if err := l.launch(s); err != nil {
		return err
	}
	number := int32(0)
	if first {
		number = 1
	}
	t, values := &v.planted, pointer[float64]{}
	if v.f.Impurity == engine.Variance {
		values = t.values
	}
	if err := s.chooseSplitsF64(grid{blocks: dim{x: min(len(v.Nodes), maxBlocks)}, threads: dim{x: 256}}, v.best,
		v.best.at(4*len(v.Nodes)), v.chosen, v.bits, t.order, l.found, v.columns, on[int32](v.base, of.first),
		on[int32](v.base, of.ranks), l.places, b.numbers, v.nodes, v.fields, v.words, t.weights, values, t.targets, t.root,
		t.classes, int32(v.f.Number), int32(v.f.Features()), int32(t.count), perSearch, q, count, number); err != nil {
		return err
	}
	if !slices.ContainsFunc(v.Nodes, func(n engine.LevelNode) bool { return n.Row >= 0 }) {
		return nil
	}
	g := linear(int(n), 256)
	if v.f.Offsets != nil {
		g = linear(32*v.most, 256)
	}
	g.blocks.y = min(len(v.Nodes), 1<<15)
	return s.cutSubsetsF64(g, v.sides, v.best, v.chosen, x, v.walked, shared, l.fields, l.empties, v.examples, v.nodes,
		v.fields, v.offsets, v.factors, b.shifts, v.kinds, perSearch, n, q, count)
}

// walk enqueues the walks from subsets of a pass, all steps along one matrix before the next matrix.
func (v *level) walk(s *stream, of *pass) error {
	shape := v.f.Blocks[of.block].Vectors.Shape()
	n, q, vectors := shape[1], shape[2], 2*len(of.rows)
	if n*q == 0 {
		return nil
	}
	to := v.walked
	for _, m := range v.matrices {
		from, sides, which, items := v.vectors[of.block], v.sides, on[int32](v.base, of.which), vectors/2
		own := int32(0)
		for range of.steps {
			operations[float64](s, 2, m.entries, q, vectors)
			if err := s.subsetWalksF64(linear(items*n*q, 256), to, from, m.rowPtr, m.col, m.values, sides, which,
				pointer[int32]{}, v.blocks[of.block].shifts, v.stamps, v.stamp, int32(n), int32(q), int32(vectors), int32(n),
				own); err != nil {
				return err
			}
			from, to, own = to, to.at(vectors*n*q), 1
			sides, which, items = pointer[uint8]{}, pointer[int32]{}, vectors
		}
	}
	return nil
}
