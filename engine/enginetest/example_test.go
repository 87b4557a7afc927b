package enginetest_test

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// A test of an engine calls [enginetest.Run]; a program can check single cases.
func ExampleCheck() {
	c := enginetest.Cases()[0]
	fmt.Println(c.Operation, enginetest.Check(c, engine.NewCPU(1), tensor.Float64))
	// Output: Gemm <nil>
}
