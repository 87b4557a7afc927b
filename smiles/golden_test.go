package smiles

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// goldenCase is a molecule as RDKit reads it.
type goldenCase struct {
	Smiles string
	Atoms  []goldenAtom
	Bonds  [][3]any
}

type goldenAtom struct {
	Element   string
	Charge    int8
	Aromatic  bool
	Isotope   uint16
	Hydrogens uint8
}

func TestGoldenSmiles(t *testing.T) {
	testfiles.Golden(t, "smiles", testfiles.WithFields("source", "cases"), func(t *testing.T, raw []byte) {
		cases := testfiles.Decode[struct{ Cases []goldenCase }](t, raw).Cases
		if len(cases) == 0 {
			t.Fatal("no cases")
		}
		for _, c := range cases {
			m, err := Parse(c.Smiles)
			if err != nil {
				t.Errorf("%s: %v", c.Smiles, err)
				continue
			}
			c.check(t, m)
			written, err := Parse(m.String())
			if err != nil {
				t.Errorf("%s was written as %s: %v", c.Smiles, m, err)
				continue
			}
			c.check(t, written)
		}
	})
}

func (c *goldenCase) check(t *testing.T, m *Molecule) {
	t.Helper()
	var atoms []goldenAtom
	for _, a := range m.Atoms {
		atoms = append(atoms, goldenAtom{a.Element.String(), a.Charge, a.Aromatic, a.Isotope, a.Hydrogens})
	}
	if !slices.Equal(atoms, c.Atoms) {
		t.Errorf("%s: atoms\n%v, want\n%v", c.Smiles, atoms, c.Atoms)
	}
	var want []Bond
	for _, b := range c.Bonds {
		order := Single
		for _, o := range []Order{Single, Double, Triple, Aromatic, Quadruple, Dative, Any} {
			if word := b[2].(string); word == o.String() || o == Any && (word == "UNSPECIFIED" || word == "ZERO") {
				order = o
			}
		}
		want = append(want, Bond{From: int32(b[0].(float64)), To: int32(b[1].(float64)), Order: order})
	}
	if got, want := undirected(m.Bonds), undirected(want); !slices.Equal(got, want) {
		t.Errorf("%s: bonds\n%v, want\n%v", c.Smiles, got, want)
	}
}

// undirected sorts bonds and drops their marks, and their direction but for that of dative ones.
func undirected(bonds []Bond) []Bond {
	sorted := slices.Clone(bonds)
	for i := range sorted {
		b := &sorted[i]
		if b.Mark = 0; b.Order != Dative && b.From > b.To {
			b.From, b.To = b.To, b.From
		}
	}
	slices.SortFunc(sorted, func(a, b Bond) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return sorted
}

// same reports whether two molecules differ in their stereo marks and the order of their bonds at most.
func same(a, b *Molecule) bool {
	unmarked := func(atoms []Atom) []Atom {
		atoms = slices.Clone(atoms)
		for i := range atoms {
			atoms[i].Chirality = 0
		}
		return atoms
	}
	return slices.Equal(unmarked(a.Atoms), unmarked(b.Atoms)) && slices.Equal(undirected(a.Bonds), undirected(b.Bonds))
}

// table returns the SMILES of a public table.
func table(t testing.TB, parts ...string) []string {
	t.Helper()
	file, err := os.Open(testfiles.Data(t, append([]string{"molecules"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := io.Reader(file)
	if strings.HasSuffix(file.Name(), ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(rows)-1)
	for i, row := range rows[1:] {
		all[i] = row[slices.Index(rows[0], "smiles")]
	}
	return all
}

// Whole tables have as many molecules, atoms and bonds as the README of the golden values says, and what is written of
// them is read as the same.
func TestTablesAreReadWhole(t *testing.T) {
	for _, c := range []struct {
		path                    []string
		molecules, atoms, bonds int
	}{
		{[]string{"HIV", "HIV.csv.gz"}, 41127, 1049163, 1129688},
		{[]string{"QM9_small", "qm9_small.csv"}, 14715, 129435, 138410},
	} {
		t.Run(c.path[0], func(t *testing.T) {
			atoms, bonds, all := 0, 0, table(t, c.path...)
			for _, text := range all {
				m, err := Parse(text)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				atoms, bonds = atoms+len(m.Atoms), bonds+len(m.Bonds)
				if back, err := Parse(m.String()); err != nil || !same(m, back) {
					t.Errorf("%s was written as %s, which is read as %v, %v", text, m, back, err)
				}
			}
			if len(all) != c.molecules || atoms != c.atoms || bonds != c.bonds {
				t.Errorf("%d molecules, %d atoms, %d bonds, want %d, %d, %d", len(all), atoms, bonds, c.molecules, c.atoms,
					c.bonds)
			}
		})
	}
}

func BenchmarkParseHIV(b *testing.B) {
	all := table(b, "HIV", "HIV.csv.gz")
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range all {
			if _, err := Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	}
}
