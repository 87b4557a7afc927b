package enginetest

import (
	"os"
	"testing"

	"github.com/grove-graph/grove/engine"
)

// DeviceVariable names the environment variable that says which device tests of the models run on;
// without it they run on the CPU.
const DeviceVariable = "GROVE_TEST_DEVICE"

// Open returns the engine of the device in [DeviceVariable] with the given number of workers, closed
// when the test ends: a device that is left with tensors, streams or modules then fails the test.
func Open(t testing.TB, workers int) engine.Engine {
	t.Helper()
	device := os.Getenv(DeviceVariable)
	if device == "" {
		device = "cpu"
	}
	e, err := engine.Open(device, workers)
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
