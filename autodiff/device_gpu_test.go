//go:build gpu

package autodiff

import (
	"fmt"
	"testing"

	"github.com/grove-graph/grove/cuda/sim"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// A step and the update of the parameters leave everything on the device and wait for nothing. The loss is one
// number of the network's dtype. The simulator counts what goes to the host.
func TestStepsStayOnTheDevice(t *testing.T) {
	e, b := enginetest.Open(t, 1), rings(t)
	if !e.Capabilities().Deferred || !sim.Loaded() {
		t.Skipf("set %s=cuda and run on the simulated GPU: only it counts copies", enginetest.DeviceVariable)
	}
	for _, loss := range []Loss{CrossEntropy, Logistic, SquaredHinge} {
		for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
			t.Run(fmt.Sprint(loss, " ", pool), func(t *testing.T) {
				opt := Options{Layers: layers(true, graph.Paths, pool, 3, 2, 1), Loss: loss, Epsilon: 0.01, GlobalPooling: pool}
				n := example(t, e, tensor.Float32, opt, 2)
				for _, features := range []Features{labels(t, e, tensor.Float32, b), oneHot(t, e, tensor.Float32, b)} {
					batch := prepare(t, n, b, features)
					numbers(t, n, batch) // the first step makes its memory
					copied, waited := sim.Count(sim.DeviceToHost), sim.Count(sim.Synchronisations)
					if err := n.Step(batch); err != nil {
						t.Fatal(err)
					}
					grads, err := n.Gradients()
					if err != nil {
						t.Fatal(err)
					}
					for i, p := range n.Parameters().List() {
						m1, m2 := e.New(p.Dtype(), p.Shape()...), e.New(p.Dtype(), p.Shape()...)
						if err := e.Adam([]engine.AdamState{{Parameter: p, Moment1: m1, Moment2: m2, Gradient: grads.List()[i]}},
							engine.Adam{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: 1}); err != nil {
							t.Fatal(err)
						}
						e.Release(m1, m2)
					}
					if bytes := sim.Count(sim.DeviceToHost) - copied; bytes != 0 {
						t.Errorf("a step copied %d bytes to the host", bytes)
					}
					if waits := sim.Count(sim.Synchronisations) - waited; waits != 0 {
						t.Errorf("a step waited %d times for the device", waits)
					}
					if _, err := n.Loss(); err != nil {
						t.Fatal(err)
					}
					if bytes := sim.Count(sim.DeviceToHost) - copied; bytes != 4 {
						t.Errorf("a step and its loss copied %d bytes to the host, want 4", bytes)
					}
				}
			})
		}
	}
}
