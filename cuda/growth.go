//go:build gpu

package cuda

import "github.com/grove-graph/grove/engine"

// growth grows trees on the device. What stays there for the fit, for a tree, and for its subsets has blocks of its
// own; a search sends one list and fetches one.
type growth struct {
	e *Engine
	f *engine.TreeFeatures

	constants   *block // of the fit: what the next five lie in
	offsets     pointer[int32]
	kinds       pointer[int32]
	streams     pointer[int64] // of draws, by kind
	blocks      []blockConstants
	stamps      pointer[int32]
	stamp       int32 // of the last search
	tree        *block
	planted     planted
	information *block // x log2 x
	entries     int    // of information
	sides       *block
	rows        int // of sides that there is memory for
}

// blockConstants are those of a block of features.
type blockConstants struct {
	numbers pointer[int32]
	shifts  pointer[float64]
	streams pointer[int64] // of draws
}

// Grow implements [engine.Engine].
func (e *Engine) Grow(f *engine.TreeFeatures) (engine.Growth, error) {
	if err := engine.CheckGrow(f); err != nil {
		return nil, err
	}
	g := &growth{e: e, f: f, planted: planted{count: -1}}
	var p packed
	aggregations := make([]int32, len(f.Aggregations))
	for i, a := range f.Aggregations {
		aggregations[i] = int32(a)
	}
	offsets, kinds := pack(&p, f.Offsets), pack(&p, aggregations)
	places := make([][3]offset, len(f.Blocks))
	for i, b := range f.Blocks {
		places[i] = [3]offset{pack(&p, b.Features), pack(&p, b.Shifts), -1}
		if f.Draws != nil {
			places[i][2] = pack(&p, signed(b.Features, func(k int32) uint64 { return f.Draws.Features[k] }))
		}
	}
	streams := offset(-1)
	if f.Draws != nil {
		streams = pack(&p, signed(f.Draws.Aggregations, func(stream uint64) uint64 { return stream }))
	}
	stamps := offset(-1)
	if f.Offsets != nil {
		stamps = p.space(4 * f.Vertices())
	}
	k := e.begin("Grow")
	if g.constants = k.keep(nil, &p); g.constants != nil && p.beyond > 0 {
		k.clears = append(k.clears, clearing{g.constants.address + uint64(stamps), p.beyond})
	}
	if err := k.run(func(*stream) error { return nil }); err != nil {
		g.Release()
		return nil, err
	}
	at := g.constants.address
	g.offsets, g.kinds, g.stamps = on[int32](at, offsets), on[int32](at, kinds), on[int32](at, stamps)
	for _, b := range places {
		g.blocks = append(g.blocks, blockConstants{on[int32](at, b[0]), on[float64](at, b[1]), on[int64](at, b[2])})
	}
	g.streams = on[int64](at, streams)
	return g, nil
}

// signed returns the bits of numbers for the elements of a list.
func signed[T any](list []T, of func(T) uint64) []int64 {
	out := make([]int64, len(list))
	for i, x := range list {
		out[i] = int64(of(x))
	}
	return out
}

// Release implements [engine.Growth].
func (g *growth) Release() {
	for _, b := range []**block{&g.constants, &g.tree, &g.information, &g.sides} {
		if *b != nil {
			(*b).release()
		}
		*b = nil
	}
}

// inform makes the table of x log2 x as long as the weight of a tree.
func (g *growth) inform(k *op, t *engine.TreeExamples) {
	s := engine.SplitSearch{Nodes: []int32{0, int32(len(t.Examples))}, Weights: t.Weights, Impurity: engine.Entropy}
	if table := s.Information(); len(table) > g.entries {
		var p packed
		pack(&p, table)
		g.information, g.entries = k.keep(g.information, &p), len(table)
	}
}

// keep takes memory that outlasts the operation, with some content, in place of an older block.
func (k *op) keep(old *block, p *packed) *block {
	if old != nil {
		old.release()
	}
	if k.err != nil {
		return nil
	}
	b, err := k.e.take(max(len(p.bytes)+p.beyond, 1))
	if err != nil {
		k.fail(err)
		return nil
	}
	k.touch(b.retain())
	if len(p.bytes) > 0 {
		k.fill(b, p.bytes)
	}
	return b
}

// fill writes the beginning of a block before the operation.
func (k *op) fill(b *block, data []byte) {
	if err := k.e.fill(b, 0, len(data), func(dst []byte, from int) { copy(dst, data[from:]) }); err != nil {
		k.fail(err)
	}
	k.filled = max(k.filled, b.filled.Load())
}

// packed are arrays that go to the device together.
type packed struct {
	bytes  []byte
	beyond int // bytes of space after them
}

// offset is where an array begins; a negative one is the null pointer.
type offset int

// alignment is that of arrays in bytes.
const alignment = 16

// pack appends an array; a nil one has no place.
func pack[T element](p *packed, s []T) offset {
	if s == nil {
		return -1
	}
	at := (len(p.bytes) + alignment - 1) / alignment * alignment
	p.bytes = append(append(p.bytes, make([]byte, at-len(p.bytes))...), bytesOf(s)...)
	return offset(at)
}

// space leaves so many bytes after all arrays.
func (p *packed) space(bytes int) offset {
	p.bytes = append(p.bytes, make([]byte, (alignment-len(p.bytes)%alignment)%alignment)...)
	p.beyond = bytes
	return offset(len(p.bytes))
}

// on returns the address of an array whose neighbours begin at a base.
func on[T element](base uint64, at offset) pointer[T] {
	if at < 0 {
		return pointer[T]{}
	}
	return pointer[T]{base + uint64(at)}
}

// unpack returns the splits that a search has fetched: four numbers for each node, then what is known of the children.
func (g *growth) unpack(raw []float64, nodes int) []engine.FoundSplit {
	found := make([]engine.FoundSplit, nodes)
	each := g.sums()
	for i := range found {
		found[i] = engine.NewFoundSplit([4]float64(raw[4*i:]), g.f.Kinds(), g.f.Features())
		if found[i].Gain > 0 {
			at := 4*nodes + 2*i*each
			found[i].Below, found[i].Above = g.known(raw[at:at+each]), g.known(raw[at+each:at+2*each])
		}
	}
	return found
}
