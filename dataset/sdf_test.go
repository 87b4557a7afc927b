package dataset

import (
	"math"
	"slices"
	"testing"
)

const sdfText = `ethanol
  by hand

  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.0000    0.0000    0.0000 C   0  0
    2.0000    0.0000    0.0000 O   0  0
  1  2  1  0
  2  3  1  0
M  END
> <kind>
alcohol

> <melting>
-114.1

$$$$
ion
  by hand

  1  0  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 N   0  0
M  CHG  1   1   1
M  END
> <kind>
ion

$$$$
third
  by hand

  1  0  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 O   0  0
M  END
> <melting>
0

> <kind>
ion

$$$$
`

func openSDFText(text string, how Molecules) (*Dataset, error) {
	return openSDF(files{"some.sdf": text}.folder(), "some.sdf", Reading{Molecules: how})
}

func TestValuesOfSDFAreTargets(t *testing.T) {
	d, err := openSDFText(sdfText, Molecules{Attributes: []AtomAttribute{AtomCharge, AtomHydrogens}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"kind", "melting"}; !slices.Equal(d.TargetNames, want) || d.NumGraphs() != 3 {
		t.Fatalf("%d graphs, targets %v", d.NumGraphs(), d.TargetNames)
	}
	if kind := d.WithTarget(0, false); !slices.Equal(kind.Classes, []int{0, 1, 1}) {
		t.Errorf("kinds %v of %v", kind.Classes, kind.ClassNames)
	}
	if melting := d.WithTarget(1, false).Targets; melting[0] != -114.1 || !math.IsNaN(melting[1]) || melting[2] != 0 {
		t.Errorf("melting points %v", melting)
	}
	if got, want := d.Batch.Attributes, []float64{0, 3, 0, 2, 0, 1, 1, 4, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("charges and hydrogens %v, want %v", got, want)
	}
}

func TestWrongSDFNamesTheLine(t *testing.T) {
	_, err := openSDFText("x\n\n\n  1  0 V2000\n"+"                               Xx\nM  END\n$$$$\n"+sdfText, Molecules{})
	wantError(t, err, `some.sdf:5: column 32: "Xx" where the symbol of an element should stand`)
	d, err := openSDFText("x\n\n\nM  END\n$$$$\n"+sdfText, Molecules{SkipInvalid: true})
	if err != nil || d.NumGraphs() != 3 || len(d.Skipped) != 1 {
		t.Errorf("%v, %v", d, err)
	}
	_, err = openSDFText("", Molecules{})
	wantError(t, err, "some.sdf: no molecules")
	_, err = openSDFText(sdfText, Molecules{Column: "x"})
	wantError(t, err, "no columns of SMILES in SDF")
}

func FuzzSDF(f *testing.F) {
	f.Add(sdfText, false)
	f.Add("x\n\n\n  0  0 V3000\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0 CHG=1\nM  END\n> <a>\n1\n\n$$$$\n", true)
	f.Fuzz(func(t *testing.T, text string, skip bool) {
		how := Molecules{SkipInvalid: skip, Attributes: AtomAttributes()}
		if d, err := openSDFText(text, how); err == nil {
			checkMolecules(t, d, how)
		}
	})
}
