//go:build gpu

package examples_test

import (
	"os"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
)

// The same program of another module runs on a GPU.
func TestOutsideModuleOnGPU(t *testing.T) {
	if os.Getenv(enginetest.DeviceVariable) == "" {
		t.Skipf("set %s=cuda: the program runs on the CPU elsewhere", enginetest.DeviceVariable)
	}
	device := os.Getenv(enginetest.DeviceVariable)
	if said := run(t, outside(t, "convolution"), []string{"-tags", "gpu"}, device); said != "loss 0.0000, weight 0.549\n" {
		t.Errorf("it says %q", said)
	}
}
