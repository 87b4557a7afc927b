package param_test

import (
	"fmt"
	"log"

	"github.com/grove-graph/grove/model/param"
)

// Options that are set by name, from text.
func Example() {
	rounds, rates, kind := 10, []float64{0.1}, "fast"
	var s param.Set
	s.Int(&rounds, "rounds", 1, 100, "how often")
	s.Floats(&rates, "rate", param.Tiny, 1, "`R,...` how much at once")
	param.Choice(&s, &kind, "kind", []string{"fast", "exact"}, "which way")
	if err := s.Set("rate", "0.5,0.25"); err != nil {
		log.Fatal(err)
	}
	for _, p := range s.All() {
		fmt.Printf("%s %s (given: %t)\n", p.Name, p.String(), p.Given)
	}
	fmt.Println(s.Set("rounds", "1000"))
	fmt.Println(s.Set("kind", "slow"))
	// Output:
	// rounds 10 (given: false)
	// rate 0.5,0.25 (given: true)
	// kind fast (given: false)
	// rounds 1000: want a number from 1 to 100
	// kind slow: want fast or exact
}
