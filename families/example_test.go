package families_test

import (
	"fmt"

	_ "github.com/grove-graph/grove/families"
	"github.com/grove-graph/grove/model"
)

// With the import every family is known by name.
func Example() {
	for _, f := range model.Families() {
		fmt.Print(f.Title, ":")
		for _, m := range f.Models {
			fmt.Print(" ", m.Name)
		}
		fmt.Println()
	}
	// Output:
	// baselines: majority linear static
	// CGMM: cgmm
	// deep WL-OA: dwl-oa
	// GCKN: gckn-walk gckn-path gckn-subtree gckn-3layer
	// supervised GCKN: gckn-walk-sup gckn-path-sup gckn-subtree-sup gckn-3layer-sup
	// graph networks: gcn gin
	// MPGK: mpgk-rr mpgk-ra mpgk-ar mpgk-aa
	// TREE-G: treeg
	// Vote: vote
	// WL: wl wl-oa
}
