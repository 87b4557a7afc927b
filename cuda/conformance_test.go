//go:build gpu

package cuda

import (
	"strings"
	"testing"

	"github.com/grove-graph/grove/cuda/sim"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// eachKernels runs a test on the tuned kernels and on the plain ones.
func eachKernels(t *testing.T, test func(t *testing.T, e *Engine)) {
	for name, plain := range map[string]bool{"tuned": false, "plain": true} {
		t.Run(name, func(t *testing.T) {
			e := opened(t)
			e.plain = plain
			test(t, e)
		})
	}
}

// cases returns the suite for an engine. The plain eigensolver takes seconds for a matrix on a simulated GPU, so
// it gets every eighth of its cases.
func cases(e *Engine) []enginetest.Case {
	var all []enginetest.Case
	spectral := 0
	for _, c := range enginetest.Cases() {
		if e.plain && strings.HasPrefix(c.Operation, "InvSqrt") {
			if spectral++; spectral%8 != 0 {
				continue
			}
		}
		all = append(all, c)
	}
	return all
}

// Every operation agrees with the float64 reference.
func TestConformance(t *testing.T) {
	eachKernels(t, func(t *testing.T, e *Engine) {
		for _, c := range cases(e) {
			for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
				if err := enginetest.Check(c, e, dtype); err != nil {
					t.Errorf("%s/%s %v: %v", c.Operation, c.Name, dtype, err)
				}
			}
		}
	})
}

// Every operation gives the same bits whatever the order in which threads and blocks take their turns. Only a
// simulated GPU can be told an order; on a real one the order differs from run to run by itself.
func TestSameBitsInAnyThreadOrder(t *testing.T) {
	eachKernels(t, func(t *testing.T, e *Engine) {
		for _, c := range cases(e) {
			for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
				first := ""
				for i, order := range []sim.Order{sim.Forward, sim.Reverse, sim.Shuffled} {
					if sim.Loaded() {
						sim.SetOrder(order, 7)
					}
					bits := c.Bits(e, dtype)
					if i == 0 {
						first = bits
					} else if bits != first {
						t.Errorf("%s/%s %v: other bits in order %v", c.Operation, c.Name, dtype, order)
					}
				}
			}
		}
		if sim.Loaded() {
			sim.Reset()
		}
	})
}
