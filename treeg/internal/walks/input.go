package walks

import (
	"errors"
	"fmt"
	"math"

	"github.com/grove-graph/grove/graph"
)

// Level says what has a target: whole graphs or vertices.
type Level string

// The levels.
const (
	Graphs   Level = "graph"
	Vertices Level = "vertex"
)

// Input says what a model sees of a batch: the attributes of the vertices where there are any, else their
// labels one-hot, then the constant; along which arcs; and on which grids (see the package comment).
type Input struct {
	Level      Level  `json:"level"`
	Labels     int    `json:"labels"` // a label id from Labels on has no feature
	Attributes int    `json:"attributes"`
	Constant   bool   `json:"constant"`
	Arcs       []Arcs `json:"arcs"`
	MeanSteps  bool   `json:"mean_steps,omitempty"` // see Options

	FeatureGrids  []Grid   `json:"feature_grids"`  // of every feature
	DiagonalGrids [][]Grid `json:"diagonal_grids"` // of the diagonals of A^1, A^2, ... of Arcs, nil without weights
}

// Features returns the number l of features.
func (in *Input) Features() int {
	l := in.Attributes + in.Labels
	if in.Constant {
		l++
	}
	return l
}

// FeatureName returns a name for feature k: "label 2", "attribute 0", "1" for the constant. names, unless nil,
// are those of the labels or attributes.
func (in *Input) FeatureName(k int, names []string) string {
	switch {
	case in.Constant && k == in.Features()-1:
		return "1"
	case k < len(names):
		return names[k]
	case in.Attributes > 0:
		return fmt.Sprintf("attribute %d", k)
	}
	return fmt.Sprintf("label %d", k)
}

// check reports why a batch does not fit.
func (in *Input) check(b *graph.Batch) error {
	if in.Attributes > 0 && b.AttributeDim != in.Attributes && b.NumVertices() > 0 {
		return fmt.Errorf("the model wants %d attributes for each vertex, the data have %d", in.Attributes, b.AttributeDim)
	}
	if in.Attributes == 0 && in.Labels > 0 && b.Labels == nil && b.NumVertices() > 0 {
		return errors.New("the model wants labelled vertices, the data have no labels")
	}
	for i, x := range b.Attributes {
		if in.Attributes > 0 && math.IsInf(x, 0) {
			return fmt.Errorf("attribute %d of vertex %d is %g: want a finite number, or NaN where it is missing",
				i%in.Attributes, i/in.Attributes, x)
		}
	}
	for i, w := range b.ArcWeights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("the weight of arc %d is %g: want a finite number", i, w)
		}
	}
	for i, t := range b.ArcTypes {
		if t < 0 {
			return fmt.Errorf("arc %d is of type %d: want types from 0 on", i, t)
		}
	}
	return nil
}

// value returns feature k of vertex v.
func (in *Input) value(b *graph.Batch, k int, v int32) float64 {
	switch {
	case k < in.Attributes:
		return b.Attributes[int(v)*in.Attributes+k]
	case k < in.Labels:
		if int(b.Labels[v]) == k {
			return 1
		}
		return 0
	}
	return 1
}

// MaxLength bounds the length of walks.
const MaxLength = 16

// CheckSplit reports what in a split does not fit the input.
func (in *Input) CheckSplit(s *Split) error {
	switch {
	case s.Feature < 0 || s.Feature >= in.Features():
		return fmt.Errorf("feature %d of %d", s.Feature, in.Features())
	case s.Length < 0 || s.Length > MaxLength:
		return fmt.Errorf("walks of length %d: want 0 to %d", s.Length, MaxLength)
	case s.Walk >= NumWalks:
		return fmt.Errorf("unknown walk type %d", s.Walk)
	case s.Aggregation > NumAggregations:
		return fmt.Errorf("unknown aggregation %d", s.Aggregation)
	case s.Pointer < 0:
		return fmt.Errorf("pointer %d: want 0 or more", s.Pointer)
	}
	if s.Length == 0 {
		return nil
	}
	for _, a := range in.Arcs {
		if a == s.Arcs {
			return nil
		}
	}
	return fmt.Errorf("arcs of type %d are not among those of the data", s.Arcs.Type)
}
