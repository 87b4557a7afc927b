package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// labelled writes a data set of one graph whose vertices have the given labels, and reads it.
func labelled(t *testing.T, name string, codes []string, named string) *Dataset {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	files := map[string]string{
		"A": "1, 2\n", "graph_indicator": strings.Repeat("1\n", len(codes)), "graph_labels": "1\n",
		"node_labels": strings.Join(codes, "\n") + "\n", "node_label_names": named,
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for kind, content := range files {
		if content == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name+"_"+kind+".txt"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenTU(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestElementsOfKnownMolecules(t *testing.T) {
	upTo := func(n int) (codes []string) {
		for i := range n {
			codes = append(codes, fmt.Sprint(i))
		}
		return codes
	}
	for _, c := range []struct {
		name  string
		codes []string
		named string
		want  []string
	}{
		{"MUTAG", upTo(7), "", []string{"C", "N", "O", "F", "I", "Cl", "Br"}},
		{"MUTAG", upTo(7), "0 X\n", []string{"X", "1", "2", "3", "4", "5", "6"}},
		{"MUTAG", upTo(8), "", upTo(8)}, // another set of that name
		{"MUTAG", []string{"0", "1", "2", "3", "4", "5", "7"}, "", []string{"0", "1", "2", "3", "4", "5", "7"}},
		{"mine", upTo(7), "", upTo(7)},
	} {
		d := labelled(t, c.name, c.codes, c.named)
		if !slices.Equal(d.LabelNames, c.want) {
			t.Errorf("%s with the labels %v: names %v, want %v", c.name, c.codes, d.LabelNames, c.want)
		}
		if !slices.Equal(d.LabelCodes, c.codes) {
			t.Errorf("%s: the codes are %v, want %v", c.name, d.LabelCodes, c.codes)
		}
	}
}

// Atoms have as many neighbours as chemistry lets them have, which a wrong table would not.
func TestElementsFitTheirBonds(t *testing.T) {
	most := map[string]float64{"H": 1.001, "F": 1.01, "Cl": 1.05, "Br": 1.02, "I": 1.25, "O": 1.7, "N": 3, "C": 4}
	for _, name := range []string{"MUTAG", "Mutagenicity", "PTC_MR", "AIDS"} {
		d, err := OpenTU(testfiles.Data(t, "tu/"+name))
		if err != nil {
			t.Fatal(err)
		}
		degrees, atoms := map[string]float64{}, map[string]float64{}
		for v, l := range d.Batch.Labels {
			degrees[d.LabelNames[l]] += float64(d.Batch.Degree(int32(v)))
			atoms[d.LabelNames[l]]++
		}
		for element, limit := range most {
			if mean := degrees[element] / atoms[element]; atoms[element] > 0 && mean > limit {
				t.Errorf("%s: %g atoms of %s have %g neighbours on average", name, atoms[element], element, mean)
			}
		}
		for element, n := range atoms {
			if n > atoms["C"] && element != "H" {
				t.Errorf("%s: %g atoms of %s, more than of carbon", name, n, element)
			}
		}
	}
}
