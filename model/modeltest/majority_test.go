package modeltest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/grove-graph/grove/model/modeltest/majority"
)

// registration is the line that makes a family known to a program.
const registration = `package main

import _ "github.com/grove-graph/grove/model/modeltest/majority"
`

// buildWithMajority builds the command with one file more and returns its path.
func buildWithMajority(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	added := filepath.Join(dir, "majority.go")
	if err := os.WriteFile(added, []byte(registration), 0o666); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{
		"Replace": map[string]string{filepath.Join(root, "cmd", "grove", "majority.go"): added},
	})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	grove := filepath.Join(dir, "grove")
	build := exec.Command("go", "build", "-overlay", list, "-o", grove, "./cmd/grove")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return grove
}

// A family of one file is known to the command, with its options and its files, by one line that imports it.
func TestFamilyOfOneFile(t *testing.T) {
	t.Parallel()
	grove := buildWithMajority(t)
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(grove, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("grove %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for _, c := range []struct{ args, want string }{
		{"eval --help", "the most frequent class, whatever the graph"},
		{"train --help", "the most frequent class, whatever the graph"},
		{"eval majority --help", "--last-of-equal"},
		{"train majority --help", "--last-of-equal"},
		{"data synth molecules --graphs 41 --out molecules", ""},
		{"eval majority --data molecules --cv 5", "accuracy"},
		{"train majority --data molecules -o m.grove", "m.grove"},
		{"predict --model m.grove --data molecules -o said.csv", "said.csv"},
	} {
		if out := run(strings.Fields(c.args)...); !strings.Contains(out, c.want) {
			t.Errorf("grove %s: no %q in %s", c.args, c.want, out)
		}
	}
	said, err := os.ReadFile(filepath.Join(dir, "said.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	if len(lines) != 42 {
		t.Fatalf("%d lines for 41 graphs", len(lines))
	}
	class := strings.Split(lines[1], ",")[1]
	for _, line := range lines[1:] {
		if strings.Split(line, ",")[1] != class {
			t.Errorf("%s, before of class %s", line, class)
		}
	}
}
