package engine_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// A sample of the suite passes on the lesser instruction sets too. They are chosen once at start, so each runs in a
// process of its own. What rows and columns are left over is tried at every size by package simd, on all of them.
func TestConformanceOfEveryInstructionSet(t *testing.T) {
	if os.Getenv("GROVE_CONFORMANCE_CHILD") != "" {
		t.Skip("this is the child process")
	}
	levels := map[string][]string{"avx512": {"avx2", "portable"}, "avx2": {"portable"}}[simd.Level()]
	for _, level := range levels {
		t.Run(level, func(t *testing.T) {
			child := exec.Command(os.Args[0], "-test.run=^TestConformanceCPU$")
			child.Env = append(os.Environ(), "GROVE_SIMD="+level, "GROVE_CONFORMANCE_CHILD=1")
			if out, err := child.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// A library gets an error where GROVE_SIMD names nothing, and the program goes on.
func TestOpenRefusesUnknownInstructions(t *testing.T) {
	if os.Getenv("GROVE_SIMD") == "nonsense" {
		if _, err := engine.Open("cpu", 1); err == nil || !strings.Contains(err.Error(), "GROVE_SIMD=nonsense") {
			t.Errorf("error %v", err)
		}
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestOpenRefusesUnknownInstructions$")
	child.Env = append(os.Environ(), "GROVE_SIMD=nonsense")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestOpen(t *testing.T) {
	for _, device := range []string{"auto", "cpu", ""} {
		e, err := engine.Open(device, 0)
		if err != nil || e.String() != "cpu" || e.Workers() < 1 {
			t.Errorf("device %q: %v, %v", device, e, err)
		}
	}
	if e, err := engine.OpenFor("auto", 2, time.Hour); err != nil || e.String() != "cpu" || e.Workers() != 2 {
		t.Errorf("an hour of work: %v, %v", e, err)
	}
	for device, want := range map[string]string{"cuda": "without GPU support", "cuda:1": "without GPU support",
		"tpu": "want auto, cpu, cuda or cuda:N"} {
		if _, err := engine.Open(device, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("device %q: error %v, want %q", device, err, want)
		}
	}
}

// The result of every operation has the same bits for any number of workers.
func TestSameBitsForAnyNumberOfWorkers(t *testing.T) {
	for _, c := range enginetest.Cases() {
		for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			first := c.Bits(engine.NewCPU(1), dtype)
			for _, workers := range []int{2, 8} {
				if c.Bits(engine.NewCPU(workers), dtype) != first {
					t.Errorf("%s/%s: %d workers give other bits than one", c.Operation, c.Name, workers)
				}
			}
		}
	}
}

// A mistake in a shape is an error that names the operation, never a panic.
func TestShapesThatDoNotFit(t *testing.T) {
	b, err := graph.NewBatch([]graph.Graph{{NumVertices: 4}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	e := engine.NewCPU(1)
	anyTensor := func() *tensor.Dense {
		shape := make([]int, 1+rng.IntN(3))
		for i := range shape {
			shape[i] = rng.IntN(4)
		}
		dtype := tensor.Float32
		if rng.IntN(3) == 0 {
			dtype = tensor.Float64
		}
		return e.New(dtype, shape...)
	}
	calls := map[string]func() error{
		"Gemm":          func() error { return e.Gemm(anyTensor(), anyTensor(), anyTensor(), engine.Gemm{Alpha: 1}) },
		"SparseMatMul":  func() error { return e.SparseMatMul(anyTensor(), engine.Adjacency(b), anyTensor()) },
		"NormalizeRows": func() error { return e.NormalizeRows(anyTensor(), anyTensor(), anyTensor(), 1) },
		"PathPool": func() error {
			return e.PathPool([]*tensor.Dense{anyTensor()}, anyTensor(), anyTensor(),
				&engine.PathPooling{Graph: b, Size: rng.IntN(3)})
		},
		"Gram":    func() error { return e.Gram(anyTensor(), anyTensor(), engine.Kernel{Alpha: 1}, false) },
		"InvSqrt": func() error { return e.InvSqrt(anyTensor(), nil, anyTensor(), 0.1, engine.AfterRoot) },
		"Assign": func() error {
			return e.Assign(make([]int32, rng.IntN(3)), anyTensor(), engine.Points{Table: anyTensor(), Size: 1}, anyTensor())
		},
		"SegmentReduce": func() error {
			return e.SegmentReduce(anyTensor(), anyTensor(), engine.Segments{Offsets: []int32{0, 1, 3}}, engine.Sum)
		},
		"Convert": func() error { return e.Convert(anyTensor(), anyTensor()) },
		"BatchNorm": func() error {
			return e.BatchNorm(anyTensor(), anyTensor(), &engine.BatchNorm{Scale: anyTensor(), Shift: anyTensor(),
				Mean: anyTensor(), Variance: anyTensor(), Epsilon: 1})
		},
		"BatchNormGrad": func() error {
			b := engine.BatchNorm{Scale: anyTensor(), BatchMean: anyTensor(), BatchDeviation: anyTensor(), Training: true}
			return e.BatchNormGrad(anyTensor(), anyTensor(), anyTensor(), anyTensor(), anyTensor(), nil, &b)
		},
		"Rectify":     func() error { return e.Rectify(anyTensor(), anyTensor(), anyTensor()) },
		"RectifyGrad": func() error { return e.RectifyGrad(anyTensor(), nil, anyTensor(), anyTensor()) },
		"Dropout":     func() error { return e.Dropout(anyTensor(), anyTensor(), engine.Dropout{}) },
		"LinearGrad": func() error {
			return e.LinearGrad(anyTensor(), anyTensor(), anyTensor(), anyTensor(), anyTensor(), anyTensor())
		},
	}
	for name, call := range calls {
		refused := 0
		for range 300 {
			if err := call(); err != nil {
				refused++
				if !strings.HasPrefix(err.Error(), name+": ") {
					t.Errorf("%s: error %q does not name the operation", name, err)
				}
			}
		}
		if refused == 0 {
			t.Errorf("%s accepted 300 random shapes", name)
		}
	}
}
