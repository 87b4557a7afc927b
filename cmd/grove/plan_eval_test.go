package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
)

// A search in parts, of whatever size, says what one machine says, by both protocols.
func TestSearchInParts(t *testing.T) {
	dir, data := t.TempDir(), molecules(t, "molecules")
	for name, protocol := range map[string][]string{
		"nested":    {"--inner", "2"},
		"published": {"--selection", "published", "--anchors", "all", "--repeats", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			line := append([]string{"gckn-path", "--data", data, "--path-size", "2,3", "--filters", "8", "--sigma", "0.4,0.6",
				"--pooling", "sum,max", "--cv", "3"}, protocol...)
			want := mustJSON(t, append([]string{"eval"}, line...)...)
			delete(want, "seconds")
			for _, size := range []int{1, 3, 8} {
				plan, out := filepath.Join(dir, "plan.json"), filepath.Join(dir, fmt.Sprint(name, size, ".state"))
				r := mustJSON(t, append([]string{"plan", "eval", "--part-settings", fmt.Sprint(size), "--out", out, "-o", plan},
					line...)...)
				for i := int(r["parts"].(float64)) - 1; i >= 0; i-- {
					must(t, "run-part", plan, "--index", fmt.Sprint(i), "--workers", "1")
				}
				must(t, "merge", plan)
				fails(t, exitUsage, []string{"--checkpoint " + out, "other settings"},
					append([]string{"eval", "--checkpoint", out, "--c", "1"}, line...)...)
				got := mustJSON(t, append([]string{"eval", "--checkpoint", out}, line...)...)
				delete(got, "seconds")
				if !reflect.DeepEqual(got, want) {
					t.Errorf("in parts of %d settings\n%v\nin one process\n%v", size, got, want)
				}
			}
		})
	}
}

// A part has the bytes that it has alone when the same process computes others before it.
func TestPartOfASearchAlone(t *testing.T) {
	data := molecules(t, "molecules")
	var files [][]byte
	for _, calls := range [][]string{{"0-3"}, {"3", "2", "1", "0"}} {
		dir := t.TempDir()
		plan, out := filepath.Join(dir, "plan.json"), filepath.Join(dir, "search.state")
		must(t, "plan", "eval", "wl", "--data", data, "--iterations", "0,1,2,3", "--cv", "3", "--part-settings", "1",
			"--out", out, "-o", plan)
		for _, index := range calls {
			must(t, "run-part", plan, "--index", index)
		}
		must(t, "merge", plan)
		files = append(files, readFile(t, out))
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Errorf("of one process\n%s\nof four\n%s", files[0], files[1])
	}
}

// What a search in parts cannot be is refused when it is planned, and other data when a part is computed.
func TestSearchesThatCannotBeCut(t *testing.T) {
	dir, data := t.TempDir(), filepath.Join(t.TempDir(), "molecules")
	synth := func(seed string) {
		must(t, "data", "synth", "molecules", "--graphs", "40", "--seed", seed, "--out", data, "--overwrite")
	}
	synth("1")
	plan := []string{"--out", filepath.Join(dir, "search.state"), "-o", filepath.Join(dir, "plan.json")}
	fails(t, exitUsage, []string{"unknown flag", "--halving"}, append([]string{"plan", "eval", "wl", "--data", data,
		"--halving"}, plan...)...)
	fails(t, exitUsage, []string{"the parts read the data too"}, append([]string{"plan", "eval", "wl", "--data", "-"},
		plan...)...)
	fails(t, exitUsage, []string{"--out"}, "plan", "eval", "wl", "--data", data, "-o", plan[3])
	fails(t, exitUsage, []string{"--metric rmse"}, append([]string{"plan", "eval", "wl", "--data", data, "--metric",
		"rmse"}, plan...)...)
	must(t, append([]string{"plan", "eval", "wl", "--data", data}, plan...)...)
	synth("2")
	fails(t, exitRefused, []string{"--data", "it has changed since"}, "run-part", plan[3], "--index", "0")
}
