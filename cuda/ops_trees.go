//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// The constants of the kernels of trees that the host computes with too.
const (
	treeFields   = 13
	treeNumbers  = 3
	matrixArrays = 3
)

// Descend implements [engine.Engine]: all trees at once, or as many as memory allows.
func (e *Engine) Descend(leaves []int32, x *tensor.Dense, t *engine.Trees) error {
	if err := engine.CheckDescend(leaves, x, t); err != nil {
		return err
	}
	n := x.Shape()[1]
	for from := 0; from < len(t.Roots); {
		p := newPaths(t, from, len(t.Roots))
		for p.bytes(n) > growthBytes && p.last > from+1 {
			p = newPaths(t, from, (from+p.last+1)/2)
		}
		examples := len(leaves) / len(t.Roots)
		if err := e.descend(leaves[from*examples:p.last*examples], x, p); err != nil {
			return err
		}
		from = p.last
	}
	return nil
}

// paths are some trees as the kernels walk them, all nodes of a depth at once.
type paths struct {
	*engine.Trees
	first, last int       // of the trees
	base        int32     // number of the first node
	levels      [][]int32 // the nodes with children by depth, from base on
	steps       []int     // of walks, by depth
	slots, rows int       // that have vectors at a time, and that keep subsets
	fields      []int32
	numbers     []float64
	roots       []int32
}

func newPaths(t *engine.Trees, first, last int) *paths {
	p := &paths{Trees: t, first: first, last: last, base: t.Roots[first]}
	end := int32(len(t.Nodes))
	if last < len(t.Roots) {
		end = t.Roots[last]
	}
	count, tree := int(end-p.base), first-1
	depth, of := make([]int, count), make([]int, count)
	for i := range count {
		if tree+1 < last && t.Roots[tree+1] == p.base+int32(i) {
			tree++
			p.roots = append(p.roots, int32(i))
		}
		of[i] = tree - first
		n := &t.Nodes[int(p.base)+i]
		if n.Leaf() {
			continue
		}
		depth[n.Below-p.base], depth[n.Above-p.base] = depth[i]+1, depth[i]+1
		for len(p.levels) <= depth[i] {
			p.levels, p.steps = append(p.levels, nil), append(p.steps, 0)
		}
		p.levels[depth[i]] = append(p.levels[depth[i]], int32(i))
		p.steps[depth[i]] = max(p.steps[depth[i]], n.Steps)
	}
	p.arrange(depth, of)
	return p
}

// arrange gives nodes slots and rows, see the kernels, and lists what these read.
func (p *paths) arrange(depth, tree []int) {
	trees := p.last - p.first
	row, slot := make([]int32, len(depth)), make([]int32, len(depth))
	p.slots, p.rows = trees, trees*len(p.levels)
	if p.Offsets == nil {
		p.slots, p.rows = 0, 0
	}
	for d, nodes := range p.levels {
		for i, at := range nodes {
			row[at], slot[at] = int32(d*trees+tree[at]), int32(tree[at])
			if p.Offsets == nil {
				row[at], slot[at] = int32(p.rows), int32(i)
				p.rows++
			}
		}
		if p.Offsets == nil {
			p.slots = max(p.slots, len(nodes))
		}
	}
	for i := range depth {
		n := &p.Nodes[int(p.base)+i]
		if n.Leaf() {
			p.fields, p.numbers = append(p.fields, make([]int32, treeFields)...), append(p.numbers, 0, 0, 0)
			continue
		}
		subset, shift := int32(-1), 0.0
		if n.Subset >= 0 {
			subset = 2*row[n.Subset/2-p.base] + n.Subset%2
		}
		if p.Shifts != nil {
			shift = p.Shifts[n.Vector]
		}
		p.fields = append(p.fields, n.Vector, subset, n.Factor, int32(n.Over), int32(n.Aggregation), int32(n.Steps),
			int32(n.Matrix), number(n.All), number(n.MissingAbove), row[i], slot[i], n.Below-p.base, n.Above-p.base)
		p.numbers = append(p.numbers, n.Threshold, n.Empty, shift)
	}
}

