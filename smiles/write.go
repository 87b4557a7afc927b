package smiles

import (
	"cmp"
	"slices"
	"strconv"
)

// String writes the molecule as SMILES that [Parse] reads as the same molecule: the same atoms in the same order, and
// the same bonds. Stereo marks are left out, since they speak of an order of neighbours that is another one here. An
// atom follows the last one before it that it has a bond with and that is still open; where there is none a component
// begins, and ring closures make up for what is missing.
func (m *Molecule) String() string {
	w := writer{m: m, sums: m.sums(), links: m.links()}
	w.plan()
	for i := range m.Atoms {
		w.next(int32(i))
	}
	return string(w.text)
}

// writer writes one molecule.
type writer struct {
	m     *Molecule
	sums  []bondsOf
	links *links
	text  []byte

	tree  []int32 // of every atom the bond that it follows by, -1 where it begins a component
	last  []int32 // the last atom that follows it, -1 where none does
	open  []int32 // atoms from the beginning of the component to the one that was written last
	rings []int   // of every bond the number of its ring closure, where it is open
	used  []bool  // numbers of ring closures that are open
}

// plan chooses which atom every atom follows.
func (w *writer) plan() {
	n := len(w.m.Atoms)
	w.tree, w.last = slices.Repeat([]int32{-1}, n), slices.Repeat([]int32{-1}, n)
	place := make([]int, n) // in open, from 1
	for i := range int32(n) {
		deepest := 0
		for _, l := range w.links.around(i) {
			if l.atom < i && place[l.atom] > deepest {
				deepest, w.tree[i] = place[l.atom], l.bond
			}
		}
		for _, passed := range w.open[deepest:] {
			place[passed] = 0
		}
		if w.open = append(w.open[:deepest], i); deepest > 0 {
			w.last[w.open[deepest-1]] = i
		}
		place[i] = len(w.open)
	}
	w.open = w.open[:0]
	w.rings, w.used = make([]int, len(w.m.Bonds)), make([]bool, 1)
}

// next writes an atom with what stands before it.
func (w *writer) next(i int32) {
	before := int32(-1)
	if w.tree[i] >= 0 {
		before = w.m.Bonds[w.tree[i]].other(i)
	}
	for len(w.open) > 0 && w.open[len(w.open)-1] != before {
		if w.branches(w.open[len(w.open)-1]) {
			w.text = append(w.text, ')')
		}
		w.open = w.open[:len(w.open)-1]
	}
	switch {
	case before < 0 && i > 0:
		w.text = append(w.text, '.')
	case before >= 0:
		if w.branches(i) {
			w.text = append(w.text, '(')
		}
		w.bond(w.tree[i], before)
	}
	w.atom(i)
	w.closures(i)
	w.open = append(w.open, i)
}

// branches reports whether others follow the same atom after i and what follows it.
func (w *writer) branches(i int32) bool {
	return w.tree[i] >= 0 && w.last[w.m.Bonds[w.tree[i]].other(i)] != i
}

// other returns the other end of a bond.
func (b *Bond) other(atom int32) int32 { return b.From + b.To - atom }

// bond writes a bond as seen from one of its atoms, where it is to be written out.
func (w *writer) bond(bond, from int32) {
	b := &w.m.Bonds[bond]
	switch {
	case b.Order == w.m.unmarked(b.From, b.To):
	case b.Order == Dative && b.From != from:
		w.text = append(w.text, "<-"...)
	case b.Order == Dative:
		w.text = append(w.text, "->"...)
	default:
		w.text = append(w.text, b.Order.mark())
	}
}

// mark returns how an order is written.
func (o Order) mark() byte {
	switch o {
	case Double:
		return '='
	case Triple:
		return '#'
	case Quadruple:
		return '$'
	case Aromatic:
		return ':'
	case Any:
		return '~'
	}
	return '-'
}

// closures writes the ring closures of an atom. A number that it closes is free after it.
func (w *writer) closures(i int32) {
	var free []int
	around := w.links.around(i)
	slices.SortFunc(around, func(a, b link) int { return cmp.Compare(a.atom, b.atom) })
	for _, l := range around {
		if l.atom > i || l.bond == w.tree[i] {
			continue
		}
		number := w.rings[l.bond]
		w.number(number)
		free = append(free, number)
	}
	for _, l := range around {
		if l.atom < i || w.tree[l.atom] == l.bond {
			continue
		}
		number := 1 + slices.Index(w.used[1:], false)
		if number == 0 {
			number = len(w.used)
			w.used = append(w.used, false)
		}
		w.used[number], w.rings[l.bond] = true, number
		w.bond(l.bond, i)
		w.number(number)
	}
	for _, number := range free {
		w.used[number] = false
	}
}

func (w *writer) number(n int) {
	switch {
	case n > 99:
		w.text = append(strconv.AppendInt(append(w.text, "%("...), int64(n), 10), ')')
		return
	case n > 9:
		w.text = append(w.text, '%')
	}
	w.text = strconv.AppendInt(w.text, int64(n), 10)
}

// atom writes an atom, in brackets where it needs them.
func (w *writer) atom(i int32) {
	a := &w.m.Atoms[i]
	symbol := a.Element.String()
	small := a.Aromatic && a.Element.CanBeAromatic()
	if small {
		symbol = string(symbol[0]+'a'-'A') + symbol[1:]
	}
	bare := a.Element == wildcard || a.Element.valences() != nil
	if bare && a.Charge == 0 && a.Isotope == 0 && a.Class == 0 && a.Hydrogens == implied(a, w.sums[i]) {
		w.text = append(w.text, symbol...)
		return
	}
	w.text = append(w.text, '[')
	if a.Isotope > 0 {
		w.text = strconv.AppendUint(w.text, uint64(a.Isotope), 10)
	}
	w.text = append(w.text, symbol...)
	if a.Hydrogens > 0 {
		if w.text = append(w.text, 'H'); a.Hydrogens > 1 {
			w.text = strconv.AppendUint(w.text, uint64(a.Hydrogens), 10)
		}
	}
	if a.Charge != 0 {
		sign, size := byte('+'), int64(a.Charge)
		if size < 0 {
			sign, size = '-', -size
		}
		if w.text = append(w.text, sign); size > 1 {
			w.text = strconv.AppendInt(w.text, size, 10)
		}
	}
	if a.Class > 0 {
		w.text = append(append(w.text, ':'), strconv.Itoa(int(a.Class))...)
	}
	w.text = append(w.text, ']')
}
