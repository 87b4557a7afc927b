package smiles

// InRing reports of every atom whether it lies on a cycle: whether one of its bonds is no bridge. Time and memory are
// linear in atoms and bonds.
func (m *Molecule) InRing() []bool {
	n := len(m.Atoms)
	links := m.links()
	ring := make([]bool, n)
	depth, low := make([]int32, n), make([]int32, n) // in the search tree, from 1; the least that is reached from below
	parent, next := make([]int32, n), make([]int32, n)
	for root := range n {
		if depth[root] > 0 {
			continue
		}
		depth[root], low[root], parent[root] = 1, 1, -1
		for at := int32(root); at >= 0; {
			if around := links.around(at); next[at] < int32(len(around)) {
				to := around[next[at]].atom
				next[at]++
				switch {
				case depth[to] == 0:
					depth[to], low[to], parent[to] = depth[at]+1, depth[at]+1, at
					at = to
				case to != parent[at]:
					low[at] = min(low[at], depth[to])
				}
				continue
			}
			if up := parent[at]; up >= 0 {
				low[up] = min(low[up], low[at])
				if low[at] <= depth[up] { // otherwise the bond between the two is a bridge
					ring[up], ring[at] = true, true
				}
			}
			at = parent[at]
		}
	}
	return ring
}

// link is a bond as seen from one of its atoms.
type link struct{ atom, bond int32 }

// links are the bonds of every atom, those of an atom in their order.
type links struct {
	start []int32
	all   []link
}

func (l *links) around(atom int32) []link { return l.all[l.start[atom]:l.start[atom+1]] }

func (m *Molecule) links() *links {
	l := &links{make([]int32, len(m.Atoms)+1), make([]link, 2*len(m.Bonds))}
	for i := range m.Bonds {
		l.start[m.Bonds[i].From+1]++
		l.start[m.Bonds[i].To+1]++
	}
	for i := range m.Atoms {
		l.start[i+1] += l.start[i]
	}
	next := append([]int32(nil), l.start...)
	for i := range m.Bonds {
		b := &m.Bonds[i]
		l.all[next[b.From]] = link{b.To, int32(i)}
		next[b.From]++
		l.all[next[b.To]] = link{b.From, int32(i)}
		next[b.To]++
	}
	return l
}
