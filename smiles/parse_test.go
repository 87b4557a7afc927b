package smiles

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWrongStringsSayWhereAndWhatWasExpected(t *testing.T) {
	for text, want := range map[string]string{
		"":            "column 1: an atom is missing for the molecule, the text ends",
		"C1CC":        "column 2: ring closure 1 is never closed",
		"CC%12C3":     "column 3: ring closure 12 is never closed",
		"C%(123)C":    "column 2: ring closure 123 is never closed",
		"CC(C":        "column 3: the branch is never closed by ')'",
		"CC(":         "column 4: an atom is missing for the branch, the text ends",
		"C()C":        "column 3: an atom is missing for the branch, not ')'",
		"C((C))C":     "column 3: an atom is missing for the branch, not '('",
		"(C)C":        "column 1: an atom is missing for the molecule, not '('",
		"CC)C":        "column 3: ')' without a '(' before",
		"C.":          "column 3: an atom is missing for the component after '.', the text ends",
		"C..C":        "column 3: an atom is missing for the component after '.', not '.'",
		"CC=":         "column 4: an atom is missing for the bond, the text ends",
		"C(=)C":       "column 4: an atom is missing for the bond, not ')'",
		"C=-C":        "column 3: an atom is missing for the bond, not another bond",
		"=C":          "column 1: an atom is missing before the bond",
		"1CC1":        "column 1: an atom is missing before the ring closure",
		"C(1CC1)":     "column 3: an atom is missing before the ring closure",
		"C11":         "column 3: ring closure 1 joins an atom with itself",
		"C1C1":        "column 4: ring closure 1 joins two atoms that have a bond already",
		"C12CC12":     "column 7: ring closure 2 joins two atoms that have a bond already",
		"C=1CC#1":     "column 6: ring closure 1 has a triple bond here and a double bond in column 2",
		"C%1C":        "column 2: two digits should follow %, or a number in parentheses",
		"C%(1C":       "column 2: a number of at most 5 digits and ')' should follow %(",
		"CHO":         "column 2: H stands in brackets, [H]: outside are B, C, N, O, P, S, F, Cl, Br, I and *",
		"CCNa":        "column 4: 'a' where an atom, a bond, a ring closure or a branch should stand",
		"Cu":          "column 2: 'u' where an atom, a bond, a ring closure or a branch should stand",
		"Fe":          "column 2: 'e' where an atom, a bond, a ring closure or a branch should stand",
		"Zn":          "column 1: Zn stands in brackets, [Zn]: outside are B, C, N, O, P, S, F, Cl, Br, I and *",
		"C=é":         "column 3: 'é' where an atom for the bond should stand",
		"C C":         "column 2: ' ' where an atom, a bond, a ring closure or a branch should stand",
		"C[":          "column 2: the bracket is never closed: an isotope or an element should follow",
		"[13]":        "column 4: ']' where an element should stand in brackets",
		"[Xx]":        "column 2: 'X' where an isotope or an element should stand in brackets",
		"[fe]":        "column 2: 'f' where an isotope or an element should stand in brackets",
		"C[NH3":       "column 2: the bracket is never closed: ']' should follow",
		"[C+++]":      "column 5: '+' where ']' should stand in brackets",
		"[C:]":        "column 4: ']' where the number of a class should stand in brackets",
		"[1000C]":     "column 2: the isotope 1000 is above 999",
		"[C@SP4](C)C": "column 6: a number from 1 to 3 should follow @SP",
	} {
		m, err := Parse(text)
		var wrong *Error
		if m != nil || !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("%q: %v, %v, want %s", text, m, err, want)
		}
	}
}

// What is written in several ways is one molecule, written in one way.
func TestWaysOfWriting(t *testing.T) {
	for text, want := range map[string]string{
		"C":                     "C",
		"[CH4]":                 "C",
		"[13CH3-]":              "[13CH3-]",
		"C1CC1C%10CC%10":        "C1CC1C1CC1",
		"C%(123)CC%(123)":       "C1CC1",
		"C=1CC1":                "C=1CC1",
		"C1CC=1":                "C=1CC1",
		"C(C)1CC1":              "C1(C)CC1",
		"C(C(C(C)))C":           "C(CCC)C",
		"F/C=C\\F":              "FC=CF",
		"N[C@@H](C)O":           "NC(C)O",
		"[Fe++].[OH-:3]":        "[Fe+2].[OH-:3]",
		"c1ccccc1-c1ccccc1":     "c1ccccc1-c1ccccc1",
		"c1ccccc1c1ccccc1":      "c1ccccc1c1ccccc1",
		"C12.C1.C2":             "C(C)C",
		"C(.N)O":                "C1.N.O1",
		"N->[Cu]<-N":            "N->[Cu]<-N",
		"N->1CC[Cu]1":           "N->1CC[Cu]1",
		"C~C$C:C":               "C~C$C:C",
		"[*H2:1]*":              "[*H2:1]*",
		"[te]1cccc1":            "[te]1cccc1",
		"[c]1ccccc1":            "[c]1ccccc1",
		"C12C3C4C1C5C4C3C25":    "C12C3C4C1C1C4C3C21",
		"O=c1[nH]cnc2[nH]cnc12": "O=c1[nH]cnc2[nH]cnc12",
	} {
		m, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		back, err := Parse(m.String())
		if err != nil || m.String() != want || !same(m, back) {
			t.Errorf("%s is written as %s, want %s; read again as %v, %v", text, m, want, back, err)
		}
	}
}

