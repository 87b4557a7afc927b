package memory

import (
	"runtime"
	"testing"
	"time"
)

// Beside much memory in use the runtime collects garbage after a quarter of it, beside little after many times as much.
func TestSpareCollectsSoonerWhereMuchIsInUse(t *testing.T) {
	t.Setenv("GOGC", "")
	Spare()
	share := func() float64 {
		for range 20 {
			runtime.GC()
			time.Sleep(5 * time.Millisecond) // for the cleanup
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.NextGC) / float64(m.HeapAlloc)
	}
	if x := share(); x < 4 {
		t.Errorf("beside little in use, the next collection is at %.2f of it", x)
	}
	held := make([]float64, 2*spareFrom/8)
	if x := share(); x > 1.35 {
		t.Errorf("the next collection is at %.2f of what is in use", x)
	}
	runtime.KeepAlive(held)
}

// What may gather beside little in use is bounded, and never less than as much again.
func TestGarbageBesideLittleInUseIsBounded(t *testing.T) {
	for live := uint64(1 << 18); live <= spareFrom; live += 1 << 18 {
		percent := percentOf(live)
		if garbage := live * uint64(percent) / 100; percent < 100 || garbage > max(spareLeast, live) {
			t.Fatalf("%d bytes of garbage beside %d in use, %d %%", garbage, live, percent)
		}
	}
}

// Numbers in a mapped file are kept as in memory, until they are released.
func TestMappedNumbersAreMemory(t *testing.T) {
	x, release, err := Mapped[float32](1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	y, releaseY, err := Mapped[float64](3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if x[i] != 0 {
			t.Fatalf("number %d is %g", i, x[i])
		}
		x[i] = float32(i)
	}
	y[2] = 7
	for i := range x {
		if x[i] != float32(i) {
			t.Fatalf("number %d is %g", i, x[i])
		}
	}
	if y[0] != 0 || y[2] != 7 {
		t.Error(y)
	}
	none, releaseNone, err := Mapped[float64](0)
	if err != nil || len(none) != 0 {
		t.Error(none, err)
	}
	for _, release := range []func() error{release, releaseY, releaseNone} {
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	t.Setenv("TMPDIR", "/nowhere")
	if _, _, err := Mapped[float64](1); err == nil {
		t.Error("a file in a folder that is not there")
	}
}
