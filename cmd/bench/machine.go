package main

import (
	"os"
	"runtime"
	"strings"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gorgonia.org/tensor"
)

// machine describes where the figures come from, with the rates of one core that the floors are
// computed from.
type machine struct {
	System    string   `json:"system"`
	Go        string   `json:"go"`
	Processor string   `json:"processor,omitempty"`
	CPUs      int      `json:"cpus"`
	Memory    int64    `json:"memory_bytes,omitempty"`
	Others    *float64 `json:"others,omitempty"` // mean number of CPUs that other processes kept busy during the run
	SIMD      string   `json:"simd"`

	Rates rates `json:"rates"`
}

// rates are what one core reaches.
type rates struct {
	Copy     float64 `json:"copy_bytes_per_second"` // bytes read plus bytes written
	Peak32   float64 `json:"float32_flops"`         // engine MatMul of square matrices; a multiply-add counts as two
	Peak64   float64 `json:"float64_flops"`
	Gonum    float64 `json:"gonum_float32_flops"` // blas32.Gemm of the same matrices, on one core
	Exp32    float64 `json:"float32_exps"`        // exponentials per second on a vector that stays in the first cache
	Exp64    float64 `json:"float64_exps"`
	MatrixOf int     `json:"matrix_order"` // order of the square matrices
}

// describe returns the machine without its rates.
func describe() machine {
	m := machine{
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		CPUs: runtime.NumCPU(), SIMD: simd.Level(),
		Memory: procBytes("/proc/meminfo", "MemTotal:"),
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(line, ":")
			if strings.TrimSpace(key) == "model name" {
				m.Processor = strings.TrimSpace(value)
				break
			}
		}
	}
	return m
}

// measureRates takes the rates of one core.
func measureRates(c clock, s sizes) (rates, error) {
	r := rates{MatrixOf: s.matrix}
	random := newRandom("machine")
	n := s.matrix
	work := 2 * float64(n) * float64(n) * float64(n)
	cpu := engine.NewCPU(1)
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		a, b, out := random.matrix(cpu, dtype, n, n), random.matrix(cpu, dtype, n, n), engine.New(cpu, dtype, n, n)
		runs := []func() error{func() error { return cpu.MatMul(out, a, b, engine.MatMul{Alpha: 1}) }}
		if dtype == tensor.Float32 {
			runs = append(runs, gonumProduct(n, a, b))
		}
		times, err := c.measure(runs...)
		if err != nil {
			return r, err
		}
		if dtype == tensor.Float64 {
			r.Peak64 = work / times[0].cpu()
			continue
		}
		r.Peak32, r.Gonum = work/times[0].cpu(), work/times[1].cpu()
	}

	from, to := make([]float32, s.copied), make([]float32, s.copied)
	for i := range from {
		from[i] = 1 // memory that was never written does not exist
	}
	x32, y32 := random.slice(s.vector), make([]float32, s.vector)
	x64, y64 := make([]float64, s.vector), make([]float64, s.vector)
	for i, v := range x32 {
		x64[i] = float64(v)
	}
	const passes = 100 // over the vector, in a call
	times, err := c.measure(
		func() error { copy(to, from); return nil },
		func() error {
			for range passes {
				simd.Exp(y32, x32, 2, -2)
			}
			return nil
		},
		func() error {
			for range passes {
				simd.Exp(y64, x64, 2, -2)
			}
			return nil
		})
	if err != nil {
		return r, err
	}
	r.Copy = 8 * float64(s.copied) / times[0].cpu()
	r.Exp32 = passes * float64(s.vector) / times[1].cpu()
	r.Exp64 = passes * float64(s.vector) / times[2].cpu()
	return r, nil
}

// gonumProduct returns the product of a and b by gonum. It divides the work over all processors, so the
// run is confined to one.
func gonumProduct(n int, a, b *tensor.Dense) func() error {
	x := blas32.General{Rows: n, Cols: n, Stride: n, Data: a.Float32s()}
	y := blas32.General{Rows: n, Cols: n, Stride: n, Data: b.Float32s()}
	z := blas32.General{Rows: n, Cols: n, Stride: n, Data: make([]float32, n*n)}
	return func() error {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z)
		return nil
	}
}
