// Package smiles reads and writes molecules as SMILES strings, such as CC(=O)Oc1ccccc1C(=O)O for aspirin.
//
//	m, err := smiles.Parse("c1ccccc1O")
//	fmt.Println(len(m.Atoms), len(m.Bonds), m) // 7 7 c1ccccc1O
//
// The grammar is that of OpenSMILES 1.0 (http://opensmiles.org/opensmiles.html): the organic subset, atoms in brackets
// with isotope, charge, hydrogens, chirality and class, ring closures as a digit, %nn or %(nnn), bond marks, branches,
// components and the wildcard *. Beyond it are read what other programs write: the aromatic atoms si and te in
// brackets, ~ for a bond of any order, -> and <- for a dative bond, and ring closures that follow a branch.
//
// A molecule is taken as it is written. Atoms are aromatic where the string says so, and an unmarked bond is aromatic
// between two aromatic atoms, in a ring or not, and single elsewhere. Hydrogens that atoms of the organic subset imply
// are counted by the valence model of [Atom.Hydrogens]. Stereo marks are kept as they stand and change nothing else.
package smiles
