package simd_test

import (
	"fmt"

	"github.com/grove-graph/grove/engine/simd"
)

func Example() {
	x, y := []float32{1, 2, 3}, []float32{10, 10, 10}
	simd.Axpy(2, x, y) // y += 2 x
	fmt.Println(y, simd.Dot(x, y))
	// Output: [12 14 16] 88
}
