package dataset

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMoleculesKeepTheirNames(t *testing.T) {
	table := func(text string) (*Dataset, error) { return openTableText(text, Molecules{SkipInvalid: true}) }
	lines := func(text string) (*Dataset, error) { return openSmilesText(text, Molecules{SkipInvalid: true}) }
	records := func(text string) (*Dataset, error) {
		return openSDF(files{"some.sdf": text}.folder(), "some.sdf", Reading{})
	}
	record := func(name string) string {
		return name + "\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n" +
			"    0.0000    0.0000    0.0000 N   0  0\nM  END\n$$$$\n"
	}
	for _, c := range []struct {
		text, want string // names, "" where there are none
		open       func(string) (*Dataset, error)
	}{
		{"smiles,name,y\nCCO,ethanol,2\nC,methane,1\n", "ethanol methane", table},
		{"smiles,Compound ID,y\nCCO,702,1\nC(,1,1\nC,297,2\n", "702 297", table}, // one is left out
		{"smiles,y,source\nCCO,1.5,a\nC,2.5,b\n", "a b", table},                  // words that differ are no classes
		{"smiles,y,row\nCCO,1.5,5\nC,2.5,6\nN,3,7\n", "5 6 7", table},            // numbers of rows
		{"smiles,y,row\nCCO,1.5,0\nC,2.5,1\nN,3,2\n", "", table},                 // the numbers that graphs have
		{"smiles,name,y\nCCO,ethanol,2\nC,,1\n", "", table},
		{"smiles,name,y\nCCO,a,1\nC,a,2\nN,b,1.5\n", "", table},
		{"CCO ethanol\nC( wrong\nC#N hydrogen cyanide\n", "ethanol hydrogen cyanide", lines},
		{"CCO ethanol\nC\n", "", lines},
		{record("water") + record("a name"), "water a name", records},
		{record("water") + record(""), "", records},
	} {
		d, err := c.open(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := strings.Join(d.GraphIDs, " "); got != c.want {
			t.Errorf("%q: names %q, want %q", c.text, got, c.want)
		}
		dir := filepath.Join(t.TempDir(), "again")
		if err := writeAs(dir, TableFormat, d); err != nil {
			t.Fatal(err)
		}
		if back, err := Open(dir); err != nil || !slices.Equal(back.GraphIDs, d.GraphIDs) || back.Digest() != d.Digest() {
			t.Errorf("%q is read back with names %v (%v)", c.text, back.GraphIDs, err)
		}
	}
}
