//go:build gpu

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grove-graph/grove/cuda"
	"github.com/grove-graph/grove/cuda/sim"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

var (
	accessTable = flag.String("access", "", "`FILE` to write what the lens of the simulated GPU saw")
	accessJSON  = flag.String("access-json", "", "`FILE` to write the same figures to, as JSON")
)

// row is what an operation did to a kernel on an input.
type row struct {
	Input     string  `json:"input"`
	Operation string  `json:"operation"`
	Items     float64 `json:"items"` // of the operation
	Item      string  `json:"item"`  // what they are: nodes, pairs, ...
	sim.Kernel
	Prediction prediction `json:"prediction"`
}

// accessed gathers what the lens sees.
type accessed struct {
	t        *testing.T
	rows     []row
	findings []sim.Finding
	engine   engine.Engine
}

// see takes what was launched since the last time for an operation on an input.
func (a *accessed) see(input, operation string, units float64, unit string) error {
	if err := a.engine.Synchronize(); err != nil {
		return err
	}
	v, ok := sim.Look()
	if !ok {
		return fmt.Errorf("the library has no lens")
	}
	for _, k := range v.Kernels {
		a.rows = append(a.rows, row{input, operation, units, strings.TrimSuffix(unit, "/s"), k, predict(k)})
	}
	a.findings = append(a.findings, v.Findings...)
	return nil
}

// accessSizes are small enough for the simulated GPU with a lens to be done in minutes.
func accessSizes() sizes {
	return sizes{
		filters: 128, graphs: 40, vertices: 1000, points: 1024, anchors: 128, matrix: 256, inverted: 72, copied: 1 << 18,
		vector: 4096, samples: 1000, penalty: 1, powerLaw: 1000, columns: 64, histograms: 200, parameters: 1 << 16,
		molecules: 40,
	}
}

// graphsLike are the graphs in place of those of NCI1.
var graphsLike = []struct {
	name, kind string
	opt        dataset.SynthOptions
}{
	{"NCI1-like", "molecules", dataset.SynthOptions{Graphs: 40, Vertices: 30}},
	{"COLLAB-like", "power-law", dataset.SynthOptions{Graphs: 3, Vertices: 16, Degree: 12}},
	{"power-law", "power-law", dataset.SynthOptions{Graphs: 1, Vertices: 200, Degree: 5}},
}

// onGraphs are the operations that depend on the graphs; the others run on the first of them alone.
var onGraphs = []string{
	"sparse-matmul", "path-trie", "path-trie-vertex", "path-trie-max", "walk-pool", "nonbacktracking", "path-grad",
	"walk-grad", "subset-walks", "dynamic-features", "best-splits", "segment-sum", "segment-max", "segment-neighbors",
	"posterior",
}

var onceOnly = []string{
	"matmul", "matmul-tf32", "matmul-bfloat16", "matmul-thin", "normalize-rows", "convert", "place", "place-columns",
	"softmax-cross-entropy", "adam", "gram", "histogram-intersection", "best-splits-histogram", "assign", "assign-paths",
	"project", "project-grad", "gram-grad", "invsqrt-grad-step", "linear", "linear-grad", "batch-norm", "batch-norm-grad",
	"rectify", "rectify-grad", "dropout", "sparse-matmul-add",
}

// inDoubles and onSmallMatrices take too long with 128 filters.
var inDoubles = []string{"matmul-double", "path-trie-double"}

var onSmallMatrices = []string{"invsqrt", "invsqrt-large", "invsqrt-grad"}

