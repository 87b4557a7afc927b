package render

import "strings"

// symbols lists the chemical elements.
const symbols = " H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr" +
	" Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu" +
	" Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr" +
	" Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og "

func isElement(name string) bool {
	return name != "" && !strings.Contains(name, " ") && strings.Contains(symbols, " "+name+" ")
}

// elementColour returns the usual colour of an element in the tradition of Corey, Pauling and Koltun,
// darkened where it would vanish on a light ground.
func elementColour(symbol string) colour {
	switch symbol {
	case "C":
		return rgb(0x52565c)
	case "H":
		return rgb(0xdfe3e8)
	case "N":
		return rgb(0x2f62c9)
	case "O":
		return rgb(0xd3322b)
	case "F":
		return rgb(0x7cb342)
	case "Cl":
		return rgb(0x1e9e50)
	case "Br":
		return rgb(0x9a3b1e)
	case "I":
		return rgb(0x6f2da8)
	case "S":
		return rgb(0xe8c21d)
	case "P":
		return rgb(0xee8a1d)
	case "B":
		return rgb(0xf0a58f)
	case "Si":
		return rgb(0xc2a56b)
	case "Li", "Na", "K", "Rb", "Cs":
		return rgb(0x9d5bd2)
	case "Be", "Mg", "Ca", "Sr", "Ba":
		return rgb(0x2a7f3f)
	case "Fe", "Cu", "Co":
		return rgb(0xc8742a)
	default:
		return rgb(0x8794a3) // other metals and rare elements
	}
}
