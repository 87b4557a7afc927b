package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
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

// walk calls visit with the path from the root, with slashes, and the content of every file whose name ends in one of
// the extensions, but for those of folders that the go command passes over.
func walk(t *testing.T, visit func(name, content string) error, extensions ...string) {
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
		if !slices.Contains(extensions, filepath.Ext(name)) {
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(below), string(content))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sources returns all Go files.
func sources(t *testing.T) (files []*file) {
	t.Helper()
	walk(t, func(name, source string) (err error) {
		f := &file{path: name, source: source, set: token.NewFileSet()}
		f.syntax, err = parser.ParseFile(f.set, name, source, parser.ParseComments)
		files = append(files, f)
		return err
	}, ".go")
	return files
}

func TestLinesFitTheColumns(t *testing.T) {
	for _, f := range sources(t) {
		if !ast.IsGenerated(f.syntax) {
			fits(t, f.path, f.source)
		}
	}
}

func TestLinesOfKernelsFitTheColumns(t *testing.T) {
	files := 0
	walk(t, func(name, source string) error {
		fits(t, name, strings.ReplaceAll(source, "\t", "    "))
		files++
		return nil
	}, ".cu", ".cuh", ".cc", ".h")
	if files < 50 {
		t.Errorf("only %d files found", files)
	}
}

// fits complains of the lines of a file that have too many columns.
func fits(t *testing.T, name, text string) {
	t.Helper()
	number := 0
	for line := range strings.Lines(text) {
		number++
		if columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); columns > maxColumns {
			t.Errorf("%s:%d: %d columns, at most %d", name, number, columns, maxColumns)
		}
	}
}
