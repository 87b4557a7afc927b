package smiles

import (
	"fmt"
	"math"
	"strconv"
)

// Error says where a string is no SMILES, and what was expected.
type Error struct {
	Column int // in bytes, from 1
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Reason) }

// Parse reads a molecule. The whole text must be SMILES; an error is an [*Error]. Time and memory are linear in the
// length of the text.
func Parse(text string) (*Molecule, error) {
	p := parser{text: text, m: &Molecule{}, previous: -1, wants: aMolecule}
	for p.at < len(text) && p.err == nil {
		p.step()
	}
	p.finish()
	if p.err != nil {
		return nil, p.err
	}
	p.m.fill(p.bare)
	return p.m, nil
}

// parser reads one string.
type parser struct {
	text string
	at   int // next byte
	m    *Molecule
	err  *Error

	previous int32   // atom that the next bond begins at, -1 where a component begins
	wants    string  // what the next atom is missing for; "" where none need follow
	mark     mark    // of the bond to the next atom or ring closure
	branches []place // open ones, each with the atom it begins at
	bare     []int32 // atoms outside of brackets
	follows  []int32 // of every atom the one before it that it has a bond with in the text, or -1

	rings  [100]ring // by number
	more   map[int]ring
	opened int                   // of both
	closed map[[2]int32]struct{} // pairs that ring closures join
}

// place is an atom and a position in the text.
type place struct {
	atom int32
	at   int
}

// ring is the opening of a ring closure.
type ring struct {
	place
	mark mark
	open bool
}

// mark is a bond that is written out.
type mark struct {
	order    Order // 0: none is written
	slash    byte  // '/' or '\'
	backward bool  // <-
	at       int
}

// What an atom may be missing for.
const (
	aMolecule  = "the molecule"
	aComponent = "the component after '.'"
	aBranch    = "the branch"
	aBond      = "the bond"
)

// fail keeps the first error.
func (p *parser) fail(at int, format string, values ...any) {
	if p.err == nil {
		p.err = &Error{at + 1, fmt.Sprintf(format, values...)}
	}
}

// step reads one thing.
func (p *parser) step() {
	switch c := p.text[p.at]; {
	case c == '(':
		p.openBranch()
	case c == ')':
		p.closeBranch()
	case c == '.':
		if p.wants != "" && p.wants != aBranch {
			p.fail(p.at, "an atom is missing for %s, not '.'", p.wants)
		}
		p.previous, p.wants = -1, aComponent
		p.at++
	case c >= '0' && c <= '9' || c == '%':
		p.ringClosure()
	case p.bondMark():
	case c == '[':
		p.bracket()
	default:
		p.organic()
	}
}

// finish checks that nothing is left open.
func (p *parser) finish() {
	switch {
	case p.err != nil:
	case p.wants != "":
		p.fail(len(p.text), "an atom is missing for %s, the text ends", p.wants)
	case len(p.branches) > 0:
		p.fail(p.branches[len(p.branches)-1].at, "the branch is never closed by ')'")
	case p.opened > 0:
		first, at := 0, math.MaxInt
		for number := range p.rings {
			if r := &p.rings[number]; r.open && r.at < at {
				first, at = number, r.at
			}
		}
		for number, r := range p.more {
			if r.at < at {
				first, at = number, r.at
			}
		}
		p.fail(at, "ring closure %d is never closed", first)
	}
}

func (p *parser) openBranch() {
	if p.wants != "" {
		p.fail(p.at, "an atom is missing for %s, not '('", p.wants)
		return
	}
	p.branches = append(p.branches, place{p.previous, p.at})
	p.wants = aBranch
	p.at++
}

func (p *parser) closeBranch() {
	last := len(p.branches) - 1
	switch {
	case p.wants != "":
		p.fail(p.at, "an atom is missing for %s, not ')'", p.wants)
	case last < 0:
		p.fail(p.at, "')' without a '(' before")
	default:
		p.previous, p.branches = p.branches[last].atom, p.branches[:last]
		p.at++
	}
}

