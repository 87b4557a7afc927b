package dataset

import (
	"math/rand/v2"
	"slices"
)

// The codes of the bonds are those of MUTAG.
const (
	aromatic = iota
	single
	double
)

// element is an atom label with its valence and how often it is drawn for a chain.
type element struct {
	symbol  string
	valence int
	weight  int
}

// The elements, in the order of their label codes.
func elements() []element {
	return []element{{"C", 4, 74}, {"N", 3, 9}, {"O", 2, 10}, {"F", 1, 2}, {"S", 2, 2}, {"Cl", 1, 2}, {"Br", 1, 1}}
}

const (
	carbon = iota
	nitrogen
	oxygen
	_
	sulphur
)

// molecules generates molecule-like graphs of about opt.Vertices heavy atoms: aromatic and aliphatic
// rings, fused rings, chains, hetero atoms. No atom has more neighbours than its valence (C 4, N 3, O 2,
// F 1, S 2, Cl 1, Br 1), and but for the charged atoms of a nitro group bond orders stay within it too.
//
// Class 1 (odd graphs) has one nitro group, N with two terminal O, on an atom of a ring: the motif is
// that ring atom, the N, both O and the three bonds between them. Class 0 has a N and two O more than its
// skeleton as well, but elsewhere: as a nitro group on a chain, or as an amine or hydroxylamine and
// hydroxy groups. So counts of atoms do not tell the classes apart.
func molecules(opt SynthOptions, random *rand.Rand) func(s *growing, g int) error {
	return func(s *growing, g int) error {
		m := drawMolecule(random, max(jitter(random, opt.Vertices, true), 9), g%2 == 1)
		first := s.start(len(m.atoms))
		at := random.Perm(len(m.atoms)) // the order of the atoms tells nothing
		base := len(s.labels)
		s.labels = append(s.labels, make([]int64, len(m.atoms))...)
		for i, a := range m.atoms {
			s.labels[base+at[i]] = int64(a.element)
		}
		for _, b := range m.bonds {
			s.edge(first+int32(at[b.u]), first+int32(at[b.v]))
			s.arcLabels = append(s.arcLabels, int64(b.order))
		}
		if s.motif == nil {
			s.motif = []int32{}
		}
		for _, i := range m.motif {
			s.motif = append(s.motif, first+int32(at[i]))
		}
		for k := 1; k < len(m.motif); k++ { // ring atom, N, O, O: all bonds are the N's
			other := m.motif[0]
			if k > 1 {
				other = m.motif[k]
			}
			s.edges = append(s.edges, [2]int32{first + int32(at[m.motif[1]]), first + int32(at[other])})
		}
		return nil
	}
}

// atom is a vertex of a molecule under construction; free is the valence it has left.
type atom struct {
	element int
	free    int
	ring    bool
}

type bond struct{ u, v, order int }

type molecule struct {
	random *rand.Rand
	table  []element
	atoms  []atom
	bonds  []bond
	motif  []int // ring atom, N, O, O
}

// drawMolecule draws skeletons until one has room for the groups.
func drawMolecule(random *rand.Rand, size int, nitroOnRing bool) *molecule {
	for {
		m := &molecule{random: random, table: elements()}
		m.skeleton(size - 3)
		if nitroOnRing && m.nitroGroup(true) || !nitroOnRing && m.otherGroups() {
			return m
		}
	}
}

// skeleton grows rings and chains up to the given number of atoms.
func (m *molecule) skeleton(size int) {
	m.newRing(size)
	for len(m.atoms) < size {
		capacity := size - len(m.atoms)
		switch choice := m.random.IntN(100); {
		case choice < 30 && capacity >= 6:
			if u, ok := m.randomAtom(func(a atom) bool { return a.element == carbon }); ok {
				m.bond(u, m.newRing(capacity), single)
			}
		case choice < 50 && capacity >= 4:
			m.fuseRing()
		default:
			m.chain(min(1+m.random.IntN(4), capacity))
		}
	}
}

// randomAtom returns a random atom with free valence that fits.
func (m *molecule) randomAtom(fits func(atom) bool) (int, bool) {
	var found []int
	for i, a := range m.atoms {
		if a.free > 0 && fits(a) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return 0, false
	}
	return found[m.random.IntN(len(found))], true
}

// add appends an atom and returns it.
func (m *molecule) add(element int, ring bool) int {
	m.atoms = append(m.atoms, atom{element, m.table[element].valence, ring})
	return len(m.atoms) - 1
}

// bond joins two atoms and takes the valence that the bond needs.
func (m *molecule) bond(u, v, order int) {
	m.bonds = append(m.bonds, bond{u, v, order})
	m.atoms[u].free -= max(order, 1)
	m.atoms[v].free -= max(order, 1)
}

