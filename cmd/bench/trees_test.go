package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTreeCostIsDrawn(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "cost.svg")
	stdout, _, err := execute(t, "tree-cost", "--quick", picture)
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
	if _, _, err := execute(t, "tree-cost", "--quick", "cost.txt"); err == nil || exitCode(err) != 2 {
		t.Errorf("a name that is none of a picture: %v", err)
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
	stdout, _, err := execute(t, "walk-counts", "--seeds", "1", "--graphs", "40", "--trees", "3", dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []string{"start", "same", "end", "between"} {
		raw, err := os.ReadFile(filepath.Join(dir, "treeg-walks-"+task+".svg"))
		if err != nil || !strings.Contains(string(raw), "(its own)") || !strings.Contains(stdout, task) {
			t.Errorf("task %s: %v", task, err)
		}
	}
	if _, _, err := execute(t, "walk-counts", "--seeds", "0", dir); err == nil || exitCode(err) != 2 {
		t.Errorf("no seeds: %v", err)
	}
}

func TestPlantedTreesAreFitted(t *testing.T) {
	stdout, _, err := execute(t, "planted", "--quick", "--trees", "2", "--workers", "2")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"500 vertices, 3500 arcs", "2 trees, 2 workers", "peak memory"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %q", want, stdout)
		}
	}
	if _, _, err := execute(t, "planted", "--trees", "0"); err == nil || exitCode(err) != 2 {
		t.Errorf("no trees: %v", err)
	}
}