// mostSteps returns the longest walks of all depths.
func (p *paths) mostSteps() (most int) {
	for _, steps := range p.steps {
		most = max(most, steps)
	}
	return most
}

// bytes returns the memory that the paths take.
func (p *paths) bytes(n int) int { return n * (8*p.slots*p.mostSteps() + p.rows) }

// descend sends all examples through some trees.
func (e *Engine) descend(leaves []int32, x *tensor.Dense, p *paths) error {
	k := e.begin("Descend")
	at, enqueue := k.descent(x, p, len(leaves))
	fetch(k, leaves, at)
	err := k.run(enqueue)
	for i := range leaves {
		leaves[i] += p.base
	}
	return err
}

// descent prepares the way of all examples through some trees, and returns where their so many leaves are to be,
// counted from the first node, and what enqueues the kernels.
func (k *op) descent(x *tensor.Dense, p *paths, leaves int) (at pointer[int32], enqueue func(s *stream) error) {
	features, n, trees := x.Shape()[0], x.Shape()[1], p.last-p.first
	from, factors := of[float64](k, x), of[float64](k, p.Factors)
	var matrices []int64
	for _, a := range p.Matrices {
		m := sparse[float64](k, a)
		matrices = append(matrices, int64(m.rowPtr.address), int64(m.col.address), int64(m.values.address))
	}
	var all packed
	places := []offset{pack(&all, p.fields), pack(&all, p.numbers), pack(&all, p.roots), pack(&all, matrices),
		pack(&all, p.Offsets), pack(&all, graphsOf(p.Offsets, n))}
	levels := make([]offset, len(p.levels))
	for d, nodes := range p.levels {
		levels[d] = -1
		if p.Offsets == nil {
			levels[d] = pack(&all, nodes)
		}
	}
	base := upload(k, all.bytes).address
	walked, sides := scratch[float64](k, n*p.slots*p.mostSteps()), scratch[uint8](k, n*p.rows)
	at = scratch[int32](k, leaves)
	fields, numbers := on[int32](base, places[0]), on[float64](base, places[1])
	offsets, graphOf := on[int32](base, places[4]), on[int32](base, places[5])
	return at, func(s *stream) error {
		if leaves == 0 {
			return nil
		}
		roots := on[int32](base, places[2])
		for d := range max(len(p.levels), 1) {
			slots, nodes, steps := trees, pointer[int32]{}, 0
			if d < len(p.levels) {
				nodes, steps = on[int32](base, levels[d]), p.steps[d]
				if p.Offsets == nil {
					slots = len(p.levels[d])
				}
			} else if p.Offsets == nil {
				slots = 0
			}
			for step := 1; step <= steps; step++ {
				if err := s.treeWalksF64(linear(slots*n, 256), walked, from, fields, numbers, nodes, roots, at, graphOf,
					on[int64](base, places[3]), sides, int32(step), int32(n), int32(len(p.Offsets)-1), int32(slots)); err != nil {
					return err
				}
			}
			if p.Offsets != nil {
				if err := s.descendGraphsF64(linear(leaves, 256), at, sides, from, walked, fields, numbers, roots, offsets,
					factors, int32(features), int32(n), int32(len(p.Offsets)-1), int32(trees)); err != nil {
					return err
				}
			} else {
				if err := s.cutVerticesF64(linear(slots*n, 256), sides, from, walked, fields, numbers, nodes, factors,
					int32(features), int32(n), int32(slots)); err != nil {
					return err
				}
				if err := s.descendVerticesF64(linear(leaves, 256), at, sides, from, walked, fields, numbers, roots,
					factors, int32(features), int32(n), int32(slots), int32(trees)); err != nil {
					return err
				}
			}
			roots = pointer[int32]{}
		}
		return nil
	}
}

// graphsOf returns the graph of each of n vertices, nil where examples are vertices.
func graphsOf(offsets []int32, n int) []int32 {
	if offsets == nil {
		return nil
	}
	list := make([]int32, n)
	for g := range len(offsets) - 1 {
		for v := offsets[g]; v < offsets[g+1]; v++ {
			list[v] = int32(g)
		}
	}
	return list
}
