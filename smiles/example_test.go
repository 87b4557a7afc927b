package smiles_test

import (
	"fmt"

	"github.com/grove-graph/grove/smiles"
)

func Example() {
	m, err := smiles.Parse("[Na+].[O-]C(=O)c1ccccc1")
	if err != nil {
		fmt.Println(err)
		return
	}
	rings := m.InRing()
	for i, a := range m.Atoms {
		if a.Hydrogens == 0 && rings[i] {
			fmt.Println("atom", i, "is", a.Element, "in a ring, without hydrogens")
		}
	}
	for _, b := range m.Bonds[:4] {
		fmt.Println(b.From, b.To, b.Order)
	}
	fmt.Println(m)

	_, err = smiles.Parse("OC(=O)c1ccccc")
	fmt.Println(err)
	// Output:
	// atom 4 is C in a ring, without hydrogens
	// 1 2 single
	// 2 3 double
	// 2 4 single
	// 4 5 aromatic
	// [Na+].[O-]C(=O)c1ccccc1
	// column 8: ring closure 1 is never closed
}
