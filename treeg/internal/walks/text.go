package walks

import (
	"fmt"
	"strconv"
	"strings"
)

// Text writes a split function in one line: what is added up along which walks, and how.
//
//	sum of label 2 along walks of 1 from S+ of the parent > 3.5
func (in *Input) Text(s *Split, names []string) string {
	var b strings.Builder
	if s.Aggregation != NoAggregation {
		b.WriteString(s.Aggregation.String() + " of ")
	}
	b.WriteString(in.FeatureName(s.Feature, names))
	subset := "S" + s.Sign() + " of " + ancestorName(s.Pointer)
	if s.Pointer == 0 {
		subset = "V"
	}
	if s.Length == 0 {
		fmt.Fprintf(&b, " in %s", subset)
		if s.Walk == Source && s.Aggregation != NoAggregation && s.Pointer > 0 {
			b.WriteString(", 0 elsewhere")
		}
	} else {
		way := [...]string{Source: "from", Cycle: "closed in", Target: "into", TargetSource: "from and into"}[s.Walk]
		fmt.Fprintf(&b, " along walks of %d", s.Length)
		if s.Arcs.Type != AllArcs {
			fmt.Fprintf(&b, " over arcs of type %d", s.Arcs.Type)
		}
		if s.Arcs.Against {
			b.WriteString(" against the arcs")
		}
		fmt.Fprintf(&b, " %s %s", way, subset)
	}
	fmt.Fprintf(&b, " > %s", strconv.FormatFloat(s.Threshold, 'g', 6, 64))
	return b.String()
}

// Sign returns the subset that a split uses: "+", "-", or "" for all vertices.
func (s *Split) Sign() string {
	switch {
	case s.Pointer == 0:
		return ""
	case s.Above:
		return "+"
	}
	return "-"
}

func ancestorName(distance int) string {
	switch distance {
	case 1:
		return "the parent"
	case 2:
		return "the grandparent"
	}
	return fmt.Sprintf("the ancestor %d up", distance)
}
