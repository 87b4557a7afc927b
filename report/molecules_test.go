package report_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/render/layout"
	"github.com/grove-graph/grove/report"
	"gonum.org/v1/gonum/spatial/r2"
)

// molecules are complexes, cages and others, with the faults that their drawings may have: none, but for those that are
// cages, which no plane holds, or crowded: what they have today.
var molecules = []struct {
	smiles string
	faults int
}{
	{`CC1=[O+][Zr]234([O+]=C(C)C1)([O+]=C(C)CC(C)=[O+]2)([O+]=C(C)CC(C)=[O+]3)[O+]=C(C)CC(C)=[O+]4`, 0},
	{`O=C1C[N+]23CCO[Fe-4]245(O1)OC(=O)C[N+]4(CC3)CC(=O)O5`, 6},
	{`O=[N+]1C2C3CCC(C3)C2[N+](=O)[Co]12345C1=C2C3C4=C15`, 0},
	{`CC1=[N+]2CCN3C(C)(C)CC(C)=[N+]4CCN(C(C)(C)C1)[Ni-2]324.F[B-](F)(F)F`, 0},
	{`C[N+]1=[O+][Cu-5]2345[O+]=[N+](C)[N-]N2c2ccccc2[S+]3CC[S+]4c2ccccc2N5[N-]1`, 0},
	{`Oc1ccccc1C1=[O+][Mn+]234([O+]=C(c5ccccc5O)[N-][N+]2=Cc2cccc[n+]23)[N+](=Cc2cccc[n+]24)[N-]1`, 0},
	{`[Cl-].c1cc[n+]2c(c1)-c1cccc[n+]1[Rh-4]213(N=c2c(c4ccccc4c4ccccc24)=N1)N=c1c(c2ccccc2c2ccccc12)=N3`, 0},
	{`C[PH](C)(C)[Ir+3]123([PH](C)(C)C)([PH](C)(C)C)C4=C1CCC2=C3CC4.[Cl-]`, 5},
	{`C1=[N+]2c3ccccc3[SH+][Cu-5]234([O+]=C1c1ccco1)[O+]=C(c1ccco1)C=[N+]3c1ccccc1[SH+]4`, 0},
	{`O=C1[OH+][Cu-5]234([O+]=C(c5cccs5)C=[N+]2c2ccccc21)[O+]=C(c1cccs1)C=[N+]3c1ccccc1C(=O)[OH+]4`, 0},
	{`Oc1ccccc1C1=N[N+]2=Cc3cccc[n+]3[Ni-4]234([OH+]1)[OH+]C(c1ccccc1O)=N[N+]3=Cc1cccc[n+]14`, 0},
	{`[O+]#C[Ru+]123([O-])(C#[O+])C4=C1C1CC4C2=C13`, 2},
	{`c1ccc([N+]2=N[NH+](c3ccccc3)[Mo+2]23456C2=C3[C-]4C5=C26)cc1`, 0},
	{`[O+]#C[Mo+]1234(C#[O+])([PH](Oc5ccccc5)(Oc5ccccc5)Oc5ccccc5)C5=C1[C-]2C3=C54`, 0},
	{`O=C([OH+][Fe+2]123(C#[O+])(C=C1[CH-]2)[PH](c1ccccc1)(c1ccccc1)CC[PH]3(c1ccccc1)c1ccccc1)C(F)(F)F`, 3},
	{`F[PH]1(F)N(c2ccccc2)[PH](F)(F)[Cr]123([PH](F)(F)N(c1ccccc1)[PH]2(F)F)[PH](F)(F)N(c1ccccc1)[PH]3(F)F`, 3},
	{`Cl[Sn](Cl)(C12C3=C4C5=C1[Fe]45321678C2=C1C6C7=C28)C12C3=C4C5=C1[Fe]45321678C2=C1C6C7=C28`, 0},
	{`[O+]#C[Fe+2]12345(C#[O+])([CH-]c6ccccc6[CH-][Fe+2]16789(C#[O+])(C#[O+])C1=C6[C-]7C8=C19)C1=C2[C-]3C4=C15`, 0},
	{`OCC12C3C4C5C3C1C5C42`, 6},
	{`C1CCN2CC34CC(CC5CCCN(C6CCCC3N6)C54)C2C1`, 0},
	{`C1C2CC3CC1CC(c1nn4c(C56CC7CC(CC(C7)C5)C6)nnc4s1)(C2)C3`, 6},
	{`O=c1c2ccccc2c2nccn2c2ccccc12`, 0},
	{`CC1CN2SN1CC2C`, 0},
	{`COC(=O)C1CC(C(=O)OC)c2nc3cc(C)c(C)cc3nc21`, 0},
	{`Brc1ccc(-c2cc(-c3ccc4c(c3)OCO4)c(-c3cccs3)n2Cc2ccccc2)cc1`, 0},
	{`Cc1ccc(-c2c(C#N)c(-c3ccc(C)cc3)n(NS(=O)(=O)c3ccccc3)c(=O)c2C#N)cc1`, 0},
	{`C=CCc1cc2c(cc1COCOCCOCCOCCCC)OCO2`, 0},
	{`O=c1ccc2cc3ccoc3c(OCCOCCOCCOCCOc3c4occc4cc4ccc(=O)oc34)c2o1`, 0},
	{`Cc1ccc(S(=O)(=O)OCCOCCOCCOCCOCCOS(=O)(=O)c2ccc(C)cc2)cc1`, 0},
	{`Cn1cc(cc1N)O`, 0},
	{`O=CN1CC1C#CC#C`, 0},
	{`CC1CNC=CC(=O)N1`, 0},
	{`O=C(O)CCC1C(=O)C2CCN1CC2`, 4},
	{`CC1(C)C2CCC1(C)C(=O)C2`, 2},
	{`CN1C2CCC1C(C(C2)OC(=O)c1ccccc1)C(=O)OC`, 1},
}

