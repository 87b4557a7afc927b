//go:build gpu

package cuda

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
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

// BenchmarkTunedAndPlain measures operations of the size of NCI1, on which models spend most of their time, with the
// tuned kernels and with their plain ancestors. With -short they are tiny.
func BenchmarkTunedAndPlain(b *testing.B) {
	graphs, columns := 4110, 128
	if testing.Short() {
		graphs, columns = 10, 16
	}
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: graphs, Vertices: 30})
	if err != nil {
		b.Fatal(err)
	}
	batch := d.Batch
	n := batch.NumVertices()
	for name, prepare := range map[string]func(e *Engine) func(engine.Engine) error{
		"Gemm": func(e *Engine) func(engine.Engine) error {
			x, z, y := noise(b, e, n, columns), noise(b, e, columns, columns), e.New(tensor.Float32, n, columns)
			return func(e engine.Engine) error { return e.Gemm(y, x, z, engine.Gemm{Alpha: 1}) }
		},
		"SparseMatMul": func(e *Engine) func(engine.Engine) error {
			x, y := noise(b, e, n, columns), e.New(tensor.Float32, n, columns)
			a := engine.Adjacency(batch)
			return func(e engine.Engine) error { return e.SparseMatMul(y, a, x) }
		},
		"SegmentReduce": func(e *Engine) func(engine.Engine) error {
			x, y := noise(b, e, n, columns), e.New(tensor.Float32, graphs, columns)
			return func(e engine.Engine) error {
				return e.SegmentReduce(y, x, engine.Segments{Offsets: batch.Offsets}, engine.Sum)
			}
		},
		"NormalizeRows": func(e *Engine) func(engine.Engine) error {
			x, y := noise(b, e, n, columns), e.New(tensor.Float32, n, columns)
			return func(e engine.Engine) error { return e.NormalizeRows(y, nil, x, 1e-4) }
		},
		"PathPool": func(e *Engine) func(engine.Engine) error {
			scores, y := noise(b, e, n, 4*columns), e.New(tensor.Float32, n, columns)
			return func(e engine.Engine) error {
				return e.PathPool([]*tensor.Dense{y}, scores, nil,
					&engine.PathPooling{Graph: batch, Size: 4, Kernel: engine.Kernel{Alpha: 2.5}})
			}
		},
	} {
		for kernels, open := range map[string]func(testing.TB) (*Engine, engine.Engine){
			"tuned": func(t testing.TB) (*Engine, engine.Engine) { e := opened(t); return e, e },
			"plain": func(t testing.TB) (*Engine, engine.Engine) { e := openedPlain(t); return e.Engine, e },
		} {
			b.Run(name+"/"+kernels, func(b *testing.B) {
				memory, e := open(b)
				run := prepare(memory)
				for b.Loop() {
					if err := errors.Join(run(e), e.Synchronize()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// noise returns a matrix of numbers between -1 and 1 on the device.
func noise(t testing.TB, e *Engine, shape ...int) *tensor.Dense {
	host := e.Host().New(tensor.Float32, shape...)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range host.Float32s() {
		host.Float32s()[i] = 2*rng.Float32() - 1
	}
	x, err := engine.FromHost(e, host)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
