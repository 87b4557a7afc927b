package search

import (
	"slices"

	"github.com/grove-graph/grove/treeg/internal/walks"
)

// drawnWalks are what kinds follow from.
type drawnWalks struct {
	walks [walks.NumWalks]bool
	whole bool
}

// kindsOf returns what a node tries with all vertices, or with the two subsets of a cut.
func (s *growth) kindsOf(n *node, whole bool) []walks.Kind {
	drawn := drawnWalks{n.walks, whole}
	list, known := s.known[drawn]
	if !known {
		list = s.kinds(drawn)
		s.known[drawn] = list
	}
	return list
}

// kinds lists what may be tried with some walk types.
func (s *growth) kinds(drawn drawnWalks) (list []walks.Kind) {
	for length := range s.opt.MaxLength + 1 {
		for op := range s.d.Input.Arcs {
			if length == 0 && op > 0 {
				break
			}
			for _, alike := range s.alike(length, drawn.whole) {
				if length > 0 && alike[0] == walks.Cycle && !s.d.HasCycles(op, length) {
					continue
				}
				at := slices.IndexFunc(alike, func(w walks.Walk) bool { return drawn.walks[w] })
				if at < 0 {
					continue
				}
				k := walks.Kind{Length: length, Op: op, Walk: alike[at], Up: !drawn.whole}
				list = append(list, k)
				if !drawn.whole {
					k.Up = false
					list = append(list, k)
				}
			}
		}
	}
	return list
}

// alike groups the walk types that are equal for any graph, of which the first that is drawn is tried: with all
// vertices source, target and target-source walks; without a step cycle, target and target-source walks, and all of
// them for vertices.
func (s *growth) alike(length int, whole bool) [][]walks.Walk {
	switch {
	case length == 0 && (whole || s.d.Input.Level == walks.Vertices):
		return [][]walks.Walk{{walks.Source, walks.Cycle, walks.Target, walks.TargetSource}}
	case length == 0:
		return [][]walks.Walk{{walks.Source}, {walks.Cycle, walks.Target, walks.TargetSource}}
	case whole:
		return [][]walks.Walk{{walks.Source, walks.Target, walks.TargetSource}, {walks.Cycle}}
	}
	return [][]walks.Walk{{walks.Source}, {walks.Cycle}, {walks.Target}, {walks.TargetSource}}
}