// The kernels of the engine have no races and read nothing that was not written; TestAccess -access FILE writes what
// their requests take, -access-json FILE the figures. Needs a simulated GPU with a lens: make lens.
func TestAccess(t *testing.T) {
	if _, ok := sim.Look(); !ok {
		t.Skip("the driver's library is not the simulator with a lens: make lens")
	}
	t.Setenv("GROVE_CUDA_POOL", "off") // memory that the pool gives out again counts as never written
	sim.Set(sim.Multiprocessors, int64(theH200.Multiprocessors))
	defer sim.Reset()
	e, err := cuda.Open(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	a := &accessed{t: t, engine: e}
	s, all := accessSizes(), *accessTable != ""
	once := onceOnly
	if !all {
		s.filters, s.graphs, s.parameters = 32, 4, 1000
		once = []string{"place", "softmax-cross-entropy", "adam", "gram", "assign-paths", "project", "project-grad",
			"gram-grad", "invsqrt-grad-step", "linear", "linear-grad", "batch-norm", "batch-norm-grad", "rectify",
			"rectify-grad", "dropout", "sparse-matmul-add"}
	}
	for i, g := range graphsLike {
		names := onGraphs
		if i == 0 {
			names = slices.Concat(once, onGraphs)
		}
		g.opt.Graphs = min(g.opt.Graphs, s.graphs)
		if !all {
			g.opt.Vertices, g.opt.Degree = min(g.opt.Vertices, 50), min(g.opt.Degree, 5)
		}
		if err := a.operations(s, g.name, g.kind, g.opt, names); err != nil {
			t.Fatal(err)
		}
	}
	if all {
		s.filters = 32
		if err := a.operations(s, "NCI1-like, 32 filters", "molecules", graphsLike[0].opt, inDoubles); err != nil {
			t.Fatal(err)
		}
		if err := a.operations(s, "4 x 32 x 32", "molecules", graphsLike[0].opt, onSmallMatrices); err != nil {
			t.Fatal(err)
		}
		if err := a.others(); err != nil {
			t.Error(err)
		}
		missing, err := a.missing()
		if err != nil {
			t.Error(err)
		}
		for _, name := range missing {
			t.Errorf("%s was not launched", name)
		}
	}
	for _, f := range a.findings {
		if f.Intended == "" {
			t.Error(f)
		}
	}
	for _, file := range []struct {
		name  string
		write func() ([]byte, error)
	}{
		{*accessTable, a.table},
		{*accessJSON, func() ([]byte, error) { return json.MarshalIndent(a.rows, "", "\t") }},
	} {
		if file.name == "" {
			continue
		}
		text, err := file.write()
		if err == nil {
			err = os.WriteFile(file.name, text, 0o666)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// operations runs some of those of bench on generated graphs in place of NCI1.
func (a *accessed) operations(s sizes, input, kind string, opt dataset.SynthOptions, names []string) error {
	d, err := dataset.Synth(kind, opt)
	if err != nil {
		return err
	}
	b, err := encoded(d)
	if err != nil {
		return err
	}
	in := newInputs(os.DevNull, s)
	in.ready[keyOf("NCI1", "molecules", sizeOfNCI1)] = source{d, b, d.Classes, input}
	t := &table{sizes: s, inputs: in, engine: a.engine}
	for _, o := range operations() {
		if !slices.Contains(names, o.name) {
			continue
		}
		begin := time.Now()
		task, err := o.prepare(t)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		known := len(a.rows)
		if err := a.see(input, o.name, 0, ""); err != nil {
			return err
		}
		a.rows = a.rows[:known] // what prepares the operation
		if err := task.run(a.engine); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		if err := a.see(input, o.name, task.units, task.unit); err != nil {
			return err
		}
		a.t.Logf("%s, %s: %.1f s", input, o.name, time.Since(begin).Seconds())
	}
	return nil
}

// others runs the kernels that measure rates, products of large tiles, the sample of the conformance suite and folds
// side by side, for the kernels that no operation of bench launches.
func (a *accessed) others() error {
	known := len(a.rows)
	begin := time.Now()
	if _, err := a.engine.(*cuda.Engine).MeasureRates(); err != nil {
		return err
	}
	if err := a.see("measured rates", "", 0, ""); err != nil {
		return err
	}
	a.t.Logf("measured rates: %.1f s", time.Since(begin).Seconds())
	for dtype, order := range map[tensor.Dtype]int{tensor.Float32: 1536, tensor.Float64: 768} {
		r := newRandom("tiles")
		x, err := r.matrix(a.engine, dtype, order, 16)
		if err != nil {
			return err
		}
		c := a.engine.New(dtype, order, order)
		if err := a.engine.Gemm(c, x, x, engine.Gemm{TransB: true, Alpha: 1}); err != nil {
			return err
		}
	}
	if err := a.see("large products", "", 0, ""); err != nil {
		return err
	}
	sample, _ := enginetest.Sample()
	for _, c := range sample {
		if err := enginetest.Check(c.Case, a.engine, c.Dtype); err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
	}
	if err := a.see("conformance suite", "", 0, ""); err != nil {
		return err
	}
	if err := a.sideBySide(); err != nil {
		return err
	}
	rest := slices.Clone(a.rows[known:])
	a.rows = a.rows[:known]
	for _, r := range rest {
		if !slices.ContainsFunc(a.rows, func(s row) bool { return s.Name == r.Name }) && !forSeveralModels(r.Name) {
			a.rows = append(a.rows, r)
		}
	}
	a.t.Logf("conformance suite: %.1f s", time.Since(begin).Seconds())
	return nil
}

// sideBySide trains three folds beside each other, whose copies become one.
func (a *accessed) sideBySide() error {
	r := newRunner(a.engine, os.DevNull, settings{Workers: 1, Quick: true, Device: "cuda"}, true, io.Discard)
	r.sizes.graphs = 12
	r.inputs = newInputs(os.DevNull, r.sizes)
	if _, err := (training{"gckn-path", 8, 4, 3}).count(&counting{runner: r, ctx: a.t.Context()}); err != nil {
		return err
	}
	return a.see("three folds side by side", "", 0, "")
}
