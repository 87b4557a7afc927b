package enginetest

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// MemoryCase is a promise of [engine.Memory], or of what [engine.Engine] says of itself.
type MemoryCase struct {
	Method string // of the interface
	Name   string

	// check returns how an engine breaks the promise for tensors of a dtype and shape.
	check func(e engine.Engine, dtype tensor.Dtype, shape []int) error
}

// RunMemory checks the promises on engines that open returns: each case, dtype and shape on a new one, which it closes
// twice.
func RunMemory(t *testing.T, open func(t *testing.T) engine.Engine) {
	for _, c := range MemoryCases() {
		t.Run(c.Method+"/"+c.Name, func(t *testing.T) {
			for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
				for _, shape := range [][]int{{0, 3}, {7, 5}, {2, 50, 50}} { // small memory is not cached, large is
					e := open(t)
					if err := c.check(e, dtype, shape); err != nil {
						t.Errorf("%v, %v: %v", dtype, shape, err)
					}
					for range 2 {
						if err := e.Close(); err != nil {
							t.Errorf("%v, %v: closing: %v", dtype, shape, err)
						}
					}
				}
			}
		})
	}
}

// MemoryCases returns the promises of the memory of engines.
func MemoryCases() []MemoryCase {
	return []MemoryCase{
		{"New", "zeroed, after use as well", newIsZeroed},
		{"Scratch", "apart from others", scratchIsApart},
		{"View", "the same memory", onTensor(viewShares)},
		{"View", "beyond the end", viewPanics},
		{"View", "keeps collected memory", viewKeeps},
		{"Release", "nil and many", onTensor(releaseMany)},
		{"Mirror", "there and back", onTensor(mirrorRoundTrip)},
		{"Mirror", "copies only where it must", mirrorIsItself},
		{"Available", "more than nothing", availableIsPositive},
		{"Close", "host memory stays", closeKeepsHost},
		{"WithWorkers", "tensors of the whole", onTensor(fewerWorkersShare)},
		{"Host", "host memory", hostIsHost},
		{"Synchronize", "after work", onTensor(synchronizes)},
		{"Capabilities", "say the truth", capabilitiesHold},
		{"Describe", "begins with the name", describesItself},
	}
}

// special returns n numbers whose bits are easily lost: zeros with a sign, infinities, subnormal ones.
func special(n int) []float64 {
	x := normal(uint64(n), n)
	for i, v := range []float64{math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 0x1p-149, math.MaxFloat32} {
		if i < n {
			x[n-1-i] = v
		}
	}
	return x
}

// put returns a tensor of e with the given elements.
func put(e engine.Engine, dtype tensor.Dtype, x []float64, shape []int) (*tensor.Dense, error) {
	t := e.Scratch(dtype, shape...)
	return t, write(e, t, x)
}

func write(e engine.Engine, t *tensor.Dense, x []float64) error {
	return e.Convert(t, tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x)))
}

