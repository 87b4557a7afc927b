package main

import (
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/internal/planted"
	"github.com/grove-graph/grove/treeg"
	"gorgonia.org/tensor"
)

func (c *counting) boostMUTAG() (counted, error) {
	s, err := c.inputs.named("MUTAG", "molecules", dataset.SynthOptions{Graphs: 188, Vertices: 18})
	if err != nil {
		return counted{}, err
	}
	opt := paperOptions()
	shape := fmt.Sprintf("%s: %d graphs, %d vertices; %d rounds of boosting", s.from, s.batch.NumGraphs(),
		s.batch.NumVertices(), opt.Estimators)
	return c.boost(shape, opt.Estimators, func(e engine.Engine) error {
		_, err := treeg.Fit(c.ctx, e, s.batch, treeg.Targets{Classes: s.classes}, opt, nil)
		return err
	})
}

// plantedCounted is the number of vertices of the planted task that is counted: searches ask for as many launches and
// copies on the full one, and for bytes in proportion to its vertices.
const plantedCounted = 2000

func (c *counting) boostPlanted() (counted, error) {
	p, err := planted.New(plantedCounted, 7*plantedCounted, 128)
	if err != nil {
		return counted{}, err
	}
	opt := planted.Options(2)
	return c.boost(p.String()+"; 2 trees of depth 6", 2, func(e engine.Engine) error {
		_, err := treeg.Fit(c.ctx, e, p.Batch, p.Targets, opt, nil)
		return err
	})
}

// boost counts a boosting by its searches.
func (c *counting) boost(shape string, rounds int, fit func(e engine.Engine) error) (counted, error) {
	e := &searchCounter{Engine: c.engine}
	found, err := c.during(func() error { return fit(e) })
	if err != nil {
		return counted{}, err
	}
	n, each := float64(e.searches), float64(rounds)
	return counted{
		Per: "search", Pieces: n, Shape: shape, counts: found.since(counts{}, n),
		Round: &perRound{n / each, found.Uploads / each, found.Waits / each},
	}, nil
}

// searchCounter counts the searches that trees ask an engine for.
type searchCounter struct {
	engine.Engine
	searches int
}

// Grow is that of the engine.
func (e *searchCounter) Grow(f *engine.TreeFeatures) (engine.Growth, error) {
	tree, err := e.Engine.Grow(f)
	return countedGrowth{tree, e}, err
}

// Record is that of the engine.
func (e *searchCounter) Record(f func() error) error { return engine.Record(e.Engine, f) }

// Boost is that of the engine.
func (e *searchCounter) Boost(b *engine.Boosting) (engine.Booster, error) {
	booster, err := e.Engine.Boost(b)
	return countedBooster{booster}, err
}

// countedBooster shows a booster the growths of its engine.
type countedBooster struct{ engine.Booster }

// Plant is that of the booster.
func (b countedBooster) Plant(g engine.Growth, k int, positions []int32, bins int) (engine.NodeSums, error) {
	return b.Booster.Plant(g.(countedGrowth).Growth, k, positions, bins)
}

// Add is that of the booster.
func (b countedBooster) Add(g engine.Growth, k int, leaves []engine.GrownLeaf) error {
	return b.Booster.Add(g.(countedGrowth).Growth, k, leaves)
}

// AddOthers is that of the booster.
func (b countedBooster) AddOthers(
	g engine.Growth, k int, x *tensor.Dense, t *engine.Trees, values []float64,
) error {
	return b.Booster.AddOthers(g.(countedGrowth).Growth, k, x, t, values)
}

type countedGrowth struct {
	engine.Growth
	of *searchCounter
}

// Split is that of the growth.
func (g countedGrowth) Split(l *engine.Level) ([]engine.FoundSplit, error) {
	g.of.searches++
	return g.Growth.Split(l)
}
