package lint

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestNothingIsDead wants every function to be reachable from a command, to belong to a test library, or to be listed
// with a reason in testdata/reached_by_programs.txt. Of the list, nothing may be reachable.
func TestNothingIsDead(t *testing.T) {
	cmd := exec.Command("go", "tool", "deadcode", "-json", module+"/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []struct {
		Path  string
		Funcs []struct {
			Name     string
			Position struct {
				File string
				Line int
			}
		}
	}
	if err := json.Unmarshal(out, &packages); err != nil {
		t.Fatal(err)
	}
	allowed, ofTests := allowList(t), testLibraries(sources(t))
	met := map[string]bool{}
	for _, p := range packages {
		of := strings.TrimPrefix(p.Path, module+"/")
		if ofTests[of] {
			continue
		}
		for _, f := range p.Funcs {
			name := of + "." + f.Name
			met[of], met[name] = true, true
			if !allowed[of] && !allowed[name] {
				t.Errorf("%s:%d: no command reaches %s", f.Position.File, f.Position.Line, name)
			}
		}
	}
	for name := range allowed {
		if !met[name] {
			t.Errorf("testdata/reached_by_programs.txt: a command reaches %s, or it is gone", name)
		}
	}
}

// allowList returns the functions, and packages as a whole, that are listed: the lines that begin with a tab.
func allowList(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/reached_by_programs.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "\t"); ok {
			allowed[strings.TrimSpace(name)] = true
		}
	}
	return allowed
}

// testLibraries returns the packages that only tests stand on: packages outside of their folder import them, but in
// tests or in test libraries alone. What lies in the folder of a test library belongs to it, a program too.
func testLibraries(files []*file) map[string]bool {
	importers := map[string][]*file{} // from outside of a package's folder
	for _, f := range files {
		for _, path := range imports(f.syntax) {
			if own, ok := strings.CutPrefix(path, module+"/"); ok && !within(f.pkg(), own) {
				importers[own] = append(importers[own], f)
			}
		}
	}
	libraries := map[string]bool{}
	ofTests := func(f *file) bool {
		for library := range libraries {
			if within(f.pkg(), library) {
				return true
			}
		}
		return f.isTest()
	}
	for found := -1; found < len(libraries); {
		found = len(libraries)
		for pkg, files := range importers {
			if !slices.ContainsFunc(files, func(f *file) bool { return !ofTests(f) }) {
				libraries[pkg] = true
			}
		}
	}
	return libraries
}

func TestTestLibrariesAreFound(t *testing.T) {
	var files []*file
	for path, source := range map[string]string{
		"cmd/a/main.go":            `package main; import _ "MODULE/model"`,
		"model/model.go":           `package model`,
		"model/own_test.go":        `package model_test; import _ "MODULE/model/checks"`,
		"model/checks/c.go":        `package checks; import _ "MODULE/model/data"`,
		"model/checks/run/main.go": `package main; import (_ "MODULE/model/checks"; _ "MODULE/report")`,
		"model/data/d.go":          `package data; import _ "MODULE/model"`,
		"report/r.go":              `package report`,
		"draw/draw.go":             `package draw; import _ "MODULE/picture"`,
		"draw/draw_test.go":        `package draw_test; import _ "MODULE/draw"`,
		"picture/p.go":             `package picture`,
	} {
		f := &file{path: path, set: token.NewFileSet()}
		var err error
		if f.syntax, err = parser.ParseFile(f.set, path, strings.ReplaceAll(source, "MODULE", module), 0); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	found := testLibraries(files)
	for pkg, want := range map[string]bool{"model/checks": true, "model/data": true, "report": true,
		"model": false, "draw": false, "picture": false, "cmd/a": false} {
		if found[pkg] != want {
			t.Errorf("%s is a test library: %t, want %t", pkg, found[pkg], want)
		}
	}
}
