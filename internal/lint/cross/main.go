// Command cross reads all packages of the module as they are built for other systems and processors, to the types of
// the last expression. Compiling and linking them says little more and takes ten times as long.
//
//	go run ./internal/lint/cross darwin/arm64 windows/amd64
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	failed := false
	for _, platform := range os.Args[1:] {
		errors, err := check(platform)
		if err != nil {
			errors = append(errors, err.Error())
		}
		for _, e := range errors {
			fmt.Printf("%s: %s\n", platform, e)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check returns what is wrong with the packages for a platform, such as linux/arm64.
func check(platform string) ([]string, error) {
	system, processor, _ := strings.Cut(platform, "/")
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes |
			packages.NeedSyntax | packages.NeedTypesInfo,
		Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor),
	}, "./...")
	if err != nil {
		return nil, err
	}
	var errors []string
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			errors = append(errors, e.Error())
		}
	})
	return errors, nil
}
