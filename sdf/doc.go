// Package sdf reads structure-data files: molecules as MDL connection tables of version V2000 or V3000, each followed
// by named values and a line $$$$.
//
//	r := sdf.NewReader(file)
//	for r.Next() {
//		record := r.Record()
//		fmt.Println(record.Name, len(record.Molecule.Atoms), record.Values["activity"])
//	}
//	err := r.Err()
//
// The source is BIOVIA's CTfile Formats (2020). Read are elements (D and T are isotopes of hydrogen; A, Q, *, R, L and
// their like wildcards), charges, mass numbers, valences, bonds of the types 1 to 4, 8 and 9, and values;
// coordinates, stereo marks, groups and queries are passed over. Hydrogens that are no atoms are those that the bonds
// leave room for, see [smiles.Molecule.Imply].
package sdf
