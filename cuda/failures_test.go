//go:build gpu

package cuda

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// scenes are what goes wrong on a machine, each played by a process of its own: the driver is opened once in a
// process, and the simulated GPU is told by the environment how to behave. A scene returns the error to look at.
var scenes = map[string]func() error{
	"open":               func() error { return opening(0) },
	"open the sixth":     func() error { return opening(5) },
	"open the hundredth": func() error { return opening(99) },
	"too much": func() error { // more than the device has
		return with(func(e *Engine) error { return usable(e, e.Scratch(tensor.Float64, int(e.device.total/8)+1)) })
	},
	"allocate": func() error {
		return with(func(e *Engine) error {
			return e.Convert(e.New(tensor.Float32, 1000), onHost(tensor.Float32, 0, 1000))
		})
	},
	"launch": func() error {
		return with(func(e *Engine) error {
			x, y := e.Scratch(tensor.Float32, 1000), e.Scratch(tensor.Float64, 1000)
			if err := e.Convert(x, onHost(tensor.Float32, 0, 1000)); err != nil {
				return err
			}
			if err := e.Convert(y, x); err != nil {
				return fmt.Errorf("before anybody waits: %w", err)
			}
			first := e.Synchronize()
			if second := e.Convert(y, x); first != nil && second == nil {
				return fmt.Errorf("the context is lost, but goes on after %v", first)
			}
			return first
		})
	},
	"illegal address": func() error {
		return with(func(e *Engine) error {
			k := e.begin("Test")
			y := scratch[float64](k, 100)
			err := k.wait(func(s *stream) error { return s.convertF32F64(linear(100, 32), y, pointer[float32]{64}, 100) })
			again := e.Convert(e.New(tensor.Float32, 3), onHost(tensor.Float32, 0, 3))
			if again == nil || !strings.Contains(again.Error(), "an earlier operation failed") {
				return fmt.Errorf("after %v: %v", err, again)
			}
			return err
		})
	},
	"copy": func() error {
		return with(func(e *Engine) error {
			err := e.Convert(e.Scratch(tensor.Float32, 100000), onHost(tensor.Float32, 0, 100000))
			return errors.Join(err, e.Synchronize())
		})
	},
	"full": func() error { // memory for 64 MiB
		return with(func(e *Engine) error {
			const n = 12 << 20 / 4
			kept := e.Scratch(tensor.Float32, n, 3)
			e.Release(kept) // 36 MiB go back to the driver for the 48 MiB
			larger := e.Scratch(tensor.Float32, n, 4)
			if err := usable(e, larger); err != nil {
				return err
			}
			e.Release(larger)
			if err := usable(e, e.Scratch(tensor.Float32, n, 3)); err != nil {
				return err
			}
			last := e.Scratch(tensor.Float32, n, 3) // the one before is unreachable, not collected
			if err := usable(e, last); err != nil {
				return err
			}
			return usable(e, e.Scratch(tensor.Float64, n, 3))
		})
	},
	"pipeline": func() error { // uploads on both streams, a graph, a kernel, a download
		b, err := graph.FromArcs([]int32{0, 3}, graph.ArcList{From: []int32{0, 1}, To: []int32{1, 2}}, graph.BuildOptions{})
		if err != nil {
			return err
		}
		return with(func(e *Engine) error {
			x, y := e.New(tensor.Float32, 30000), e.Scratch(tensor.Float64, 30000)
			if err := e.Convert(x, onHost(tensor.Float32, 0, 30000)); err != nil {
				return err
			}
			if err := e.Convert(y, x); err != nil {
				return err
			}
			k := e.begin("Test")
			on, kept := k.batch(b), upload(k, []int32{1, 2, 3})
			got := make([]int32, 3)
			fetch(k, got, kept)
			if err := k.run(func(s *stream) error { return copyTo(s, kept, on.col, 3) }); err != nil {
				return err
			}
			return e.Convert(onHost(tensor.Float64, 0, 30000), y)
		})
	},
	"devices": func() error { return errors.New(strings.ReplaceAll(Devices().String(), "\n", "; ")) },
}

func usable(e *Engine, x *tensor.Dense) error {
	return e.Convert(e.View(x, 0, 1), onHost(x.Dtype(), 0, 1))
}

func opening(ordinal int) error {
	e, err := Open(ordinal, 1)
	if err == nil {
		return e.Close()
	}
	return err
}

func with(f func(*Engine) error) error {
	e, err := Open(0, 1)
	if err != nil {
		return err
	}
	failed := f(e)
	if err := e.Close(); err != nil && (failed == nil || e.lost.Load() == nil) {
		return fmt.Errorf("closing after %v: %w", failed, err)
	}
	return failed
}

const sceneVariable = "GROVE_TEST_SCENE"

func TestMain(m *testing.M) {
	if scene := os.Getenv(sceneVariable); scene != "" {
		fmt.Printf("error: %v\n", scenes[scene]())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play runs a scene in a process with the given environment and returns its error.
func play(t *testing.T, scene string, environment ...string) error {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), sceneVariable+"="+scene), environment...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", scene, err, out)
	}
	_, text, found := strings.Cut(string(out), "error: ")
	if !found {
		t.Fatalf("%s: %s", scene, out)
	}
	if text = strings.TrimSuffix(text, "\n"); text == "<nil>" {
		return nil
	}
	return errors.New(text)
}

