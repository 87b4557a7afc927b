package dataset

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// openTableText reads a table of molecules.
func openTableText(text string, how Molecules) (*Dataset, error) {
	return openTable(files{"some.csv": text}.folder(), "some.csv", Reading{Molecules: how})
}

// openSmilesText reads molecules, one a line.
func openSmilesText(text string, how Molecules) (*Dataset, error) {
	return openSmiles(files{"some.smi": text}.folder(), "some.smi", Reading{Molecules: how})
}

const tableText = `id,SMILES,phase,active,solubility
m7,CCO,liquid,1,1.5
m3,c1ccccc1O,solid,0,
m9,"[Na+].[Cl-]",solid,,-0.25
m1,C#N,"gas, cold",1,2
`

func TestMoleculesAreGraphs(t *testing.T) {
	d, err := openTableText(tableText, Molecules{})
	if err != nil {
		t.Fatal(err)
	}
	b := d.Batch
	if !slices.Equal(b.Offsets, []int32{0, 3, 10, 12, 14}) || b.NumArcs() != 2*(2+7+0+1) || b.Directed {
		t.Errorf("offsets %v, %d arcs", b.Offsets, b.NumArcs())
	}
	if want := []string{"6", "7", "8", "11", "17"}; !slices.Equal(d.LabelCodes, want) {
		t.Errorf("labels %v, want %v", d.LabelCodes, want)
	}
	if want := []string{"C", "N", "O", "Na", "Cl"}; !slices.Equal(d.LabelNames, want) {
		t.Errorf("names %v, want %v", d.LabelNames, want)
	}
	if want := []string{"1", "3", "4"}; !slices.Equal(d.ArcLabelNames, want) {
		t.Errorf("bonds %v, want %v", d.ArcLabelNames, want)
	}
	if b.AttributeDim != 0 || len(d.Atoms) != 14 || d.Atoms[0].Hydrogens != 3 || d.Atoms[10].Charge != 1 {
		t.Errorf("%d attributes, atoms %v", b.AttributeDim, d.Atoms)
	}
	if part := d.Select([]int{2}); len(part.Atoms) != 2 || part.Atoms[0].Charge != 1 {
		t.Errorf("of graph 2 there are the atoms %v", part.Atoms)
	}
}

func TestColumnsAreTargets(t *testing.T) {
	d, err := openTableText(tableText, Molecules{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"phase", "active", "solubility"}; !slices.Equal(d.TargetNames, want) || d.Classes != nil {
		t.Fatalf("targets %v, classes %v", d.TargetNames, d.Classes)
	}
	if d.Name != "some" || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "column id") {
		t.Errorf("%s, notes %v", d.Name, d.Notes)
	}
	phase := d.WithTarget(0, false)
	if want := []string{"gas, cold", "liquid", "solid"}; phase.Task != GraphClassification ||
		!slices.Equal(phase.ClassNames, want) || !slices.Equal(phase.Classes, []int{1, 2, 2, 0}) || phase.Targets != nil {
		t.Errorf("phase: %v %v", phase.ClassNames, phase.Classes)
	}
	active := d.WithTarget(1, false)
	if !slices.Equal(active.Classes, []int{1, 0, -1, 1}) || !slices.Equal(active.ClassNames, []string{"0", "1"}) ||
		active.Target != "active" {
		t.Errorf("active: %v %v", active.ClassNames, active.Classes)
	}
	if active := d.WithTarget(1, true); active.Task != GraphRegression || active.Targets[0] != 1 ||
		!math.IsNaN(active.Targets[2]) || active.Classes != nil {
		t.Errorf("active as numbers: %v", active.Targets)
	}
	solubility := d.WithTarget(2, false)
	if solubility.Task != GraphRegression || solubility.Targets[0] != 1.5 || solubility.HasTarget(1) ||
		!slices.Equal(solubility.TargetNames, []string{"solubility"}) {
		t.Errorf("solubility: %v", solubility.Targets)
	}
	if d.HoldsNumbers(0) || !d.HoldsNumbers(1) || !d.HoldsNumbers(2) {
		t.Error("words are taken for numbers")
	}
}

