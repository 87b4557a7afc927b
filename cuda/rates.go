//go:build gpu

package cuda

import (
	"gorgonia.org/cu"
	"gorgonia.org/tensor"
)

// Elapsed returns the seconds that the device takes for what run asks of it, by events on the stream of the kernels,
// which uploads wait for at the start and which waits for them at the end.
func (e *Engine) Elapsed(run func() error) (seconds float64, err error) {
	var start, end cu.Event
	err = e.do("timing", func() (err error) {
		if start, err = cu.MakeEvent(cu.DefaultEvent); err != nil {
			return err
		}
		if end, err = cu.MakeEvent(cu.DefaultEvent); err != nil {
			return together(err, cu.DestroyEvent(&start))
		}
		if err := start.Record(e.compute.stream); err != nil {
			return err
		}
		return e.copies.stream.Wait(start, 0)
	})
	if err != nil {
		return 0, err
	}
	failed := run()
	err = e.do("timing", func() error {
		err := e.compute.follow(e.copies, e.copies.queued)
		if err == nil {
			err = end.Record(e.compute.stream)
		}
		if err == nil {
			err = e.synchronize()
		}
		if err == nil {
			seconds, err = start.Elapsed(end)
		}
		return together(err, cu.DestroyEvent(&start), cu.DestroyEvent(&end))
	})
	return seconds / 1e3, together(failed, err)
}

// Properties describes the GPU of the engine, all but its free memory.
func (e *Engine) Properties() Device { return e.device.describe() }

// Simulated reports whether the driver is a simulated one, whose times say nothing about a GPU.
func Simulated() bool { return simulated() }

// Rates are what the units of a GPU do in a second, measured by kernels that do nothing else. A multiply-add is two
// operations.
type Rates struct {
	Operations32, Operations64     float64
	Exponentials32, Exponentials64 float64
}

// MeasureRates takes some milliseconds.
func (e *Engine) MeasureRates() (r Rates, err error) {
	if r.Operations32, r.Exponentials32, err = measureRates[float32](e, tensor.Float32); err != nil {
		return r, err
	}
	r.Operations64, r.Exponentials64, err = measureRates[float64](e, tensor.Float64)
	return r, err
}

// The work of a round of the kernels rate_* in a thread, and the seconds that a launch is to take at least.
const (
	rateOperations   = 32
	rateExponentials = 8
	rateSeconds      = 2e-3
)

func measureRates[T real](e *Engine, dtype tensor.Dtype) (operations, exponentials float64, err error) {
	g := grid{blocks: dim{x: 8 * e.device.multiprocessors}, threads: dim{x: 256}}
	threads := g.blocks.x * g.threads.x
	out := e.Scratch(dtype, threads)
	defer e.Release(out)
	measure := func(work int, launch func(s *stream, to pointer[T], rounds int32) error) (float64, error) {
		for rounds := int32(32); ; rounds *= 4 {
			seconds, err := e.Elapsed(func() error {
				k := e.begin("MeasureRates")
				to := of[T](k, out)
				return k.run(func(s *stream) error { return launch(s, to, rounds) })
			})
			if err != nil || seconds >= rateSeconds || rounds >= 1<<26 {
				return float64(work) * float64(threads) * float64(rounds) / seconds, err
			}
		}
	}
	operations, err = measure(rateOperations, func(s *stream, to pointer[T], rounds int32) error {
		return rateMultiplyAdd(s, g, to, rounds, T(0.5), T(0.25))
	})
	if err != nil {
		return 0, 0, err
	}
	exponentials, err = measure(rateExponentials, func(s *stream, to pointer[T], rounds int32) error {
		return rateExponential(s, g, to, rounds)
	})
	return operations, exponentials, err
}
