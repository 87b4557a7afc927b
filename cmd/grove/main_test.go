package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// grove runs a command line and returns what it writes and its exit status.
func grove(args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	status = run(context.Background(), args, &out, &errs)
	return out.String(), errs.String(), status
}

// must runs a command line that has to succeed and returns its standard output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, status := grove(args...)
	if status != 0 {
		t.Fatalf("grove %s: exit status %d: %s", strings.Join(args, " "), status, stderr)
	}
	return stdout
}

// mustJSON is must for a command with --json: its output has to be exactly one JSON object.
func mustJSON(t *testing.T, args ...string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(must(t, append(args, "--json")...)))
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		t.Fatalf("grove %s --json: %v", strings.Join(args, " "), err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		t.Fatalf("grove %s --json: there is more than one object on standard output", strings.Join(args, " "))
	}
	return object
}

// shownProgress is what a command may say before it ends.
var shownProgress = regexp.MustCompile(`(?m)^grove: (.*: [0-9]+ of [0-9]+.*|about .* of work .*|stopping; .*)\n`)

// fails runs a command line that has to fail with a status and one line on standard error that holds all
// of the given words. On a busy machine progress may stand before it.
func fails(t *testing.T, status int, words []string, args ...string) {
	t.Helper()
	stdout, stderr, got := grove(args...)
	last := strings.LastIndex(strings.TrimSuffix(stderr, "\n"), "\n") + 1
	stderr = shownProgress.ReplaceAllString(stderr[:last], "") + stderr[last:]
	line := "grove " + strings.Join(args, " ")
	if got != status {
		t.Errorf("%s: exit status %d, want %d; it says %q", line, got, status, stderr)
	}
	if stdout != "" {
		t.Errorf("%s: an error leaves standard output empty, there is %q", line, stdout)
	}
	if !strings.HasPrefix(stderr, "grove: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%s: the error is not one line: %q", line, stderr)
	}
	for _, word := range words {
		if !strings.Contains(stderr, word) {
			t.Errorf("%s: the error does not name %q: %q", line, word, stderr)
		}
	}
}

// molecules generates a small data set and returns its folder.
func molecules(t *testing.T, name string, more ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	must(t, append([]string{"data", "synth", "molecules", "--graphs", "60", "--vertices", "12", "--seed", "1",
		"--out", dir}, more...)...)
	return dir
}

// small makes a model that is fitted in no time.
func small(args ...string) []string {
	return append(args, "--filters", "16", "--samples", "2000", "--path-size", "3")
}

// write makes a file.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// tuGraph is a graph as a test writes it down.
type tuGraph struct {
	class  string
	labels []string
	edges  [][2]int
}

// writeTU writes a data set in TU format and returns its folder.
func writeTU(t *testing.T, name string, graphs []tuGraph) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	var arcs, indicator, classes, labels strings.Builder
	first := 1
	for g, x := range graphs {
		classes.WriteString(x.class + "\n")
		for _, l := range x.labels {
			labels.WriteString(l + "\n")
			indicator.WriteString(itoa(g+1) + "\n")
		}
		for _, e := range x.edges {
			arcs.WriteString(itoa(first+e[0]) + ", " + itoa(first+e[1]) + "\n")
		}
		first += len(x.labels)
	}
	write(t, filepath.Join(dir, name+"_A.txt"), arcs.String())
	write(t, filepath.Join(dir, name+"_graph_indicator.txt"), indicator.String())
	write(t, filepath.Join(dir, name+"_graph_labels.txt"), classes.String())
	write(t, filepath.Join(dir, name+"_node_labels.txt"), labels.String())
	return dir
}

func TestHelpTeaches(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--help"}, {"help", "train"}, {"data"}, {"data", "synth", "--help"}, {"train", "--help"},
		{"train", "gckn-path", "--help"},
		{"predict", "--help"}, {"explain", "--help"}, {"dump", "--help"}, {"embed", "--help"}, {"eval", "--help"},
		{"devices", "--help"}, {"version", "--help"},
	} {
		text := must(t, args...)
		for _, want := range []string{"Usage:", "  grove "} {
			if !strings.Contains(text, want) {
				t.Errorf("grove %s: no %q in its help", strings.Join(args, " "), want)
			}
		}
		if strings.Count(text, "  grove ") < 3 {
			t.Errorf("grove %s: help has no examples", strings.Join(args, " "))
		}
	}
}