// Hydrogens that RDKit 2022.09.3 counts where strings are unusual.
func TestImpliedHydrogens(t *testing.T) {
	for text, want := range map[string][]uint8{
		"c": {4}, "cc": {2, 2}, "c-c": {3, 3}, "c=C": {2, 2}, "c#c": {1, 1}, "C:C": {2, 2}, "C~C": {4, 4}, "C->C": {4, 3},
		"C$C": {0, 0}, "sc": {0, 2}, "oc": {0, 2}, "nc": {1, 2}, "n(C)C": {1, 3, 3}, "c(C)(C)C": {1, 3, 3, 3},
		"I(C)C": {1, 3, 3}, "S(C)(C)C": {1, 3, 3, 3}, "S(=O)C": {1, 0, 3}, "P(C)(C)(C)(C)(C)C": {1, 3, 3, 3, 3, 3, 3},
		"F(C)C": {0, 3, 3}, "N(=O)(=O)C": {0, 0, 0, 3}, "C:1CCC1": {1, 2, 2, 1}, "[H]C": {0, 3}, "[HH]": {1}, "*C": {0, 3},
		"[C]C": {0, 3},
	} {
		m, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []uint8
		for _, a := range m.Atoms {
			got = append(got, a.Hydrogens)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v hydrogens, want %v", text, got, want)
		}
	}
}

func TestStereoMarksAreKept(t *testing.T) {
	m, err := Parse(`F/C=C\[C@@H](O)[C@TH1](N)[S@OH30]`)
	if err != nil {
		t.Fatal(err)
	}
	var chiral []string
	for _, a := range m.Atoms {
		if a.Chirality != 0 {
			chiral = append(chiral, a.Chirality.String())
		}
	}
	if got := strings.Join(chiral, " "); got != "@@ @TH1 @OH30" {
		t.Errorf("marks %s", got)
	}
	if m.Bonds[0].Mark != '/' || m.Bonds[2].Mark != '\\' || m.Bonds[0].Order != Single {
		t.Errorf("bonds %v", m.Bonds)
	}
}

func TestHydrogensAsAtoms(t *testing.T) {
	m, err := Parse("CC=[NH2+]")
	if err != nil {
		t.Fatal(err)
	}
	all := m.WithHydrogens()
	if want := "C(C1=[N+]23)([H])([H])[H].[H]1.[H]2.[H]3"; all.String() != want {
		t.Errorf("%s, want %s", all, want)
	}
	if m.Atoms[0].Hydrogens != 3 {
		t.Error("the molecule has changed")
	}
	if back, err := Parse(all.String()); err != nil || !same(all, back) {
		t.Errorf("%s is read as %v, %v", all, back, err)
	}
}

func TestAtomsInRings(t *testing.T) {
	for text, want := range map[string]string{
		"CC1CC1C":            "01110",
		"C1CC1CC1CC1":        "1110111",
		"C1CC2(C1)CCC2":      "1111111",
		"C1CC1.CC.C12CC1CC2": "111" + "00" + "11111",
		"C1CC1C1CC1":         "111111",
		"*1CC1=O":            "1110",
	} {
		m, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := ""
		for _, in := range m.InRing() {
			got += map[bool]string{true: "1", false: "0"}[in]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestElementsAndTheirSymbols(t *testing.T) {
	for e := range Element(len(symbols)) {
		if got, ok := ElementOf(e.String()); !ok || got != e {
			t.Errorf("%s is read as %d, want %d", e, got, e)
		}
	}
	if e, _ := ElementOf("Og"); e != 118 {
		t.Errorf("Og has number %d", e)
	}
	for _, no := range []string{"", "c", "CL", "Xx", "Uuo", "C "} {
		if e, ok := ElementOf(no); ok {
			t.Errorf("%q is %s", no, e)
		}
	}
}

// Long chains, deep branches and many ring closures take time and memory in proportion to them.
func TestLongStrings(t *testing.T) {
	const n = 100_000
	rings := strings.Builder{}
	for i := range 300 {
		fmt.Fprintf(&rings, "C%%(%05d)", i)
	}
	for _, text := range []string{
		strings.Repeat("C", n), strings.Repeat("C(", n) + "C" + strings.Repeat(")", n), strings.Repeat("C.", n) + "C",
		rings.String() + "C.C" + rings.String(),
	} {
		m, err := Parse(text)
		if err != nil {
			t.Fatalf("%.20s...: %v", text, err)
		}
		if back, err := Parse(m.String()); err != nil || !same(m, back) {
			t.Errorf("%.20s...: written as %.40s..., %v", text, m, err)
		}
		m.InRing()
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"CC(=O)Oc1ccccc1C(=O)O", "[13CH3-].[Fe+2]", `F/C=C\F`, "C%12CC%12", "N->1CC[Cu]1", "C~C$C:C", "[C@TB20H2+:7]",
		"C%(123)CC%(123)", "C12C3C4C1C5C4C3C25", "[te]1cccc1*", "C(", "%", "[", "é", "C1CC=1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			var wrong *Error
			if !errors.As(err, &wrong) || wrong.Column < 1 || wrong.Column > len(text)+1 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		back, err := Parse(m.String())
		if err != nil || !same(m, back) {
			t.Fatalf("%q is written as %s, which is read as %v, %v", text, m, back, err)
		}
		if back.String() != m.String() {
			t.Fatalf("%q is written as %s and then as %s", text, m, back)
		}
		if all := m.WithHydrogens(); len(all.InRing()) != len(all.Atoms) {
			t.Fatalf("%q has %d atoms", text, len(all.Atoms))
		}
	})
}
