package sdf

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/smiles"
)

// block is the connection table of a molecule that is being read.
type block struct {
	m     *smiles.Molecule
	first int // line of the file that it begins in
	lines []string
	pairs map[[2]int32]bool
	fixed map[int32]int // hydrogens of atoms that say how many they have, by the valence that is written
	wrong *Error
}

// parse reads the lines of a molecule up to M  END.
func parse(lines []string, first int) (*smiles.Molecule, *Error) {
	b := &block{m: &smiles.Molecule{}, first: first, lines: lines, pairs: map[[2]int32]bool{}, fixed: map[int32]int{}}
	const counts = 3 // the line with the numbers of atoms and bonds
	switch {
	case len(lines) <= counts:
		b.fail(len(lines), 0, "the molecule ends before its line of counts, the fourth")
	case strings.Contains(lines[counts], "V3000"):
		b.v3000(counts + 1)
	default:
		b.v2000(counts)
	}
	if b.wrong == nil && len(b.m.Atoms) == 0 {
		b.fail(counts, 0, "the molecule has no atoms")
	}
	if b.wrong != nil {
		return nil, b.wrong
	}
	b.hydrogens()
	return b.m, nil
}

// fail keeps the first error.
func (b *block) fail(line, column int, format string, values ...any) {
	if b.wrong == nil {
		b.wrong = &Error{b.first + line, column, fmt.Sprintf(format, values...)}
	}
}

// columns is a number in fixed columns of a line, counted from 0; nothing is 0.
func (b *block) columns(line, from, to int, what string) int {
	text := b.lines[line]
	if from >= len(text) {
		return 0
	}
	field := strings.TrimSpace(text[from:min(to, len(text))])
	if field == "" {
		return 0
	}
	n, err := strconv.Atoi(field)
	if err != nil {
		b.fail(line, from+1, "%q where %s should stand, a whole number", field, what)
	}
	return n
}

// v2000 reads a table with fixed columns from its line of counts on.
func (b *block) v2000(at int) {
	atoms, bonds := b.columns(at, 0, 3, "the number of atoms"), b.columns(at, 3, 6, "the number of bonds")
	if b.wrong == nil && (atoms < 0 || bonds < 0 || at+1+atoms+bonds > len(b.lines)) {
		b.fail(at, 1, "%d atoms and %d bonds, and %d lines follow", atoms, bonds, len(b.lines)-at-1)
	}
	for i := 0; i < atoms && b.wrong == nil; i++ {
		b.atom2000(at + 1 + i)
	}
	for i := 0; i < bonds && b.wrong == nil; i++ {
		line := at + 1 + atoms + i
		b.bond(line, b.columns(line, 0, 3, "an atom"), b.columns(line, 3, 6, "an atom"), b.columns(line, 6, 9, "a bond type"))
	}
	cleared := false
	for line := at + 1 + atoms + bonds; line < len(b.lines) && b.wrong == nil; line++ {
		switch text := b.lines[line]; {
		case strings.HasPrefix(text, "M  CHG"), strings.HasPrefix(text, "M  RAD"):
			if !cleared { // they replace the charges of the lines of atoms
				for i := range b.m.Atoms {
					b.m.Atoms[i].Charge = 0
				}
				cleared = true
			}
			if strings.HasPrefix(text, "M  CHG") {
				b.property(line, func(a *smiles.Atom, value int) bool {
					a.Charge = int8(value)
					return value >= -15 && value <= 15
				})
			}
		case strings.HasPrefix(text, "M  ISO"):
			b.property(line, func(a *smiles.Atom, value int) bool {
				a.Isotope = uint16(value)
				return value >= 0 && value <= 999
			})
		}
	}
}

// atom2000 reads a line with an atom.
func (b *block) atom2000(line int) {
	text := b.lines[line]
	if len(text) < 32 {
		b.fail(line, len(text)+1, "the line ends where the symbol of an element should stand")
		return
	}
	if !b.element(line, 32, strings.TrimSpace(text[31:min(34, len(text))])) {
		return
	}
	a := &b.m.Atoms[len(b.m.Atoms)-1]
	// Charges by the number that stands for them; 4 is a radical.
	if c := b.columns(line, 36, 39, "a charge"); c >= 1 && c <= 7 && c != 4 {
		a.Charge = int8(4 - c)
	}
	b.valence(b.columns(line, 48, 51, "a valence"))
}

