//go:build gpu

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grove-graph/grove/cuda/sim"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// besideOf opens so many lanes of an engine, which are closed with it.
func besideOf(t testing.TB, e *Engine, n int) []*Engine {
	t.Helper()
	lanes := make([]*Engine, n)
	for i := range lanes {
		lane, _, err := e.Beside()
		if err != nil {
			t.Fatal(err)
		}
		lanes[i] = lane.(*Engine)
	}
	return lanes
}

// sideBySide calls f for all lanes at the same time. The first work of each is there when the first of it begins, and
// later work waits for that of others as long as a simulated GPU needs.
func sideBySide(t testing.TB, lanes []*Engine, f func(i int, e *Engine) error) {
	t.Helper()
	begun, gate := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	errs := make([]error, len(lanes)+1)
	all.Go(func() {
		errs[len(lanes)] = lanes[0].lanes.all()[0].beside("waiting", func() error {
			for _, e := range lanes {
				e.line.expected, e.thread.patience = true, 200*time.Millisecond
			}
			close(begun)
			<-gate
			return nil
		})
	})
	<-begun
	for i, e := range lanes {
		all.Go(func() { errs[i] = f(i, e) })
	}
	idle := func(e *Engine) bool { return len(e.line.jobs) == 0 }
	for end := time.Now().Add(10 * time.Second); slices.ContainsFunc(lanes, idle) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	close(gate)
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Cases that launch the same kernels, of different sizes, have the same bits beside each other as alone. Every kernel
// that has a twin for several models is launched so.
func TestOperationsBesideEachOther(t *testing.T) {
	e := opened(t)
	lanes := besideOf(t, e, 2)
	alike := map[string][]enginetest.Trial{}
	bits := map[string]string{}
	for _, c := range enginetest.Trials() {
		if c.Dtype == tensor.Float64 && !strings.HasPrefix(c.Operation, "InvSqrt") {
			continue
		}
		before := slices.Clone(e.counter.kernels)
		alone := c.Bits(e, c.Dtype)
		sequence, twin := c.Operation, 0
		for k, was := range before[:len(twins)] {
			if n := e.counter.kernels[k].Launches - was.Launches; n > 0 {
				sequence, twin = fmt.Sprint(sequence, " ", n, " ", kernels[k].name), max(twin, twins[k])
			}
		}
		if twin > 0 {
			alike[sequence], bits[c.String()] = append(alike[sequence], c), alone
		}
	}
	for _, trials := range alike {
		trials = trials[max(len(trials)-3, 0):] // the first ones are of nothing, and of single rows
		for _, c := range trials {
			for _, lane := range lanes {
				c.Bits(lane, c.Dtype) // makes memory
			}
		}
		for i := range 2*len(trials) - 1 {
			pair := []enginetest.Trial{trials[i/2], trials[(i+1)/2]}
			sideBySide(t, lanes, func(lane int, e *Engine) error {
				return e.Record(func() error {
					if c := pair[lane]; c.Bits(e, c.Dtype) != bits[c.String()] {
						t.Errorf("%v has other bits beside %v", c, pair[1-lane])
					}
					return nil
				})
			})
		}
	}
	seesNothingWrong(t)
	for k, twin := range twins {
		if twin != 0 && e.performed.joined[k] == 0 {
			t.Errorf("%s was never launched for several models", kernels[k].name)
		}
	}
}

// Any number of lanes compute what each does alone: of equal and of different sizes, where one has more to do than
// others, one waits in between, and with and without graphs. In step they launch as often as one.
func TestLanesComputeWhatEachDoesAlone(t *testing.T) {
	for _, graphs := range []string{"", "off"} {
		for _, n := range []int{1, 2, 5} {
			t.Run(fmt.Sprintf("%d lanes, graphs %s", n, graphs), func(t *testing.T) {
				t.Setenv(graphsVariable, graphs)
				e := opened(t)
				lanes := besideOf(t, e, n)
				steps := func(i int, e *Engine, rounds int) error {
					for round := range rounds {
						same(t, trained(t, e, 40+100*(i%2), float64(10*i+round)), float64(10*i+round)+3)
					}
					return nil
				}
				sideBySide(t, lanes, func(i int, e *Engine) error { return steps(i, e, 3) }) // makes memory
				start := counts(t, e)
				sideBySide(t, lanes, func(i int, e *Engine) error { return steps(i, e, 10) })
				c := counts(t, e)
				kernels, submissions := int64(3), int64(1)
				if n > 1 && e.pool.caching { // and one that takes the copy of a round apart
					kernels, submissions = 4, 2
				}
				if got := c.Launches - start.Launches; got < 10*kernels || got > 12*kernels {
					t.Errorf("%d launches for 10 rounds of %d kernels on %d lanes", got, kernels, n)
				}
				if got := c.Submissions - start.Submissions; graphs == "" && got > 12*submissions {
					t.Errorf("%d submissions for 10 rounds", got)
				}
				if got := c.Uploads - start.Uploads; e.pool.caching && got > 12 {
					t.Errorf("%d copies up for 10 rounds on %d lanes", got, n)
				}
				sideBySide(t, lanes, func(i int, e *Engine) error {
					err := steps(i, e, 3*i+1)
					if i%2 == 1 {
						err = errors.Join(err, e.Synchronize())
					}
					return errors.Join(err, steps(i, e, 2))
				})
				for _, lane := range lanes {
					if err := lane.Close(); err != nil {
						t.Error(err)
					}
				}
				same(t, trained(t, e, 40, 1), 4)
			})
		}
	}
}

// trained adds 3 to what onHost has from first on, in one recorded piece of work of three kernels with an upload.
func trained(t testing.TB, e *Engine, n int, first float64) []float64 {
	x, ones, y := e.Scratch(tensor.Float32, n, 1), e.Scratch(tensor.Float32, 1, 1), e.Scratch(tensor.Float32, n, 1)
	defer e.Release(x, ones, y)
	if err := e.Record(func() error {
		bias := e.Scratch(tensor.Float32, 1, 1)
		defer e.Release(bias)
		err := errors.Join(e.Convert(x, onHost(tensor.Float32, first, n, 1)),
			e.Convert(ones, onHost(tensor.Float32, 1, 1, 1)), e.Convert(bias, onHost(tensor.Float32, 1, 1, 1)))
		for range 3 {
			err = errors.Join(err, e.Linear(y, x, ones, bias))
			x, y = y, x
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	return values(t, e, x)
}

// A launch that fails is told to the lanes it was for; others go on.
func TestALaneThatFailsLeavesOthersAlone(t *testing.T) {
	if !sim.Loaded() {
		t.Skip("only a simulated GPU fails on request")
	}
	e := opened(t)
	lanes := besideOf(t, e, 2)
	sideBySide(t, lanes, func(i int, e *Engine) error { same(t, trained(t, e, 10, 1), 4); return nil })
	sim.Set(sim.Quiet, 1)
	sim.Set(sim.FailLaunch, 1)
	sim.Set(sim.LaunchError, codeInvalidValue) // which leaves the context as it is
	defer sim.Reset()
	x, y := lanes[0].New(tensor.Float32, 10), lanes[0].New(tensor.Float64, 10)
	if err := lanes[0].Convert(y, x); err != nil {
		t.Fatal(err)
	}
	oneLine(t, lanes[0].Synchronize(), "cuda:0: Convert:", "convert_f32_f64", "start again")
	oneLine(t, lanes[0].Convert(y, x), "not done, an earlier operation failed")
	lanes[0].Release(x, y)
	same(t, trained(t, lanes[1], 10, 1), 4)
	same(t, trained(t, e, 10, 1), 4)
	if err := lanes[0].Close(); err != nil && !strings.Contains(err.Error(), "earlier") {
		t.Error(err)
	}
}

// Lanes end in any order, and with the engine; their memory goes back to the driver, and what is still in use is
// reported.
func TestLanesEndInAnyOrder(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 0}, {1}, {}} {
		e, err := Open(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		same(t, trained(t, e, 10, 0), 3)
		free, _, err := e.memory()
		if err != nil {
			t.Fatal(err)
		}
		lanes := besideOf(t, e, 3)
		for i, lane := range lanes {
			same(t, trained(t, lane, 100, float64(i)), float64(i)+3)
		}
		for at, i := range order {
			if err := lanes[i].Close(); err != nil {
				t.Error(err)
			}
			if err := lanes[i].Convert(nil, nil); err == nil {
				t.Error("an engine that has ended works")
			}
			for _, lane := range lanes {
				if !slices.Contains(order[:at+1], slices.Index(lanes, lane)) {
					same(t, trained(t, lane, 10, 5), 8)
				}
			}
		}
		if len(order) == len(lanes) {
			if now, _, err := e.memory(); err != nil || now != free {
				t.Errorf("%d bytes are free, %d before: %v", now, free, err)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	e := opened(t)
	lane := besideOf(t, e, 1)[0]
	x := lane.New(tensor.Float32, 10)
	oneLine(t, lane.Close(), "closed with 1 pieces of device memory in use")
	lane.Release(x)
}
