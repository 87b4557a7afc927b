package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// trainedModel is a model file of some family with what it was trained on.
type trainedModel struct {
	name, file, data string
	classes          int // 0: a regression
	decides, rates   bool
}

// kinds writes 27 graphs of three classes with labels and attributes of the vertices, labels of the arcs, and a target
// each, and returns their folder.
func kinds(t *testing.T) string {
	t.Helper()
	var arcs, arcLabels, indicator, classes, labels, attributes, targets strings.Builder
	first := 1
	for g := range 27 {
		n, class := 5+g%4, g%3
		fmt.Fprintf(&classes, "%d\n", class)
		fmt.Fprintf(&targets, "%g\n", float64(3*class)+float64(g%5)/4)
		for v := range n {
			fmt.Fprintf(&indicator, "%d\n", g+1)
			fmt.Fprintf(&labels, "%d\n", (v*(class+1)+g/9)%3)
			fmt.Fprintf(&attributes, "%g, %g\n", float64(class)+float64((v*v+g)%7)/5, float64((v+g)%4)-1)
			for _, u := range []int{(v + 1) % n, (v + n - 1) % n} { // a ring
				fmt.Fprintf(&arcs, "%d, %d\n", first+v, first+u)
				fmt.Fprintf(&arcLabels, "%d\n", (u+v+class)%2)
			}
		}
		first += n
	}
	dir := filepath.Join(t.TempDir(), "kinds")
	for what, content := range map[string]fmt.Stringer{
		"A": &arcs, "edge_labels": &arcLabels, "graph_indicator": &indicator, "graph_labels": &classes,
		"node_labels": &labels, "node_attributes": &attributes, "graph_attributes": &targets,
	} {
		write(t, filepath.Join(dir, "kinds_"+what+".txt"), content.String())
	}
	return dir
}

