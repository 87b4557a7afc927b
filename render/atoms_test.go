package render

import (
	"regexp"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/smiles"
)

// moleculeDrawing draws a molecule.
func moleculeDrawing(t *testing.T, text string) Drawing {
	t.Helper()
	m, err := smiles.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var arcs graph.ArcList
	for _, b := range m.Bonds {
		arcs.From, arcs.To = append(arcs.From, b.From), append(arcs.To, b.To)
		arcs.Labels = append(arcs.Labels, int32(b.Order))
	}
	b, err := graph.FromArcs([]int32{0, int32(len(m.Atoms))}, arcs, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d := Drawing{Batch: b, Atoms: m.Atoms}
	for _, order := range b.ArcLabels {
		d.BondOrders = append(d.BondOrders, int(order))
	}
	return d
}

var vertexGroup = regexp.MustCompile(`(?s)<g class="vertex">.*?</g>`)

// written returns what a drawing writes of the atoms, in their order; "" where it writes nothing.
func written(t *testing.T, d Drawing) (texts []string, discs int) {
	t.Helper()
	var out strings.Builder
	if err := Graph(&out, d, Style{}); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`<text[^>]*>([^<]*)</text>`)
	for _, group := range vertexGroup.FindAllString(out.String(), -1) {
		all := ""
		for _, found := range text.FindAllStringSubmatch(group, -1) {
			all += found[1]
		}
		texts, discs = append(texts, all), discs+strings.Count(group, "<circle")
	}
	return texts, discs
}

func TestAtomsAreWrittenAsChemistsDo(t *testing.T) {
	for text, want := range map[string][]string{
		"C":                {"CH4"},
		"CC":               {"CH3|H3C", "CH3|H3C"},
		"C1CC1":            {"", "", ""},
		"[Na+].[Cl-]":      {"Na+", "Cl−"},
		"[13CH3]O":         {"13CH3|H313C", "OH|HO"},
		"C1C[NH2+]1":       {"", "", "NH2+|H2N+"},
		"[O-]C(=O)[Fe+2]":  {"O−", "", "O", "Fe2+"},
		"C1C[CH-]1":        {"", "", "CH−|HC−"},
		"*C#N":             {"*", "", "N"},
		"[H]C([H])([H])F":  {"H", "", "H", "H", "F"},
		"c1ccccc1[N+](=O)": {"", "", "", "", "", "", "N+", "O"},
	} {
		got, discs := written(t, moleculeDrawing(t, text))
		if len(got) != len(want) || discs != 0 {
			t.Errorf("%s: %q, %d discs, want %q", text, got, discs, want)
			continue
		}
		for v := range want {
			if !strings.Contains("|"+want[v]+"|", "|"+got[v]+"|") {
				t.Errorf("%s: atom %d is written %q, want %q", text, v, got[v], want[v])
			}
		}
	}
}

// Colours and sizes stay visible where an atom is not written.
func TestCarbonsKeepTheDiscsThatSaySomething(t *testing.T) {
	d := moleculeDrawing(t, "C1CC1O")
	d.Contributions = []float64{1, -1, 0.5, 0}
	if texts, discs := written(t, d); discs != 3 || texts[0] != "" {
		t.Errorf("%d discs for three carbons, texts %q", discs, texts)
	}
	d = moleculeDrawing(t, "C1CC1O")
	d.Sizes = []float64{1, 2, 0, 1}
	if _, discs := written(t, d); discs != 4 {
		t.Errorf("%d discs of four sizes", discs)
	}
	d.Atoms = d.Atoms[1:]
	err := Graph(&strings.Builder{}, d, Style{})
	if err == nil || !strings.Contains(err.Error(), "3 atoms for 4 vertices") {
		t.Errorf("atoms of some vertices: %v", err)
	}
}
