package sdf

import (
	"strconv"
	"strings"

	"github.com/grove-graph/grove/smiles"
)

// v3000 reads a table of words from the line after that of counts on.
func (b *block) v3000(at int) {
	numbers := map[string]int{} // of atoms in the molecule, from 1, by those in the file
	inside := ""                // the block of lines that is read: ATOM or BOND
	for line := at; line < len(b.lines) && b.wrong == nil; line++ {
		first := line
		text, ours := strings.CutPrefix(b.lines[line], "M  V30 ")
		if !ours {
			continue
		}
		for strings.HasSuffix(text, "-") && line+1 < len(b.lines) {
			line++
			text = strings.TrimSuffix(text, "-") + strings.TrimPrefix(b.lines[line], "M  V30 ")
		}
		words := strings.Fields(text)
		switch {
		case len(words) == 0:
		case words[0] == "BEGIN" && len(words) > 1:
			if inside == "" && (words[1] == "ATOM" || words[1] == "BOND") {
				inside = words[1]
			}
		case words[0] == "END" && len(words) > 1 && words[1] == inside:
			inside = ""
		case inside == "ATOM":
			b.atom3000(first, words, numbers)
		case inside == "BOND":
			b.bond3000(first, words, numbers)
		}
	}
}

// atom3000 reads an atom: its number, its symbol, three coordinates, a mapping and properties.
func (b *block) atom3000(line int, words []string, numbers map[string]int) {
	if len(words) < 6 {
		b.fail(line, 0, "an atom should have a number, a symbol, three coordinates and a mapping")
		return
	}
	if _, known := numbers[words[0]]; known {
		b.fail(line, 0, "a second atom %s", words[0])
		return
	}
	symbol := words[1]
	if strings.HasPrefix(symbol, "[") || strings.HasPrefix(symbol, "NOT") { // a list of elements
		symbol = "*"
	}
	if !b.element(line, 0, symbol) {
		return
	}
	numbers[words[0]] = len(b.m.Atoms)
	a := &b.m.Atoms[len(b.m.Atoms)-1]
	for _, word := range words[6:] {
		name, text, _ := strings.Cut(word, "=")
		least, most := 0, 0
		switch name {
		case "CHG":
			least, most = -15, 15
		case "MASS":
			least, most = 0, 999
		case "VAL":
			least, most = -1, 14
		default:
			continue
		}
		value, err := strconv.Atoi(text)
		if err != nil || value < least || value > most {
			b.fail(line, 0, "%s, want a whole number from %d to %d", word, least, most)
			return
		}
		switch name {
		case "CHG":
			a.Charge = int8(value)
		case "MASS":
			a.Isotope = uint16(value)
		case "VAL":
			b.valence(value)
		}
	}
}

// bond3000 reads a bond: its number, its type and its atoms.
func (b *block) bond3000(line int, words []string, numbers map[string]int) {
	if len(words) < 4 {
		b.fail(line, 0, "a bond should have a number, a type and two atoms")
		return
	}
	kind, err := strconv.Atoi(words[1])
	if err != nil {
		b.fail(line, 0, "%q where the type of a bond should stand, a whole number", words[1])
		return
	}
	from, to := numbers[words[2]], numbers[words[3]]
	if from == 0 || to == 0 {
		b.fail(line, 0, "a bond between atoms %s and %s: there are no such two atoms", words[2], words[3])
		return
	}
	if kind == int(smiles.Dative)+1 { // 10, a hydrogen bond, joins no atoms
		return
	}
	b.bond(line, from, to, kind)
}
