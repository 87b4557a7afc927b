package smiles

import (
	"fmt"
	"strings"
)

// Chirality is the mark of an atom in brackets that says how its neighbours are arranged, in the order of the text; 0
// where there is none.
type Chirality uint8

// The marks that are written alone. Those with a class and a number follow them.
const (
	CounterClockwise Chirality = 1 // @
	Clockwise        Chirality = 2 // @@
)

// chiralClasses are the classes of marks with how many each has.
var chiralClasses = [...]struct {
	name string
	most int
}{{"TH", 2}, {"AL", 2}, {"SP", 3}, {"TB", 20}, {"OH", 30}}

// String returns the mark as it is written: "@", "@@", "@TH1", "" where there is none.
func (c Chirality) String() string {
	if c <= Clockwise {
		return strings.Repeat("@", int(c))
	}
	number := int(c - Clockwise)
	for _, class := range &chiralClasses {
		if number <= class.most {
			return fmt.Sprintf("@%s%d", class.name, number)
		}
		number -= class.most
	}
	return fmt.Sprintf("Chirality(%d)", uint8(c))
}

// bracket reads an atom in brackets.
func (p *parser) bracket() {
	open := p.at
	p.at++
	var a Atom
	isotope, digits := p.number(5)
	if isotope > 999 {
		p.fail(open+1, "the isotope %d is above 999", isotope)
		return
	}
	a.Isotope = uint16(isotope)
	if !p.symbol(&a) {
		what := "an element"
		if digits == 0 {
			what = "an isotope or an element"
		}
		p.missing(open, what)
		return
	}
	p.chirality(&a)
	if p.taken('H') {
		count, digits := p.number(2)
		if digits == 0 {
			count = 1
		}
		a.Hydrogens = uint8(count)
	}
	p.charge(&a)
	if p.taken(':') {
		class, digits := p.number(9)
		if digits == 0 {
			p.missing(open, "the number of a class")
			return
		}
		a.Class = int32(class)
	}
	if p.err != nil {
		return
	}
	if !p.taken(']') {
		p.missing(open, "']'")
		return
	}
	p.atom(a)
}

// missing says what should stand here in brackets.
func (p *parser) missing(open int, what string) {
	if p.at >= len(p.text) {
		p.fail(open, "the bracket is never closed: %s should follow", what)
		return
	}
	p.fail(p.at, "%q where %s should stand in brackets", p.text[p.at], what)
}

// taken takes a character if it stands here.
func (p *parser) taken(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// number reads a number of at most so many digits.
func (p *parser) number(most int) (value, digits int) {
	for ; digits < most && p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9'; digits++ {
		value = 10*value + int(p.text[p.at]-'0')
		p.at++
	}
	return value, digits
}

// symbol reads an element, in small letters where it is aromatic.
func (p *parser) symbol(a *Atom) bool {
	if p.at == len(p.text) {
		return false
	}
	first, second := p.text[p.at], byte(0)
	if p.at+1 < len(p.text) && p.text[p.at+1] >= 'a' && p.text[p.at+1] <= 'z' {
		second = p.text[p.at+1]
	}
	if a.Aromatic = first >= 'a' && first <= 'z'; a.Aromatic {
		first -= 'a' - 'A'
	}
	for _, second := range [2]byte{second, 0} {
		e, known := elementOf(first, second)
		if !known || a.Aromatic && !e.CanBeAromatic() {
			continue
		}
		a.Element = e
		if p.at++; second != 0 {
			p.at++
		}
		return true
	}
	return false
}

// chirality reads a stereo mark, if one stands here.
func (p *parser) chirality(a *Atom) {
	if !p.taken('@') {
		return
	}
	if a.Chirality = CounterClockwise; p.taken('@') {
		a.Chirality = Clockwise
		return
	}
	before := int(Clockwise)
	for _, class := range &chiralClasses {
		if !strings.HasPrefix(p.text[p.at:], class.name) {
			before += class.most
			continue
		}
		p.at += len(class.name)
		at := p.at
		number, _ := p.number(2)
		if number < 1 || number > class.most {
			p.fail(at, "a number from 1 to %d should follow @%s", class.most, class.name)
			return
		}
		a.Chirality = Chirality(before + number)
		return
	}
}

// charge reads a charge, if one stands here.
func (p *parser) charge(a *Atom) {
	for _, sign := range [2]byte{'+', '-'} {
		if !p.taken(sign) {
			continue
		}
		charge, digits := p.number(2)
		if digits == 0 {
			if charge = 1; p.taken(sign) {
				charge = 2
			}
		}
		if sign == '-' {
			charge = -charge
		}
		a.Charge = int8(charge)
		return
	}
}