// newRing adds a ring, most often of six aromatic atoms, and returns its first atom, a carbon.
func (m *molecule) newRing(capacity int) int {
	length, order := 6, single
	switch {
	case capacity < 6 || m.random.IntN(5) == 0:
		length = 5
	case m.random.IntN(4) > 0:
		order = aromatic
	}
	first := len(m.atoms)
	for i := range length {
		m.add(m.ringElement(i, order), true)
	}
	for i := range length {
		m.bond(first+i, first+(i+1)%length, order)
	}
	if order == aromatic {
		m.shareElectron(first, len(m.atoms))
	}
	return first
}

// ringElement draws the element of the i-th atom of a ring.
func (m *molecule) ringElement(i, order int) int {
	switch chance := m.random.IntN(100); {
	case i == 0 || chance >= 10:
		return carbon
	case chance >= 3 || order == aromatic:
		return nitrogen
	case chance >= 1:
		return oxygen
	}
	return sulphur
}

// shareElectron takes one more valence from every atom of an aromatic ring: two aromatic bonds count as
// one single and one double bond.
func (m *molecule) shareElectron(from, to int) {
	for i := from; i < to; i++ {
		m.atoms[i].free--
	}
}

// fuseRing adds four atoms that make a six-ring with an aromatic bond between two carbons.
func (m *molecule) fuseRing() {
	var open []bond
	for _, b := range m.bonds {
		u, v := m.atoms[b.u], m.atoms[b.v]
		if b.order == aromatic && u.element == carbon && v.element == carbon && u.free > 0 && v.free > 0 {
			open = append(open, b)
		}
	}
	if len(open) == 0 {
		return
	}
	b := open[m.random.IntN(len(open))]
	first := len(m.atoms)
	for i := range 4 {
		m.add(m.ringElement(i, aromatic), true)
		if i > 0 {
			m.bond(first+i-1, first+i, aromatic)
		}
	}
	m.bond(b.u, first, aromatic)
	m.bond(first+3, b.v, aromatic)
	m.shareElectron(first, len(m.atoms))
}

// chain hangs atoms one after another on a carbon; a hetero atom is followed by carbon.
func (m *molecule) chain(length int) {
	at, ok := m.randomAtom(func(a atom) bool { return a.element == carbon })
	if !ok {
		at, ok = m.randomAtom(func(atom) bool { return true })
		if !ok {
			m.newRing(0) // no valence is left: another component
			return
		}
	}
	for range length {
		next := carbon
		if m.atoms[at].element == carbon {
			next = m.drawElement()
		}
		order := single
		if m.random.IntN(6) == 0 && m.atoms[at].free > 1 && m.table[next].valence > 1 {
			order = double
		}
		u := m.add(next, false)
		m.bond(at, u, order)
		if m.atoms[u].free == 0 {
			return
		}
		at = u
	}
}

func (m *molecule) drawElement() int {
	total := 0
	for _, e := range m.table {
		total += e.weight
	}
	draw := m.random.IntN(total)
	return slices.IndexFunc(m.table, func(e element) bool { draw -= e.weight; return draw < 0 })
}

// nitroGroup puts a nitro group on a carbon, of a ring or of a chain. It reports false where none is free.
func (m *molecule) nitroGroup(onRing bool) bool {
	u, ok := m.randomAtom(func(a atom) bool { return a.element == carbon && a.ring == onRing })
	if !ok {
		return false
	}
	n := m.add(nitrogen, false)
	m.atoms[n].free++ // the charged N has four bonds
	first, second := m.add(oxygen, false), m.add(oxygen, false)
	m.bond(u, n, single)
	m.bond(n, first, double)
	m.bond(n, second, single)
	m.atoms[second].free = 0 // the charged O has one
	if onRing {
		m.motif = []int{u, n, first, second}
	}
	return true
}

// otherGroups puts the atoms of a nitro group elsewhere than in a nitro group on a ring.
func (m *molecule) otherGroups() bool {
	if m.random.IntN(3) == 0 && m.nitroGroup(false) {
		return true
	}
	isCarbon := func(a atom) bool { return a.element == carbon }
	u, ok := m.randomAtom(isCarbon)
	if !ok {
		return false
	}
	n := m.add(nitrogen, false)
	m.bond(u, n, single)
	hydroxy := 2
	if m.random.IntN(2) == 0 {
		m.bond(n, m.add(oxygen, false), single)
		m.atoms[n].free = 0
		hydroxy = 1
	}
	for range hydroxy {
		if u, ok = m.randomAtom(isCarbon); !ok {
			return false
		}
		m.bond(u, m.add(oxygen, false), single)
	}
	return true
}