func TestWrongUsageExitsWithTwo(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		words []string
		args  []string
	}{
		{[]string{"devcies", "devices"}, []string{"devcies"}},
		{[]string{"nothing-like-it", "train"}, []string{"nothing-like-it"}},
		{[]string{"data", "inf", "info"}, []string{"data", "inf"}},
		{[]string{"info"}, []string{"data", "info"}},
		{[]string{"KIND", "molecules"}, []string{"data", "synth"}},
		{[]string{"evla", "eval"}, []string{"evla", "gckn-path", "--data", "x"}},
		{[]string{"evla", "eval"}, []string{"--data", "x", "evla", "gckn-path"}},
		{[]string{"ifno", "info"}, []string{"data", "ifno", "mine", "--json"}},
		{[]string{"gckn-pth", "gckn-path"}, []string{"eval", "gckn-pth", "--path-size", "3"}},
		{[]string{"gckn-pth", "gckn-path"}, []string{"eval", "--cv", "many", "gckn-pth", "--data", "x"}},
		{[]string{"gckn-pth", "gckn-path"}, []string{"embed", "gckn-pth", "extra", "--filters=3"}},
		{[]string{"moleculs", "molecules"}, []string{"data", "synth", "moleculs", "--bonds", "3"}},
		{[]string{"--jsn", "--json"}, []string{"eval", "--jsn", "gckn-path", "--data", "x"}},
		{[]string{"kind", "molecules"}, []string{"data", "synth", "moleculs", "--out", out}},
		{[]string{"--out"}, []string{"data", "synth", "molecules"}},
		{[]string{"--graphs", "many", "whole number"},
			[]string{"data", "synth", "molecules", "--out", out, "--graphs", "many"}},
		{[]string{"--graphs", "-3"}, []string{"data", "synth", "molecules", "--out", out, "--graphs", "-3"}},
		{[]string{"--graphs", "0"}, []string{"data", "synth", "molecules", "--out", out, "--graphs", "0"}},
		{[]string{"--sed", "--seed"}, []string{"data", "synth", "molecules", "--out", out, "--sed", "1"}},
		{[]string{"--to", "tu"}, []string{"data", "convert", "x", "--to", "gml", "--out", out}},
		{[]string{"--url", "http"}, []string{"data", "fetch", "MUTAG", "--url", "ftp://example.org"}},
		{[]string{"MODEL", "gckn-path"}, []string{"train"}},
		{[]string{"gckn-pth", "gckn-path"}, []string{"train", "gckn-pth"}},
		{[]string{"--data"}, []string{"train", "gckn-path", "-o", out}},
		{[]string{"--out"}, []string{"train", "gckn-path", "--data", "x"}},
		{[]string{"--out", "no folder"}, []string{"train", "gckn-path", "--data", "x", "-o", "/nowhere/at/all.grove"}},
		{[]string{"--sigma", "-1", "positive"}, []string{"train", "gckn-path", "--data", "x", "-o", out, "--sigma", "-1"}},
		{[]string{"--sigma", "nan"}, []string{"train", "gckn-path", "--data", "x", "-o", out, "--sigma", "nan"}},
		{[]string{"--path-size", "two"}, []string{"train", "gckn-path", "--data", "x", "-o", out, "--path-size", "3,two"}},
		{[]string{"--path-size 99", "1 to 16"},
			[]string{"train", "gckn-path", "--data", "x", "-o", out, "--path-size", "99"}},
		{[]string{"--pooling", "sum, mean"}, []string{"train", "gckn-path", "--data", "x", "-o", out, "--pooling", "median"}},
		{[]string{"--layers", "4:128:0.6"}, []string{"train", "gckn-path", "--data", "x", "-o", out, "--layers", "4"}},
		{[]string{"--layers", "layer 2"}, []string{"train", "gckn-path", "--data", "x", "-o", out,
			"--layers", "4:8:0.6,0:8:0.6"}},
		{[]string{"--layers", "sigma"}, []string{"train", "gckn-path", "--data", "x", "-o", out, "--layers", "4:8:0.6",
			"--sigma", "1"}},
		{[]string{"--device", "cuda"}, []string{"train", "gckn-path", "--data", "x", "-o", out, "--device", "cuda:99"}},
		{[]string{"--workers", "-1"}, []string{"train", "gckn-path", "--data", "x", "-o", out, "--workers", "-1"}},
		{[]string{"--seed", "-1"}, []string{"train", "gckn-path", "--data", "x", "-o", out, "--seed", "-1"}},
		{[]string{"--concat", "follow"}, []string{"train", "--concat", "gckn-path", "--data", "x", "-o", out}},
		{[]string{"--sigma 0.4,0.6", "one value"},
			[]string{"embed", "gckn-path", "--data", "x", "-o", out, "--sigma", "0.4,0.6"}},
		{[]string{"--model", "not both"}, []string{"embed", "gckn-path", "--model", "m", "--data", "x", "-o", out}},
		{[]string{"--model"}, []string{"predict", "--data", "x"}},
		{[]string{"--model", "needs a value"}, []string{"predict", "--model"}},
		{[]string{"--json", "-o -"}, []string{"predict", "--model", "m", "--data", "x", "-o", "-", "--json"}},
		{[]string{"--index", "5-2", "backwards"},
			[]string{"explain", "--model", "m", "--data", "x", "-o", "x.svg", "--index", "5-2"}},
		{[]string{"--index", "first"}, []string{"explain", "--model", "m", "--data", "x", "-o", "x.svg", "--index", "first"}},
		{[]string{".svg or .png"}, []string{"explain", "--model", "m", "--data", "x", "-o", "x.pdf", "--index", "1"}},
		{[]string{"man"}, []string{"man"}},
	} {
		fails(t, exitUsage, c.words, c.args...)
	}
}

