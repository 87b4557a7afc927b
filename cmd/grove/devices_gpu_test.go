//go:build gpu

package main

import (
	"bytes"
	"encoding/csv"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/sbinet/npyio/npy"
)

// wantGPU skips a test where there is no GPU, simulated or not.
func wantGPU(t *testing.T) {
	t.Helper()
	if !engine.Has("cuda") {
		t.Skip("no GPU: the simulated one is found with LD_LIBRARY_PATH=build/sim")
	}
}

// classesOf returns the predicted class of every graph.
func classesOf(t *testing.T, model, data, device string) []string {
	t.Helper()
	text := must(t, "predict", "--model", model, "--data", data, "--device", device, "-o", "-")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var classes []string
	for _, row := range rows[1:] {
		classes = append(classes, row[1])
	}
	return classes
}

func embedded(t *testing.T, model, data, device string) (x []float64) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "x.npy")
	must(t, "embed", "--model", model, "--data", data, "--device", device, "-o", out)
	var singles []float32
	if err := npy.Read(bytes.NewReader(readFile(t, out)), &singles); err != nil {
		t.Fatal(err)
	}
	for _, v := range singles {
		x = append(x, float64(v))
	}
	return x
}

// checkDevices trains on each device and applies both models on both: predictions must be the same, and
// what one model makes of a graph must agree within 1e-4 of the largest number of the graph.
func checkDevices(t *testing.T, variant, data string, more ...string) {
	t.Helper()
	folder := t.TempDir()
	var models []string
	for _, device := range []string{"cpu", "cuda"} {
		model := filepath.Join(folder, device+".grove")
		must(t, append([]string{"train", variant, "--data", data, "--device", device, "-o", model, "--c", "1"}, more...)...)
		models = append(models, model)
	}
	want := classesOf(t, models[0], data, "cpu")
	for _, device := range []string{"cpu", "cuda"} {
		for i, from := range []string{"the CPU", "the GPU"} {
			different := 0
			for g, class := range classesOf(t, models[i], data, device) {
				if class != want[g] {
					different++
				}
			}
			if different > 0 {
				t.Errorf("%s: a model of %s predicts %d of %d graphs differently on %s", variant, from, different, len(want),
					device)
			}
		}
	}
	a, b := embedded(t, models[0], data, "cpu"), embedded(t, models[0], data, "cuda")
	if len(a) != len(b) {
		t.Fatalf("%s: representations of %d and of %d numbers", variant, len(a), len(b))
	}
	difference, width := 0.0, len(a)/len(want)
	for g := range want {
		difference = max(difference, relative(a[g*width:(g+1)*width], b[g*width:(g+1)*width]))
	}
	t.Logf("%s: representations differ by %.2g of the largest number of a graph", variant, difference)
	if !(difference <= 1e-4) {
		t.Errorf("%s: representations differ by %.2g of the largest number of a graph", variant, difference)
	}
}

// relative returns the largest difference between two vectors over the largest number of the first.
func relative(a, b []float64) float64 {
	largest, difference := 0.0, 0.0
	for i := range a {
		largest, difference = max(largest, math.Abs(a[i])), max(difference, math.Abs(a[i]-b[i]))
	}
	if difference == 0 {
		return 0
	}
	return difference / largest
}

func TestEveryModelIsTheSameOnEveryDevice(t *testing.T) {
	wantGPU(t)
	data := molecules(t, "molecules")
	for _, variant := range []string{"gckn-walk", "gckn-path", "gckn-subtree", "gckn-3layer"} {
		checkDevices(t, variant, data, "--filters", "16")
	}
}

// A model that was trained on one device predicts the same on the other. How far the models of the two
// devices agree differs between families; those of kernels and trees must be equal.
func TestEveryFamilyMovesBetweenDevices(t *testing.T) {
	wantGPU(t)
	data := molecules(t, "molecules")
	for _, train := range [][]string{
		{"gckn-path-sup", "--filters", "16", "--epochs", "3"},
		{"gckn-subtree-sup", "--filters", "16", "--epochs", "3", "--products", "tf32"},
		{"gcn", "--epochs", "3"},
		{"gin", "--epochs", "3", "--layers", "2"},
		{"mpgk-aa", "--iterations", "2", "--c", "1"},
		{"cgmm", "--states", "5", "--layers", "3", "--c", "1"},
		{"treeg", "--estimators", "5"},
	} {
		for _, from := range []string{"cpu", "cuda"} {
			model := filepath.Join(t.TempDir(), from)
			must(t, append([]string{"train", train[0], "--data", data, "--device", from, "-o", model}, train[1:]...)...)
			cpu, cuda := classesOf(t, model, data, "cpu"), classesOf(t, model, data, "cuda")
			if !slices.Equal(cpu, cuda) {
				t.Errorf("%s: a model of %s predicts differently on the two devices", train[0], from)
			}
		}
	}
}

func TestAutoTakesAGPUWhereThereIsMuchToCompute(t *testing.T) {
	wantGPU(t)
	a := &app{}
	defer func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	}()
	for cost, want := range map[time.Duration]string{0: "cpu", time.Second: "cpu", time.Hour: "cuda:0"} {
		e, err := a.open(&computing{device: auto, workers: 2}, cost)
		if err != nil || e.String() != want {
			t.Errorf("for %v of one core: %v, want %s; %v", cost, e, want, err)
		}
	}
	data, model := testfiles.Data(t, "tu", "MUTAG"), filepath.Join(t.TempDir(), "m.grove")
	text := must(t, "train", "gckn-path", "--data", data, "-o", model, "--c", "1", "--json")
	if !strings.Contains(text, `"device": "cpu `) {
		t.Errorf("a few small graphs:\n%s", text)
	}
}
