//go:build gpu

package cuda

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// opened returns an engine that must close without a leak when the test ends.
func opened(t testing.TB) *Engine {
	t.Helper()
	e, err := Open(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// onHost returns a host tensor of the numbers first, first + 1/4, ...
func onHost(dtype tensor.Dtype, first float64, shape ...int) *tensor.Dense {
	t := engine.NewCPU(1).New(dtype, shape...)
	for i := range elements(shape) {
		if dtype == tensor.Float32 {
			t.Float32s()[i] = float32(first + float64(i)/4)
		} else {
			t.Float64s()[i] = first + float64(i)/4
		}
	}
	return t
}

// values downloads a tensor of the engine.
func values(t testing.TB, e *Engine, x *tensor.Dense) []float64 {
	t.Helper()
	host := engine.NewCPU(1).New(tensor.Float64, x.Shape()...)
	if err := e.Convert(host, x); err != nil {
		t.Fatal(err)
	}
	if elements(x.Shape()) == 0 {
		return nil
	}
	return host.Float64s()
}

func TestDataComeBackFromTheDevice(t *testing.T) {
	e := opened(t)
	dtypes := []tensor.Dtype{tensor.Float32, tensor.Float64}
	for _, n := range []int{0, 1, 7, 20000, 1500001} {
		for _, from := range dtypes {
			for _, on := range dtypes {
				for _, to := range dtypes {
					src, device := onHost(from, -3, n, 1), e.New(on, n, 1)
					if err := e.Convert(device, src); err != nil {
						t.Fatal(err)
					}
					back := engine.NewCPU(1).New(to, n, 1)
					if err := e.Convert(back, device); err != nil {
						t.Fatal(err)
					}
					if n == 0 {
						continue
					}
					for _, i := range []int{0, n / 2, n - 1} {
						want := -3 + float64(i)/4
						got := 0.0
						if to == tensor.Float32 {
							got = float64(back.Float32s()[i])
						} else {
							got = back.Float64s()[i]
						}
						if got != want {
							t.Fatalf("element %d of %d, %v to %v to %v: %v, want %v", i, n, from, on, to, got, want)
						}
					}
					e.Release(device)
				}
			}
		}
	}
}

func TestConvertWithinTheDevice(t *testing.T) {
	e := opened(t)
	for _, n := range []int{1, 1000, 100001} {
		single, double, again := e.New(tensor.Float32, n), e.Scratch(tensor.Float64, n), e.Scratch(tensor.Float64, n)
		for _, step := range [][2]*tensor.Dense{{single, onHost(tensor.Float32, 1, n)}, {double, single}, {again, double},
			{single, again}} {
			if err := e.Convert(step[0], step[1]); err != nil {
				t.Fatal(err)
			}
		}
		for i, x := range values(t, e, single) {
			if x != 1+float64(i)/4 {
				t.Fatalf("element %d of %d: %v", i, n, x)
			}
		}
	}
}

func TestConvertBetweenHostTensors(t *testing.T) {
	e := opened(t)
	dst := engine.NewCPU(1).New(tensor.Float32, 5)
	if err := e.Convert(dst, onHost(tensor.Float64, 2, 5)); err != nil || dst.Float32s()[4] != 3 {
		t.Errorf("%v, %v", dst.Float32s(), err)
	}
}

func TestNewTensorsAreZero(t *testing.T) {
	e := opened(t)
	for range 3 {
		x := e.New(tensor.Float32, 100, 3)
		for i, v := range values(t, e, x) {
			if v != 0 {
				t.Fatalf("element %d is %v", i, v)
			}
		}
		if err := e.Convert(x, onHost(tensor.Float32, 5, 100, 3)); err != nil {
			t.Fatal(err)
		}
		e.Release(x)
	}
}

func TestViewsKeepMemoryAlive(t *testing.T) {
	e := opened(t)
	x := e.New(tensor.Float32, 10, 4)
	if err := e.Convert(x, onHost(tensor.Float32, 0, 10, 4)); err != nil {
		t.Fatal(err)
	}
	row := e.View(e.View(x, 8, 8, 4), 4, 1, 4)
	x = nil
	collect(func() bool { return false })
	other := e.New(tensor.Float32, 10, 4) // would take over the memory
	got := values(t, e, row)
	for i, want := range []float64{3, 3.25, 3.5, 3.75} {
		if got[i] != want {
			t.Errorf("element %d of the view: %v, want %v", i, got[i], want)
		}
	}
	runtime.KeepAlive(other)
	e.Release(other)
	runtime.KeepAlive(row)
	row = nil
	collect(e.vacant)
	if s := e.Stats(); s.InUse != 0 {
		t.Error(s)
	}
}

func TestViewsOfReleasedTensorsAreRefused(t *testing.T) {
	e := opened(t)
	x := e.New(tensor.Float32, 10, 4)
	row := e.View(e.View(x, 8, 8, 4), 4, 1, 4)
	e.Release(x)
	oneLine(t, e.Convert(row, onHost(tensor.Float32, 0, 1, 4)), "a view of a tensor whose memory was released")
	oneLine(t, e.Convert(e.View(row, 0, 4), onHost(tensor.Float32, 0, 4)), "a view of a tensor whose memory was released")
}

func TestWritingThroughAView(t *testing.T) {
	e := opened(t)
	x := e.New(tensor.Float64, 6)
	if err := e.Convert(e.View(x, 2, 3), onHost(tensor.Float64, 1, 3)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0, 0, 1, 1.25, 1.5, 0} {
		if got := values(t, e, x)[i]; got != want {
			t.Errorf("element %d: %v, want %v", i, got, want)
		}
	}
}

func TestCollectedTensorsGiveTheirMemoryBack(t *testing.T) {
	e := opened(t)
	for range 50 {
		e.New(tensor.Float32, 1000, 1000)
		runtime.GC()
	}
	collect(e.vacant)
	if s := e.Stats(); s.InUse != 0 || e.pool.caching && s.Allocations > 25 {
		t.Errorf("50 tensors of 4 MB, one after the other: %+v", s)
	}
}

func TestReleasedMemoryIsReused(t *testing.T) {
	e := opened(t)
	for range 100 {
		e.Release(e.New(tensor.Float32, 1000, 100), nil)
	}
	if s := e.Stats(); e.pool.caching && (s.Allocations != 1 || s.Hits != 99) {
		t.Errorf("100 tensors released one after the other: %+v", s)
	}
}

func TestMemoryRunsOut(t *testing.T) {
	e := opened(t)
	total := e.device.total
	x := e.New(tensor.Float32, int(total/2), 1)
	var full *OutOfMemory
	err := e.Convert(engine.NewCPU(1).New(tensor.Float32, 1, 1), e.View(x, 0, 1, 1))
	if !errors.As(err, &full) || full.Asked != total*2 || full.Total != total || full.Free <= 0 {
		t.Fatalf("a tensor of twice the memory: %v", err)
	}
	oneLine(t, err, "out of memory: asked for", "free", "use fewer filters or shorter paths")
	// The next tensor that fits is fine.
	y := e.New(tensor.Float32, 10)
	if err := e.Convert(y, onHost(tensor.Float32, 0, 10)); err != nil {
		t.Error(err)
	}
}

func TestHostTensorsAreRefused(t *testing.T) {
	e := opened(t)
	k := e.begin("Test")
	of[float32](k, onHost(tensor.Float32, 0, 3))
	oneLine(t, k.run(func(*stream) error { return nil }), "Test: a tensor of cpu", "Convert")
}

func TestReleasedTensorsAreRefused(t *testing.T) {
	e := opened(t)
	x := e.New(tensor.Float32, 3000)
	e.Release(x)
	k := e.begin("Test")
	of[float32](k, x)
	oneLine(t, k.run(func(*stream) error { return nil }), "Test: a tensor whose memory was released")
}

func TestLeaksAreReported(t *testing.T) {
	e, err := Open(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := e.New(tensor.Float32, 1000)
	err = e.Close()
	oneLine(t, err, "closed with 1 pieces of device memory in use", "release tensors")
	oneLine(t, e.Convert(x, onHost(tensor.Float32, 0, 1000)), "the engine is closed")
	if err := e.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func TestUploadsOfAnySizeArrive(t *testing.T) {
	e := opened(t)
	for _, n := range []int{0, 1, 1000, maxPacked / 4, maxPacked/4 + 1, largePiece + 7} {
		src := make([]int32, n)
		for i := range src {
			src[i] = int32(3*i - 7)
		}
		want := append([]int32(nil), src...)
		k := e.begin("Test")
		p := upload(k, src)
		for i := range src {
			src[i] = -1
		}
		got := make([]int32, n)
		zeros := make([]int32, 100)
		zeros[3] = 1
		fetch(k, got, p)
		fetch(k, zeros, cleared[int32](k, 100))
		copied := make([]int32, n)
		to := scratch[int32](k, n)
		fetch(k, copied, to)
		if err := k.run(func(s *stream) error { return copyTo(s, to, p, n) }); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i] != want[i] || copied[i] != want[i] {
				t.Fatalf("element %d of %d: %d and %d, want %d", i, n, got[i], copied[i], want[i])
			}
		}
		if zeros[3] != 0 {
			t.Error("cleared memory is not zero")
		}
	}
	k := e.begin("Test")
	if !upload[int32](k, nil).null() || upload(k, []int32{}).null() || !uploadBools(k, nil).null() {
		t.Error("a nil slice is the null pointer, an empty one is not")
	}
	flags := make([]uint8, 3)
	fetch(k, flags, uploadBools(k, []bool{true, false, true}))
	rounded := make([]float32, 2)
	fetch(k, rounded, uploadAs[float32](k, []float64{math.Pi, 1}))
	if err := k.run(func(*stream) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if flags[0] != 1 || flags[1] != 0 || flags[2] != 1 || rounded[0] != float32(math.Pi) {
		t.Error(flags, rounded)
	}
}

func TestManyUploadsInOneOperation(t *testing.T) {
	e := opened(t)
	for round := range 3 {
		k := e.begin("Test")
		var results [200][]int32
		for i := range results {
			results[i] = make([]int32, 16)
			fetch(k, results[i], upload(k, []int32{int32(i + round), 15: 9}))
		}
		if err := k.run(func(*stream) error { return nil }); err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			if r[0] != int32(i+round) || r[15] != 9 {
				t.Fatalf("upload %d: %v", i, r)
			}
		}
	}
}

func TestBatchesAreUploadedOnce(t *testing.T) {
	e := opened(t)
	b, err := graph.FromArcs([]int32{0, 3, 5}, graph.ArcList{From: []int32{0, 1, 3}, To: []int32{1, 2, 4},
		Weights: []float64{1, 2, 3}}, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var first pointer[int32]
	for round := range 3 {
		k := e.begin("Test")
		on, weights := k.batch(b), arcWeights[float32](k, b)
		a := sparse[float32](k, engine.Adjacency(b))
		graphs, w := make([]int32, 5), make([]float32, 6)
		fetch(k, graphs, on.graphOf)
		fetch(k, w, weights)
		if err := k.run(func(*stream) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if on.vertices != 5 || on.arcs != 6 || on.graphs != 2 || !on.labels.null() || graphs[2] != 0 || graphs[3] != 1 ||
			w[5] != 3 {
			t.Errorf("%+v %v %v", on, graphs, w)
		}
		if a.col != on.col || a.values != weights || a.rows != 5 || a.cols != 5 {
			t.Errorf("adjacency %+v is not that of the batch %+v", a, on)
		}
		if round == 0 {
			first = on.col
		} else if on.col != first {
			t.Error("uploaded again")
		}
	}
	runtime.KeepAlive(b)
	b = nil
	collect(e.vacant)
	if s := e.Stats(); s.InUse != 0 {
		t.Errorf("after the batch is gone: %+v", s)
	}
}

func TestDerivedDataAreMadeOnce(t *testing.T) {
	e := opened(t)
	b := &graph.Batch{Offsets: []int32{0}, RowPtr: []int32{0}}
	made := 0
	for range 3 {
		k := e.begin("Test")
		p := derived(k, b, "squares", func() []int32 { made++; return []int32{0, 1, 4, 9} })
		got := make([]int32, 4)
		fetch(k, got, p)
		if err := k.run(func(*stream) error { return nil }); err != nil || got[3] != 9 {
			t.Fatal(got, err)
		}
	}
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}

// Where another goroutine has made the same data first, and memory then runs out so that batches drop what they have
// and a third one takes it, the data are held by the operation that came late all the same.
func TestDerivedDataAreHeldBeforeTheyAreDropped(t *testing.T) {
	e := opened(t)
	b := &graph.Batch{Offsets: []int32{0}, RowPtr: []int32{0}}
	squares, nothing := []int32{0, 1, 4, 9}, func(*stream) error { return nil }
	late := 0
	e.batches.late = func() {
		late++
		e.batches.drop()
		third := e.begin("third")
		upload(third, []int32{7, 7, 7, 7})
		if err := third.run(nothing); err != nil {
			t.Error(err)
		}
	}
	second := e.begin("second")
	p := derived(second, b, "squares", func() []int32 {
		first := e.begin("first")
		derived(first, b, "squares", func() []int32 { return squares })
		if err := first.run(nothing); err != nil {
			t.Error(err)
		}
		return squares
	})
	got := make([]int32, 4)
	fetch(second, got, p)
	if err := second.run(nothing); err != nil || late != 1 || !slices.Equal(got, squares) {
		t.Errorf("%v after %d late ones, %v", got, late, err)
	}
}

func TestGorgoniaMakesTensorsOnTheDevice(t *testing.T) {
	e := opened(t)
	x := tensor.New(tensor.WithEngine(e), tensor.Of(tensor.Float32), tensor.WithShape(3, 4))
	if x.IsNativelyAccessible() || !x.IsManuallyManaged() {
		t.Error("a tensor on the device must not be accessible from Go")
	}
	if err := e.Convert(x, onHost(tensor.Float32, 1, 3, 4)); err != nil {
		t.Fatal(err)
	}
	y := x.Clone().(*tensor.Dense)
	if got := values(t, e, y); got[11] != 3.75 {
		t.Errorf("a clone has %v", got)
	}
	if err := e.Memset(y, float32(2.5)); err != nil {
		t.Fatal(err)
	}
	if got := values(t, e, y); got[0] != 2.5 || got[11] != 2.5 {
		t.Errorf("after Memset: %v", got)
	}
	e.Memclr(y)
	if got := values(t, e, y); got[11] != 0 {
		t.Errorf("after Memclr: %v", got)
	}
	host := onHost(tensor.Float32, 0, 3, 4)
	if err := e.Memcpy(host, x); err != nil || host.Float32s()[11] != 3.75 {
		t.Error(host.Float32s(), err)
	}
	if err := e.Memcpy(y, host); err != nil || values(t, e, y)[11] != 3.75 {
		t.Error(err)
	}
	if _, err := e.Accessible(x); err == nil {
		t.Error("device memory is not accessible")
	}
	if m, err := e.Accessible(host); err != nil || m.Uintptr() != host.Uintptr() {
		t.Error("host memory is accessible")
	}
	e.Release(x)
	if err := e.Free(y, int64(y.MemSize())); err != nil {
		t.Error(err)
	}
	if err := e.Free(y, int64(y.MemSize())); err == nil {
		t.Error("freed twice without an error")
	}
	if e.WorksWith(tensor.MakeDataOrder(tensor.ColMajor)) || !e.WorksWith(x.DataOrder()) {
		t.Error("row-major tensors are the ones that work")
	}
}

func TestGoroutinesShareTheEngine(t *testing.T) {
	e := opened(t)
	parallel.For(4, 12, func(i int) {
		n := 50000 * (1 + i%3) // through the copy stream, into memory that others have just given back
		x, y := e.Scratch(tensor.Float32, n), e.Scratch(tensor.Float64, n)
		for round := range 4 {
			if err := e.Convert(x, onHost(tensor.Float32, float64(round), n)); err != nil {
				t.Error(err)
			}
			if err := e.Convert(y, x); err != nil {
				t.Error(err)
			}
			got := values(t, e, y)
			for _, at := range []int{0, n / 3, n - 1} {
				if want := float64(round) + float64(at)/4; got[at] != want {
					t.Errorf("round %d, element %d of %d: %v, want %v", round, at, n, got[at], want)
				}
			}
		}
		e.Release(x, y)
	})
}

func TestPanicsComeOutOfTheThread(t *testing.T) {
	e := opened(t)
	defer func() {
		if r := recover(); r != "here" {
			t.Errorf("recovered %v", r)
		}
	}()
	_ = e.begin("Test").run(func(*stream) error { panic("here") })
}

// oneLine checks that an error is one line with the given parts.
func oneLine(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("an error of several lines: %q", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q lacks %q", err, p)
		}
	}
}
