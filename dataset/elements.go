package dataset

import (
	"slices"
	"strconv"
)

// elementsOf returns the chemical elements that the vertex labels 0, 1, 2, ... of a set of molecules of the TU
// collection stand for, as the readme files of the collection say; nil for other sets, and for those whose labels are
// published nowhere (NCI1, BZR, COX2).
func elementsOf(name string) []string {
	switch name {
	case "MUTAG":
		return []string{"C", "N", "O", "F", "I", "Cl", "Br"}
	case "Mutagenicity":
		return []string{"C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "K", "Li", "Ca"}
	case "PTC_MR":
		return []string{"In", "P", "O", "N", "Na", "C", "Cl", "S", "Br", "F", "K", "Cu", "Zn", "I", "Ba", "Sn", "Pb", "Ca"}
	case "AIDS":
		return []string{"C", "O", "N", "Cl", "F", "S", "Se", "P", "Na", "I", "Co", "Br", "Li", "Si", "Mg", "Cu", "As", "B",
			"Pt", "Ru", "K", "Pd", "Au", "Te", "W", "Rh", "Zn", "Bi", "Pb", "Ge", "Sb", "Sn", "Ga", "Hg", "Ho", "Tl", "Ni", "Tb"}
	}
	return nil
}

// nameElements names the labels of a set of molecules that is known by its name and by its labels, which must be all
// those of the published set.
func (d *Dataset) nameElements() {
	elements := elementsOf(d.Name)
	if elements == nil || len(d.LabelCodes) != len(elements) {
		return
	}
	for i, code := range d.LabelCodes {
		if code != strconv.Itoa(i) {
			return
		}
	}
	d.LabelNames = slices.Clone(elements)
	d.Notes = append(d.Notes, "vertex labels are shown as the elements of "+d.Name)
}