func TestFailuresExitWithOneAndNameTheFile(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "broken", "broken_A.txt"), "1, 2\n2, x\n")
	write(t, filepath.Join(dir, "broken", "broken_graph_indicator.txt"), "1\n1\n")
	write(t, filepath.Join(dir, "text.grove"), "not a model")
	for _, c := range []struct {
		words []string
		args  []string
	}{
		{[]string{"/nowhere"}, []string{"data", "info", "/nowhere"}},
		{[]string{"broken_A.txt:2"}, []string{"data", "info", filepath.Join(dir, "broken")}},
		{[]string{"broken_A.txt:2"}, []string{"train", "gckn-path", "--data", filepath.Join(dir, "broken"),
			"-o", filepath.Join(dir, "m")}},
		{[]string{"text.grove", "not a Grove model"},
			[]string{"predict", "--model", filepath.Join(dir, "text.grove"), "--data", dir}},
		{[]string{"none.grove", "no such file"},
			[]string{"predict", "--model", filepath.Join(dir, "none.grove"), "--data", dir}},
		{[]string{"fetch", "http://127.0.0.1:1"},
			[]string{"data", "fetch", "MUTAG", "--dir", dir, "--url", "http://127.0.0.1:1/"}},
	} {
		fails(t, exitFailure, c.words, c.args...)
	}
}

func TestInterruptExitsWith130(t *testing.T) {
	data := molecules(t, "molecules")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	model := filepath.Join(t.TempDir(), "m.grove")
	status := run(ctx, []string{"train", "gckn-path", "--data", data, "-o", model}, &out, &errs)
	if status != exitInterrupted || errs.String() != "grove: interrupted\n" {
		t.Errorf("exit status %d, want %d; it says %q", status, exitInterrupted, errs.String())
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(model), "*")); len(files) > 0 {
		t.Errorf("an interrupted command leaves %v behind", files)
	}
}

func TestDevices(t *testing.T) {
	devices := mustJSON(t, "devices")["devices"].([]any)
	if name := devices[0].(map[string]any)["name"]; name != "cpu" {
		t.Errorf("the first device is %v, want cpu", name)
	}
	if text := must(t, "devices"); !strings.Contains(text, "instructions") {
		t.Errorf("no instruction set in %q", text)
	}
}

func TestManualPagesCoverEveryCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man", "man1")
	must(t, "man", dir)
	for _, page := range []string{"grove", "grove-data", "grove-data-synth", "grove-eval", "grove-train", "grove-predict",
		"grove-embed", "grove-explain", "grove-dump", "grove-devices", "grove-man"} {
		raw, err := os.ReadFile(filepath.Join(dir, page+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, section := range []string{".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"} {
			if !strings.Contains(string(raw), section) {
				t.Errorf("%s has no %s", page, section)
			}
		}
	}
	raw, _ := os.ReadFile(filepath.Join(dir, "grove-train-gckn-subtree.1"))
	if !strings.Contains(string(raw), "path-size") {
		t.Error("the page of train gckn-subtree does not describe the options of the model")
	}
}

func TestShellCompletion(t *testing.T) {
	if text := must(t, "completion", "bash"); !strings.Contains(text, "complete") {
		t.Error("no completion script for bash")
	}
	for _, c := range []struct{ want, args string }{
		{"gckn-subtree", "__complete train gckn-s"},
		{"gmp", "__complete train gckn-path --pooling g"},
		{"molecules", "__complete data synth mol"},
		{"svg", "__complete dump --format s"},
		{"MUTAG", "__complete data fetch MU"},
	} {
		if text := must(t, strings.Fields(c.args)...); !strings.Contains(text, c.want) {
			t.Errorf("%s: no %q in %q", c.args, c.want, text)
		}
	}
}
