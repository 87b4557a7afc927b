package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// module is the path of the packages, before a slash.
const module = "github.com/grove-graph/grove"

const maxColumns = 120

// file is a Go file of the code base, whatever its build constraints.
type file struct {
	path   string // from the root, with slashes
	source string
	set    *token.FileSet
	syntax *ast.File
}

// pkg returns the path of the package from the root.
func (f *file) pkg() string { return path.Dir(f.path) }

func (f *file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// sources returns all Go files but those of folders that the go command passes over.
func sources(t *testing.T) (files []*file) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); name != root && (strings.HasPrefix(base, ".") || base == "testdata" || base == "build") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := &file{path: filepath.ToSlash(below), source: string(source), set: token.NewFileSet()}
		if f.syntax, err = parser.ParseFile(f.set, f.path, source, parser.ParseComments); err != nil {
			return err
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestLinesFitTheColumns(t *testing.T) {
	for _, f := range sources(t) {
		if ast.IsGenerated(f.syntax) {
			continue
		}
		number := 0
		for line := range strings.Lines(f.source) {
			number++
			if columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); columns > maxColumns {
				t.Errorf("%s:%d: %d columns, at most %d", f.path, number, columns, maxColumns)
			}
		}
	}
}
