package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/sbinet/npyio/npy"
	"gorgonia.org/tensor"
)

// figure is the time of one operation on the arrays, and what shows that the same was computed.
type figure struct {
	Operation string  `json:"operation"`
	By        string  `json:"by"`
	Seconds   float64 `json:"seconds"`        // median of five samples
	Sum       float64 `json:"sum"`            // of the entries of the result
	Size      float64 `json:"size,omitempty"` // of their absolute values
}

// grove is who computed a figure, where it is not a rival.
const grove = "Grove"

// The dimensions of the arrays that are the same for all sizes.
const (
	matrices = 4
	epsilon  = 0.01 // of the inverse square root
)

// arrays writes inputs for [figure]s into a folder and times Grove on them.
type arrays struct {
	folder string
	engine engine.Engine
	rng    *rand.Rand
	all    []figure

	columns int // of the features, and order of the matrices
}

// arraysCommand writes the arrays and DIR/grove.json, a process of its own so that its device memory is given back.
func arraysCommand(args []string) error {
	f := flag.NewFlagSet("kit arrays", flag.ContinueOnError)
	device := f.String("device", "cuda", "")
	graphs := f.Int("graphs", 4110, "")
	columns := f.Int("columns", 128, "")
	rest, err := flagsAnywhere(f, args)
	if err != nil || len(rest) != 1 {
		return errors.Join(err, errors.New("usage: kit arrays DIR [--device DEVICE] [--graphs N] [--columns N]"))
	}
	e, err := engine.Open(*device, 1)
	if err != nil {
		return err
	}
	defer e.Close()
	a := &arrays{folder: rest[0], engine: e, rng: rand.New(rand.NewPCG(1, 2)), columns: *columns}
	if err := a.measure(*graphs); err != nil {
		return err
	}
	text, err := json.Marshal(a.all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.folder, "grove.json"), text, 0o666)
}

// measure times the operations on generated molecules.
func (a *arrays) measure(graphs int) error {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: graphs, Vertices: 30, Seed: 1})
	if err != nil {
		return err
	}
	b, e, columns := d.Batch, a.engine, a.columns
	adjacency, n := engine.Adjacency(b), b.NumVertices()
	offsets := b.Offsets
	parameters := n * columns / 4
	for name, array := range map[string]any{"row_ptr": adjacency.RowPtr, "col": adjacency.Col, "offsets": offsets} {
		if err := a.save(name, array); err != nil {
			return err
		}
	}
	x, errX := a.random("x", tensor.Float32, n, columns)
	z, errZ := a.random("z", tensor.Float32, columns, columns)
	k, errK := a.symmetric("k")
	gradient, errG := a.random("gradient", tensor.Float32, parameters)
	if err := errors.Join(errX, errZ, errK, errG); err != nil {
		return err
	}
	y, pooled := e.New(tensor.Float32, n, columns), e.New(tensor.Float32, graphs, columns)
	root := e.New(tensor.Float64, matrices, columns, columns)
	parameter := e.New(tensor.Float32, parameters)
	first, second := e.New(tensor.Float32, parameters), e.New(tensor.Float32, parameters)
	step := engine.Adam{Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	for _, o := range []struct {
		name   string
		result *tensor.Dense
		run    func() error
	}{
		{"product", y, func() error { return e.Gemm(y, x, z, engine.Gemm{Alpha: 1}) }},
		{"CSR product", y, func() error { return e.SparseMatMul(y, adjacency, x) }},
		{"segment sum", pooled, func() error {
			return e.SegmentReduce(pooled, x, engine.Segments{Offsets: offsets}, engine.Sum)
		}},
		{"inverse square root", root, func() error { return e.InvSqrt(root, nil, k, epsilon, engine.AfterRoot) }},
		{"Adam", nil, func() error { // its result depends on the number of steps
			step.Step++
			return e.Adam([]engine.AdamState{{Parameter: parameter, Moment1: first, Moment2: second, Gradient: gradient}}, step)
		}},
	} {
		if err := a.time(o.name, o.result, o.run); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
	}
	return nil
}

// time adds the median seconds of a call, with the work of the device.
func (a *arrays) time(name string, result *tensor.Dense, run func() error) error {
	seconds, err := sample(run, a.engine.Synchronize)
	if err != nil {
		return err
	}
	f := figure{Operation: name, By: grove, Seconds: seconds}
	if result != nil {
		host := a.engine.Host().New(tensor.Float64, result.Shape()...)
		if err := a.engine.Convert(host, result); err != nil {
			return err
		}
		for _, v := range host.Float64s() {
			f.Sum += v
			f.Size += math.Abs(v)
		}
	}
	a.all = append(a.all, f)
	return nil
}

// sample returns the median of five samples of at least 50 ms, after two calls that find nothing loaded.
func sample(run, wait func() error) (float64, error) {
	calls := func(n int) (float64, error) {
		start := time.Now()
		for range n {
			if err := run(); err != nil {
				return 0, err
			}
		}
		err := wait()
		return time.Since(start).Seconds() / float64(n), err
	}
	var took float64
	for range 3 {
		var err error
		if took, err = calls(1); err != nil {
			return 0, err
		}
	}
	var samples []float64
	for range 5 {
		s, err := calls(int(max(1, min(1e5, 0.05/took))))
		if err != nil {
			return 0, err
		}
		samples = append(samples, s)
	}
	slices.Sort(samples)
	return samples[len(samples)/2], nil
}

// random writes an array of numbers between -1 and 1 and returns it on the engine.
func (a *arrays) random(name string, dtype tensor.Dtype, shape ...int) (*tensor.Dense, error) {
	host := a.engine.Host().New(tensor.Float64, shape...)
	for i := range host.Float64s() {
		host.Float64s()[i] = float64(float32(2*a.rng.Float64() - 1))
	}
	return a.keep(name, dtype, host)
}

// symmetric writes kernel matrices exp(x.y - 1) of random rows of norm 1.
func (a *arrays) symmetric(name string) (*tensor.Dense, error) {
	columns := a.columns
	host := a.engine.Host().New(tensor.Float64, matrices, columns, columns)
	const d = 32
	for m := range matrices {
		rows := make([][d]float64, columns)
		for i := range rows {
			norm := 0.0
			for j := range d {
				rows[i][j] = a.rng.NormFloat64()
				norm += rows[i][j] * rows[i][j]
			}
			for j := range d {
				rows[i][j] /= math.Sqrt(norm)
			}
		}
		for i := range columns {
			for j := range columns {
				dot := 0.0
				for l := range d {
					dot += rows[min(i, j)][l] * rows[max(i, j)][l]
				}
				host.Float64s()[(m*columns+i)*columns+j] = math.Exp(dot - 1)
			}
		}
	}
	return a.keep(name, tensor.Float64, host)
}

// keep writes a host tensor as an array and returns it on the engine.
func (a *arrays) keep(name string, dtype tensor.Dtype, host *tensor.Dense) (*tensor.Dense, error) {
	typed := a.engine.Host().New(dtype, host.Shape()...)
	if err := a.engine.Host().Convert(typed, host); err != nil {
		return nil, err
	}
	if err := a.save(name, typed.Data()); err != nil {
		return nil, err
	}
	return engine.FromHost(a.engine, typed)
}

func (a *arrays) save(name string, array any) error {
	return atomicfile.Write(filepath.Join(a.folder, name+".npy"), func(w io.Writer) error { return npy.Write(w, array) })
}
