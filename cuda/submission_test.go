//go:build gpu

package cuda

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/cuda/sim"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// recorded is a piece of work with entries of all kinds: an upload, a fill, two launches and moves. It returns what
// that computes, which is what onHost has from first on.
func recorded(t testing.TB, e *Engine, n int, first float64) []float64 {
	t.Helper()
	x, y := e.Scratch(tensor.Float32, n), e.Scratch(tensor.Float64, n)
	defer e.Release(x, y)
	var z *tensor.Dense
	if err := engine.Record(e, func() error {
		z = e.New(tensor.Float64, n)
		return errors.Join(e.Convert(x, onHost(tensor.Float32, first, n)), e.Convert(y, x), e.Convert(x, y),
			e.Convert(z, y))
	}); err != nil {
		t.Fatal(err)
	}
	defer e.Release(z)
	return values(t, e, z)
}

// same fails unless got is what onHost has from first on.
func same(t testing.TB, got []float64, first float64) {
	t.Helper()
	for i, x := range got {
		if x != first+float64(i)/4 {
			t.Fatalf("element %d of %d is %v, want %v", i, len(got), x, first+float64(i)/4)
		}
	}
}

// A sequence that comes again is one submission from the second time on, whatever the sizes and numbers; without graphs
// it is still one handover.
func TestRecordedWorkIsOneSubmission(t *testing.T) {
	for _, off := range []string{"", "by the environment", "by the driver"} {
		t.Run("off "+off, func(t *testing.T) {
			if off == "by the environment" {
				t.Setenv(graphsVariable, "off")
			}
			e := opened(t)
			if off == "by the driver" {
				if !sim.Loaded() {
					t.Skip("only a simulated GPU can do without graphs")
				}
				sim.Set(sim.Graphs, 0)
				defer sim.Reset()
			}
			for round, n := range []int{40, 40, 1000, 1000, 7} {
				start := counts(t, e)
				same(t, recorded(t, e, n, float64(round)), float64(round))
				c := counts(t, e)
				want := int64(1)
				if off != "" || round == 0 {
					want = 2
				}
				if got := c.Submissions - start.Submissions; got != want {
					t.Errorf("round %d: %d submissions, want %d", round, got, want)
				}
				if c.Uploads-start.Uploads != 1 || c.Launches-start.Launches != 2 || c.Updates-start.Updates > 5 {
					t.Errorf("round %d: %+v after %+v", round, c, start)
				}
				// With memory for z, the download and this count.
				if round == 4 && e.pool.caching && c.Handovers-start.Handovers > 4 {
					t.Errorf("%d handovers", c.Handovers-start.Handovers)
				}
			}
		})
	}
}