func TestFailuresAreOneLineWithTheRemedy(t *testing.T) {
	if !simulated() {
		t.Skip("only a simulated GPU fails on request")
	}
	const quiet = "quiet=1,"
	for _, c := range []struct {
		scene, sim string
		parts      []string
	}{
		{"open", "devices=0", []string{"no GPU: the driver", "libcuda.so.1", "--device cpu"}},
		{"open the sixth", "devices=2", []string{"GPU 5 does not exist: this machine has 2, cuda:0 to cuda:1"}},
		{"open the sixth", "devices=1", []string{"GPU 5 does not exist: this machine has 1, cuda:0;"}},
		{"open", "driver=10020", []string{"driver is too old: it has CUDA 10.2, this program needs " + version(toolkit()),
			"update the driver"}},
		{"open", "driver=11000,capability=75",
			[]string{"driver is too old: it has CUDA 11.0, this program needs " + version(toolkit())}},
		{"open", "capability=61", []string{"has compute capability 6.1, this program needs 7.0", "newer GPU"}},
		{"open", "busy=1", []string{"GPU 0 is held by another process", "nvidia-smi"}},
		{"open", "damaged_image=1", []string{"the kernels inside this program are damaged", "make gpu"}},
		{"allocate", "fail_alloc=-1", []string{"cuda:0: out of memory: asked for", "free",
			"use fewer filters or shorter paths"}},
		{"launch", "fail_launch=1", []string{"cuda:0: Convert: kernel convert_f32_f64: unspecified launch failure",
			"context is lost"}},
		{"illegal address", "", []string{"cuda:0: Test:", "illegal memory access", "convert_f32_f64", "context is lost"}},
		{"copy", "fail_copy=1", []string{"cuda:0: copying to the device"}},
		{"copy", "fail_host_alloc=-1", []string{"no page-locked host memory: asked for", "ulimit -l"}},
		{"full", "memory=67108864", []string{"out of memory: asked for 72 MiB, free", "of 64 MiB"}},
		{"devices", "devices=2,busy=1", []string{"driver", "CUDA 12.4", "cuda:1", "capability", "held by another process",
			"one process at a time"}},
	} {
		oneLine(t, play(t, c.scene, "GROVE_SIM="+quiet+c.sim), c.parts...)
	}
}

// What goes wrong on any GPU, without being asked to.
func TestFailuresOfAnyGPU(t *testing.T) {
	for scene, parts := range map[string][]string{
		"open the hundredth": {"GPU 99 does not exist: this machine has"},
		"illegal address":    {"cuda:0: Test:", "illegal memory access", "context is lost"},
		"too much":           {"cuda:0: out of memory: asked for", "use fewer filters or shorter paths"},
		"devices":            {"driver", "cuda:0", "capability"},
	} {
		t.Run(scene, func(t *testing.T) { oneLine(t, play(t, scene), parts...) })
	}
	for _, scene := range []string{"open", "allocate", "launch", "copy", "pipeline"} {
		t.Run(scene, func(t *testing.T) {
			if err := play(t, scene); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEveryFailureIsCleanedUp(t *testing.T) {
	if !simulated() {
		t.Skip("only a simulated GPU fails on request")
	}
	if err := play(t, "pipeline"); err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"fail_alloc", "fail_host_alloc", "fail_launch", "fail_copy", "fail_synchronise"} {
		failures := 0
		for n := 1; n <= 6; n++ {
			for _, sign := range []string{"", "-"} {
				err := play(t, "pipeline", fmt.Sprintf("GROVE_SIM=quiet=1,%s=%s%d", call, sign, n))
				if err == nil {
					continue // never called that often, or done again with success
				}
				failures++
				oneLine(t, err, "cuda:0")
				if strings.Contains(err.Error(), "closed with") {
					t.Errorf("%s=%s%d: %v", call, sign, n, err)
				}
			}
		}
		if failures == 0 {
			t.Errorf("%s: nothing failed", call)
		}
	}
}

func TestWithoutADriverTheProgramStarts(t *testing.T) {
	// A file that is no library, found before any other.
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "libcuda.so.1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := "LD_LIBRARY_PATH=" + folder
	oneLine(t, play(t, "open", path), "no NVIDIA driver: looked for libcuda.so.1", "install the NVIDIA driver",
		"--device cpu")
	oneLine(t, play(t, "devices", path), "none (looked for libcuda.so.1)", "problem")
}

func TestEngineOpensAgain(t *testing.T) {
	for range 3 {
		if err := opening(0); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamagedKernelsAreRefused(t *testing.T) {
	for name, image := range map[string]string{
		"empty": "", "truncated": fatbin[:len(fatbin)/2], "longer": fatbin + "x", "other": strings.Repeat("x", len(fatbin)),
	} {
		_, err := open(0, 1, image, toolkit())
		oneLine(t, err, "the kernels inside this program are damaged", "make gpu")
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