// valence takes the valence that is written of the last atom: 15 stands for none.
func (b *block) valence(v int) {
	if v == 15 || v == -1 {
		b.fixed[int32(len(b.m.Atoms)-1)] = 0
	} else if v > 0 {
		b.fixed[int32(len(b.m.Atoms)-1)] = v
	}
}

// element adds an atom by its symbol.
func (b *block) element(line, column int, symbol string) bool {
	a := smiles.Atom{}
	switch symbol {
	case "D":
		a.Element, a.Isotope = 1, 2
	case "T":
		a.Element, a.Isotope = 1, 3
	case "A", "Q", "*", "L", "LP", "R", "R#", "X", "M", "AH", "QH", "XH", "MH":
	default:
		e, known := smiles.ElementOf(symbol)
		if !known {
			b.fail(line, column, "%q where the symbol of an element should stand", symbol)
			return false
		}
		a.Element = e
	}
	b.m.Atoms = append(b.m.Atoms, a)
	return true
}

// bond adds a bond between atoms that are counted from 1.
func (b *block) bond(line, from, to, kind int) {
	n := len(b.m.Atoms)
	pair := [2]int32{int32(min(from, to)), int32(max(from, to))}
	order := smiles.Order(max(kind, 0))
	switch {
	case b.wrong != nil:
	case from < 1 || from > n || to < 1 || to > n:
		b.fail(line, 0, "a bond between atoms %d and %d: the molecule has the atoms 1 to %d", from, to, n)
	case from == to:
		b.fail(line, 0, "a bond of atom %d with itself", from)
	case b.pairs[pair]:
		b.fail(line, 0, "a second bond between atoms %d and %d", from, to)
	case kind != 1 && kind != 2 && kind != 3 && kind != 4 && kind != 8 && kind != 9:
		b.fail(line, 0, "a bond of type %d: known are 1 single, 2 double, 3 triple, 4 aromatic, 8 any and 9 dative", kind)
	default:
		b.pairs[pair] = true
		b.m.Bonds = append(b.m.Bonds, smiles.Bond{From: int32(from - 1), To: int32(to - 1), Order: order})
	}
}

// property reads a line M  XXXnn8 aaa vvv ...: a value of each of some atoms.
func (b *block) property(line int, set func(a *smiles.Atom, value int) bool) {
	n := b.columns(line, 6, 9, "a number of atoms")
	for i := 0; i < n && b.wrong == nil; i++ {
		at := 9 + 8*i
		atom, value := b.columns(line, at, at+4, "an atom"), b.columns(line, at+4, at+8, "a value")
		switch {
		case b.wrong != nil:
		case atom < 1 || atom > len(b.m.Atoms):
			b.fail(line, at+1, "atom %d: the molecule has the atoms 1 to %d", atom, len(b.m.Atoms))
		case !set(&b.m.Atoms[atom-1], value):
			b.fail(line, at+5, "the value %d of atom %d is out of range", value, atom)
		}
	}
}

// hydrogens counts those that are no atoms: the room of the elements, but where a valence is written.
func (b *block) hydrogens() {
	b.m.Imply()
	if len(b.fixed) == 0 {
		return
	}
	twice := make([]int, len(b.m.Atoms)) // the sums of the orders of the bonds, two times
	for _, bond := range b.m.Bonds {
		order := 2
		switch bond.Order {
		case smiles.Double, smiles.Triple:
			order = 2 * int(bond.Order)
		case smiles.Aromatic:
			order = 3
		}
		twice[bond.From] += order
		twice[bond.To] += order
	}
	for i, valence := range b.fixed {
		b.m.Atoms[i].Hydrogens = uint8(max(valence-(twice[i]+1)/2, 0))
	}
}
