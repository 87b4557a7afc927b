package search

import "github.com/grove-graph/grove/treeg/internal/walks"

// drawnWalks are what kinds follow from.
type drawnWalks struct {
	walks [walks.NumWalks]bool
	whole bool
}

// kindsOf returns what a node tries with all vertices, or with the two subsets of a cut.
func (s *task) kindsOf(n *node, whole bool) []walks.Kind {
	drawn := drawnWalks{n.walks, whole}
	list, known := s.known[drawn]
	if !known {
		list = s.kinds(drawn)
		s.known[drawn] = list
	}
	return list
}

// kinds lists what may be tried with some walk types. Of kinds that are equal for any graph only the first is listed:
// with all vertices source, target and target-source walks; without a step cycle, target and target-source walks, and
// all of them for vertices; walks back along closed walks.
func (s *task) kinds(drawn drawnWalks) []walks.Kind {
	whole := drawn.whole
	var list []walks.Kind
	add := func(k walks.Kind) {
		list = append(list, k)
		if !whole {
			k.Up = false
			list = append(list, k)
		}
	}
	first := func(k walks.Kind, walks ...walks.Walk) bool {
		for _, k.Walk = range walks {
			if drawn.walks[k.Walk] {
				add(k)
				return true
			}
		}
		return false
	}
	for length := range s.opt.MaxLength + 1 {
		for op := range s.d.Input.Arcs {
			k := walks.Kind{Length: length, Op: op, Walk: walks.Source, Up: !whole}
			switch {
			case length == 0 && op > 0:
			case length == 0 && (whole || s.d.Input.Level == walks.Vertices):
				first(k, walks.Source, walks.Cycle, walks.Target, walks.TargetSource)
			case length == 0:
				first(k, walks.Source)
				first(k, walks.Cycle, walks.Target, walks.TargetSource)
			case whole:
				first(k, walks.Source, walks.Target, walks.TargetSource)
				if s.d.HasCycles(op, length) {
					first(k, walks.Cycle)
				}
			default:
				first(k, walks.Source)
				if s.d.HasCycles(op, length) {
					first(k, walks.Cycle)
				}
				first(k, walks.Target)
				first(k, walks.TargetSource)
			}
		}
	}
	return list
}
