//go:build gpu

package cuda

import (
	_ "embed" // of the list of cases
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/cuda/sim"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
)

// Every operation agrees with the float64 reference, on the tuned kernels and on the plain ones. The tuned ones give
// the same bits whatever the order in which threads and blocks take their turns; only a simulated GPU can be told one,
// on a real one it differs from run to run by itself. The sample, which is all that plain kernels and -short get,
// launches every kernel. What is not in it runs once, in one of the orders.
func TestConformance(t *testing.T) {
	sample, rest := enginetest.Sample()
	inOrder := func(i int, run func(order sim.Order)) {
		order := []sim.Order{sim.Reverse, sim.Shuffled}[i%2]
		if sim.Loaded() {
			sim.SetOrder(order, 7)
			defer sim.Reset()
		}
		run(order)
	}
	eachKernels(t, func(t *testing.T, e engine.Engine) {
		t.Run("sample", func(t *testing.T) {
			_, plain := e.(plainEngine)
			for i, c := range sample {
				bits, err := enginetest.CheckBits(c.Case, e, c.Dtype)
				if err != nil {
					t.Errorf("%v: %v", c, err)
				}
				if plain || testing.Short() || err != nil {
					continue
				}
				inOrder(i, func(order sim.Order) {
					if c.Bits(e, c.Dtype) != bits {
						t.Errorf("%v: other bits in order %v", c, order)
					}
				})
			}
			seesNothingWrong(t)
			for _, k := range ownKernels(e) {
				if !k.found && ofTheSuite(k) {
					t.Errorf("no case of the sample launches %s", k.name)
				}
			}
		})
		if _, plain := e.(plainEngine); !plain {
			t.Run("rest", func(t *testing.T) {
				for i, c := range rest {
					inOrder(i, func(order sim.Order) {
						if err := enginetest.Check(c.Case, e, c.Dtype); err != nil {
							t.Errorf("%v in order %v: %v", c, order, err)
						}
					})
				}
			})
		}
	})
}

//go:embed testdata/one_case_a_kernel.txt
var oneCaseAKernel string

// The listed cases launch every kernel: they are what a slow checker runs in place of the sample.
func TestOneCaseAKernel(t *testing.T) {
	e := opened(t)
	sample, _ := enginetest.Sample()
	missing := func() (names []string) {
		for _, k := range e.kernels {
			if !k.found && ofTheSuite(k) {
				names = append(names, k.name)
			}
		}
		return names
	}
	listed := strings.Split(strings.TrimSpace(oneCaseAKernel), "\n")
	for _, c := range enginetest.Trials() {
		if slices.Contains(listed, c.String()) {
			if err := enginetest.Check(c.Case, e, c.Dtype); err != nil {
				t.Errorf("%v: %v", c, err)
			}
		}
	}
	seesNothingWrong(t)
	for _, c := range sample {
		before := missing()
		if len(before) == 0 {
			break
		}
		_ = enginetest.Check(c.Case, e, c.Dtype) // is TestConformance's to judge
		after := missing()
		before = slices.DeleteFunc(before, func(k string) bool { return slices.Contains(after, k) })
		if len(before) > 0 {
			t.Errorf("testdata/one_case_a_kernel.txt: no case launches %v; add %v", before, c)
		}
	}
}

// seesNothingWrong fails where the lens of the simulated GPU saw a race or a read of memory that was never written.
func seesNothingWrong(t *testing.T) {
	v, _ := sim.Look()
	for _, f := range v.Findings {
		if f.Intended == "" {
			t.Error(f)
		}
	}
}

// ofTheSuite reports whether cases launch a kernel. TestEveryTiling has the products that are large enough for two,
// TestRates those that measure, TestOperationsBesideEachOther those for several models.
func ofTheSuite(k loaded) bool {
	return k.name != "matmul_f32" && k.name != "matmul_f64" && !strings.HasPrefix(k.name, "rate_") &&
		k.name != "spread_uploads" && !strings.HasSuffix(k.name, "_models")
}

// ownKernels are those that only this kind of engine has.
func ownKernels(e engine.Engine) []loaded {
	if p, plain := e.(plainEngine); plain {
		return p.kernels[len(kernels):]
	}
	return e.(*Engine).kernels
}

func TestMemory(t *testing.T) {
	enginetest.RunMemory(t, func(t *testing.T) engine.Engine {
		e, err := Open(0, 2)
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}

// Rows stand apart on tensor cores too.
func TestRowsApart(t *testing.T) { enginetest.RunApart(t, opened(t)) }
