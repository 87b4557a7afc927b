//go:build gpu

package cuda

import (
	_ "embed" // of the kernels
	"testing"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// plainFatbin are the compiled plain ancestors of the tuned kernels, written by cuda/fatbin.sh.
//
//go:embed plain.fatbin
var plainFatbin string

// plainEngine is an engine whose operations run on the plain ancestors of the tuned kernels: what a reader of the
// formula would write first. Memory, conversions and what has no tuned kernel are those of the engine.
type plainEngine struct{ *Engine }

// openedPlain is [opened] for the plain kernels.
func openedPlain(t testing.TB) plainEngine {
	t.Helper()
	e := opened(t)
	if err := e.thread.do(func() error { return e.install(plainFatbin, toolkit(), plainKernels[:]) }); err != nil {
		t.Fatal(err)
	}
	return plainEngine{e}
}

// eachKernels runs a test on the tuned kernels and on the plain ones.
func eachKernels(t *testing.T, test func(t *testing.T, e engine.Engine)) {
	t.Run("tuned", func(t *testing.T) { test(t, opened(t)) })
	t.Run("plain", func(t *testing.T) { test(t, openedPlain(t)) })
}

// of32 reports whether a tensor is of float32.
func of32(t *tensor.Dense) bool { return t.Dtype() == tensor.Float32 }