// bondMark reads a bond that is written out, if one stands here.
func (p *parser) bondMark() bool {
	mark, length := mark{at: p.at}, 1
	next := byte(0)
	if p.at+1 < len(p.text) {
		next = p.text[p.at+1]
	}
	switch c := p.text[p.at]; {
	case c == '-' && next == '>':
		mark.order, length = Dative, 2
	case c == '<' && next == '-':
		mark.order, mark.backward, length = Dative, true, 2
	case c == '-':
		mark.order = Single
	case c == '/' || c == '\\':
		mark.order, mark.slash = Single, c
	case c == '=':
		mark.order = Double
	case c == '#':
		mark.order = Triple
	case c == '$':
		mark.order = Quadruple
	case c == ':':
		mark.order = Aromatic
	case c == '~':
		mark.order = Any
	default:
		return false
	}
	switch {
	case p.wants == aBond:
		p.fail(p.at, "an atom is missing for the bond, not another bond")
	case p.previous < 0:
		p.fail(p.at, "an atom is missing before the bond")
	}
	p.mark, p.wants = mark, aBond
	p.at += length
	return true
}

// atom adds an atom, with the bond to the one before.
func (p *parser) atom(a Atom) {
	if len(p.m.Atoms) >= math.MaxInt32/4 {
		p.fail(p.at, "more than %d atoms", math.MaxInt32/4)
		return
	}
	number := int32(len(p.m.Atoms))
	p.m.Atoms = append(p.m.Atoms, a)
	p.follows = append(p.follows, p.previous)
	if p.previous >= 0 {
		p.bond(p.previous, number, p.mark)
	}
	p.previous, p.wants, p.mark = number, "", mark{}
}

// bond adds a bond as it is written between two atoms.
func (p *parser) bond(from, to int32, written mark) {
	b := Bond{From: from, To: to, Order: written.order, Mark: written.slash}
	if b.Order == 0 {
		b.Order = p.m.unmarked(from, to)
	}
	if written.backward {
		b.From, b.To = to, from
	}
	p.m.Bonds = append(p.m.Bonds, b)
}

// unmarked returns the order of a bond between two atoms that is not written out.
func (m *Molecule) unmarked(from, to int32) Order {
	if m.Atoms[from].Aromatic && m.Atoms[to].Aromatic {
		return Aromatic
	}
	return Single
}

// organic reads an atom outside of brackets.
func (p *parser) organic() {
	a, length := Atom{}, 1
	next := byte(0)
	if p.at+1 < len(p.text) {
		next = p.text[p.at+1]
	}
	switch c := p.text[p.at]; {
	case c == '*':
		a.Element = wildcard
	case c == 'C' && next == 'l':
		a.Element, length = chlorine, 2
	case c == 'B' && next == 'r':
		a.Element, length = bromine, 2
	default:
		a.Aromatic = c >= 'a' && c <= 'z'
		if a.Aromatic {
			c -= 'a' - 'A'
		}
		e, known := elementOf(c, 0)
		if known = known && e.valences() != nil; !known || a.Aromatic && !e.CanBeAromatic() {
			p.unknown()
			return
		}
		a.Element = e
	}
	p.bare = append(p.bare, int32(len(p.m.Atoms)))
	p.at += length
	p.atom(a)
}

// unknown says that what stands here begins nothing.
func (p *parser) unknown() {
	rest := p.text[p.at:]
	here := strconv.QuoteRune([]rune(rest[:min(len(rest), 4)])[0])
	upper := rest[0] >= 'A' && rest[0] <= 'Z'
	for length := min(2, len(rest)); length > 0 && upper; length-- {
		if e, known := ElementOf(rest[:length]); known {
			p.fail(p.at, "%s stands in brackets, [%s]: outside are B, C, N, O, P, S, F, Cl, Br, I and *", e, e)
			return
		}
	}
	wanted := "an atom, a bond, a ring closure or a branch"
	if p.wants != "" {
		wanted = "an atom for " + p.wants
	}
	p.fail(p.at, "%s where %s should stand", here, wanted)
}
