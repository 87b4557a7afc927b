//go:build gpu

package cuda

import (
	"errors"
	"slices"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// booster keeps the scores of a boosting on the device.
type booster struct {
	*engine.Boosting
	e        *Engine
	memory   *block // what the others lie in
	y        pointer[float64]
	scores   pointer[float64]
	slopes   pointer[float64] // the residuals
	made     bool             // slopes are
	examples pointer[int32]
}

// Boost implements [engine.Engine].
func (e *Engine) Boost(b *engine.Boosting) (engine.Booster, error) {
	if err := engine.CheckBoost(b); err != nil {
		return nil, err
	}
	k := e.begin("Boost")
	var p packed
	y, scores := pack(&p, b.Targets), pack(&p, slices.Repeat(b.Start, len(b.Examples)))
	examples := pack(&p, b.Examples)
	slopes := p.space(8 * len(b.Targets))
	memory := k.keep(nil, &p)
	if err := k.run(func(*stream) error { return nil }); err != nil {
		if memory != nil {
			memory.release()
		}
		return nil, err
	}
	at := memory.address
	return &booster{Boosting: b, e: e, memory: memory, y: on[float64](at, y), scores: on[float64](at, scores),
		slopes: on[float64](at, slopes), examples: on[int32](at, examples)}, nil
}

// Release implements [engine.Booster].
func (b *booster) Release() {
	if b.memory != nil {
		b.memory.release()
		b.memory = nil
	}
}

// begin starts an operation on the scores.
func (b *booster) begin(name string) *op {
	k := b.e.begin(name)
	k.touch(b.memory.retain())
	return k
}

// residuals returns what trees are fitted to.
func (b *booster) residuals() pointer[float64] {
	if b.made {
		return b.slopes
	}
	return b.y
}

// Residuals implements [engine.Booster].
func (b *booster) Residuals() error {
	n := len(b.Examples)
	err := b.begin("Residuals").run(func(s *stream) error {
		if n == 0 {
			return nil
		}
		return s.boostResidualsF64(linear(n, 256), b.slopes, b.y, b.scores, int32(b.Objective), int32(b.Outputs), int32(n))
	})
	b.made = b.made || err == nil
	return err
}

// Plant implements [engine.Booster]. Positions that are those of the tree before are there.
func (b *booster) Plant(g engine.Growth, output int, positions []int32, bins int) (engine.NodeSums, error) {
	tree, ok := g.(*growth)
	if !ok || tree.e != b.e || tree.f.Impurity != engine.Variance {
		return engine.NodeSums{}, errors.New("Plant: want a growth of the same engine that reduces the variance")
	}
	if err := engine.CheckBoosted(b.Boosting, "Plant", output, positions); err != nil {
		return engine.NodeSums{}, err
	}
	k, m := b.begin("Plant"), len(positions)
	if q := &tree.planted; q.count == m && q.boosting == b && slices.Equal(positions, q.positions) {
		k.touch(tree.tree.retain())
	} else {
		var p packed
		places := pack(&p, append([]int32{}, positions...))
		*q = planted{count: -1}
		if at := tree.makeRoom(k, &p, 1, m); k.err == nil {
			q.places = on[int32](at, places)
		}
	}
	root, err := tree.plant(k, m, bins, b, output)
	if err == nil {
		tree.planted.boosting, tree.planted.positions = b, slices.Clone(positions)
	}
	return root, err
}

// of returns the growth if its tree is one of this boosting.
func (b *booster) of(g engine.Growth, name string, output int) (*growth, error) {
	tree, ok := g.(*growth)
	if !ok || tree.planted.count < 0 || tree.planted.boosting != b {
		return nil, errors.New(name + ": no tree is planted on these residuals")
	}
	return tree, engine.CheckBoosted(b.Boosting, name, output, nil)
}

// Add implements [engine.Booster].
func (b *booster) Add(g engine.Growth, output int, leaves []engine.GrownLeaf) error {
	tree, err := b.of(g, "Add", output)
	if err != nil {
		return err
	}
	m := tree.planted.count
	if err := engine.CheckLeaves(leaves, m); err != nil || m == 0 {
		return err
	}
	var fields []int32
	var values []float64
	for _, l := range leaves {
		fields, values = append(fields, int32(l.From), int32(l.Depth)), append(values, l.Value)
	}
	k := b.begin("Add")
	k.touch(tree.tree.retain())
	var p packed
	places := []offset{pack(&p, values), pack(&p, fields)}
	at := upload(k, p.bytes).address
	return k.run(func(s *stream) error {
		return s.addLeavesF64(linear(m, 256), b.scores, tree.planted.places, tree.planted.order, on[int32](at, places[1]),
			on[float64](at, places[0]), int32(len(leaves)), int32(m), int32(b.Outputs), int32(output))
	})
}

// AddOthers implements [engine.Booster].
func (b *booster) AddOthers(g engine.Growth, output int, x *tensor.Dense, t *engine.Trees, values []float64) error {
	tree, err := b.of(g, "AddOthers", output)
	if err == nil {
		err = engine.CheckOthers(b.Boosting, x, t, values)
	}
	n, m := len(b.Examples), 0
	if err == nil {
		m = tree.planted.count
	}
	if err != nil || n == m {
		return err
	}
	k := b.begin("AddOthers")
	k.touch(tree.tree.retain())
	at, descend := k.descent(x, newPaths(t, 0, 1), t.Examples(x))
	of := upload(k, values)
	return k.run(func(s *stream) error {
		if err := descend(s); err != nil {
			return err
		}
		return s.addOthersF64(linear(n, 256), b.scores, tree.planted.places, int32(m), b.examples, at, of, int32(n),
			int32(b.Outputs), int32(output))
	})
}

// Loss implements [engine.Booster].
func (b *booster) Loss(from int) (float64, error) {
	k, loss := b.begin("Loss"), []float64{0}
	at := scratch[float64](k, 1)
	fetch(k, loss, at)
	err := k.run(func(s *stream) error {
		return s.boostLossF64(grid{blocks: dim{x: 1}, threads: dim{x: 256}}, at, b.y, b.scores, int32(b.Objective),
			int32(b.Outputs), int32(min(max(from, 0), len(b.Examples))), int32(len(b.Examples)))
	})
	return loss[0], err
}
