//go:build gpu

package cuda

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/grove-graph/grove/cuda/sim"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// suite returns the cases for an engine: a sample of all kinds, and the rest of those that decompose matrices, which
// take most of the time on a simulated GPU. The plain eigensolver takes seconds for a matrix there and does without
// the rest.
func suite(plain bool) (sample, rest []enginetest.Case) {
	every := 8
	if plain {
		every = 16
	}
	spectral := 0
	for _, c := range enginetest.Cases() {
		if strings.HasPrefix(c.Operation, "InvSqrt") {
			if spectral++; spectral%every != 0 {
				rest = append(rest, c)
				continue
			}
		}
		sample = append(sample, c)
	}
	if plain {
		rest = nil
	}
	return sample, rest
}

// Every operation agrees with the float64 reference, and gives the same bits whatever the order in which threads and
// blocks take their turns. Only a simulated GPU can be told an order; on a real one the order differs from run to run
// by itself.
func TestConformance(t *testing.T) {
	eachKernels(t, func(t *testing.T, e engine.Device) {
		_, plain := e.(plainEngine)
		sample, rest := suite(plain)
		bits := map[string][sha256.Size]byte{}
		check := func(cases []enginetest.Case) func(t *testing.T) {
			return func(t *testing.T) {
				eachType(cases, func(c enginetest.Case, dtype tensor.Dtype, name string) {
					found, err := enginetest.CheckBits(c, e, dtype)
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					bits[name] = sha256.Sum256([]byte(found))
				})
			}
		}
		t.Run("sample", check(sample))
		t.Run("rest", check(rest))
		t.Run("orders", func(t *testing.T) {
			eachType(sample, func(c enginetest.Case, dtype tensor.Dtype, name string) {
				want, known := bits[name]
				if !known { // the sample was not asked for
					want = sha256.Sum256([]byte(c.Bits(e, dtype)))
				}
				for _, order := range []sim.Order{sim.Reverse, sim.Shuffled} {
					if sim.Loaded() {
						sim.SetOrder(order, 7)
					}
					if sha256.Sum256([]byte(c.Bits(e, dtype))) != want {
						t.Errorf("%s: other bits in order %v", name, order)
					}
				}
				if sim.Loaded() {
					sim.Reset()
				}
			})
		})
	})
}

// eachType visits cases in both precisions, with a name for each.
func eachType(cases []enginetest.Case, visit func(c enginetest.Case, dtype tensor.Dtype, name string)) {
	for _, c := range cases {
		for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			visit(c, dtype, fmt.Sprintf("%s/%s %v", c.Operation, c.Name, dtype))
		}
	}
}
