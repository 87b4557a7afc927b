package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// operationsOnDevices reads the names of the operations that run on a GPU out of the tables of the benchmark's source:
// entries such as {"name", "about", prepare, everywhere}.
func operationsOnDevices(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../bench/operations_*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			entry, ok := n.(*ast.CompositeLit)
			if !ok || len(entry.Elts) != 4 {
				return true
			}
			name, isName := entry.Elts[0].(*ast.BasicLit)
			kind, isKind := entry.Elts[3].(*ast.Ident)
			if isName && isKind && (kind.Name == "everywhere" || kind.Name == "deviceAlone") {
				text, err := strconv.Unquote(name.Value)
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, text)
			}
			return true
		})
	}
	return names
}

func TestGroupsHoldEveryOperation(t *testing.T) {
	groups := strings.Split(strings.Join(operationGroups, ","), ",")
	all := operationsOnDevices(t)
	if len(all) < 40 {
		t.Fatalf("only %d operations were found: %v", len(all), all)
	}
	for _, name := range all {
		if !slices.Contains(groups, name) {
			t.Errorf("no group of the kit has %s", name)
		}
	}
	if slices.Sort(groups); len(slices.Compact(slices.Clone(groups))) != len(groups) {
		t.Errorf("an operation is in two groups: %v", groups)
	}
}
