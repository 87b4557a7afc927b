package eigen_test

import (
	"fmt"
	"log"

	"github.com/grove-graph/grove/engine/eigen"
)

func ExampleSymmetric() {
	a := []float64{
		2, 1,
		1, 2,
	}
	values, _, err := eigen.Symmetric(1, 2, a, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", values)
	// Output: [1.000 3.000]
}

// The inverse square root of a Gram matrix K, (K + eps)^(-1/2) with the rule that adds eps inside.
func ExampleInvSqrt() {
	k := []float64{
		4, 0,
		0, 25,
	}
	root := make([]float64, 4)
	if _, _, err := eigen.InvSqrt(1, 2, root, k, 0, eigen.InsideRoot); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", root)
	// Output: [0.50 0.00 0.00 0.20]
}
