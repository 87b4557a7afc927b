package modeltest_test

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model/modeltest"
	_ "github.com/grove-graph/grove/wl"
)

// The checks of a family that a program imports; those that fail or do not apply say why.
func Example() {
	for _, s := range modeltest.Subjects(engine.NewCPU(1)) {
		if s.Name != "wl" {
			continue
		}
		for _, c := range modeltest.Checks()[:4] {
			r := c.Check(s)
			fmt.Println(s.Name, "|", c.Name, "|", r.Outcome)
		}
	}
	// Output:
	// wl | no graphs | passed
	// wl | zero options | passed
	// wl | one class | passed
	// wl | class never seen | passed
}
