package smiles

// ringClosure reads a digit, %nn or %(n...), which opens a ring closure or closes it.
func (p *parser) ringClosure() {
	at := p.at
	number, ok := p.closureNumber()
	switch {
	case !ok:
		return
	case p.previous < 0 || p.wants != "" && p.wants != aBond:
		p.fail(at, "an atom is missing before the ring closure")
		return
	}
	here := ring{place{p.previous, at}, p.mark, true}
	if p.wants = ""; p.mark.order != 0 {
		p.mark = mark{}
	}
	opening := p.opening(number)
	if opening.open {
		p.setOpening(number, ring{})
		p.opened--
		p.closeRing(number, opening, here)
		return
	}
	p.setOpening(number, here)
	p.opened++
}

func (p *parser) opening(number int) ring {
	if number < len(p.rings) {
		return p.rings[number]
	}
	return p.more[number]
}

func (p *parser) setOpening(number int, r ring) {
	switch {
	case number < len(p.rings):
		p.rings[number] = r
	case !r.open:
		delete(p.more, number)
	default:
		if p.more == nil {
			p.more = map[int]ring{}
		}
		p.more[number] = r
	}
}

// closureNumber reads the number of a ring closure.
func (p *parser) closureNumber() (number int, ok bool) {
	if p.text[p.at] != '%' {
		number = int(p.text[p.at] - '0')
		p.at++
		return number, true
	}
	at := p.at
	p.at++
	long := p.at < len(p.text) && p.text[p.at] == '('
	digits := 2
	if long {
		digits = 5
		p.at++
	}
	n := 0
	for ; n < digits && p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9'; n++ {
		number = 10*number + int(p.text[p.at]-'0')
		p.at++
	}
	switch {
	case !long && n < 2:
		p.fail(at, "two digits should follow %%, or a number in parentheses")
	case long && (n == 0 || p.at == len(p.text) || p.text[p.at] != ')'):
		p.fail(at, "a number of at most 5 digits and ')' should follow %%(")
	default:
		if long {
			p.at++
		}
		return number, true
	}
	return 0, false
}

// closeRing adds the bond of a ring closure.
func (p *parser) closeRing(number int, opening, closing ring) {
	from, to := opening.atom, closing.atom
	pair := [2]int32{min(from, to), max(from, to)}
	_, twice := p.closed[pair]
	switch {
	case from == to:
		p.fail(closing.at, "ring closure %d joins an atom with itself", number)
		return
	case twice || p.follows[pair[1]] == pair[0]:
		p.fail(closing.at, "ring closure %d joins two atoms that have a bond already", number)
		return
	case opening.mark.order != 0 && closing.mark.order != 0 && !sameBond(opening.mark, closing.mark):
		p.fail(closing.mark.at, "ring closure %d has a %s bond here and a %s bond in column %d", number,
			closing.mark.order, opening.mark.order, opening.mark.at+1)
		return
	}
	if p.closed == nil {
		p.closed = map[[2]int32]struct{}{}
	}
	p.closed[pair] = struct{}{}
	if opening.mark.order == 0 && closing.mark.order != 0 {
		p.bond(to, from, closing.mark)
		return
	}
	p.bond(from, to, opening.mark)
}

// sameBond reports whether the two ends of a ring closure are marked as one bond, a dative one by opposite arrows.
func sameBond(a, b mark) bool {
	return a.order == b.order && (a.order != Dative || a.backward != b.backward)
}
