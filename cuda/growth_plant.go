//go:build gpu

package cuda

import (
	"slices"

	"github.com/grove-graph/grove/engine"
)

// planted are the examples of a tree on the device. Its memory has what the host sends, of which values come first, for
// the next tree of a fit may differ in them alone; then what the device makes.
type planted struct {
	count int // of the examples; -1: no tree is planted
	bins  int
	unit  float64

	of        *engine.TreeExamples // whose they are, or else
	boosting  *booster             // whose positions they have
	positions []int32

	values, weights, targets pointer[float64]
	numbers, classes, places pointer[int32] // places are the positions
	order                    pointer[int32] // two of them
	root                     pointer[float64]
}

// The numbers that are known of a node, see kernels/node_sums.cuh.
const (
	commonSums = 3
	valueSums  = 4
)

// sums returns how many numbers are known of a node.
func (g *growth) sums() int {
	if g.f.Impurity == engine.Variance {
		return commonSums + valueSums
	}
	return commonSums + g.f.Number
}

// known returns what numbers say of a node.
func (g *growth) known(x []float64) engine.NodeSums {
	s := engine.NodeSums{Count: int(x[0]), Weight: x[1], Mixed: x[2] != 0}
	if x = x[commonSums:]; g.f.Impurity == engine.Variance {
		s.Centre, s.Impurity, s.Sum, s.Curvature = x[0], x[1], x[2], x[3]
	} else {
		s.Classes = slices.Clone(x)
	}
	return s
}

// Plant implements [engine.Growth]. Of the next tree of a fit only the values may be others.
func (g *growth) Plant(t *engine.TreeExamples) (engine.NodeSums, error) {
	if err := engine.CheckPlant(g.f, t); err != nil {
		return engine.NodeSums{}, err
	}
	k := g.e.begin("Plant")
	var p packed
	last, m := g.planted.of, len(t.Examples)
	values := pack(&p, append([]float64{}, t.Values...))
	if g.planted.count == m && last != nil && slices.Equal(t.Examples, last.Examples) &&
		slices.Equal(t.Weights, last.Weights) && slices.Equal(t.Classes, last.Classes) {
		k.touch(g.tree.retain())
		if !slices.Equal(t.Values, last.Values) {
			k.fill(g.tree, p.bytes)
		}
	} else {
		weights, numbers, classes := pack(&p, t.Weights), pack(&p, t.Examples), pack(&p, t.Classes)
		g.planted = planted{count: -1}
		if at := g.makeRoom(k, &p, 0, m); k.err == nil {
			g.planted.values, g.planted.weights = on[float64](at, values), on[float64](at, weights)
			g.planted.numbers, g.planted.classes = on[int32](at, numbers), on[int32](at, classes)
		}
	}
	if g.f.Impurity == engine.Entropy {
		g.inform(k, t)
	}
	root, err := g.plant(k, m, t.Bins, nil, 0)
	if err == nil {
		g.planted.of = t
	}
	return root, err
}

// makeRoom takes memory for what has been packed and what the device makes of m examples, and so many arrays of numbers
// and examples more before that. It returns where it begins.
func (g *growth) makeRoom(k *op, p *packed, more, m int) (at uint64) {
	aligned := func(bytes int) int { return (bytes + alignment - 1) / alignment * alignment }
	eights, fours := aligned(8*m), aligned(4*m)
	made := p.space((2*more+1)*eights + (more+2)*fours + 8*(1+g.sums()))
	if g.tree = k.keep(g.tree, p); g.tree == nil {
		return 0
	}
	q, at := &g.planted, g.tree.address
	next := at + uint64(made)
	take := func(bytes int) uint64 {
		next += uint64(bytes)
		return next - uint64(bytes)
	}
	if more > 0 {
		q.values, q.weights = pointer[float64]{take(eights)}, pointer[float64]{take(eights)}
		q.numbers = pointer[int32]{take(fours)}
	}
	q.targets, q.root = pointer[float64]{take(eights)}, pointer[float64]{take(8 * (1 + g.sums()))}
	q.order = pointer[int32]{take(2 * fours)}
	return at
}

// plant makes targets and what is known of the root, for a tree of a boosting from the residuals of an output.
func (g *growth) plant(k *op, m, bins int, b *booster, output int) (engine.NodeSums, error) {
	q := &g.planted
	raw := make([]float64, 1+g.sums())
	fetch(k, raw, q.root)
	values, residuals, examples, outputs := q.values, pointer[float64]{}, pointer[int32]{}, 0
	if g.f.Impurity != engine.Variance {
		values = pointer[float64]{}
	}
	if b != nil {
		residuals, examples, outputs = b.residuals(), b.examples, b.Outputs
	}
	err := k.run(func(s *stream) error {
		return s.plantTreeF64(grid{blocks: dim{x: 1}, threads: dim{x: 256}}, q.root, q.targets, values, q.weights,
			q.numbers, q.classes, int32(g.f.Number), q.places, residuals, examples, int32(outputs), int32(output), int32(m))
	})
	if err != nil {
		return engine.NodeSums{}, err
	}
	of := engine.TreeTargets{Shift: raw[0]}
	q.count, q.bins, q.unit = m, bins, of.Unit()
	if g.f.Impurity == engine.Variance && q.unit == 0 {
		q.bins = 0
	}
	return g.known(raw[1:]), nil
}
