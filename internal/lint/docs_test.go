package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

func TestExportedNamesHaveDocumentation(t *testing.T) {
	for _, f := range sources(t) {
		if f.isTest() || ast.IsGenerated(f.syntax) {
			continue
		}
		for _, name := range undocumented(f.syntax) {
			t.Errorf("%s: %s has no documentation", f.set.Position(name.Pos()), name.Name)
		}
	}
}

// undocumented returns the exported names at the top of a file, and exported methods of exported types, that no comment
// is about. One before a group of constants or variables, or at the end of the line, counts. What String and Error do
// is known.
func undocumented(f *ast.File) (names []*ast.Ident) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			known := d.Recv != nil && (d.Name.Name == "String" || d.Name.Name == "Error" || !receiver(d).IsExported())
			if d.Doc == nil && d.Name.IsExported() && !known {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if d.Doc == nil && spec.Doc == nil && spec.Name.IsExported() {
						names = append(names, spec.Name)
					}
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if d.Doc == nil && spec.Doc == nil && spec.Comment == nil && name.IsExported() {
							names = append(names, name)
						}
					}
				}
			}
		}
	}
	return names
}

// receiver returns the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) *ast.Ident {
	for at := d.Recv.List[0].Type; ; {
		switch of := at.(type) {
		case *ast.StarExpr:
			at = of.X
		case *ast.IndexExpr:
			at = of.X
		case *ast.IndexListExpr:
			at = of.X
		case *ast.Ident:
			return of
		default:
			return d.Name
		}
	}
}

func TestUndocumentedNamesAreFound(t *testing.T) {
	const source = `package p

type Bare struct{}

// Said is said.
type Said[T any] struct{}

func (s *Said[T]) Method() {}
func (s *Said[T]) String() string { return "" }
func (s *Said[T]) hidden() {}
func (h hidden) Shown() {}

const (
	One = 1 // the first
	Two = 2
)

// Some are said together.
var Three, Four int
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range undocumented(f) {
		names = append(names, n.Name)
	}
	if want := []string{"Bare", "Method", "Two"}; !slices.Equal(names, want) {
		t.Errorf("undocumented %v, want %v", names, want)
	}
}