// More sequences than are kept compute right as well, and leave nothing behind.
func TestManySequencesOfKernels(t *testing.T) {
	for round := range 3 {
		e := opened(t)
		for length := range 2 * maxGraphs {
			x, y := e.New(tensor.Float32, 8), e.New(tensor.Float64, 8)
			for range 2 {
				if err := e.Record(func() error {
					err := e.Convert(x, onHost(tensor.Float32, float64(round), 8))
					for range length + 1 {
						err = errors.Join(err, e.Convert(y, x), e.Convert(x, y))
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			same(t, values(t, e, x), float64(round))
			e.Release(x, y)
		}
		if sim.Loaded() && sim.Count(sim.LiveGraphs) != 2*maxGraphs {
			t.Errorf("%d graphs live, want %d and as many to launch", sim.Count(sim.LiveGraphs), maxGraphs)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if sim.Loaded() && sim.Count(sim.LiveGraphs) != 0 {
			t.Errorf("%d graphs live after closing", sim.Count(sim.LiveGraphs))
		}
	}
}

// Who waits while work is recorded gets what it computes.
func TestLooksWithinRecordedWork(t *testing.T) {
	e := opened(t)
	x, y := e.Scratch(tensor.Float32, 50), e.Scratch(tensor.Float64, 50)
	for range 3 {
		if err := e.Record(func() error {
			err := e.Convert(x, onHost(tensor.Float32, 1, 50))
			same(t, values(t, e, x), 1)
			err = errors.Join(err, e.Convert(y, x))
			same(t, values(t, e, y), 1)
			return errors.Join(err, e.Record(func() error { return e.Convert(x, y) }))
		}); err != nil {
			t.Fatal(err)
		}
		same(t, values(t, e, x), 1)
	}
}

// What has its own copy does not overwrite memory that work enqueued before, and not handed over yet, still reads.
func TestUploadsWaitForWorkThatIsNotHandedOver(t *testing.T) {
	for _, n := range []int{1000, maxPacked/4 + 1, largePiece} {
		e := opened(t)
		y, z := e.New(tensor.Float64, n), e.New(tensor.Float64, n)
		if err := e.Record(func() (err error) {
			for i, to := range []*tensor.Dense{y, z} {
				x := e.Scratch(tensor.Float32, n) // the second time the memory of the first
				err = errors.Join(err, e.Convert(x, onHost(tensor.Float32, float64(i), n)), e.Convert(to, x))
				e.Release(x)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		same(t, values(t, e, y), 0)
		same(t, values(t, e, z), 1)
		e.Release(y, z)
	}
}

// Small uploads share copies and memory, and come through when that is used up in the middle of a piece of work.
func TestSmallUploadsShareACopy(t *testing.T) {
	e := opened(t)
	const arrays, n = 50, maxPacked / 8 / 4 // an eighth of the largest: 50 take more than one arena
	for range 4 {
		start := counts(t, e)
		got := make([][]int32, arrays)
		var kept []*tensor.Dense
		if err := e.Record(func() (err error) {
			for i := range got {
				got[i] = make([]int32, n)
				got[i][n-1] = int32(i)
				k := e.begin("Test")
				from, to := upload(k, got[i]), e.Scratch(tensor.Float32, n)
				kept = append(kept, to)
				at := pointer[int32](of[float32](k, to))
				err = errors.Join(err, k.run(func(s *stream) error { return copyTo(s, at, from, n) }))
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		uploads := counts(t, e).Uploads - start.Uploads
		if most := int64(arrays*n*4/arenaBytes + 2); e.pool.caching && uploads > most {
			t.Errorf("%d uploads of %d arrays, want at most %d", uploads, arrays, most)
		}
		for i, x := range kept {
			k := e.begin("Test")
			fetch(k, got[i], pointer[int32](of[float32](k, x)))
			if err := k.run(func(*stream) error { return nil }); err != nil || got[i][n-1] != int32(i) {
				t.Fatalf("array %d ends with %d: %v", i, got[i][n-1], err)
			}
		}
		e.Release(kept...)
	}
}

// All that recorded work brings goes up in one copy from the second time on, as long as it is about as much, and a
// result comes down in one.
func TestRecordedUploadsAreOneCopy(t *testing.T) {
	e := opened(t)
	if !e.pool.caching {
		t.Skip("without a pool every upload has memory of its own")
	}
	for round, arrays := range []int{9, 9, 8, 9, 30, 29} {
		start, n := counts(t, e), maxPacked/4+100
		all, host := e.Scratch(tensor.Float32, arrays, n), e.Host().New(tensor.Float32, arrays, n)
		small := e.Scratch(tensor.Float32, 5)
		var wait func() error
		if err := e.Record(func() (err error) {
			for i := range arrays {
				err = errors.Join(err, e.Convert(e.View(all, i*n, n), onHost(tensor.Float32, float64(i+round), n)))
			}
			err = errors.Join(err, e.Convert(small, onHost(tensor.Float32, 1, 5)))
			wait, _ = e.Fetch(host, all)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		e.Release(all)
		if err := wait(); err != nil {
			t.Fatal(err)
		}
		c := counts(t, e)
		for i := range arrays {
			first, last := host.Float32s()[i*n], host.Float32s()[i*n+n-1]
			if first != float32(i+round) || last != float32(i+round)+float32(n-1)/4 {
				t.Fatalf("round %d: array %d is from %v to %v", round, i, first, last)
			}
		}
		uploads, most := c.Uploads-start.Uploads, int64(1)
		if round == 0 || arrays == 30 {
			most = 5 // as often as it doubles
		}
		if uploads > most || c.Downloads-start.Downloads != 1 || c.Waits-start.Waits > 1 {
			t.Errorf("round %d: %d uploads, %d downloads, %d waits", round, uploads, c.Downloads-start.Downloads,
				c.Waits-start.Waits)
		}
		e.Release(small)
	}
}

// What the device keeps of graphs goes when they are forgotten, and comes again.
func TestGraphsAreForgotten(t *testing.T) {
	e := opened(t)
	b := &graph.Batch{Offsets: []int32{0}, RowPtr: []int32{0}}
	for range 3 {
		k := e.begin("Test")
		p := derived(k, b, "squares", func() []int32 { return []int32{0, 1, 4, 9} })
		got := make([]int32, 4)
		fetch(k, got, p)
		if err := k.run(func(*stream) error { return nil }); err != nil || !slices.Equal(got, []int32{0, 1, 4, 9}) {
			t.Fatal(got, err)
		}
		if e.Stats().InUse == 0 {
			t.Error("nothing is kept")
		}
		engine.Forget(e, b)
		if s := e.Stats(); s.InUse != 0 {
			t.Errorf("after the graphs are forgotten: %+v", s)
		}
	}
	// An operation that is under way when its graphs are forgotten keeps what it has made of them to itself.
	k := e.begin("Test")
	p := derived(k, b, "squares", func() []int32 { engine.Forget(e, b); return []int32{0, 1, 4, 9} })
	got := make([]int32, 4)
	fetch(k, got, p)
	if err := k.run(func(*stream) error { return nil }); err != nil || got[3] != 9 {
		t.Fatal(got, err)
	}
	if s := e.Stats(); s.InUse != 0 {
		t.Errorf("after an operation on graphs that were forgotten meanwhile: %+v", s)
	}
}

// A launch that fails after its operation has returned is told once, with its name, to whoever waits next; nothing is
// done any more.
func TestLateFailuresAreTold(t *testing.T) {
	if !sim.Loaded() {
		t.Skip("only a simulated GPU fails on request")
	}
	for _, record := range []bool{false, true} {
		for round := range 3 { // the last one as a graph
			e, err := Open(0, 1)
			if err != nil {
				t.Fatal(err)
			}
			if record {
				for range round {
					recorded(t, e, 10, 0)
				}
			}
			sim.Set(sim.Quiet, 1)
			sim.Set(sim.FailLaunch, 1)
			sim.Set(sim.LaunchError, codeInvalidValue) // which leaves the context as it is
			x, y, z := e.New(tensor.Float32, 10), e.New(tensor.Float64, 10), e.New(tensor.Float64, 10)
			work := func() error { return e.Convert(y, x) }
			if record {
				work = func() error {
					return e.Record(func() error {
						e.Memclr(y)
						return errors.Join(e.Convert(x, onHost(tensor.Float32, 0, 10)), e.Convert(y, x), e.Convert(x, y),
							e.Convert(z, y))
					})
				}
			}
			if err := work(); err != nil {
				t.Errorf("at once: %v", err)
			}
			oneLine(t, e.Synchronize(), "cuda:0: Convert:", "convert_f32_f64", "start again")
			oneLine(t, e.Synchronize(), "not done, an earlier operation failed", "convert_f32_f64")
			oneLine(t, e.Convert(y, x), "not done, an earlier operation failed")
			e.Release(x, y, z)
			if err := e.Close(); err != nil && !strings.Contains(err.Error(), "earlier") {
				t.Errorf("closing: %v", err)
			}
			sim.Reset()
		}
	}
}

// Several goroutines on one engine compute what each does alone, also where memory goes back to the driver at once.
func TestRecordedWorkOfSeveralGoroutines(t *testing.T) {
	for _, pool := range []string{"on", "off"} {
		t.Run("pool "+pool, func(t *testing.T) {
			t.Setenv("GROVE_CUDA_POOL", pool)
			severalGoroutines(t, opened(t))
		})
	}
}

func severalGoroutines(t *testing.T, e *Engine) {
	done := make(chan error)
	for g := range 4 {
		go func() {
			var err error
			for round := range 20 {
				n := 100 + 50*g
				x, y := e.Scratch(tensor.Float32, n), e.Scratch(tensor.Float64, n)
				first := float64(1000*g + round)
				err = errors.Join(err, e.Record(func() error {
					return errors.Join(e.Convert(x, onHost(tensor.Float32, first, n)), e.Convert(y, x))
				}))
				host := engine.NewCPU(1).New(tensor.Float64, n)
				err = errors.Join(err, e.Convert(host, y))
				if got := host.Float64s()[n-1]; got != first+float64(n-1)/4 {
					err = errors.Join(err, fmt.Errorf("goroutine %d, round %d: %v", g, round, got))
				}
				e.Release(x, y)
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A launch whose blocks wait for each other is a node like others, and gives the same bits in every round.
func TestCooperativeLaunchesAreNodes(t *testing.T) {
	const n = 96 // beyond what one block decomposes
	e := opened(t)
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = 1 / (1 + math.Abs(float64(i-j)))
		}
	}
	x, y := e.New(tensor.Float64, 1, n, n), e.New(tensor.Float64, 1, n, n)
	if err := e.Convert(x, tensor.New(tensor.WithShape(1, n, n), tensor.WithBacking(a))); err != nil {
		t.Fatal(err)
	}
	var first []float64
	for round := range 4 {
		start := counts(t, e)
		if err := e.Record(func() error { return e.InvSqrt(y, nil, x, 0.01, engine.InsideRoot) }); err != nil {
			t.Fatal(err)
		}
		if c := counts(t, e); round > 0 && c.Submissions-start.Submissions != 1 {
			t.Errorf("round %d: %d submissions", round, c.Submissions-start.Submissions)
		}
		got := values(t, e, y)
		if round == 0 {
			first = got
		} else if !slices.Equal(got, first) {
			t.Errorf("round %d has other bits than the first", round)
		}
	}
}
