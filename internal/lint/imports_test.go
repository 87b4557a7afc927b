package lint

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// families are the packages of the models, those that package families registers. What two of them need lies below.
var families = registered()

func registered() []string {
	f, err := parser.ParseFile(token.NewFileSet(), "../../families/families.go", nil, parser.ImportsOnly)
	if err != nil {
		panic(err)
	}
	var names []string
	for _, path := range imports(f) {
		names = append(names, path[strings.LastIndex(path, "/")+1:])
	}
	return names
}

// below are the packages that families are made of.
var below = []string{"atomicfile", "autodiff", "columnar", "cuda", "dataset", "engine", "graph", "memory", "mkl",
	"modelfile", "nystrom", "parallel", "render", "sdf", "smiles", "split", "svm", "trees"}

// within reports whether a package is one of the given or lies in the folder of one.
func within(pkg string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return pkg == root || strings.HasPrefix(pkg, root+"/") })
}

// forbidden says why a file must not import a package of this module, "" where it may. Tests may put families beside
// each other and name the CUDA engine.
func forbidden(f *file, imported string) string {
	from := f.pkg()
	switch {
	case within(imported, "cmd") && !within(from, "cmd"):
		return "nothing imports a command"
	case f.isTest():
		return ""
	case within(imported, "cuda") && !within(from, "cuda") && !(f.syntax.Name.Name == "main" && needs(f, "gpu")):
		return "packages speak to engine, and a command registers the CUDA engine in a file with the tag gpu"
	case within(from, families...) && within(imported, families...) && family(from) != family(imported):
		return "no family imports another: what two of them need lies below"
	case within(from, below...) && within(imported, append([]string{"model", "eval", "train"}, families...)...):
		return "models stand on this package"
	case within(from, "model", "eval", "train") && !within(from, "model/modeltest") && within(imported, families...):
		return "a family is known by its registration alone"
	case within(from, append([]string{"model", "train"}, families...)...) && within(imported, "eval"):
		return "eval stands on models"
	}
	return ""
}

// family returns the family that a package belongs to.
func family(pkg string) string {
	root, _, _ := strings.Cut(pkg, "/")
	return root
}

// needs reports whether a file is built with a tag only.
func needs(f *file, tag string) bool {
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if expr, err := constraint.Parse(c.Text); err == nil && c.Pos() < f.syntax.Package {
				return !expr.Eval(func(t string) bool { return t != tag })
			}
		}
	}
	return false
}

// imports returns the packages that a file imports.
func imports(f *ast.File) (paths []string) {
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

func TestImportsPointOneWay(t *testing.T) {
	for _, f := range sources(t) {
		for _, path := range imports(f.syntax) {
			if own, ok := strings.CutPrefix(path, module+"/"); ok {
				if why := forbidden(f, own); why != "" {
					t.Errorf("%s imports %s: %s", f.path, own, why)
				}
			}
		}
	}
}

// Nothing in a build without the tag gpu knows of CUDA: its binding links the driver's library.
func TestDefaultBuildHasNoCUDA(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if path == "gorgonia.org/cu" || path == module+"/cuda/sim" {
			t.Errorf("the default build imports %s", path)
		}
	}
}

// The rules hold packages apart that do not exist yet, and let through what the design wants.
func TestRulesOfImports(t *testing.T) {
	for _, c := range []struct {
		path, source, imported string
		refused                bool
	}{
		{"gckn/fit.go", "package gckn", "treeg", true},
		{"treeg/internal/walks/walks.go", "package walks", "treeg/internal/splits", false},
		{"treeg/internal/walks/walks.go", "package walks", "wl", true},
		{"wl/fit_test.go", "package wl", "mpgk", false},
		{"wl/fit_test.go", "package wl", "cmd/grove", true},
		{"wl/fit.go", "package wl", "model", false},
		{"wl/fit.go", "package wl", "eval", true},
		{"model/model.go", "package model", "dataset", false},
		{"model/model.go", "package model", "wl", true},
		{"train/run.go", "package train", "model", false},
		{"train/run.go", "package train", "gckn", true},
		{"train/run.go", "package train", "eval", true},
		{"autodiff/trainer.go", "package autodiff", "train", true},
		{"eval/cv.go", "package eval", "model", false},
		{"eval/cv.go", "package eval", "wl", true},
		{"svm/svm.go", "package svm", "model", true},
		{"gckn/fit.go", "package gckn", "cuda", true},
		{"gckn/fit.go", "//go:build gpu\n\npackage gckn", "cuda", true},
		{"cmd/grove/gpus.go", "package main", "cuda", true},
		{"cmd/grove/gpus.go", "//go:build gpu && linux\n\npackage main", "cuda", false},
		{"examples/train/main.go", "package main", "cmd/grove", true},
	} {
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, c.path, c.source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		why := forbidden(&file{path: c.path, source: c.source, set: set, syntax: syntax}, c.imported)
		if (why != "") != c.refused {
			t.Errorf("%q in %s imports %s: refused with %q, want refused: %t", c.source, c.path, c.imported, why, c.refused)
		}
	}
}