// One column of classes, or numbers alone, need no choice.
func TestTargetsThatNeedNoChoice(t *testing.T) {
	for text, want := range map[string]struct {
		task    Task
		classes []int
		targets []float64
	}{
		"smiles,y\nC,yes\nCC,no\nO,no\n":         {GraphClassification, []int{1, 0, 0}, nil},
		"smiles\ty\nC\t10\nCC\t9\nO\t10\n":       {GraphClassification, []int{1, 0, 1}, nil},
		"y;smiles;z\n0.5;C;1e3\n1.5;CC;0.25\n":   {GraphRegression, nil, []float64{0.5, 1e3, 1.5, 0.25}},
		"row,smiles,y\n1,C,0.5\n2,CC,-1\n":       {GraphRegression, nil, []float64{0.5, -1}},
		"smiles,name\nC,methane\nCC,ethane\n":    {GraphClassification, nil, nil},
		"smiles,nothing\nC,\nCC,\n":              {GraphClassification, nil, nil},
		"\xef\xbb\xbfsmiles,y\r\nC,1\r\nO,0\r\n": {GraphClassification, []int{1, 0}, nil},
	} {
		d, err := openTableText(text, Molecules{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if d.Task != want.task || !slices.Equal(d.Classes, want.classes) || !slices.Equal(d.Targets, want.targets) ||
			d.TargetClasses != nil {
			t.Errorf("%q: %s, classes %v, targets %v", text, d.Task, d.Classes, d.Targets)
		}
	}
}

func TestMoleculesOneALine(t *testing.T) {
	d, err := openSmilesText("CCO ethanol\nC#N hydrogen cyanide\nO\n", Molecules{})
	if err != nil || d.NumGraphs() != 3 || d.Targets != nil || d.Name != "some" {
		t.Fatalf("%+v, %v", d, err)
	}
	d, err = openSmilesText("smiles name y\nCCO ethanol 1.5\nC#N cyanide 2.5\n", Molecules{})
	if err != nil || !slices.Equal(d.Targets, []float64{1.5, 2.5}) {
		t.Fatalf("%+v, %v", d, err)
	}
	d, err = openSmilesText("name\tstructure\ty\na\tCCO\t\nb\tC#N\t2.5\n", Molecules{Column: "structure"})
	if err != nil || d.HasTarget(0) || d.Targets[1] != 2.5 {
		t.Fatalf("%+v, %v", d, err)
	}
}

func TestAtomsHaveTheAttributesThatWereAskedFor(t *testing.T) {
	how := Molecules{Attributes: AtomAttributes()}
	d, err := openSmilesText("C[C@@H](N)c1cc[nH]c1.[13CH3-]\n", how)
	if err != nil {
		t.Fatal(err)
	}
	// charge, aromatic, hydrogens, degree, ring, isotope, chirality, sides
	for v, want := range map[int32][]float64{
		0: {0, 0, 3, 1, 0, 0, 0, 0}, 1: {0, 0, 1, 3, 0, 0, 2, 0}, 2: {0, 0, 2, 1, 0, 0, 0, 0},
		3: {0, 1, 0, 3, 1, 0, 0, 0}, 6: {0, 1, 1, 2, 1, 0, 0, 0}, 8: {-1, 0, 3, 0, 0, 13, 0, 0},
	} {
		if got := d.Batch.Attribute(v); !slices.Equal(got, want) {
			t.Errorf("vertex %d: %v, want %v", v, got, want)
		}
	}
	for text, want := range map[string][]float64{ // trans, twice, and cis, in two orders of the text
		"F/C=C/F": {1, -1, 1, -1}, `F\C=C\F`: {-1, 1, -1, 1}, `F/C=C\F`: {1, -1, -1, 1}, "C(/F)=C/F": {1, -1, 1, -1},
	} {
		d, err := openSmilesText(text+"\n", Molecules{Attributes: []AtomAttribute{AtomSides}})
		if err != nil || !slices.Equal(d.Batch.Attributes, want) {
			t.Errorf("%s: %v, %v, want %v", text, d.Batch.Attributes, err, want)
		}
	}
	how = Molecules{Hydrogens: true, Attributes: []AtomAttribute{AtomDegree, AtomHydrogens}}
	if d, err = openSmilesText("CO\n", how); err != nil {
		t.Fatal(err)
	}
	if got := d.Batch.Attributes; d.Batch.NumVertices() != 6 || d.LabelNames[d.Batch.Labels[5]] != "H" ||
		!slices.Equal(got, []float64{4, 0, 2, 0, 1, 0, 1, 0, 1, 0, 1, 0}) {
		t.Errorf("%d vertices, attributes %v", d.Batch.NumVertices(), got)
	}
}

func TestWrongMoleculesNameLineAndColumn(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "some.csv: empty file",
		"id,name\n1,C\n":             `some.csv:1: no column smiles, there are "id, name"`,
		"smiles\n":                   "some.csv: no molecules",
		"smiles\nC\nC1CC,":           `some.csv:3: another number of values than the 1 of the header`,
		"smiles\nC\nC1CC":            `some.csv:3: SMILES "C1CC": column 2: ring closure 1 is never closed`,
		"smiles,y\n,2\n":             `some.csv:2: SMILES "": column 1: an atom is missing for the molecule, the text ends`,
		"smiles,y\nC,\"1":            `some.csv:2: column 5: extraneous or missing " in quoted-field`,
		"smiles,y,y\nC,1,":           `some.csv:1: columns 2 and 3 are both called "y"`,
		"y,smiles\n\"a\nb\",C\nc,C(": `some.csv:4: SMILES "C(": column 3: an atom is missing for the branch, the text ends`,
	} {
		_, err := openTableText(text, Molecules{})
		wantError(t, err, want)
	}
	_, err := openTableText("SMILES,y\nC,1\n", Molecules{Column: "structure"})
	wantError(t, err, `some.csv:1: no column structure, there are "SMILES, y"`)
	_, err = openSmilesText("C\nCC)\n", Molecules{})
	wantError(t, err, `some.smi:2: SMILES "CC)": column 3: ')' without a '(' before`)
	_, err = openSmilesText("smiles y\nC\n", Molecules{})
	wantError(t, err, "some.smi:2: 1 values, the header has 2")
}

func TestWrongMoleculesAreLeftOutOnRequest(t *testing.T) {
	d, err := openTableText("smiles,y\nC,0\nC1CC,1\nCC,1\nQ,0\nO,0\n", Molecules{SkipInvalid: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`line 3: SMILES "C1CC": column 2: ring closure 1 is never closed`,
		`line 5: SMILES "Q": column 1: 'Q' where an atom for the molecule should stand`,
	}
	if !slices.Equal(d.Skipped, want) || !slices.Equal(d.Classes, []int{0, 1, 0}) || d.NumGraphs() != 3 {
		t.Errorf("left out %q, classes %v", d.Skipped, d.Classes)
	}
	if !strings.Contains(d.Summary().String(), want[0]) {
		t.Errorf("the summary does not list them:\n%s", d.Summary())
	}
	_, err = openTableText("smiles\nQ\n", Molecules{SkipInvalid: true})
	wantError(t, err, "some.csv: no molecules")
}

// A folder with one table of molecules is a data set; one with other tables is none.
func TestTablesOfMoleculesAreKnownByTheirColumn(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "some.csv")
	for text, want := range map[string]Format{tableText: TableFormat, "graph,class\n0,1\n": NoFormat, "": NoFormat} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := FormatOf(dir); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// What is written is read as the same data set, in every format that holds all of it.
func TestMoleculesComeBack(t *testing.T) {
	how := Molecules{Attributes: []AtomAttribute{AtomCharge, AtomRing}}
	whole, err := openTableText(tableText, how)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		format Format
		d      *Dataset
	}{
		{TableFormat, whole}, {StoreFormat, whole}, {TableFormat, whole.WithTarget(0, false)},
		{TableFormat, whole.WithTarget(1, false)}, {StoreFormat, whole.WithTarget(1, false)},
		{TUFormat, whole.WithTarget(0, false)},
	} {
		dir := t.TempDir()
		if err := writeAs(dir, c.format, c.d); err != nil {
			t.Fatalf("%s: %v", c.format, err)
		}
		back, err := Reading{Molecules: how}.Open(dir)
		if err != nil {
			t.Fatalf("%s: %v", c.format, err)
		}
		want := *c.d
		if c.format == TUFormat { // which has numbers for classes and targets
			want.ClassNames, want.TargetNames = back.ClassNames, back.TargetNames
		}
		if back.Digest() != want.Digest() || !slices.Equal(back.LabelNames, want.LabelNames) {
			t.Errorf("%s, targets %v: read\n%swant\n%s", c.format, want.TargetNames, back.Summary(), want.Summary())
		}
	}
	wantError(t, writeAs(t.TempDir(), TUFormat, whole), "choose one with --target")
	wantError(t, writeAs(t.TempDir(), TUFormat, whole.WithTarget(1, false)), "graph 2 has no class")
}

// Graphs whose labels are elements and whose arc labels are bonds are molecules.
func TestOtherGraphsAsMolecules(t *testing.T) {
	d, err := Synth("molecules", SynthOptions{Graphs: 20})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := writeAs(dir, TableFormat, d); err != nil {
		t.Fatal(err)
	}
	back, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := back.Batch
	if !slices.Equal(b.Col, d.Batch.Col) || !slices.Equal(b.Offsets, d.Batch.Offsets) ||
		!slices.Equal(back.Classes, d.Classes) {
		t.Error("other graphs are read")
	}
	for v, label := range b.Labels {
		if got, want := back.LabelNames[label], d.LabelNames[d.Batch.Labels[v]]; got != want {
			t.Fatalf("vertex %d is %s, want %s", v, got, want)
		}
	}
	other, err := Synth("power-law", SynthOptions{Graphs: 2})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, writeAs(t.TempDir(), TableFormat, other), "vertices need elements as labels")
	d.ArcLabelNames = []string{"7", "8", "9"}
	wantError(t, writeAs(t.TempDir(), TableFormat, d), "the arc label 7 is no bond")
}

