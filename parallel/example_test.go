package parallel_test

import (
	"fmt"

	"github.com/grove-graph/grove/parallel"
)

func Example() {
	squares := make([]int, 5)
	parallel.For(4, len(squares), func(i int) { squares[i] = i * i })
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

// Every goroutine has scratch space of its own.
func ExampleEach() {
	lengths := make([]int, 3)
	parallel.Each(2, len(lengths), func() func(int) {
		var text []byte
		return func(i int) {
			text = fmt.Append(text[:0], i*100)
			lengths[i] = len(text)
		}
	})
	fmt.Println(lengths)
	// Output: [1 3 3]
}
