package cuda_test

import (
	"fmt"
	"log"

	_ "github.com/grove-graph/grove/cuda" // built with the tag gpu it adds the devices
	"github.com/grove-graph/grove/engine"
)

func Example() {
	e, err := engine.Open("cuda", 1)
	if err != nil {
		log.Fatal(err) // what was looked for, and what to do
	}
	fmt.Println(e.Workers())
}
