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

// Dtypes returns the types that a case is run in: both, but for operations that know float64 alone.
func (c Case) Dtypes() []tensor.Dtype {
	switch c.Operation {
	case "InvSqrt", "InvSqrtGrad", "SubsetWalks", "DynamicFeatures", "BestSplits", "Grow", "Descend":
		return []tensor.Dtype{tensor.Float64}
	}
	return []tensor.Dtype{tensor.Float32, tensor.Float64}
}

// Run checks e against the reference on every case and its dtypes, each case a subtest.
func Run(t *testing.T, e engine.Engine) {
	for _, c := range Cases() {
		t.Run(c.Operation+"/"+c.Name, func(t *testing.T) {
			for _, dtype := range c.Dtypes() {
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
	_, err := check(c, &call{e: e, dtype: dtype})
	return err
}

// CheckBits is [Check] that also returns the bit patterns of the outputs, see [Case.Bits].
func CheckBits(c Case, e engine.Engine, dtype tensor.Dtype) (bits string, err error) {
	got := &call{e: e, dtype: dtype}
	if _, err := check(c, got); err != nil {
		return "", err
	}
	return got.bits(), nil
}

// check is [Check] that also returns the largest difference as a share of the admissible one.
func check(c Case, got *call) (worst float64, err error) {
	dtype := got.dtype
	want := &call{e: engine.Reference{}, dtype: dtype}
	wantErr := c.run(want)
	if err = got.do(c); (err == nil) != (wantErr == nil) {
		return 0, fmt.Errorf("error %v, reference %v", err, wantErr)
	}
	unit := 1e-12
	if dtype == tensor.Float32 {
		unit = 2e-6
	}
	for i := range want.outputs {
		each := want.each && dtype == tensor.Float64
		share, err := compare(got.outputs[i].values(), want.outputs[i].values(), c.Tolerance*unit, each)
		worst = max(worst, share)
		if err != nil {
			return worst, fmt.Errorf("output %d: %w", i, err)
		}
		if err := got.outputs[i].checkGuard(); err != nil {
			return worst, fmt.Errorf("output %d: %w", i, err)
		}
	}
	return worst, nil
}

// compare returns the largest difference as a share of the admissible one, and an error where an element
// differs by more. The admissible one is relative to the largest magnitude, or to that of each element.
func compare(got, want []float64, tolerance float64, each bool) (worst float64, err error) {
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
		d := math.Abs(got[i] - w)
		if each {
			largest = math.Abs(w)
		}
		if !(d <= tolerance*largest) {
			return worst, fmt.Errorf("element %d is %.9g, reference %.9g (largest %.3g, allowed difference %.2g)",
				i, got[i], w, largest, tolerance*largest)
		}
		worst = max(worst, d/(tolerance*largest))
	}
	return worst, nil
}

// call is one run of a case on one engine.
type call struct {
	e       engine.Engine
	dtype   tensor.Dtype
	outputs []*output
	each    bool  // element by element in float64, not by the largest, is the admissible error
	err     error // of the run
}

// output is a tensor between guard words. On a device the tensor has memory of its own there, whose
// surroundings the device must watch, and the host's copy is filled after the run.
type output struct {
	f32    []float32
	f64    []float64
	i32    []int32
	shape  int
	device *tensor.Dense
}

const (
	guard    = 16 // sentinel elements on either side
	sentinel = -12345
)

// output returns a tensor of the call's dtype full of NaN: an operation must not read it.
func (c *call) output(shape ...int) *tensor.Dense { return c.outputOf(c.dtype, shape...) }

func (c *call) outputOf(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	o := &output{shape: tensor.Shape(shape).TotalSize()}
	c.outputs = append(c.outputs, o)
	if dtype == tensor.Float32 {
		o.f32 = guarded(o.shape, float32(math.NaN()))
	} else {
		o.f64 = guarded(o.shape, math.NaN())
	}
	host := tensor.New(tensor.WithEngine(c.e.Host()), tensor.WithShape(shape...), tensor.WithBacking(o.backing()))
	out := c.place(host)
	if out != host {
		o.device = out
	}
	return out
}

// backing returns the elements between the guard words.
func (o *output) backing() any {
	if o.f32 != nil {
		return o.f32[guard : guard+o.shape : guard+o.shape]
	}
	return o.f64[guard : guard+o.shape : guard+o.shape]
}

// place returns a host tensor on the engine of the call.
func (c *call) place(host *tensor.Dense) *tensor.Dense {
	t, err := engine.FromHost(c.e, host)
	if err != nil {
		panic(err) // the suite's tensors are small
	}
	return t
}

// fetch brings the outputs of a device to the host.
func (c *call) fetch() error {
	for _, o := range c.outputs {
		if o.device == nil {
			continue
		}
		host := tensor.New(tensor.WithShape(o.device.Shape()...), tensor.WithBacking(o.backing()))
		if err := c.e.Convert(host, o.device); err != nil {
			return err
		}
	}
	return nil
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
	return c.upload(dtype, normal(seed, tensor.Shape(shape).TotalSize()), shape...)
}

// normal returns n standard normal numbers that float32 represents.
func normal(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(float32(rng.NormFloat64()))
	}
	return x
}

// upload returns a tensor on the engine of the call with given elements.
func (c *call) upload(dtype tensor.Dtype, x []float64, shape ...int) *tensor.Dense {
	host := c.e.Host().New(dtype, shape...)
	if dtype == tensor.Float64 {
		copy(host.Float64s(), x)
	} else {
		for i, v := range x {
			host.Float32s()[i] = float32(v)
		}
	}
	return c.place(host)
}

// Bits runs the case on e and returns the bit patterns of its outputs, or the error.
func (c Case) Bits(e engine.Engine, dtype tensor.Dtype) string {
	run := &call{e: e, dtype: dtype}
	_ = run.do(c) // is part of the bits
	return run.bits()
}

// do runs a case and brings its outputs to the host.
func (c *call) do(of Case) error {
	if c.err = of.run(c); c.err == nil {
		c.err = c.fetch()
	}
	return c.err
}

func (c *call) bits() string {
	if c.err != nil {
		return c.err.Error()
	}
	var bits strings.Builder
	for _, o := range c.outputs {
		for _, v := range o.values() {
			binary.Write(&bits, binary.LittleEndian, math.Float64bits(v))
		}
	}
	return bits.String()
}
