package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// wellFormed fails unless the file is an SVG document, and returns its text.
func wellFormed(t *testing.T, path string) string {
	t.Helper()
	raw := readFile(t, path)
	decoder := xml.NewDecoder(bytes.NewReader(raw))
	root := ""
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if start, ok := token.(xml.StartElement); ok && root == "" {
			root = start.Name.Local
		}
	}
	if root != "svg" {
		t.Fatalf("%s: the root element is %q, want svg", path, root)
	}
	if strings.Contains(string(raw), "NaN") {
		t.Errorf("%s holds NaN", path)
	}
	return string(raw)
}

func TestExplainDrawsGraphs(t *testing.T) {
	data := molecules(t, "molecules")
	model := trained(t, data)
	dir := t.TempDir()
	one, many := filepath.Join(dir, "one.svg"), filepath.Join(dir, "many.svg")
	must(t, "explain", "--model", model, "--data", data, "--index", "3", "-o", one)
	if text := wellFormed(t, one); !strings.Contains(text, "graph 3") || !strings.Contains(text, "predicted") {
		t.Error("the drawing does not say what it shows")
	}
	text := must(t, "explain", "--model", model, "--data", data, "--index", "0-4,7", "-o", many, "--columns", "2",
		"--bonds", "aromatic,single,double")
	if drawing := wellFormed(t, many); strings.Count(drawing, `class="graph"`) != 6 {
		t.Error("there are not six graphs in the drawing")
	}
	if strings.Count(text, "\n") != 7 || !strings.Contains(text, "graph 7") {
		t.Errorf("a line for each of six graphs and one for the file: %q", text)
	}
}

// The contributions of a graph add up to the decision that predict shows.
func TestContributionsAddUpToTheDecision(t *testing.T) {
	data := molecules(t, "molecules")
	for _, pooling := range []string{"sum", "mean", "max"} {
		model := trained(t, data, "--global-pooling", pooling, "--c", "0.1")
		said := mustJSON(t, "predict", "--model", model, "--data", data)["predictions"].([]any)
		graphs := mustJSON(t, "explain", "--model", model, "--data", data, "--index", "0-9")["graphs"].([]any)
		for i, g := range graphs {
			sum := 0.0
			for _, c := range g.(map[string]any)["contributions"].([]any) {
				sum += c.(float64)
			}
			want := said[i].(map[string]any)["decisions"].([]any)[0].(float64)
			if math.Abs(sum-want) > 1e-3*(1+math.Abs(want)) {
				t.Errorf("%s pooling, graph %d: contributions add up to %g, the decision is %g", pooling, i, sum, want)
			}
		}
	}
}

func TestExplainSeveralClassesTowardThePredictedOne(t *testing.T) {
	data := filepath.Join(t.TempDir(), "rings")
	must(t, "data", "synth", "rings-cliques", "--graphs", "40", "--vertices", "12", "--out", data)
	model := trained(t, data)
	out := filepath.Join(t.TempDir(), "x.svg")
	graphs := mustJSON(t, "explain", "--model", model, "--data", data, "--index", "0-5", "-o", out)["graphs"].([]any)
	for _, g := range graphs {
		if g := g.(map[string]any); g["toward"] != g["predicted"] {
			t.Errorf("explained toward %v, predicted %v", g["toward"], g["predicted"])
		}
	}
	wellFormed(t, out)
}

func TestExplainRefusesWhatItCannotDraw(t *testing.T) {
	data := molecules(t, "molecules")
	model := trained(t, data)
	gmp := trained(t, data, "--global-pooling", "gmp", "--c", "1")
	out := filepath.Join(t.TempDir(), "x.svg")
	explain := func(model, index string, more ...string) []string {
		return append([]string{"explain", "--model", model, "--data", data, "--index", index, "-o", out}, more...)
	}
	fails(t, exitUsage, []string{"--index 60", "60 graphs"}, explain(model, "60")...)
	fails(t, exitUsage, []string{"--index 3-99"}, explain(model, "3-99")...)
	fails(t, exitUsage, []string{"--label-names", "2 names"}, explain(model, "0", "--label-names", "A,B")...)
	fails(t, exitUsage, []string{"--bonds", "1 bond"}, explain(model, "0", "--bonds", "single")...)
	fails(t, exitUsage, []string{"--bonds", "quadruple"}, explain(model, "0", "--bonds", "quadruple")...)
	fails(t, exitFailure, []string{"gmp"}, explain(gmp, "0")...)

	blocks := filepath.Join(t.TempDir(), "blocks")
	must(t, "data", "synth", "block-model", "--vertices", "40", "--out", blocks)
	fails(t, exitFailure, []string{"vertex"}, "explain", "--model", model, "--data", blocks, "--index", "0", "-o", out)
}

// Drawings are SVG or PNG by the names of their files.
func TestDrawingsAsPNG(t *testing.T) {
	data, dir := molecules(t, "molecules"), t.TempDir()
	path, trees := filepath.Join(dir, "path.grove"), filepath.Join(dir, "trees.grove")
	must(t, small("train", "gckn-path", "--data", data, "--c", "1", "-o", path)...)
	must(t, "train", "treeg", "--data", data, "--estimators", "2", "-o", trees)
	for _, args := range [][]string{
		{"explain", "--model", path, "--data", data, "--index", "0-1"},
		{"explain", "--model", trees, "--data", data, "--index", "0"},
		{"dump", "--model", trees},
	} {
		for _, kind := range []string{".png", ".svg"} {
			out := filepath.Join(dir, "x"+kind)
			must(t, append(args, "-o", out)...)
			raw := string(readFile(t, out))
			if want := map[string]string{".png": "\x89PNG", ".svg": "<svg"}[kind]; !strings.HasPrefix(raw, want) {
				t.Errorf("%s -o x%s writes %.20q", args[0], kind, raw)
			}
		}
	}
	fails(t, exitUsage, []string{"--out", "text"},
		"dump", "--model", trees, "--format", "text", "-o", filepath.Join(dir, "x.png"))
}
