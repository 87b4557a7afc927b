package main

import (
	"runtime"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gorgonia.org/tensor"
)

// rates are what the engine of the run reaches: one core, the workers that --workers gives, or a device at its peak.
type rates struct {
	Copy     float64 `json:"copy_bytes_per_second"`               // bytes read plus bytes written
	CopyAll  float64 `json:"copy_all_cores_bytes_per_second"`     // of the host by all its cores
	Upload   float64 `json:"upload_bytes_per_second,omitempty"`   // from host memory to a device
	Download float64 `json:"download_bytes_per_second,omitempty"` // and back

	// Multiply-adds, which count as two; on a processor of products of square matrices, the best of some orders.
	Peak32   float64 `json:"float32_flops"`
	Peak64   float64 `json:"float64_flops"`
	PeakTF32 float64 `json:"tf32_flops,omitempty"` // where the precision of a product makes a difference
	PeakBF16 float64 `json:"bfloat16_flops,omitempty"`
	Gonum    float64 `json:"gonum_float32_flops,omitempty"` // blas32.Gemm of the largest order, on one core

	Exp32 float64 `json:"float32_exps"` // exponentials per second
	Exp64 float64 `json:"float64_exps"`

	// Attained are, on a GPU, the rates of multiply-adds and exponentials of kernels that do nothing else; the others
	// follow from its properties, but for copies.
	Attained *rates `json:"attained,omitempty"`
}

// namedRate is a rate for people.
type namedRate struct {
	name  string
	value float64
	unit  string
}

// list returns the rates in the order in which they are shown; those that were not measured are 0.
func (r rates) list() []namedRate {
	return []namedRate{
		{"copy", r.Copy, "B/s"}, {"copy of the host by all cores", r.CopyAll, "B/s"},
		{"upload", r.Upload, "B/s"}, {"download", r.Download, "B/s"},
		{"float32 product", r.Peak32, "FLOP/s"}, {"float64 product", r.Peak64, "FLOP/s"},
		{"tf32 product", r.PeakTF32, "FLOP/s"}, {"bfloat16 product", r.PeakBF16, "FLOP/s"},
		{"gonum's float32 product", r.Gonum, "FLOP/s"},
		{"float32 exponentials", r.Exp32, "/s"}, {"float64 exponentials", r.Exp64, "/s"},
	}
}

// ratings measures the rates of one engine.
type ratings struct {
	clock  clock
	sizes  sizes
	engine engine.Engine
	tools  instruments // of a GPU
	random random
	rates  rates
}

// measureRates takes the rates of an engine.
func measureRates(c clock, s sizes, e engine.Engine, tools instruments) (rates, error) {
	m := &ratings{clock: c, sizes: s, engine: e, tools: tools, random: newRandom("machine")}
	steps := []func() error{m.products, m.copyOnHost, m.exponentialsOnHost, m.gonum}
	if elsewhere(e) {
		steps = []func() error{m.arithmeticOfDevice, m.copyOnDevice}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return m.rates, err
		}
	}
	return m.rates, nil
}

// rate returns how much work a second takes, by a few runs.
func (m *ratings) rate(work float64, run func() error) (float64, error) {
	times, err := m.clock.measure(run)
	if err != nil {
		return 0, err
	}
	return work / m.clock.seconds(times[0]), nil
}

// best raises a rate to a measured one.
func (m *ratings) best(rate *float64, work float64, run func() error) error {
	measured, err := m.rate(work, run)
	*rate = max(*rate, measured)
	return err
}

// products finds the peak of multiply-adds: the fastest of products of several orders.
func (m *ratings) products() error {
	for _, n := range []int{m.sizes.matrix / 2, m.sizes.matrix} {
		for dtype, peak := range map[tensor.Dtype]*float64{tensor.Float32: &m.rates.Peak32, tensor.Float64: &m.rates.Peak64} {
			a, err := m.random.matrix(m.engine, dtype, n, n)
			if err != nil {
				return err
			}
			b, err := m.random.matrix(m.engine, dtype, n, n)
			if err != nil {
				return err
			}
			out := m.engine.New(dtype, n, n)
			if err := m.best(peak, product(n), func() error {
				return m.engine.Gemm(out, a, b, engine.Gemm{Alpha: 1})
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyOnHost copies an array far larger than the caches, by the workers of the run and by all cores.
func (m *ratings) copyOnHost() error {
	from, to := make([]float32, m.sizes.copied), make([]float32, m.sizes.copied)
	for i := range from {
		from[i] = 1 // memory that was never written does not exist
	}
	by := func(workers int) func() error {
		return func() error {
			parallel.For(workers, workers, func(w int) {
				lo, hi := w*len(from)/workers, (w+1)*len(from)/workers
				copy(to[lo:hi], from[lo:hi])
			})
			return nil
		}
	}
	bytes := 8 * float64(len(from))
	var err error
	if m.rates.Copy, err = m.rate(bytes, by(m.engine.Workers())); err != nil {
		return err
	}
	times, err := m.clock.measure(by(runtime.NumCPU()))
	if err == nil {
		m.rates.CopyAll = bytes / times[0].wall()
	}
	return err
}

// exponentialsOnHost takes them of a vector that stays in the first cache.
func (m *ratings) exponentialsOnHost() error {
	const passes = 100 // over the vector, in a call
	workers := m.engine.Workers()
	x32 := m.random.slice(m.sizes.vector)
	x64 := make([]float64, len(x32))
	for i, v := range x32 {
		x64[i] = float64(v)
	}
	var err error
	work := passes * float64(workers) * float64(m.sizes.vector)
	if m.rates.Exp32, err = m.rate(work, exponentials(workers, passes, x32)); err != nil {
		return err
	}
	m.rates.Exp64, err = m.rate(work, exponentials(workers, passes, x64))
	return err
}

func exponentials[T simd.Float](workers, passes int, x []T) func() error {
	y := make([][]T, workers)
	for w := range y {
		y[w] = make([]T, len(x))
	}
	return func() error {
		parallel.For(workers, workers, func(w int) {
			for range passes {
				simd.Exp(y[w], x, 2, -2)
			}
		})
		return nil
	}
}

// gonum measures its product. It divides the work over all processors, so the run is confined to one.
func (m *ratings) gonum() error {
	n := m.sizes.matrix
	matrix := func() blas32.General { return blas32.General{Rows: n, Cols: n, Stride: n, Data: m.random.slice(n * n)} }
	x, y, z := matrix(), matrix(), matrix()
	var err error
	m.rates.Gonum, err = m.rate(product(n), func() error {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z)
		return nil
	})
	return err
}
