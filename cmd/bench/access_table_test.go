//go:build gpu

package main

import (
	"bytes"
	_ "embed" // of the words around the tables
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/grove-graph/grove/cuda/sim"
	"github.com/grove-graph/grove/dataset"
)

//go:embed testdata/access.md
var accessWords string

// table returns docs/benchmarks/access.md.
func (a *accessed) table() ([]byte, error) {
	var kernels, compared, reasons strings.Builder
	slices.SortStableFunc(a.rows, func(x, y row) int { return strings.Compare(x.Name, y.Name) })
	for _, r := range a.rows {
		writeRow(&kernels, r)
	}
	a.writeReasons(&reasons)
	if err := a.compare(&compared); err != nil {
		return nil, err
	}
	names, err := kernelNames()
	if err != nil {
		return nil, err
	}
	missing, err := a.missing()
	if err != nil {
		return nil, err
	}
	var intended []string
	wrong := 0
	for _, f := range a.findings {
		if f.Intended == "" {
			wrong++
			continue
		}
		line := fmt.Sprintf("* `%s` at %s after %s: %s", f.Kernel, f.Line, f.Other, f.Intended)
		if !slices.Contains(intended, line) {
			intended = append(intended, line)
		}
	}
	var text bytes.Buffer
	err = template.Must(template.New("").Parse(accessWords)).Execute(&text, map[string]any{
		"Kernels": kernels.String(), "Compared": compared.String(), "Reasons": reasons.String(), "Missing": missing,
		"Intended": intended, "Wrong": wrong, "Covered": len(names) - len(missing), "All": len(names),
	})
	return text.Bytes(), err
}

// missing are the kernels that nothing launched.
func (a *accessed) missing() ([]string, error) {
	names, err := kernelNames()
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(a.rows, func(r row) bool { return r.Name == name })
	}), err
}

// forSeveralModels reports whether a kernel does what another does for several models, with the same accesses.
func forSeveralModels(kernel string) bool { return strings.HasSuffix(kernel, "_models") }

// kernelNames are the entry points of kernels.cu, but for those for several models.
func kernelNames() (names []string, err error) {
	text, err := os.ReadFile("../../cuda/kernels_gen.go")
	for _, match := range regexp.MustCompile(`(?m)^\t\{"(\w+)", "`).FindAllSubmatch(text, -1) {
		if name := string(match[1]); !forSeveralModels(name) {
			names = append(names, name)
		}
	}
	return names, err
}

func writeRow(w io.Writer, r row) {
	on := strings.TrimSuffix(r.Input+", "+r.Operation, ", ")
	idle := 1 - ratio(r.RunLanes, 32*r.Runs)
	item, per := float64(r.Threads), "threads"
	if r.Items > 0 && r.Item != "B" && r.Item != "FLOP" {
		item, per = r.Items, r.Item
	}
	per = strings.TrimSuffix(strings.NewReplacer("vertices", "vertex", "entries", "entry").Replace(per), "s")
	worst := ""
	if len(r.Lines) > 0 {
		worst = r.Lines[0].Line
	}
	fmt.Fprintf(w, "| `%s` | %s | %d | %s | %s | %.0f %% | %s | %s | %.2f | %.1f %s | %s |\n", r.Name, on,
		r.Launches, requests(r.Device), requests(r.Shared), 100*idle,
		each(float64(r.Exponentials32+r.Exponentials64), item, per), each(float64(r.Flops64), item, per),
		32e-6*float64(r.ReadSectors+r.WrittenSectors), 1e6*r.Prediction.Seconds, r.Prediction.Bound, worst)
}

// requests says what one takes and the least, nothing where there is none.
func requests(r sim.Requests) string {
	if r.Requests == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f (%.2f)", ratio(r.Took, r.Requests), ratio(r.Least, r.Requests))
}

func ratio(a, b int64) float64 { return float64(a) / max(float64(b), 1) }

// each is a number for each item, nothing where it is zero.
func each(n, items float64, item string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g per %s", n/items, item)
}

// cycleSimulated are sectors per request that a third-party cycle simulator (GPGPU-Sim) counted on the compiled PTX.
var cycleSimulated = []struct {
	kernel, operation, shape string
	graphs                   int
	sectors                  float64
}{
	{"place_f32", "place", "3561 x 128", 120, 16},
	{"normalize_rows_f32", "normalize-rows", "3561 x 128", 120, 4},
	{"adam_f32", "adam", "262144 parameters", 120, 16},
	{"segment_reduce_wide_f32", "segment-sum", "120 graphs, 128 columns", 120, 16},
	{"sparse_matmul_f32", "sparse-matmul", "120 graphs, 128 columns", 120, 16},
	{"softmax_cross_entropy_f32", "softmax-cross-entropy", "4096 x 10", 120, 9.3},
	{"subset_walks_f64", "subset-walks", "40 graphs", 40, 7.7},
	{"dynamic_features_f64", "dynamic-features", "40 graphs", 40, 4.8},
}

// compare runs the shapes of the third-party simulator. A kernel that is not launched, or whose sectors differ by more
// than a tenth, is an error of the test.
func (a *accessed) compare(w io.Writer) error {
	here := &accessed{t: a.t, engine: a.engine}
	for _, graphs := range []int{120, 40} {
		var names []string
		for _, c := range cycleSimulated {
			if c.graphs == graphs {
				names = append(names, c.operation)
			}
		}
		s := accessSizes()
		s.graphs, s.points, s.vertices, s.parameters = graphs, 4096, 3000, 1<<18
		if err := here.operations(s, "", "molecules", dataset.SynthOptions{Graphs: graphs, Vertices: 30}, names); err != nil {
			return err
		}
		for _, c := range cycleSimulated {
			compared := c.graphs != graphs
			for _, r := range here.rows {
				if c.graphs == graphs && r.Name == c.kernel && r.Operation == c.operation {
					line := r.Busiest.Device
					sectors := ratio(line.Took, line.Requests)
					fmt.Fprintf(w, "| `%s` | %s | %s | %.2f (%.2f) | %g | %+.0f %% |\n", c.kernel, c.shape, r.Busiest.Line,
						sectors, ratio(line.Least, line.Requests), c.sectors, 100*(sectors/c.sectors-1))
					compared = true
					if math.Abs(sectors/c.sectors-1) > 0.1 {
						a.t.Errorf("%s, %s: %.2f sectors a request, the third-party simulator %g", c.kernel, c.shape, sectors,
							c.sectors)
					}
				}
			}
			if !compared {
				a.t.Errorf("%s, %s: no launch to hold against the third-party simulator", c.kernel, c.operation)
			}
		}
		here.rows = nil
	}
	return nil
}
