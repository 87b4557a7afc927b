package main

import (
	"time"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// elsewhere reports whether an engine computes on something else than the host's processor.
func elsewhere(e engine.Engine) bool { return e.Host() != e }

// arithmeticOfDevice takes the rates of arithmetic from the properties of a GPU, so that no kernel of Grove sets the
// mark that it is held against. Where the properties do not tell, kernels do that have no other purpose.
func (m *ratings) arithmeticOfDevice() error {
	if m.tools == nil {
		return nil
	}
	attained, err := m.tools.MeasureRates()
	if err != nil {
		return err
	}
	h := m.tools.Hardware()
	m.rates, m.rates.Attained = h.peaks(), &attained
	m.rates.Copy = 0 // the bus is faster than any program
	for _, r := range []struct {
		peak     *float64
		attained float64
	}{
		{&m.rates.Peak32, attained.Peak32}, {&m.rates.Peak64, attained.Peak64}, {&m.rates.Exp32, attained.Exp32},
		{&m.rates.Exp64, attained.Exp64},
	} {
		if *r.peak == 0 {
			*r.peak = r.attained
		}
	}
	return nil
}

// copyOnDevice copies within the memory of a device, beyond its cache, and between it and the host.
func (m *ratings) copyOnDevice() error {
	n, clock := m.sizes.copied, m.clock
	if m.tools != nil {
		h := m.tools.Hardware()
		n, clock.elapsed = max(n, h.CacheBytes), m.tools.Elapsed // 4 bytes each
	}
	host := tensor.New(tensor.WithShape(n), tensor.WithBacking(m.random.slice(n)))
	from, to := m.engine.New(tensor.Float32, n), m.engine.New(tensor.Float32, n)
	defer m.engine.Release(from, to)
	bytes := 4 * float64(n)
	for _, c := range []struct {
		rate     *float64
		bytes    float64
		dst, src *tensor.Dense
	}{
		{&m.rates.Upload, bytes, from, host}, {&m.rates.Copy, 2 * bytes, to, from}, {&m.rates.Download, bytes, host, to},
	} {
		times, err := clock.measure(func() error { return m.engine.Convert(c.dst, c.src) })
		if err != nil {
			return err
		}
		*c.rate = c.bytes / clock.seconds(times[0])
	}
	onHost := &ratings{clock: m.clock, sizes: m.sizes, engine: m.engine.Host()}
	err := onHost.copyOnHost()
	m.rates.CopyAll = onHost.rates.CopyAll
	return err
}

// fillCache makes what [runner.evict] copies.
func (r *runner) fillCache() error {
	h := r.tools.Hardware()
	for i := range r.far {
		r.far[i] = r.engine.New(tensor.Float32, max(h.CacheBytes/2, 1)) // twice the cache
	}
	return r.engine.Synchronize()
}

// evict takes everything out of the cache of a GPU.
func (r *runner) evict() error { return r.engine.Convert(r.far[0], r.far[1]) }

// coldStart notes how long a device has taken to open, and takes for its first call.
func (r *runner) coldStart(opened time.Duration) error {
	if !r.onDevice() {
		return nil
	}
	r.report.Machine.Cold = &cold{Open: opened.Seconds()}
	x := r.engine.New(tensor.Float32, 32, 32)
	defer r.engine.Release(x)
	for _, seconds := range []*float64{&r.report.Machine.Cold.First, &r.report.Machine.Cold.Second} {
		start := time.Now()
		if err := r.engine.NormalizeRows(x, nil, x, 1e-4); err != nil {
			return err
		}
		if err := r.engine.Synchronize(); err != nil {
			return err
		}
		*seconds = time.Since(start).Seconds()
	}
	return nil
}
