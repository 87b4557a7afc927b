package sdf

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// table is a molecule of version V2000 with some atoms, each with its columns after the symbol, and bonds.
func table(name string, atoms []string, bonds [][3]int, more ...string) string {
	text := fmt.Sprintf("%s\n  program\n\n%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", name, len(atoms), len(bonds))
	for i, a := range atoms {
		symbol, rest, _ := strings.Cut(a, " ")
		if rest == "" {
			rest = "0  0  0  0  0  0"
		}
		text += fmt.Sprintf("%10.4f%10.4f%10.4f %-3s%2s\n", float64(i), 0.0, 0.0, symbol, rest)
	}
	for _, b := range bonds {
		text += fmt.Sprintf("%3d%3d%3d  0\n", b[0], b[1], b[2])
	}
	return text + strings.Join(append(more, "M  END"), "\n") + "\n"
}

// read returns the records of a text.
func read(t *testing.T, text string) (records []*Record) {
	t.Helper()
	r := NewReader(strings.NewReader(text))
	for r.Next() {
		records = append(records, r.Record())
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return records
}

func TestMoleculesOfBothVersions(t *testing.T) {
	ring := [][3]int{{1, 2, 4}, {2, 3, 4}, {3, 4, 4}, {4, 5, 4}, {5, 6, 4}, {6, 1, 4}, {6, 7, 1}}
	text := table("phenol", []string{"C", "C", "C", "C", "C", "C", "O"}, ring) +
		"> <activity>\n1.5\n\n>  <words> (3)\ntwo\nlines\n\n$$$$\n" +
		table("ammonium", []string{"N 0  3  0  0  0  0"}, nil) + "$$$$\r\n" +
		table("acetate", []string{"C", "C", "O", "O"}, [][3]int{{1, 2, 1}, {2, 3, 2}, {2, 4, 1}}, "M  CHG  1   4  -1",
			"M  ISO  1   1  13") +
		"$$$$\n" + table("salt", []string{"Na", "Cl", "D"}, nil, "M  CHG  2   1   1   2  -1") + "$$$$\n" + `cation
  program

  0  0  0     0  0            999 V3000
M  V30 BEGIN CTAB
M  V30 COUNTS 3 2 0 0 0
M  V30 BEGIN ATOM
M  V30 10 C 0 0 0 0
M  V30 20 N 1 0 0 0 CHG=1 -
M  V30 MASS=15
M  V30 30 Cu 2 0 0 0 VAL=-1
M  V30 END ATOM
M  V30 BEGIN BOND
M  V30 1 1 10 20
M  V30 2 9 20 30
M  V30 END BOND
M  V30 END CTAB
M  END
$$$$
` + table("carbanion", []string{"C 0  5  0  0  0  0", "C 0  3", "C 0  0  0  0  0  3"},
		[][3]int{{1, 2, 1}, {2, 3, 1}})
	want := []string{
		"phenol c1ccccc1O [activity words]", "ammonium [NH4+] []", "acetate [13CH3]C(=O)[O-] []",
		"salt [Na+].[Cl-].[2H] []", "cation C[15NH3+]->[Cu] []", "carbanion [CH2-][CH+][CH2] []",
	}
	for i, r := range read(t, text) {
		if r.Wrong != nil {
			t.Errorf("record %d: %v", i, r.Wrong)
			continue
		}
		if got := fmt.Sprint(r.Name, " ", r.Molecule, " ", r.Names); i >= len(want) || got != want[i] {
			t.Errorf("record %d: %s, want %v", i, got, want[min(i, len(want)-1)])
		}
		if i == 0 && (r.Values["activity"] != "1.5" || r.Values["words"] != "two lines") {
			t.Errorf("values %v", r.Values)
		}
	}
}

// What is wrong with a molecule is said with its line, and the next one is read.
func TestWrongMoleculesSayWhere(t *testing.T) {
	two := []string{"C", "C"}
	known := "known are 1 single, 2 double, 3 triple, 4 aromatic, 8 any and 9 dative"
	for text, want := range map[string]string{
		"x\n\n\nM  END\n":               "line 4: the molecule ends before its line of counts, the fourth",
		"x\n\n\n  a  0 V2000\nM  END\n": `line 4: column 1: "a" where the number of atoms should stand, a whole number`,
		"x\n\n\n  2  0 V2000\nM  END\n": "line 4: column 1: 2 atoms and 0 bonds, and 0 lines follow",
		"x\n\n\n  0  0 V2000\nM  END\n": "line 4: the molecule has no atoms",
		"x\n\n\n  1  0 V2000\n    0\nM  END\n": "line 5: column 6: the line ends where the symbol " +
			"of an element should stand",
		"x\n\n\n  1  0 V2000\n$$$$\n":             "line 5: the molecule should end with the line M  END",
		table("x", []string{"Xx"}, nil):           `line 5: column 32: "Xx" where the symbol of an element should stand`,
		table("x", two, [][3]int{{1, 3, 1}}):      "line 7: a bond between atoms 1 and 3: the molecule has the atoms 1 to 2",
		table("x", two, [][3]int{{1, 1, 1}}):      "line 7: a bond of atom 1 with itself",
		table("x", two, [][3]int{{1, 2, 6}}):      "line 7: a bond of type 6: " + known,
		table("x", two, nil, "M  CHG  1   3   1"): "line 7: column 10: atom 3: the molecule has the atoms 1 to 2",
		table("x", two, nil, "M  CHG  1   1  99"): "line 7: column 14: the value 99 of atom 1 is out of range",
		"x\n\n\n V3000\nM  V30 BEGIN ATOM\nM  V30 1\nM  END\n": "line 6: an atom should have a number, " +
			"a symbol, three coordinates and a mapping",
	} {
		records := read(t, text+"$$$$\n"+table("next", two, nil)+"$$$$\n")
		if r := records[0]; r.Wrong == nil || r.Wrong.Error() != want || r.Molecule != nil {
			t.Errorf("%q: %v, want %s", text, r.Wrong, want)
		}
		if last := records[len(records)-1]; last.Name != "next" || last.Wrong != nil {
			t.Errorf("%q: then %q, %v", text, last.Name, last.Wrong)
		}
	}
	r := NewReader(strings.NewReader(strings.Repeat("x", maxLine+1)))
	var wrong *Error
	if r.Next() || !errors.As(r.Err(), &wrong) || wrong.Line != 1 {
		t.Errorf("a long line: %v", r.Err())
	}
}

func FuzzReader(f *testing.F) {
	f.Add(table("a", []string{"C", "N 0  3", "Cl"}, [][3]int{{1, 2, 1}, {2, 3, 4}}, "M  CHG  1   1  -1") +
		"> <y>\n1\n\n$$$$\n")
	f.Add("x\n\n\n  0  0 V3000\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0 CHG=1 -\nM  V30 MASS=13\nM  V30 END ATOM\n" +
		"M  V30 BEGIN BOND\nM  V30 1 1 1 2\nM  END\n$$$$\n")
	f.Add("\n\n\n999999 V2000\n$$$$\n> <a\n> <b>\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := NewReader(strings.NewReader(text))
		for r.Next() {
			record := r.Record()
			if (record.Wrong == nil) != (record.Molecule != nil) {
				t.Fatalf("%v and %v", record.Wrong, record.Molecule)
			}
			if record.Molecule != nil {
				record.Molecule.InRing()
				_ = record.Molecule.String()
			}
		}
	})
}
