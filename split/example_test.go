package split_test

import (
	"fmt"
	"log"

	"github.com/grove-graph/grove/split"
)

// Three folds of nine examples, each with as much of either class.
func Example() {
	classes := []int{0, 0, 0, 1, 1, 1, 1, 1, 1}
	folds, err := split.Stratified(classes, 3, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range folds {
		ones := 0
		for _, i := range f.Test {
			ones += classes[i]
		}
		fmt.Println(len(f.Train), "to train on,", len(f.Test), "to test,", ones, "of them of class 1")
	}
	// Output:
	// 6 to train on, 3 to test, 2 of them of class 1
	// 6 to train on, 3 to test, 2 of them of class 1
	// 6 to train on, 3 to test, 2 of them of class 1
}