func TestPublicMolecules(t *testing.T) {
	for _, c := range []struct {
		name                    string
		molecules, atoms, bonds int
		targets                 int
	}{{"HIV", 41127, 1049163, 1129688, 2}, {"QM9_small", 14715, 129435, 138410, 12}} {
		d, err := Open(testfiles.Data(t, "molecules", c.name))
		if err != nil {
			t.Fatal(err)
		}
		b := d.Batch
		if b.NumGraphs() != c.molecules || b.NumVertices() != c.atoms || b.NumArcs() != 2*c.bonds ||
			len(d.TargetNames) != c.targets {
			t.Errorf("%s: %d molecules, %d atoms, %d arcs, targets %v", c.name, b.NumGraphs(), b.NumVertices(), b.NumArcs(),
				d.TargetNames)
		}
		checkSound(t, d)
	}
}

// BenchmarkOpenHIV reads 41127 molecules.
func BenchmarkOpenHIV(b *testing.B) {
	path := testfiles.Data(b, "molecules", "HIV")
	for b.Loop() {
		if _, err := Open(path); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add(tableText, "", false)
	f.Add("\xef\xbb\xbfsmiles;y\r\n\"CC\"\"\";1\r\n", "", true)
	f.Add("a\tb\nC\t1e999\nC1CC1\t\n", "a", false)
	f.Add("smiles,y\nC,NaN\n", "", false)
	f.Fuzz(func(t *testing.T, text, column string, skip bool) {
		how := Molecules{Column: column, SkipInvalid: skip, Attributes: AtomAttributes()}
		if d, err := openTableText(text, how); err == nil {
			checkMolecules(t, d, how)
		}
	})
}

func FuzzSmilesLines(f *testing.F) {
	f.Add("CCO ethanol\nO\n", false)
	f.Add("smiles y z\nC 1 a\nCC 2.5 b\n", false)
	f.Add("smiles\ty\nC\t\nQ\t1\n", true)
	f.Fuzz(func(t *testing.T, text string, hydrogens bool) {
		how := Molecules{Hydrogens: hydrogens, SkipInvalid: hydrogens}
		if d, err := openSmilesText(text, how); err == nil {
			checkMolecules(t, d, how)
		}
	})
}

// checkMolecules fails where a set of molecules is not sound, or is another one when it is written and read again.
func checkMolecules(t *testing.T, d *Dataset, how Molecules) {
	t.Helper()
	checkSound(t, d)
	for k := range d.TargetNames {
		checkSound(t, d.WithTarget(k, d.HoldsNumbers(k)))
	}
	all, err := d.ToMolecules()
	if err != nil {
		t.Fatal(err)
	}
	text := "smiles\n"
	for _, m := range all {
		text += m.String() + "\n"
	}
	back, err := openSmilesText(text, Molecules{Hydrogens: how.Hydrogens})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back.Batch.Col, d.Batch.Col) || !slices.Equal(back.LabelCodes, d.LabelCodes) ||
		!slices.Equal(back.Batch.Labels, d.Batch.Labels) || !slices.Equal(back.Batch.ArcLabels, d.Batch.ArcLabels) {
		t.Fatalf("written as %q", text)
	}
}
