package layout

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// Formula says what of a graph is a structural formula. Each mark is of a vertex of the graph; nil is none.
type Formula struct {
	Straight []bool // its two edges are to lie on a line
	Metals   []bool // it is the centre of a complex: see [Fans]
}

// of returns the marks of some vertices.
func of(marks []bool, vertices []int32) []bool {
	if marks == nil {
		return nil
	}
	some := make([]bool, len(vertices))
	for i, v := range vertices {
		some[i] = marks[v]
	}
	return some
}

// Fan is a metal with a group of atoms that are bonded to it all and hang together, as the five carbons of a
// cyclopentadienyl: chemists draw one line, to the middle of the group.
type Fan struct {
	Metal int32
	Group []int32 // ascending
}

// Fans returns the fans of graph g, whose vertices are numbered from 0: the parts of two vertices and more in which the
// neighbours of a metal hang together, other metals left out.
func Fans(b *graph.Batch, g int, metals []bool) []Fan {
	if metals == nil {
		return nil
	}
	return fans(neighbourLists(b, g), metals)
}

func fans(neighbours [][]int32, metals []bool) (all []Fan) {
	for metal, row := range neighbours {
		if !metals[metal] {
			continue
		}
		seen := map[int32]bool{}
		for _, first := range row {
			if seen[first] || metals[first] {
				continue
			}
			seen[first] = true
			group := []int32{first}
			for at := 0; at < len(group); at++ {
				for _, v := range neighbours[group[at]] {
					if _, bonded := slices.BinarySearch(row, v); bonded && !seen[v] && !metals[v] {
						seen[v] = true
						group = append(group, v)
					}
				}
			}
			if len(group) > 1 {
				slices.Sort(group)
				all = append(all, Fan{int32(metal), group})
			}
		}
	}
	return all
}

// middle gives each fan a vertex of its own in the middle of its group, by which alone the metal is bonded to it.
func (c *component) middle() {
	if c.metals == nil {
		return
	}
	c.real = c.size()
	defer func() {
		c.bonds = make([][]int32, c.real)
		for v := range c.bonds {
			c.bonds[v] = slices.DeleteFunc(slices.Clone(c.neighbours[v]), c.isMiddle)
		}
	}()
	for _, f := range fans(c.neighbours, c.metals) {
		m := int32(c.size())
		c.neighbours[f.Metal] = append(slices.DeleteFunc(c.neighbours[f.Metal], func(v int32) bool {
			return slices.Contains(f.Group, v)
		}), m)
		for _, v := range f.Group {
			c.neighbours[v] = append(slices.DeleteFunc(c.neighbours[v], func(u int32) bool { return u == f.Metal }), m)
		}
		c.neighbours = append(c.neighbours, append(slices.Clone(f.Group), f.Metal))
		slices.Sort(c.neighbours[m])
		c.metals = append(c.metals, false)
		if c.straight != nil {
			c.straight = append(c.straight, false)
		}
	}
}

// isMiddle reports whether a vertex is the middle of a fan.
func (c *component) isMiddle(v int32) bool { return c.real > 0 && int(v) >= c.real }

// rings returns the rings that are to be regular: without the lines to middles, without chelates, whose metal has no
// angles to spare, and without those that a metal holds at two places, as that of cyclooctadiene, which fold before it.
func (c *component) rings() [][]int32 {
	if c.real == 0 {
		return rings(c.neighbours)
	}
	return slices.DeleteFunc(rings(c.bonds), func(ring []int32) bool {
		return c.heldTwice(ring) ||
			slices.ContainsFunc(ring, func(v int32) bool { return c.metals[v] && len(c.neighbours[v]) > 3 })
	})
}

// heldTwice reports whether two groups of a ring have fans of the same metal.
func (c *component) heldTwice(ring []int32) bool {
	held := map[int32]int32{} // the middle of a fan, by its metal
	for _, v := range ring {
		for _, middle := range c.neighbours[v] {
			if !c.isMiddle(middle) {
				continue
			}
			of := c.neighbours[middle]
			metal := of[slices.IndexFunc(of, func(u int32) bool { return c.metals[u] })]
			if other, met := held[metal]; met && other != middle {
				return true
			}
			held[metal] = middle
		}
	}
	return false
}

// reach returns the distance of a group from its middle: that of a regular polygon, or of an open chain about as much.
func (c *component) reach(middle int32) float64 {
	switch k := len(c.neighbours[middle]) - 1; k {
	case 2:
		return 0.5
	case 3, 4:
		return 0.9
	default:
		return 1 / (2 * math.Sin(math.Pi/float64(k)))
	}
}

// bondLength returns the length of a bond in a formula: longer around a metal, whose ligands need room, and half a bond
// from an atom to the middle of its group.
func (c *component) bondLength(u, v int32) float64 {
	switch {
	case c.metals == nil:
		return 1
	case c.isMiddle(u) && !c.metals[v]:
		return c.reach(u)
	case c.isMiddle(v) && !c.metals[u]:
		return c.reach(v)
	case c.isMiddle(u):
		return 0.9 + c.reach(u)
	case c.isMiddle(v):
		return 0.9 + c.reach(v)
	case c.metals[u] && len(c.neighbours[u]) > 3 || c.metals[v] && len(c.neighbours[v]) > 3:
		return max(1.3, 0.25*float64(max(len(c.neighbours[u]), len(c.neighbours[v]))))
	}
	return 1
}
