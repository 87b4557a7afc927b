package walks

import (
	"fmt"
	"slices"
	"strings"
)

// Walk says which walks a split keeps, given the subset S that it uses (sections 3.2 and 3.5): the mask
// M_r(S) on A^d. At graph level source walks aggregate over all vertices, the others over those of S.
type Walk uint8

// The walk types. Vertices use only the first two.
const (
	Source       Walk = iota // walks that start in S: columns of S
	Cycle                    // walks that start and end in the same vertex of S: diagonal entries of S
	Target                   // walks that end in S: rows of S
	TargetSource             // walks that start in S and end in S: rows and columns of S
	NumWalks     = iota
)

var walkNames = []string{"source", "cycle", "target", "target_source"}

func (w Walk) String() string { return walkNames[w] }

// MarshalText writes the name of w.
func (w Walk) MarshalText() ([]byte, error) { return marshalName("walk type", walkNames, int(w)) }

// UnmarshalText reads the name of a walk type.
func (w *Walk) UnmarshalText(text []byte) error {
	i, err := unmarshalName("walk type", walkNames, string(text))
	*w = Walk(i)
	return err
}

// Aggregation says how the entries of a graph's vector become one number (section 3.5).
type Aggregation uint8

// The aggregations. A split of a vertex has none.
const (
	NoAggregation Aggregation = iota
	Sum
	Mean
	Min
	Max
	NumAggregations = iota - 1
)

var aggregationNames = []string{"none", "sum", "mean", "min", "max"}

func (a Aggregation) String() string { return aggregationNames[a] }

// MarshalText writes the name of a.
func (a Aggregation) MarshalText() ([]byte, error) {
	return marshalName("aggregation", aggregationNames, int(a))
}

// UnmarshalText reads the name of an aggregation.
func (a *Aggregation) UnmarshalText(text []byte) error {
	i, err := unmarshalName("aggregation", aggregationNames, string(text))
	*a = Aggregation(i)
	return err
}

func marshalName(what string, names []string, i int) ([]byte, error) {
	if i >= len(names) {
		return nil, fmt.Errorf("unknown %s %d", what, i)
	}
	return []byte(names[i]), nil
}

func unmarshalName(what string, names []string, name string) (int, error) {
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%s %q: want one of %s", what, name, strings.Join(names, ", "))
}

// AllArcs is the type in [Arcs] that stands for the arcs of every type together.
const AllArcs = -1

// Arcs names the adjacency matrix that walks follow: that of the arcs of one type or of all of them, or its
// transpose, which walks against the arcs (section 3.2, appendix C.1).
type Arcs struct {
	Type    int  `json:"type"` // an entry of graph.Batch.ArcTypes, or AllArcs
	Against bool `json:"against,omitempty"`
}

// Split is a split function with its threshold: an example whose value is above it goes to the GT child of
// the node, others to its LTE child (Eqs. 1 and 2).
type Split struct {
	Feature     int         `json:"feature"` // k
	Length      int         `json:"length"`  // d
	Arcs        Arcs        `json:"arcs"`    // no matter where Length is 0
	Walk        Walk        `json:"walk"`
	Aggregation Aggregation `json:"aggregation,omitempty"` // of graphs only
	Pointer     int         `json:"pointer"`               // so many nodes up is the ancestor with the subset; 0: V
	Above       bool        `json:"above,omitempty"`       // rho = +: the ancestor's vertices above its threshold
	Threshold   float64     `json:"threshold"`

	MissingAbove bool `json:"missing_above,omitempty"` // a missing value counts as above the threshold
}

// Before orders split functions: of those with equal gain the first is chosen. The plainest come first.
func (s *Split) Before(t *Split) bool {
	for _, c := range [...]int{
		s.Pointer - t.Pointer, order(t.Above, s.Above), s.Length - t.Length,
		s.Arcs.Type - t.Arcs.Type, order(s.Arcs.Against, t.Arcs.Against),
		int(s.Walk) - int(t.Walk), int(s.Aggregation) - int(t.Aggregation), s.Feature - t.Feature,
	} {
		if c != 0 {
			return c < 0
		}
	}
	return s.Threshold < t.Threshold
}

func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Empty says what a graph's value is where the subset is empty, which the paper leaves open.
type Empty string

// The conventions for an empty subset.
const (
	EmptyFormula  Empty = "formula"  // 0 for source walks, as Eq. 1 gives; -1000 for the others
	EmptyZero     Empty = "zero"     // 0
	EmptySentinel Empty = "sentinel" // -1000
)

// Lowest stands for the value of an empty subset where there is none.
const Lowest = -1000

// Value returns the value of an empty subset.
func (e Empty) Value(w Walk) float64 {
	if e == EmptyZero || e == EmptyFormula && w == Source {
		return 0
	}
	return Lowest
}
