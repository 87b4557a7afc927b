package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// execute runs the command and returns what it prints.
func execute(t *testing.T, args ...string) (string, error) {
	t.Helper()
	c := command()
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetErr(&bytes.Buffer{})
	c.SetArgs(args)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

func TestTreeCostIsDrawn(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "cost.svg")
	stdout, err := execute(t, "tree-cost", "--quick", picture)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"features", "longest walk", "pointed ancestors", "arcs", "R²"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %q", want, stdout)
		}
	}
	if raw, err := os.ReadFile(picture); err != nil || !strings.Contains(string(raw), "<svg") {
		t.Errorf("no drawing: %v", err)
	}
	if _, err := execute(t, "tree-cost", "--quick", "cost.txt"); err == nil {
		t.Error("a name that is none of a picture is taken")
	}
}

// A straight line through points on a line explains all of them.
func TestStraight(t *testing.T) {
	c := treeCost{sizes: []float64{1, 2, 4}, seconds: []float64{3, 5, 9}}
	constant, slope, explained := c.straight()
	if near := 1e-12; constant-1 > near || 1-constant > near || slope-2 > near || 2-slope > near || explained < 1-near {
		t.Errorf("%g + %g x explains %g", constant, slope, explained)
	}
}

func TestWalkCountsAreDrawn(t *testing.T) {
	dir := t.TempDir()
	stdout, err := execute(t, "walk-counts", "--seeds", "1", "--graphs", "40", "--trees", "3", dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []string{"start", "same", "end", "between"} {
		raw, err := os.ReadFile(filepath.Join(dir, "treeg-walks-"+task+".svg"))
		if err != nil || !strings.Contains(string(raw), "(its own)") || !strings.Contains(stdout, task) {
			t.Errorf("task %s: %v", task, err)
		}
	}
	if _, err := execute(t, "walk-counts", "--seeds", "0", dir); err == nil {
		t.Error("no seeds are taken")
	}
}

func TestPlantedTreesAreFitted(t *testing.T) {
	stdout, err := execute(t, "planted", "--quick", "--trees", "2", "--workers", "2")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"500 vertices, 3500 arcs", "2 trees, 2 workers", "peak memory"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %q", want, stdout)
		}
	}
	if _, err := execute(t, "planted", "--trees", "0"); err == nil {
		t.Error("no trees are taken")
	}
}