// everyModel trains a model of every family and of every kind of head: two classes, three, targets, vertices, edges.
func everyModel(t *testing.T) []trainedModel {
	t.Helper()
	dir := t.TempDir()
	two, blocks, three := filepath.Join(dir, "two"), filepath.Join(dir, "blocks"), kinds(t)
	must(t, "data", "synth", "molecules", "--graphs", "24", "--vertices", "8", "--seed", "1", "--out", two)
	must(t, "data", "synth", "block-model", "--vertices", "40", "--out", blocks)
	path := "--path-size 2 --filters 4 --samples 300"
	machine := " --c 1"
	trees := " --estimators 3 --leaves 4 --min-split 4"
	state := "--states 3 --layers 2 --iterations 2"
	var all []trainedModel
	for i, m := range []struct {
		trainedModel
		model, flags string
	}{
		{trainedModel{"", "", two, 2, true, false}, "gckn-path", path + machine},
		{trainedModel{"", "", three, 3, true, false}, "gckn-3layer", path + machine + " --features attributes+labels"},
		{trainedModel{"", "", two, 2, true, false}, "gckn-walk", path + machine + " --global-pooling gmp"},
		{trainedModel{"", "", three, 3, true, false}, "gckn-path", path + machine + " --features standardised --norms path"},
		{trainedModel{"", "", two, 2, true, true}, "gckn-path-sup", path + " --epochs 2"},
		{trainedModel{"", "", two, 2, true, true}, "gckn-subtree-sup",
			path + " --epochs 2 --pooling gmp --global-pooling gmp"},
		{trainedModel{"", "", three, 3, true, true}, "gckn-subtree-sup", path + " --epochs 2 --features raw"},
		{trainedModel{"", "", three, 3, true, false}, "gckn-path-sup", path + " --epochs 2 --loss squared-hinge"},
		{trainedModel{"", "", three, 0, false, false}, "gckn-path-sup", path + " --epochs 2 --task graph-regression"},
		{trainedModel{"", "", blocks, 4, true, true}, "gckn-path-sup", path + " --epochs 2"},
		{trainedModel{"", "", two, 2, true, false}, "wl", "--iterations 2" + machine},
		{trainedModel{"", "", three, 3, true, false}, "wl-oa", "--iterations 2 --arc-labels" + machine},
		{trainedModel{"", "", two, 2, true, false}, "dwl-oa", "--iterations 1" + machine},
		{trainedModel{"", "", three, 3, true, false}, "dwl-oa", "--iterations 2 --groups 3" + machine},
		{trainedModel{"", "", two, 2, true, false}, "mpgk-rr", "--iterations 2" + machine},
		{trainedModel{"", "", three, 3, true, false}, "mpgk-ra", "--iterations 2 --features attributes" + machine},
		{trainedModel{"", "", three, 3, true, false}, "mpgk-ar", "--iterations 2 --landmarks 5 --features degrees" + machine},
		{trainedModel{"", "", two, 2, true, false}, "mpgk-aa", "--iterations 2 --normalise --sum-iterations" + machine},
		{trainedModel{"", "", three, 0, false, false}, "mpgk-aa", "--iterations 2 --task graph-regression" + machine},
		{trainedModel{"", "", three, 0, false, false}, "mpgk-rr",
			"--iterations 2 --task graph-regression --head mlp --graph-landmarks 6 --hidden 4 --epochs 3"},
		{trainedModel{"", "", two, 2, true, false}, "cgmm", state + machine},
		{trainedModel{"", "", three, 3, true, false}, "cgmm", state + machine + " --classifier rbf --gamma 0.1 " +
			"--features attributes+labels --arc-labels --bigrams"},
		{trainedModel{"", "", three, 3, true, false}, "cgmm", state + machine +
			" --classifier jaccard --previous 1,2 --soft"},
		{trainedModel{"", "", three, 3, false, true}, "majority", ""},
		{trainedModel{"", "", three, 0, false, false}, "majority", "--task graph-regression"},
		{trainedModel{"", "", two, 2, true, false}, "linear", "--scale each" + machine},
		{trainedModel{"", "", three, 3, true, false}, "linear", "--scale one --statistics labels,attributes" + machine},
		{trainedModel{"", "", three, 0, false, false}, "linear", "--scale one --task graph-regression" + machine},
		{trainedModel{"", "", blocks, 4, true, false}, "linear", "--scale each" + machine},
		{trainedModel{"", "", two, 2, false, true}, "static", "--estimators 3"},
		{trainedModel{"", "", three, 3, false, true}, "static", "--estimators 3 --min-leaf 2"},
		{trainedModel{"", "", three, 0, false, false}, "static", "--estimators 3 --task graph-regression"},
		{trainedModel{"", "", blocks, 4, false, true}, "static", "--estimators 3"},
		{trainedModel{"", "", three, 2, false, true}, "static", "--estimators 3 --task edge"},
		{trainedModel{"", "", two, 2, false, true}, "treeg", "" + trees},
		{trainedModel{"", "", three, 3, false, true}, "treeg", "--features attributes" + trees},
		{trainedModel{"", "", three, 3, false, true}, "treeg", "--loss one-vs-all" + trees},
		{trainedModel{"", "", three, 3, false, true}, "treeg", "--ensemble forest" + trees},
		{trainedModel{"", "", two, 2, false, true}, "treeg", "--ensemble tree --leaves 4"},
		{trainedModel{"", "", three, 0, false, false}, "treeg", "--task graph-regression" + trees},
		{trainedModel{"", "", blocks, 4, false, true}, "treeg", "" + trees},
		{trainedModel{"", "", three, 2, false, true}, "treeg", "--task edge" + trees},
	} {
		m.name = m.model + " " + m.flags
		m.file = filepath.Join(dir, fmt.Sprintf("%d.grove", i))
		must(t, append([]string{"train", m.model, "--data", m.data, "-o", m.file}, strings.Fields(m.flags)...)...)
		all = append(all, m.trainedModel)
	}
	return all
}
