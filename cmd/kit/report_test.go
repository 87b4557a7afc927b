package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProfilesAndBenchmarksAreRead(t *testing.T) {
	const head = `"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"` + "\n"
	_, line, err := readProfile("==PROF== Connected\n" + head +
		`"0","assign_f32","GPU Speed Of Light Throughput","Duration","us","12.3"` + "\n" +
		`"0","assign_f32","Occupancy","Achieved Occupancy","%","45.6"` + "\n")
	if want := "assign_f32, duration 12.3 us, achieved occupancy 45.6 %"; err != nil || line != want {
		t.Errorf("%q and %v, want %q", line, err, want)
	}
	for _, bad := range []string{"==ERROR== nothing", head, `"A","B"` + "\n" + `"1","2"` + "\n"} {
		if _, _, err := readProfile(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	data, line, err := readBenchmarks("BenchmarkTunedAndPlain/Gemm/tuned-16  \t 100\t 2000 ns/op\n" +
		"BenchmarkTunedAndPlain/Gemm/plain-16  \t 100\t 3000 ns/op\nPASS\n")
	if p, ok := data.([]pair); err != nil || !ok || len(p) != 1 || p[0].Ratio != 1.5 {
		t.Errorf("%v, %q and %v", data, line, err)
	}
	if _, _, err := readBenchmarks("PASS\n"); err == nil {
		t.Error("no benchmark was accepted")
	}
}

func TestPageOfResults(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	predictions := write("predictions.md", "# Predictions\n\n| figure | counted | predicted |\n|---|---|---|\n"+
		"| `path-trie` | 3 | 4 ms |\n| assignment, 300 000 points to 1024 anchors | 1 | 70 us |\n\n"+
		"| other | table |\n|---|---|\n| path-trie | no |\n")
	out := filepath.Join(folder, "page.md")
	page := func(args ...string) string {
		if err := reportCommand(append(args, "--predictions", predictions, "--out", out)); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const open = "| path-trie | 4 ms | not measured |"
	if text := page(); !strings.Contains(text, "Not run yet") || !strings.Contains(text, open) {
		t.Errorf("without results the page is\n%s", text)
	}
	if err := reportCommand([]string{folder}); err == nil || !strings.Contains(err.Error(), "none of a.json") {
		t.Errorf("a folder without results: %v", err)
	}
	write("b.json", `{"part": "B", "device": "a GPU", "size": "full", "checks": [
		{"check": "operations", "status": "pass", "why": "2 | figures", "data": {"results": [
			{"name": "path-trie", "seconds": 0.008, "floor_seconds": 0.002, "floor_bound": "bytes", "device": "cuda:0"}]}},
		{"check": "training on one CPU core", "status": "FAIL", "data": {"results": [{"name": "path-trie", "seconds": 2}]}},
		{"check": "rivals", "status": "pass", "data": {"absent": {"cupy": "none"}, "figures": [
			{"operation": "product", "by": "Grove", "seconds": 1e-3},
			{"operation": "product", "by": "torch", "seconds": 2e-3}]}}]}`)
	write("c.json", `{"part": "C", "checks": [
		{"check": "variant: pool", "status": "pass", "data": [{"name": "adam", "usual_seconds": 1, "variant_seconds": 2,
			"variant_over_usual": 2}]},
		{"check": "ncu: assign", "status": "pass", "data": {"kernel": "assign_f32", "metrics": {"Duration": "3 us"}}}]}`)
	text := page(folder)
	for _, want := range []string{"# Grove on a GPU", "| operations | pass | 0.0 | 2 \\| figures |",
		"| path-trie | 4 ms | 8 ms | 2 ms | 25 % | bytes | cuda:0 |", "| path-trie | - | 2 s | - | - | | cpu |",
		"| assign | 70 us | not measured |", "| product | torch | 2 ms | 2.00 |", "Absent: cupy (none).",
		"| pool | adam | 1 s | 2 s | 2.00 |", "| assign | 3 us |"} {
		if !strings.Contains(strings.ReplaceAll(text, "|  |", "| |"), want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

func TestWrongCommandLines(t *testing.T) {
	for want, args := range map[string][]string{
		"usage":            nil,
		"no command":       {"walk"},
		"no part":          {"run", "D"},
		"want full":        {"run", "--size", "huge"},
		"flag provided":    {"run", "--nothing"},
		"usage: kit array": {"arrays"},
	} {
		if err := run(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

func TestHelpIsNoFailure(t *testing.T) {
	for _, line := range []string{"help", "-h", "--help", "run --help", "report -h", "run A -h"} {
		args := strings.Fields(line)
		if err := run(args); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%v: %v", args, err)
		}
	}
	for _, option := range []string{"  --out", "  --sim", "  --size", "  --predictions"} {
		if !strings.Contains(usage, option) {
			t.Errorf("the usage does not explain%s", option)
		}
	}
}

// The arrays on which the rivals run are those that Grove was timed on; on the CPU here.
func TestArrays(t *testing.T) {
	folder := t.TempDir()
	err := run([]string{"arrays", folder, "--device", "cpu", "--graphs", "5", "--columns", "8"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "grove.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range []string{"product", "CSR product", "segment sum", "inverse square root", "Adam"} {
		if !strings.Contains(string(text), `"operation":"`+operation+`"`) {
			t.Errorf("%s was not timed: %s", operation, text)
		}
	}
	for _, name := range []string{"x", "z", "k", "row_ptr", "col", "offsets", "gradient"} {
		if _, err := os.Stat(filepath.Join(folder, name+".npy")); err != nil {
			t.Error(err)
		}
	}
}

// The words that predictions have for figures are those of the page that there is.
func TestPredictedFiguresArePredicted(t *testing.T) {
	text, err := os.ReadFile("../../docs/benchmarks/predictions.md")
	if err != nil {
		t.Fatal(err)
	}
	p := &page{predictions: map[string]string{}}
	p.readPredictions(string(text))
	for words, name := range predicted {
		if p.predictions[name] == "" {
			t.Errorf("no prediction is called %q", words)
		}
	}
}
