package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
)

func TestOneClassIsNoted(t *testing.T) {
	var graphs []tuGraph
	for range 6 {
		graphs = append(graphs, tuGraph{"3", []string{"0", "1"}, [][2]int{{0, 1}}})
	}
	data := writeTU(t, "same", graphs)
	for _, args := range [][]string{
		{"eval", "gckn-path", "--data", data, "--cv", "3", "--path-size", "2"},
		{"train", "gckn-path", "--data", data, "--cv", "3", "--path-size", "2", "-o", filepath.Join(t.TempDir(), "m.grove")},
	} {
		if text := must(t, args...); !strings.Contains(text, "\nnote ") ||
			!strings.Contains(text, "one class, 3, so every accuracy is 100 %") {
			t.Errorf("%s: no note in %s", args[0], text)
		}
		if notes := mustJSON(t, args...)["notes"]; !strings.Contains(fmt.Sprint(notes), "one class") {
			t.Errorf("%s: notes %v", args[0], notes)
		}
	}
	data = molecules(t, "molecules")
	if text := must(t, small("eval", "gckn-path", "--data", data, "--cv", "3")...); strings.Contains(text, "one class") {
		t.Errorf("a note on two classes: %s", text)
	}
}

func TestValuesOutOfRange(t *testing.T) {
	out := filepath.Join(t.TempDir(), "m")
	for _, c := range []string{"1e308", "1e13", "1e-13", "0", "inf", "nan", "1e999"} {
		fails(t, exitUsage, []string{"--c " + c, "1e-12", "1e+12"}, "train", "gckn-path", "--data", "x", "-o", out, "--c", c)
		fails(t, exitUsage, []string{"--c-grid", c, "1e-12", "1e+12"}, "eval", "gckn-path", "--data", "x", "--c-grid", "1,"+c)
	}
	for _, n := range []string{"-1", "0"} {
		fails(t, exitUsage, []string{"--columns " + n}, "explain", "--model", "m", "--data", "x", "-o", out+".svg",
			"--index", "1", "--columns", n)
	}
}

// At the bounds of C classifiers are still finite.
func TestExtremeConstants(t *testing.T) {
	data := molecules(t, "molecules")
	must(t, small("eval", "gckn-path", "--data", data, "--cv", "3", "--c-grid", "1e-12,1e12")...)
}

// Of equal points the plot marks the one that the protocol chose.
func TestPlotMarksTheChosenC(t *testing.T) {
	grid := model.Grid{Name: "C", Values: []float64{1, 10, 100}}
	r := &evalReport{outcome: &eval.Outcome{
		Chosen: []eval.Choice{{Setting: 1, Value: 10}},
		Curves: []eval.Curve{
			{Name: "a", Grid: grid, Mean: []float64{0.5, 0.9, 0.9}, Std: make([]float64, 3)},
			{Name: "b", Grid: grid, Mean: []float64{0.9, 0.9, 0.9}, Std: make([]float64, 3)},
		},
	}}
	curves := r.bestCurves()
	if curves[0].Name != "b" || fmt.Sprint(curves[0].Marked) != "[1]" || curves[0].Deviation == nil ||
		fmt.Sprint(curves[1].Marked) != "[1]" {
		t.Errorf("%+v", curves)
	}
}

// withAttributes is a data set whose vertices have attributes alone.
func withAttributes(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "real")
	var arcs, indicator, classes, attributes strings.Builder
	for g := range 8 {
		fmt.Fprintf(&arcs, "%d, %d\n", 2*g+1, 2*g+2)
		fmt.Fprintf(&indicator, "%d\n%d\n", g+1, g+1)
		fmt.Fprintln(&classes, g%2)
		fmt.Fprintf(&attributes, "%d.5\n%d.25\n", g, 7*g%5)
	}
	for kind, text := range map[string]string{"A": arcs.String(), "graph_indicator": indicator.String(),
		"graph_labels": classes.String(), "node_attributes": attributes.String()} {
		write(t, filepath.Join(dir, "real_"+kind+".txt"), text)
	}
	return dir
}

func TestAnchorsLineNamesTheScaleOfAttributes(t *testing.T) {
	for data, want := range map[string]bool{withAttributes(t): true, molecules(t, "molecules"): false} {
		for anchors, all := range map[string]bool{"all": true, "train": false} {
			r := mustJSON(t, "eval", "gckn-path", "--data", data, "--cv", "2", "--inner", "2", "--path-size", "2",
				"--filters", "8", "--anchors", anchors)
			if got := strings.Contains(r["anchors"].(string), "scale of the attributes"); got != (want && all) {
				t.Errorf("%s, --anchors %s: %v", data, anchors, r["anchors"])
			}
		}
	}
}

func TestFeaturesThatTheDataDoNotHave(t *testing.T) {
	labelled, out := molecules(t, "molecules"), filepath.Join(t.TempDir(), "out")
	for data, features := range map[string][]string{labelled: {"attributes", "attributes+labels"},
		withAttributes(t): {"labels", "attributes+labels"}} {
		for _, f := range features {
			for _, args := range [][]string{{"eval", "gckn-path"}, {"train", "gckn-path", "-o", out},
				{"embed", "gckn-path", "-o", out}} {
				fails(t, exitUsage, []string{"--features " + f, "no "}, append(args, "--data", data, "--features", f)...)
			}
		}
	}
}

func TestDataOfNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "none.txt"), "0\n")
	write(t, filepath.Join(dir, "bare.txt"), "2\n0 1\n0 2\n")
	model, out := trained(t, molecules(t, "molecules")), filepath.Join(dir, "out.svg")
	for name, want := range map[string]string{"none": "data set none has no graphs",
		"bare": "data set bare has no vertices"} {
		data := filepath.Join(dir, name+".txt")
		for _, args := range [][]string{
			{"eval", "gckn-path"}, {"train", "gckn-path", "-o", out}, {"embed", "gckn-path", "-o", out},
			{"predict", "--model", model},
			{"explain", "--model", model, "--index", "0", "-o", out},
		} {
			fails(t, exitFailure, []string{want}, append(args, "--data", data)...)
		}
	}
}
