//go:build gpu

package cuda

import (
	"testing"

	"gorgonia.org/tensor"
)

// BenchmarkHandOver measures the way to the context's thread and back.
func BenchmarkHandOver(b *testing.B) {
	e := opened(b)
	for b.Loop() {
		if err := e.do("nothing", func() error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOperation measures an operation of one small kernel with one upload, up to the driver.
func BenchmarkOperation(b *testing.B) {
	e := opened(b)
	x, y := e.New(tensor.Float32, 32), e.New(tensor.Float64, 32)
	index := make([]int32, 32)
	b.ReportAllocs()
	for b.Loop() {
		k := e.begin("Benchmark")
		to, from := of[float64](k, y), of[float32](k, x)
		upload(k, index)
		if err := k.run(func(s *stream) error { return s.convertF32F64(linear(32, 32), to, from, 32) }); err != nil {
			b.Fatal(err)
		}
	}
}
