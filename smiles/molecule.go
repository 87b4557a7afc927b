package smiles

// Molecule is a graph of atoms and bonds, of one or several components. No two bonds join the same atoms, and none
// joins an atom with itself.
type Molecule struct {
	Atoms []Atom // in the order in which they are written
	Bonds []Bond
}

// Atom is an atom of a molecule.
type Atom struct {
	Element  Element
	Aromatic bool
	Charge   int8
	// Hydrogens counts those that are no atoms of their own: written in brackets, or implied. An atom of the organic
	// subset outside of brackets has as many as bring the sum of the orders of its bonds, where an aromatic bond counts
	// 1.5, a bond of any order 0 and a dative bond 1 at the end that accepts, to the next of its valences: B 3; C 4; N 3;
	// O 2; P 3, 5, 7; S 2, 4, 6; F, Cl, Br 1; I 1, 3, 5. An aromatic atom, or one with an aromatic bond, is filled up to
	// the first valence alone, its sum rounded up. Beyond the last valence there are none.
	Hydrogens uint8
	Isotope   uint16 // mass number, 0 where none is given
	Class     int32  // number after the colon in brackets, 0 where there is none
	Chirality Chirality
}

// Order is the order of a bond. The numbers are those of MDL connection tables where these have the order.
type Order uint8

// The orders.
const (
	Single    Order = 1
	Double    Order = 2
	Triple    Order = 3
	Aromatic  Order = 4
	Quadruple Order = 5
	Any       Order = 8 // written ~
	Dative    Order = 9 // from the atom that gives both electrons to the one that accepts them
)

// String returns the order in a word.
func (o Order) String() string {
	switch o {
	case Single:
		return "single"
	case Double:
		return "double"
	case Triple:
		return "triple"
	case Aromatic:
		return "aromatic"
	case Quadruple:
		return "quadruple"
	case Any:
		return "any"
	case Dative:
		return "dative"
	}
	return "unknown"
}

// Bond joins two atoms of a molecule, given by their numbers from 0.
type Bond struct {
	From, To int32
	Order    Order
	Mark     byte // '/' or '\' where the string has it between From and To, otherwise 0
}

// twice returns two times what the bond adds to the valence of one of its atoms.
func (b *Bond) twice(atom int32) int {
	switch b.Order {
	case Single:
		return 2
	case Double:
		return 4
	case Triple:
		return 6
	case Quadruple:
		return 8
	case Aromatic:
		return 3
	case Dative:
		if atom == b.To {
			return 2
		}
	}
	return 0
}

// bondsOf is what the bonds of an atom say of its hydrogens.
type bondsOf struct {
	twice    int  // two times the sum of their orders
	aromatic bool // one of them is
}

// sums returns what the bonds say of every atom.
func (m *Molecule) sums() []bondsOf {
	sums := make([]bondsOf, len(m.Atoms))
	for i := range m.Bonds {
		b := &m.Bonds[i]
		for _, end := range [2]int32{b.From, b.To} {
			s := &sums[end]
			s.twice += b.twice(end)
			s.aromatic = s.aromatic || b.Order == Aromatic
		}
	}
	return sums
}

// implied returns the hydrogens that an atom has where it is written without brackets, see [Atom.Hydrogens].
func implied(a *Atom, bonds bondsOf) uint8 {
	valences := a.Element.valences()
	if a.Aromatic || bonds.aromatic {
		if valences == nil {
			return 0
		}
		return uint8(max(valences[0]+a.room()-(bonds.twice+1)/2, 0))
	}
	for _, v := range valences {
		if sum := bonds.twice / 2; sum <= v+a.room() {
			return uint8(v + a.room() - sum)
		}
	}
	return 0
}

// room returns how many bonds more an atom has room for by its charge: as many as the element with its electrons.
func (a *Atom) room() int {
	charge := int(a.Charge)
	switch {
	case a.Element == boron, a.Element == carbon && charge > 0:
		return -charge
	}
	return charge
}

// Imply makes atoms aromatic that have an aromatic bond, where their element can be, and counts as their hydrogens
// those that they would imply without brackets: for molecules of which elements and bonds are known. A positive charge
// makes room for one more, as on nitrogen, and a negative one for one less; on boron it is the other way round, and on
// carbon both take one.
func (m *Molecule) Imply() {
	for i, s := range m.sums() {
		a := &m.Atoms[i]
		a.Aromatic = s.aromatic && a.Element.CanBeAromatic()
		a.Hydrogens = implied(a, s)
	}
}

// fill counts the hydrogens that atoms imply without brackets.
func (m *Molecule) fill(bare []int32) {
	if len(bare) == 0 {
		return
	}
	sums := m.sums()
	for _, i := range bare {
		m.Atoms[i].Hydrogens = implied(&m.Atoms[i], sums[i])
	}
}

// WithHydrogens returns the molecule with all hydrogens as atoms of their own, which follow the others in their order.
func (m *Molecule) WithHydrogens() *Molecule {
	all := &Molecule{Atoms: append([]Atom(nil), m.Atoms...), Bonds: append([]Bond(nil), m.Bonds...)}
	for i := range m.Atoms {
		for range m.Atoms[i].Hydrogens {
			all.Bonds = append(all.Bonds, Bond{From: int32(i), To: int32(len(all.Atoms)), Order: Single})
			all.Atoms = append(all.Atoms, Atom{Element: hydrogen})
		}
		all.Atoms[i].Hydrogens = 0
	}
	return all
}
