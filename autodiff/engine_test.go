package autodiff

import (
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// The operations that only training needs agree with their reference.
func TestTrainingOperations(t *testing.T) {
	for _, workers := range []int{1, 3} {
		e := engine.NewCPU(workers)
		for _, c := range enginetest.AutodiffCases() {
			t.Run(c.Operation+"/"+c.Name, func(t *testing.T) {
				for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
					if err := enginetest.Check(c, e, dtype); err != nil {
						t.Errorf("%v: %v", dtype, err)
					}
				}
			})
		}
	}
}