// A molecule is drawn as chemists do: regular rings, and as few faults as can be, which are a bond that crosses
// another, an atom on one, or two atoms on top of each other.
func TestMoleculesAreDrawnClearly(t *testing.T) {
	table := "smiles\n"
	for _, m := range molecules {
		table += m.smiles + "\n"
	}
	path := filepath.Join(t.TempDir(), "molecules.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for g, m := range molecules {
		if got := faults(d, g); got > m.faults {
			t.Errorf("%s: %d faults, want at most %d", m.smiles, got, m.faults)
		}
	}
}

// faults counts bonds that cross, atoms less than 0.3 of a bond from one that is not theirs, and atoms less than 0.65
// of a bond apart, without the bonds of fans.
func faults(d *dataset.Dataset, g int) (count int) {
	drawing := report.Drawing(d, g, nil, nil, nil)
	formula := drawing.Formula()
	points := layout.Place(d.Batch, g, formula).Points
	fans := layout.Fans(d.Batch, g, formula.Metals)
	from, to := d.Batch.Vertices(g)
	var bonds [][2]int32
	for u := from; u < to; u++ {
		for _, v := range d.Batch.Neighbors(u) {
			a, b := u-from, v-from
			if v > u && !slices.ContainsFunc(fans, func(f layout.Fan) bool {
				return f.Metal == a && slices.Contains(f.Group, b) || f.Metal == b && slices.Contains(f.Group, a)
			}) {
				bonds = append(bonds, [2]int32{a, b})
			}
		}
	}
	for i, e := range bonds {
		a, b := points[e[0]], points[e[1]]
		for _, f := range bonds[:i] {
			if e[0] != f[0] && e[0] != f[1] && e[1] != f[0] && e[1] != f[1] && cross(a, b, points[f[0]], points[f[1]]) {
				count++
			}
		}
		for v, p := range points {
			if int32(v) != e[0] && int32(v) != e[1] && distance(p, a, b) < 0.3 {
				count++
			}
		}
	}
	for i, p := range points {
		for _, q := range points[:i] {
			if r2.Norm(r2.Sub(p, q)) < 0.65 {
				count++
			}
		}
	}
	return count
}

func cross(a, b, p, q r2.Vec) bool {
	side := func(u, v, w r2.Vec) bool { return r2.Cross(r2.Sub(v, u), r2.Sub(w, u)) > 0 }
	return side(a, b, p) != side(a, b, q) && side(p, q, a) != side(p, q, b)
}

// distance returns that from p to the segment from a to b.
func distance(p, a, b r2.Vec) float64 {
	along := r2.Sub(b, a)
	t := min(1, max(0, r2.Dot(r2.Sub(p, a), along)/r2.Norm2(along)))
	return r2.Norm(r2.Sub(p, r2.Add(a, r2.Scale(t, along))))
}

// The five bonds of a metal to a ring are one line in the drawing.
func TestFansAreOneLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ferrocene.csv")
	ferrocene := "C12C3=C4C5=C1[Fe]45321678C2=C1C6C7=C28"
	if err := os.WriteFile(path, []byte("smiles\n"+ferrocene+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := render.Graph(&out, report.Drawing(d, 0, nil, nil, nil), render.Style{}); err != nil {
		t.Fatal(err)
	}
	single := strings.Count(out.String(), "<line")
	if fans := layout.Fans(d.Batch, 0, []bool{5: true, 10: false}); len(fans) != 2 || len(fans[0].Group) != 5 {
		t.Errorf("fans %v", fans)
	}
	if single < 12 || single > 18 {
		t.Errorf("%d lines for two rings of five bonds, of which some are double, and two to their middles", single)
	}
}
