package treeg

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// stored is the description of a model in a model file. It is complete: trees are small.
type stored struct {
	Options Options   `json:"options"`
	Input   Input     `json:"input"`
	Loss    Loss      `json:"loss"`
	Classes int       `json:"classes"`
	Start   []float64 `json:"start"`
	First   []*Tree   `json:"first,omitempty"`
	Trees   [][]*Tree `json:"trees"`
}

// MarshalJSON describes the model with all its trees.
func (m *Model) MarshalJSON() ([]byte, error) {
	return json.Marshal(stored{m.opt, m.input, m.loss, m.number, m.start, m.first, m.trees})
}

// Load makes a model from its description. It predicts the same bits as the one that was stored.
func Load(e engine.Engine, description json.RawMessage) (*Model, error) {
	var s stored
	if err := modelfile.Unmarshal(description, &s); err != nil {
		return nil, fmt.Errorf("damaged model file: %w", err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("damaged model file: %w", err)
	}
	return &Model{
		engine: e, opt: s.Options, input: s.Input, loss: s.Loss, number: s.Classes,
		start: s.Start, first: s.First, trees: s.Trees,
	}, nil
}

// maxStoredClasses bounds what a file may ask to be allocated for one example.
const maxStoredClasses = 1 << 20

// check reports what cannot be the description of a model.
func (s *stored) check() error {
	if err := s.Options.Check(); err != nil {
		return err
	}
	if err := checkInput(&s.Input, s.Options.Level); err != nil {
		return err
	}
	boosting := s.Options.Ensemble == Boosting
	outputs, row, rounds := max(s.Classes, 1), 1, s.Options.Estimators
	if boosting {
		if s.Loss == Squared || s.Loss == Logistic {
			outputs = 1
		}
		row = outputs
	}
	if s.Options.Ensemble == Single {
		rounds = 1
	}
	suits := s.Loss == Squared && s.Classes == 0 || s.Loss == Logistic && boosting && s.Classes == 2 ||
		(s.Loss == Softmax || s.Loss == OneVsAll) && boosting && s.Classes > 0 ||
		(s.Loss == Gini || s.Loss == Entropy) && !boosting && s.Classes > 0
	switch {
	case !suits || s.Classes > maxStoredClasses:
		return fmt.Errorf("loss %q for %d classes", s.Loss, s.Classes)
	case len(s.Start) != outputs:
		return fmt.Errorf("%d scores to start from, want %d", len(s.Start), outputs)
	case len(s.First) != 0 && (len(s.First) != outputs || !boosting):
		return fmt.Errorf("%d trees to start from, want %d", len(s.First), outputs)
	case len(s.Trees) == 0 || len(s.Trees) > rounds || len(s.Trees) < rounds && (!boosting || s.Options.Patience == 0):
		return fmt.Errorf("%d rounds of trees, want %d", len(s.Trees), rounds)
	case s.Input.Constant != s.Options.Constant || s.Input.MeanSteps != s.Options.MeanSteps:
		return errors.New("an input of other options")
	}
	for _, v := range s.Start {
		if !finite(v) || s.Classes > 0 && math.Abs(v) > largestStart || !boosting && v != 0 {
			return fmt.Errorf("a score of %g to start from", v)
		}
	}
	values := 1
	if !boosting {
		values = outputs
	}
	for r, trees := range append([][]*Tree{s.First}, s.Trees...) {
		if len(trees) != row && r > 0 {
			return fmt.Errorf("round %d: %d trees, want %d", r, len(trees), row)
		}
		for _, t := range trees {
			err := checkTree(t, &s.Input, values)
			if err == nil && s.Classes > 0 {
				err = s.checkLeaves(t)
			}
			if err != nil {
				return fmt.Errorf("round %d: %w", r, err)
			}
		}
	}
	return nil
}

// largestStart bounds the log-odds of a class among the examples, of which there are less than 2^64.
const largestStart = 64

// checkLeaves reports leaves that an ensemble for classes cannot have: those of boosting hold log-odds that no step
// exceeds, those of a forest the shares of the classes.
func (s *stored) checkLeaves(t *Tree) error {
	shares := s.Options.Ensemble != Boosting
	for i := range t.Nodes {
		n := &t.Nodes[i]
		sum := 0.0
		for _, v := range n.Value {
			if sum += v; math.Abs(v) > largestStep || shares && v < 0 {
				return fmt.Errorf("leaf %d has the value %g", i, v)
			}
		}
		if n.Split == nil && shares && math.Abs(sum-1) > 1e-9 {
			return fmt.Errorf("the shares of the classes in leaf %d add up to %g", i, sum)
		}
	}
	return nil
}

func checkInput(in *Input, level Level) error {
	switch {
	case in.Level != level:
		return fmt.Errorf("input of level %q for a model of level %q", in.Level, level)
	case in.Labels < 0 || in.Attributes < 0 || in.Labels > 0 && in.Attributes > 0 || in.Features() == 0:
		return fmt.Errorf("input of %d labels and %d attributes", in.Labels, in.Attributes)
	case len(in.FeatureGrids) != in.Features():
		return fmt.Errorf("%d grids for %d features", len(in.FeatureGrids), in.Features())
	case len(in.Arcs) == 0 || len(in.Arcs) > 2*maxArcTypes+2:
		return fmt.Errorf("%d adjacency matrices", len(in.Arcs))
	case in.DiagonalGrids != nil && len(in.DiagonalGrids) != len(in.Arcs):
		return fmt.Errorf("grids of %d adjacency matrices, want %d", len(in.DiagonalGrids), len(in.Arcs))
	}
	for k, g := range in.FeatureGrids {
		if !g.Valid() || k >= in.Attributes && g > 0 { // labels and the constant are whole numbers
			return fmt.Errorf("grid %d of feature %d", g, k)
		}
	}
	for i, a := range in.Arcs {
		if a.Type < AllArcs {
			return fmt.Errorf("arcs of type %d", a.Type)
		}
		for _, g := range gridsOf(in, i) {
			if !g.Valid() {
				return fmt.Errorf("grid %d", g)
			}
		}
	}
	return nil
}

func gridsOf(in *Input, i int) []walks.Grid {
	if in.DiagonalGrids == nil {
		return nil
	}
	return in.DiagonalGrids[i]
}

// checkTree reports why a tree cannot be one of a model whose leaves have so many values.
func checkTree(t *Tree, in *Input, values int) error {
	if t == nil || len(t.Nodes) == 0 {
		return errors.New("a tree without nodes")
	}
	depth := make([]int, len(t.Nodes))
	reached := make([]bool, len(t.Nodes))
	reached[0] = true
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if !reached[i] {
			return fmt.Errorf("node %d has no parent before it", i)
		}
		if n.Split == nil {
			if len(n.Value) != values {
				return fmt.Errorf("leaf %d has %d values, want %d", i, len(n.Value), values)
			}
			for _, v := range n.Value {
				if !finite(v) {
					return fmt.Errorf("leaf %d has the value %g", i, v)
				}
			}
			continue
		}
		if err := in.CheckSplit(n.Split); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		s := n.Split
		suits := s.Aggregation != NoAggregation
		if in.Level == Vertices {
			suits = s.Aggregation == NoAggregation && s.Walk <= Cycle
		}
		switch {
		case s.Pointer > depth[i]:
			return fmt.Errorf("node %d: a pointer %d nodes up at depth %d", i, s.Pointer, depth[i])
		case !suits:
			return fmt.Errorf("node %d: walk %s, aggregation %s at level %s", i, s.Walk, s.Aggregation, in.Level)
		}
		for _, c := range []int32{n.LTE, n.GT} {
			if c <= int32(i) || int(c) >= len(t.Nodes) || reached[c] {
				return fmt.Errorf("node %d has the child %d", i, c)
			}
			reached[c] = true
			depth[c] = depth[i] + 1
		}
	}
	return nil
}

func finite(x float64) bool { return x-x == 0 }
