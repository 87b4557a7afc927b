package engine

import (
	"errors"
	"slices"
	"sync"

	"gorgonia.org/tensor"
)

// Boost implements [Engine].
func (e *CPU) Boost(b *Boosting) (Booster, error) { return newHostBooster(e, b) }

// Boost implements [Engine].
func (e Reference) Boost(b *Boosting) (Booster, error) { return newHostBooster(e, b) }

// hostBooster keeps scores in host memory.
type hostBooster struct {
	*Boosting
	e                 Engine
	scores, residuals []float64
	mu                sync.Mutex
	planted           map[Growth][]int32 // positions
}

func newHostBooster(e Engine, b *Boosting) (Booster, error) {
	if err := CheckBoost(b); err != nil {
		return nil, err
	}
	return &hostBooster{Boosting: b, e: e, scores: slices.Repeat(b.Start, len(b.Examples)),
		residuals: slices.Clone(b.Targets), planted: map[Growth][]int32{}}, nil
}

// Release implements [Booster].
func (b *hostBooster) Release() {}

// Residuals implements [Booster].
func (b *hostBooster) Residuals() error {
	for i := range b.residuals {
		first := i / b.Outputs * b.Outputs
		b.residuals[i] = b.Objective.Residual(b.Targets[i], b.scores[first:first+b.Outputs], i-first)
	}
	return nil
}

// Plant implements [Booster].
func (b *hostBooster) Plant(g Growth, k int, positions []int32, bins int) (NodeSums, error) {
	if err := CheckBoosted(b.Boosting, "Plant", k, positions); err != nil {
		return NodeSums{}, err
	}
	t := &TreeExamples{Bins: bins}
	for _, p := range positions {
		t.Examples, t.Weights = append(t.Examples, b.Examples[p]), append(t.Weights, 1)
		t.Values = append(t.Values, b.residuals[int(p)*b.Outputs+k])
	}
	b.mu.Lock()
	b.planted[g] = positions
	b.mu.Unlock()
	return g.Plant(t)
}

// of returns the positions with which a growth was planted.
func (b *hostBooster) of(g Growth) ([]int32, *hostGrowth, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	positions, planted := b.planted[g]
	tree, ok := g.(*hostGrowth)
	if !planted || !ok {
		return nil, nil, errors.New("Add: no tree is planted on these residuals")
	}
	return positions, tree, nil
}

// Add implements [Booster].
func (b *hostBooster) Add(g Growth, k int, leaves []GrownLeaf) error {
	positions, tree, err := b.of(g)
	if err == nil {
		err = CheckBoosted(b.Boosting, "Add", k, nil)
	}
	if err == nil {
		err = CheckLeaves(leaves, len(positions))
	}
	if err != nil {
		return err
	}
	for i, leaf := range leaves {
		end := len(positions)
		if i+1 < len(leaves) {
			end = leaves[i+1].From
		}
		for _, at := range tree.order[leaf.Depth%2][leaf.From:end] {
			b.scores[int(positions[at])*b.Outputs+k] += leaf.Value
		}
	}
	return nil
}

// AddOthers implements [Booster].
func (b *hostBooster) AddOthers(g Growth, k int, x *tensor.Dense, t *Trees, values []float64) error {
	positions, _, err := b.of(g)
	if err == nil {
		err = CheckBoosted(b.Boosting, "AddOthers", k, nil)
	}
	if err == nil {
		err = CheckOthers(b.Boosting, x, t, values)
	}
	if err != nil {
		return err
	}
	leaves := make([]int32, t.Examples(x))
	if err := b.e.Descend(leaves, x, t); err != nil {
		return err
	}
	for i, example := range b.Examples {
		if _, planted := slices.BinarySearch(positions, int32(i)); !planted {
			b.scores[i*b.Outputs+k] += values[leaves[example]]
		}
	}
	return nil
}

// Loss implements [Booster].
func (b *hostBooster) Loss(from int) (float64, error) {
	at := min(max(from, 0), len(b.Examples)) * b.Outputs
	return b.Objective.Mean(b.Targets[at:], b.scores[at:], b.Outputs), nil
}
