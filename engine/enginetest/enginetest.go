// Package enginetest is the conformance suite: every operation of [engine.Engine] on shapes that
// break things, for both dtypes, against the float64 reference. A new engine is tested by one line:
//
//	func TestConformance(t *testing.T) { enginetest.Run(t, myEngine) }
//
// Every operation has rows in the table that [Cases] returns; a test in package engine holds the table
// against the method set of the interface.
package enginetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Case is one call of an operation on given shapes.
type Case struct {
	Operation string // method of engine.Engine
	Name      string // shape and options, unique within the operation

	// Tolerance scales the admissible error, relative to the largest magnitude of an output; 1 means
	// 1e-12 in float64 and 2e-6 in float32.
	Tolerance float64

	// run makes its inputs with the call, runs the operation and hands its outputs to the call.
	run func(c *call) error
}

// Run checks e against the reference on every case and both dtypes, each case a subtest.
func Run(t *testing.T, e engine.Engine) {
	for _, c := range Cases() {
		t.Run(c.Operation+"/"+c.Name, func(t *testing.T) {
			for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
				if err := Check(c, e, dtype); err != nil {
					t.Errorf("%v: %v", dtype, err)
				}
			}
		})
	}
}

// Check runs one case on e and on the reference and returns how they differ, nil where they agree.
// Guard words around every output must be untouched.
func Check(c Case, e engine.Engine, dtype tensor.Dtype) error {
	want := &call{e: engine.Reference{}, dtype: dtype}
	got := &call{e: e, dtype: dtype}
	wantErr, err := c.run(want), c.run(got)
	if (err == nil) != (wantErr == nil) {
		return fmt.Errorf("error %v, reference %v", err, wantErr)
	}
	unit := 1e-12
	if dtype == tensor.Float32 {
		unit = 2e-6
	}
	for i := range want.outputs {
		if err := compare(got.outputs[i].values(), want.outputs[i].values(), c.Tolerance*unit); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
		if err := got.outputs[i].checkGuard(); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

func compare(got, want []float64, tolerance float64) error {
	largest := 0.0
	for _, v := range want {
		if !math.IsInf(v, 0) {
			largest = max(largest, math.Abs(v))
		}
	}
	for i, w := range want {
		if got[i] == w || (math.IsNaN(got[i]) && math.IsNaN(w)) {
			continue
		}
		if d := math.Abs(got[i] - w); !(d <= tolerance*largest) {
			return fmt.Errorf("element %d is %.9g, reference %.9g (largest %.3g, allowed difference %.2g)", i, got[i], w, largest, tolerance*largest)
		}
	}
	return nil
}

// call is one run of a case on one engine.
type call struct {
	e       engine.Engine
	dtype   tensor.Dtype
	outputs []*output
}

// output is a tensor between guard words.
type output struct {
	f32   []float32
	f64   []float64
	i32   []int32
	shape int
}

const (
	guard    = 16 // sentinel elements on either side
	sentinel = -12345
)

// output returns a tensor of the call's dtype full of NaN: an operation must not read it.
func (c *call) output(shape ...int) *tensor.Dense { return c.outputOf(c.dtype, shape...) }

func (c *call) outputOf(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	o := &output{shape: 1}
	for _, s := range shape {
		o.shape *= s
	}
	c.outputs = append(c.outputs, o)
	if dtype == tensor.Float32 {
		o.f32 = guarded(o.shape, float32(math.NaN()))
		return tensor.New(tensor.WithEngine(c.e), tensor.WithShape(shape...), tensor.WithBacking(o.f32[guard:guard+o.shape:guard+o.shape]))
	}
	o.f64 = guarded(o.shape, math.NaN())
	return tensor.New(tensor.WithEngine(c.e), tensor.WithShape(shape...), tensor.WithBacking(o.f64[guard:guard+o.shape:guard+o.shape]))
}

// indices returns an output of n integers.
func (c *call) indices(n int) []int32 {
	o := &output{shape: n, i32: guarded(n, int32(-1))}
	c.outputs = append(c.outputs, o)
	return o.i32[guard : guard+n : guard+n]
}

func guarded[T float32 | float64 | int32](n int, fill T) []T {
	all := make([]T, n+2*guard)
	for i := range all {
		all[i] = sentinel
		if i >= guard && i < guard+n {
			all[i] = fill
		}
	}
	return all
}

func (o *output) all() []float64 {
	var out []float64
	for _, v := range o.f32 {
		out = append(out, float64(v))
	}
	for _, v := range o.i32 {
		out = append(out, float64(v))
	}
	return append(out, o.f64...)
}

func (o *output) values() []float64 { return o.all()[guard : guard+o.shape] }

func (o *output) checkGuard() error {
	all := o.all()
	for i := range guard {
		if all[i] != sentinel || all[guard+o.shape+i] != sentinel {
			return errors.New("wrote outside of the output")
		}
	}
	return nil
}

// random returns a tensor of standard normal numbers, the same for every engine.
func (c *call) random(seed uint64, shape ...int) *tensor.Dense {
	return c.randomOf(c.dtype, seed, shape...)
}

func (c *call) randomOf(dtype tensor.Dtype, seed uint64, shape ...int) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	t := engine.New(c.e, dtype, shape...)
	if dtype == tensor.Float32 {
		for i := range t.Float32s() {
			t.Float32s()[i] = float32(rng.NormFloat64())
		}
		return t
	}
	for i := range t.Float64s() {
		t.Float64s()[i] = float64(float32(rng.NormFloat64()))
	}
	return t
}

// Bits runs the case on e and returns the bit patterns of its outputs.
func (c Case) Bits(e engine.Engine, dtype tensor.Dtype) string {
	run := &call{e: e, dtype: dtype}
	if err := c.run(run); err != nil {
		return err.Error()
	}
	var bits strings.Builder
	for _, o := range run.outputs {
		for _, v := range o.values() {
			binary.Write(&bits, binary.LittleEndian, math.Float64bits(v))
		}
	}
	return bits.String()
}
