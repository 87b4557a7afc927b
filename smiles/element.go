package smiles

import "fmt"

// Element is a chemical element by its atomic number, from 1 to 118; 0 is the wildcard.
type Element uint8

// String returns the symbol: "C", "Cl", "*" for the wildcard.
func (e Element) String() string {
	if int(e) < len(symbols) {
		return symbols[e]
	}
	return fmt.Sprintf("Element(%d)", uint8(e))
}

// Metal reports whether an element is one: none of the noble gases, the halogens, and the further elements from boron
// to tellurium that make covalent bonds, and no wildcard.
func (e Element) Metal() bool {
	switch {
	case e <= 2, e >= 5 && e <= 10, e >= 14 && e <= 18, e >= 32 && e <= 36:
		return false
	}
	return e < 51 || e > 54 && e != 85 && e != 86 && e < 117
}

// ElementOf returns the element of a symbol, as [Element.String] gives it, and whether there is one.
func ElementOf(symbol string) (Element, bool) {
	if symbol == "" || len(symbol) > 2 {
		return 0, false
	}
	second := byte(0)
	if len(symbol) == 2 {
		second = symbol[1]
	}
	return elementOf(symbol[0], second)
}

// elementOf is [ElementOf] for the two letters of a symbol, the second of which may be 0.
func elementOf(first, second byte) (Element, bool) {
	for e, s := range &symbols {
		if s[0] == first && (len(s) == 1 && second == 0 || len(s) == 2 && s[1] == second) {
			return Element(e), true
		}
	}
	return 0, false
}

var symbols = [...]string{
	"*",
	"H", "He",
	"Li", "Be", "B", "C", "N", "O", "F", "Ne",
	"Na", "Mg", "Al", "Si", "P", "S", "Cl", "Ar",
	"K", "Ca", "Sc", "Ti", "V", "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr",
	"Rb", "Sr", "Y", "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I", "Xe",
	"Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb", "Lu",
	"Hf", "Ta", "W", "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn",
	"Fr", "Ra", "Ac", "Th", "Pa", "U", "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr",
	"Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og",
}

// Elements that rules of the grammar name.
const (
	wildcard   Element = 0
	hydrogen   Element = 1
	boron      Element = 5
	carbon     Element = 6
	nitrogen   Element = 7
	oxygen     Element = 8
	fluorine   Element = 9
	silicon    Element = 14
	phosphorus Element = 15
	sulfur     Element = 16
	chlorine   Element = 17
	arsenic    Element = 33
	selenium   Element = 34
	bromine    Element = 35
	tellurium  Element = 52
	iodine     Element = 53
)

// valences returns the valences that an element of the organic subset is filled up to with hydrogens, ascending; none
// for others.
func (e Element) valences() []int {
	switch e {
	case boron, nitrogen:
		return []int{3}
	case carbon:
		return []int{4}
	case oxygen:
		return []int{2}
	case phosphorus:
		return []int{3, 5, 7}
	case sulfur:
		return []int{2, 4, 6}
	case fluorine, chlorine, bromine:
		return []int{1}
	case iodine:
		return []int{1, 3, 5}
	}
	return nil
}

// CanBeAromatic reports whether SMILES has a symbol in small letters for the element.
func (e Element) CanBeAromatic() bool {
	switch e {
	case boron, carbon, nitrogen, oxygen, silicon, phosphorus, sulfur, arsenic, selenium, tellurium:
		return true
	}
	return false
}
