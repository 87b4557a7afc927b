//go:build gpu

package cuda

import (
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/cuda/sim"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// counts returns those of an engine.
func counts(t testing.TB, e *Engine) Counts {
	t.Helper()
	c, err := e.Counts()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The host counts the exponentials that the simulated device evaluates, which are more than those of factors where rows
// are not unit.
func TestExponentialsAreThoseThatKernelsEvaluate(t *testing.T) {
	if !sim.Loaded() {
		t.Skip("only a simulated GPU counts exponentials by itself")
	}
	e := opened(t)
	counts(t, e) // from here on
	sample, rest := enginetest.Sample()
	counted := map[string]int64{}
	rest = slices.DeleteFunc(rest, func(c enginetest.Trial) bool { return !strings.HasPrefix(c.Name, "many paths, long") })
	for _, c := range append(sample, rest...) {
		if !slices.Contains([]string{"PathPool", "PathPoolGrad", "Gram", "SoftmaxCrossEntropy", "OutputLoss"}, c.Operation) {
			continue
		}
		before := sim.Count(sim.SingleExponentials) + sim.Count(sim.DoubleExponentials)
		start := arithmetic(counts(t, e))
		if err := enginetest.Check(c.Case, e, c.Dtype); err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if err := e.Synchronize(); err != nil {
			t.Fatal(err)
		}
		done := sim.Count(sim.SingleExponentials) + sim.Count(sim.DoubleExponentials) - before
		end := arithmetic(counts(t, e))
		got := end.Exponentials32 + end.Exponentials64 - start.Exponentials32 - start.Exponentials64
		if strings.HasPrefix(c.Name, "rows that are not unit") {
			if done <= got {
				t.Errorf("%v: %d exponentials, as many as factors", c, done)
			}
		} else if got != done {
			t.Errorf("%v: %d exponentials counted, %d evaluated", c, got, done)
		}
		counted[c.Operation] += done
	}
	for operation, n := range counted {
		if n == 0 {
			t.Errorf("no case of %s has exponentials", operation)
		}
	}
	if len(counted) != 5 {
		t.Errorf("cases of %v, want five operations", counted)
	}
}

// arithmetic adds up that of all kernels.
func arithmetic(c Counts) Arithmetic {
	var all Arithmetic
	for _, k := range c.Kernels {
		all.add(k.Arithmetic)
	}
	return all
}

// The engine counts what the simulated driver sees of it.
func TestCountsAreThoseOfTheDriver(t *testing.T) {
	if !sim.Loaded() {
		t.Skip("only a simulated GPU counts calls by itself")
	}
	e := opened(t)
	sim.Reset()
	start := counts(t, e)
	x, y := e.New(tensor.Float32, 40, 8), e.New(tensor.Float64, 40, 8)
	if err := e.Convert(x, onHost(tensor.Float32, 1, 40, 8)); err != nil {
		t.Fatal(err)
	}
	if err := e.Convert(y, x); err != nil {
		t.Fatal(err)
	}
	out := e.New(tensor.Float64, 2, 8)
	if err := e.SegmentReduce(out, y, engine.Segments{Offsets: []int32{0, 3, 40}}, engine.Sum); err != nil {
		t.Fatal(err)
	}
	values(t, e, out)
	c := counts(t, e)
	for _, k := range []struct {
		what      string
		got, want int64
	}{
		{"launches", c.Launches - start.Launches, sim.Count(sim.Launches)},
		{"submissions", c.Submissions - start.Submissions, sim.Count(sim.Launches)},
		{"copies", c.Uploads + c.Downloads + c.Moves - start.Uploads - start.Downloads - start.Moves, sim.Count(sim.Copies)},
		{"bytes up", c.UploadBytes - start.UploadBytes, sim.Count(sim.HostToDevice)},
		{"bytes down", c.DownloadBytes - start.DownloadBytes, sim.Count(sim.DeviceToHost)},
		{"clears", c.Clears - start.Clears, sim.Count(sim.Memsets)},
		{"waits", c.Waits - start.Waits, 1},
		{"of one kernel", c.Kernels["convert_f32_f64"].Launches - start.Kernels["convert_f32_f64"].Launches, 1},
	} {
		if k.got != k.want || k.want == 0 {
			t.Errorf("%s: %d counted, %d seen", k.what, k.got, k.want)
		}
	}
	if got := c.Handovers - start.Handovers; got < c.Launches-start.Launches || got > 30 {
		t.Errorf("%d tasks were handed over for %d launches", got, c.Launches-start.Launches)
	}
}
