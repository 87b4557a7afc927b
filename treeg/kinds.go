package treeg

// kind is a family of dynamic features that differ in feature, aggregation and threshold only.
type kind struct {
	length, op int
	walk       Walk
	up         bool // of the two subsets of a cut, the one above
}

// drawnWalks are what kinds follow from.
type drawnWalks struct {
	walks [numWalks]bool
	whole bool
}

// kindsOf returns what a node tries with all vertices, or with the two subsets of a cut.
func (s *searcher) kindsOf(n *node, whole bool) []kind {
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
func (s *searcher) kinds(drawn drawnWalks) []kind {
	whole := drawn.whole
	var list []kind
	add := func(k kind) {
		list = append(list, k)
		if !whole {
			k.up = false
			list = append(list, k)
		}
	}
	first := func(k kind, walks ...Walk) bool {
		for _, k.walk = range walks {
			if drawn.walks[k.walk] {
				add(k)
				return true
			}
		}
		return false
	}
	for length := range s.opt.MaxLength + 1 {
		for op := range s.d.operators {
			k := kind{length, op, Source, !whole}
			switch {
			case length == 0 && op > 0:
			case length == 0 && (whole || s.d.input.Level == Vertices):
				first(k, Source, Cycle, Target, TargetSource)
			case length == 0:
				first(k, Source)
				first(k, Cycle, Target, TargetSource)
			case whole:
				first(k, Source, Target, TargetSource)
				if s.d.hasCycles(op, length) {
					first(k, Cycle)
				}
			default:
				first(k, Source)
				if s.d.hasCycles(op, length) {
					first(k, Cycle)
				}
				first(k, Target)
				first(k, TargetSource)
			}
		}
	}
	return list
}

// hasCycles reports whether closed walks of a length exist that no earlier matrix has.
func (d *Data) hasCycles(op, length int) bool {
	return d.demand.cycles && d.cyclic[op][length-1] && !(d.reverseOf(op) >= 0 && d.reverseOf(op) < op)
}
