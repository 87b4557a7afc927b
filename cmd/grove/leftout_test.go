package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// richTU returns the folder of a data set whose vertices have labels and attributes and whose edges have labels and
// weights.
func richTU(t *testing.T) string {
	t.Helper()
	var graphs []tuGraph
	for g := range 12 {
		graphs = append(graphs, tuGraph{itoa(g % 2), []string{"0", "1", "2", itoa(g % 2)}, [][2]int{{0, 1}, {1, 2}, {2, 3}}})
	}
	dir := writeTU(t, "rich", graphs)
	var attributes, labels, weights strings.Builder
	for i := range 48 {
		fmt.Fprintf(&attributes, "%d, 1.5\n", i%5)
	}
	for i := range 36 {
		fmt.Fprintf(&labels, "%d\n", i%2)
		fmt.Fprintf(&weights, "%d\n", 1+i%3)
	}
	write(t, filepath.Join(dir, "rich_node_attributes.txt"), attributes.String())
	write(t, filepath.Join(dir, "rich_edge_labels.txt"), labels.String())
	write(t, filepath.Join(dir, "rich_edge_attributes.txt"), weights.String())
	return dir
}

func TestNotesSayWhatOfTheDataIsLeftOut(t *testing.T) {
	data, out := richTU(t), filepath.Join(t.TempDir(), "out")
	const (
		begin   = "left out of the data: "
		take    = " takes them in), "
		labels  = "3 labels of vertices ("
		values  = "2 attributes of the vertices ("
		edges   = "2 labels of edges ("
		weights = "weights of edges ("
	)
	for _, c := range []struct{ args, want string }{
		{"eval gckn-path --cv 2 --c 1 --filters 8",
			begin + values + "--features attributes+labels" + take + edges + "gckn-path takes none), " + weights +
				"gckn-path takes none)"},
		{"eval gckn-path --cv 2 --c 1 --filters 8 --features attributes",
			begin + edges + "gckn-path takes none), " + weights + "gckn-path takes none)"},
		{"train gckn-path-sup --epochs 1 --filters 8",
			begin + values + "--features attributes+labels" + take + edges + "gckn-path-sup takes none), " + weights +
				"gckn-path-sup takes none)"},
		{"embed gckn-subtree --filters 8 --features raw+labels",
			begin + edges + "gckn-subtree takes none), " + weights + "gckn-subtree takes none)"},
		{"gram wl", begin + values + "wl takes none), " + edges + "--arc-labels" + take + weights + "wl takes none)"},
		{"train wl-oa --c 1 --arc-labels", begin + values + "wl-oa takes none), " + weights + "wl-oa takes none)"},
		{"gram dwl-oa", begin + values + "dwl-oa takes none), " + edges + "--arc-labels" + take + weights +
			"dwl-oa takes none)"},
		{"gram mpgk-rr", begin + labels + "--features raw+labels" + take + edges + "mpgk-rr takes none), " + weights +
			"mpgk-rr takes none)"},
		{"eval cgmm --cv 2 --c 1 --layers 1 --states 2", begin + values + "--features attributes+labels" + take + edges +
			"--arc-labels" + take + weights + "cgmm takes none)"},
		{"train treeg --estimators 1", begin + edges + "treeg takes none)"},
	} {
		args := append(strings.Fields(c.args), "--data", data)
		if args[0] != "eval" {
			args = append(args, "-o", out)
		}
		notes, _ := mustJSON(t, args...)["notes"].([]any)
		if len(notes) != 1 || notes[0] != c.want {
			t.Errorf("grove %s: notes %q, want %q", c.args, notes, c.want)
		}
		if text := must(t, args...); !strings.Contains(text, "note         "+c.want) {
			t.Errorf("grove %s prints no note: %s", c.args, text)
		}
	}
}

func TestNothingIsNotedWhereNothingIsLeftOut(t *testing.T) {
	object := mustJSON(t, "eval", "wl", "--data", molecules(t, "molecules"), "--arc-labels", "--cv", "2")
	if notes := object["notes"]; notes != nil {
		t.Errorf("notes %v", notes)
	}
}
