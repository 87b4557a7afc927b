package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/model"
)

func TestDumpWritesTheTrees(t *testing.T) {
	data := molecules(t, "molecules")
	model, out := trees(t, data), filepath.Join(t.TempDir(), "tree.svg")
	all := must(t, "dump", "--model", model)
	head := "boosting, loss logistic, 5 rounds of 1 tree"
	for _, want := range []string{head, "tree 0\n", "tree 4\n", " > ", "examples, gain"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %q", want, all)
		}
	}
	one := must(t, "dump", "--model", model, "--tree", "3")
	if !strings.HasPrefix(one, "tree 3\n") || !strings.Contains(all, one) {
		t.Errorf("tree 3 alone: %q", one)
	}
	named := must(t, "dump", "--model", model, "--label-names", "Aa,Bb,Cc,Dd,Ee,Ff")
	if !strings.Contains(named, " of Aa") && !strings.Contains(named, " of Bb") && !strings.Contains(named, " of Cc") {
		t.Errorf("no names of labels in %q", named)
	}
	must(t, "dump", "--model", model, "--tree", "1", "--format", "svg", "-o", out)
	drawing := wellFormed(t, out)
	if !strings.Contains(drawing, "tree 1 of 5") || strings.Count(drawing, `class="node"`) < 3 {
		t.Error("the drawing shows no tree")
	}
}

// The JSON of a dump holds each tree from the root, and the children that it names.
func TestDumpAsJSON(t *testing.T) {
	data := filepath.Join(t.TempDir(), "rings")
	must(t, "data", "synth", "rings-cliques", "--graphs", "40", "--vertices", "12", "--out", data)
	file, out := trees(t, data), filepath.Join(t.TempDir(), "tree.json")
	must(t, "dump", "--model", file, "--format", "json", "-o", out)
	var fromFile, said model.Dump
	if err := json.Unmarshal(readFile(t, out), &fromFile); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(must(t, "dump", "--model", file, "--json")), &said); err != nil {
		t.Fatal(err)
	}
	if n := len(fromFile.Classes) * 5; len(fromFile.Trees) != n || len(said.Trees) != n {
		t.Errorf("%d and %d trees, want %d", len(fromFile.Trees), len(said.Trees), n)
	}
	for _, tree := range said.Trees {
		reached := 1
		for i, n := range tree.Nodes {
			if n.Node != i || (n.Split == nil) != (n.Value != nil) || n.Split != nil && n.Test == "" {
				t.Errorf("tree %d, class %s: node %+v", tree.Tree, tree.Class, n)
			}
			if n.Split != nil {
				reached += 2
				if sum := tree.Nodes[n.No].Examples + tree.Nodes[n.Yes].Examples; sum != n.Examples {
					t.Errorf("children of %g examples below a node of %g", sum, n.Examples)
				}
			}
		}
		if reached != len(tree.Nodes) {
			t.Errorf("%d of %d nodes are reached", reached, len(tree.Nodes))
		}
	}
	fails(t, exitUsage, []string{"--class is missing", "0"}, "dump", "--model", file, "--format", "svg")
	fails(t, exitUsage, []string{"--class 77"}, "dump", "--model", file, "--format", "svg", "--class", "77")
	if text := must(t, "dump", "--model", file, "--format", "svg", "--class", "1"); !strings.Contains(text, "class 1") {
		t.Error("the title does not name the class")
	}
}

func TestDumpRefuses(t *testing.T) {
	data := molecules(t, "molecules")
	model := trees(t, data)
	for _, c := range []struct {
		words []string
		args  []string
	}{
		{[]string{"--model", "missing"}, nil},
		{[]string{"--tree 5", "5 trees"}, []string{"--model", model, "--tree", "5"}},
		{[]string{"--tree -2"}, []string{"--model", model, "--tree", "-2"}},
		{[]string{"--format", "text, json or svg"}, []string{"--model", model, "--format", "dot"}},
		{[]string{"--json and --format svg"}, []string{"--model", model, "--format", "svg", "--json"}},
		{[]string{"--class 1", "one tree for all"}, []string{"--model", model, "--format", "svg", "--class", "1"}},
		{[]string{"--class belongs"}, []string{"--model", model, "--class", "1"}},
		{[]string{"--label-names", "1 name"}, []string{"--model", model, "--label-names", "C"}},
	} {
		fails(t, exitUsage, c.words, append([]string{"dump"}, c.args...)...)
	}
	other := trained(t, data)
	fails(t, exitFailure, []string{"gckn-", "no trees"}, "dump", "--model", other)
}
