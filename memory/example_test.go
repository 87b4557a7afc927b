package memory_test

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/memory"
)

// Work that cannot fit is refused before it begins.
func Example() {
	err := memory.ForMatrices("kernel matrix", 1, 1000, 1000)
	if short := new(memory.Shortage); errors.As(err, &short) {
		fmt.Printf("%s: %d bytes of %d\n", short.What, short.Need, short.Free)
	}
	fmt.Println(err)
	// Output: <nil>
}