// holds says where t does not have the given elements, to the bit.
func holds(e engine.Engine, t *tensor.Dense, want []float64) error {
	got := make([]float64, len(want))
	if err := e.Convert(tensor.New(tensor.WithShape(len(got)), tensor.WithBacking(got)), t); err != nil {
		return err
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			return fmt.Errorf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

// onTensor makes a check of one on a tensor of special elements, which it releases afterwards.
func onTensor(check func(e engine.Engine, t *tensor.Dense, x []float64) error) func(engine.Engine, tensor.Dtype,
	[]int) error {
	return func(e engine.Engine, dtype tensor.Dtype, shape []int) error {
		x := special(size(shape))
		t, err := put(e, dtype, x, shape)
		if err != nil {
			return err
		}
		defer e.Release(t)
		return check(e, t, x)
	}
}

func size(shape []int) int { return tensor.Shape(shape).TotalSize() }

func newIsZeroed(e engine.Engine, dtype tensor.Dtype, shape []int) error {
	used, err := put(e, dtype, special(size(shape)), shape)
	if err != nil {
		return err
	}
	e.Release(used)
	t := e.New(dtype, shape...)
	defer e.Release(t)
	if t.Dtype() != dtype || !t.Shape().Eq(tensor.Shape(shape)) {
		return fmt.Errorf("a tensor of %v, %v", t.Dtype(), t.Shape())
	}
	return holds(e, t, make([]float64, size(shape)))
}

func scratchIsApart(e engine.Engine, dtype tensor.Dtype, shape []int) error {
	var all []*tensor.Dense
	for i := range 3 {
		t, err := put(e, dtype, normal(uint64(i), size(shape)), shape)
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	defer e.Release(all...)
	for i, t := range all {
		if err := holds(e, t, normal(uint64(i), size(shape))); err != nil {
			return fmt.Errorf("tensor %d of 3: %w", i+1, err)
		}
	}
	return nil
}

func viewShares(e engine.Engine, t *tensor.Dense, x []float64) error {
	first := len(x) / 3
	outer := e.View(t, first, len(x)-first)
	inner := engine.View(outer, first, 1, len(x)-2*first)
	if err := holds(e, inner, x[2*first:]); err != nil {
		return fmt.Errorf("read through a view: %w", err)
	}
	copy(x[2*first:], normal(7, len(x)-2*first))
	if err := write(e, inner, x[2*first:]); err != nil {
		return err
	}
	return holds(e, t, x)
}

func viewPanics(e engine.Engine, dtype tensor.Dtype, shape []int) (err error) {
	t := e.New(dtype, shape...)
	defer e.Release(t)
	defer func() {
		if recover() == nil {
			err = errors.New("a view of one element more than there are")
		}
	}()
	e.View(t, 1, size(shape))
	return nil
}

func viewKeeps(e engine.Engine, dtype tensor.Dtype, shape []int) error {
	x := special(size(shape))
	t, err := put(e, dtype, x, shape)
	if err != nil {
		return err
	}
	view := e.View(t, 0, len(x))
	t = nil
	runtime.GC()
	runtime.GC()
	other, err := put(e, dtype, normal(3, len(x)), shape) // would take the memory
	if err != nil {
		return err
	}
	defer e.Release(other)
	return holds(e, view, x)
}

func releaseMany(e engine.Engine, t *tensor.Dense, x []float64) error {
	for range 10 {
		e.Release(nil, e.New(t.Dtype(), t.Shape()...), e.Scratch(t.Dtype(), t.Shape()...), nil)
		e.Release()
	}
	return holds(e, t, x)
}

func mirrorRoundTrip(e engine.Engine, t *tensor.Dense, x []float64) error {
	home, err := engine.ToHost(t)
	if err != nil {
		return err
	}
	if !home.IsNativelyAccessible() || home.Dtype() != t.Dtype() || !home.Shape().Eq(t.Shape()) {
		return fmt.Errorf("in host memory: %v, %v", home.Dtype(), home.Shape())
	}
	back, err := engine.FromHost(e, home)
	if err != nil {
		return err
	}
	if back != home {
		defer e.Release(back)
	}
	if err := holds(e, back, x); err != nil {
		return err
	}
	if err := e.Convert(t, t); err != nil {
		return err
	}
	return holds(e, t, x)
}

func mirrorIsItself(e engine.Engine, dtype tensor.Dtype, shape []int) error {
	t := e.New(dtype, shape...)
	defer e.Release(t)
	home := e.Host().New(dtype, shape...)
	onEngine := e.Mirror(home)
	if onEngine != home {
		defer e.Release(onEngine)
	}
	if same := t.IsNativelyAccessible(); same != (e.Mirror(t) == t) || same != (onEngine == home) {
		return fmt.Errorf("host memory: %v, the mirror is the tensor itself: %v", same, e.Mirror(t) == t)
	}
	if again, err := engine.FromHost(e, t); err != nil || again != t {
		return fmt.Errorf("a tensor of the engine brought there is another one (error %v)", err)
	}
	return nil
}

func availableIsPositive(e engine.Engine, _ tensor.Dtype, _ []int) error {
	if free, err := e.Available(); err != nil || free <= 0 {
		return fmt.Errorf("%d bytes, error %v", free, err)
	}
	return nil
}

func closeKeepsHost(e engine.Engine, dtype tensor.Dtype, shape []int) error {
	x := special(size(shape))
	t, err := put(e, dtype, x, shape)
	if err != nil {
		return err
	}
	home, err := engine.ToHost(t)
	if err != nil {
		return err
	}
	if home != t {
		e.Release(t)
	}
	if err := holds(e.Host(), home, x); err != nil {
		return err
	}
	if err := e.Close(); err != nil {
		return err
	}
	if err := holds(e.Host(), home, x); err != nil {
		return fmt.Errorf("after closing: %w", err)
	}
	after := e.New(dtype, shape...)
	err = e.Convert(after, home)
	if home != t && len(x) > 0 && err == nil {
		return errors.New("a device that is closed took a tensor")
	}
	if home == t && err != nil {
		return err
	}
	e.Release(after)
	return nil
}

func fewerWorkersShare(e engine.Engine, t *tensor.Dense, x []float64) error {
	for _, workers := range []int{0, 1, 3} {
		fewer := e.WithWorkers(workers)
		if fewer.Workers() < 1 {
			return fmt.Errorf("%d workers", fewer.Workers())
		}
		copied := fewer.Scratch(t.Dtype(), t.Shape()...)
		if err := fewer.Convert(copied, t); err != nil {
			return err
		}
		if err := holds(e, copied, x); err != nil {
			return fmt.Errorf("%d workers: %w", workers, err)
		}
		fewer.Release(copied)
	}
	return nil
}

func hostIsHost(e engine.Engine, dtype tensor.Dtype, shape []int) error {
	host := e.Host()
	if host.Host() != host || host.Workers() != e.Workers() {
		return fmt.Errorf("%v of %d workers beside %v of %d", host, host.Workers(), e, e.Workers())
	}
	if t := host.New(dtype, shape...); !t.IsNativelyAccessible() || host.Mirror(t) != t {
		return errors.New("tensors that Go cannot read")
	}
	return nil
}

func synchronizes(e engine.Engine, _ *tensor.Dense, _ []float64) error { return e.Synchronize() }

// capabilitiesHold checks that only what lies beyond the host's memory is done later.
func capabilitiesHold(e engine.Engine, dtype tensor.Dtype, shape []int) error {
	if c, t := e.Capabilities(), e.New(dtype, shape...); c.Deferred && t.IsNativelyAccessible() {
		return errors.New("results that the host can read before they are there")
	}
	return nil
}

func describesItself(e engine.Engine, _ tensor.Dtype, _ []int) error {
	if name, text := e.String(), e.Describe(); name == "" || len(text) < len(name) || text[:len(name)] != name {
		return fmt.Errorf("%q describes itself as %q", name, text)
	}
	return nil
}
