package main

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// elsewhere reports whether an engine computes on something else than the host's processor.
func elsewhere(e engine.Engine) bool { return e.Host() != e }

// copyOnDevice copies within the memory of a device, and between it and the host.
func (m *ratings) copyOnDevice() error {
	host := tensor.New(tensor.WithShape(m.sizes.copied), tensor.WithBacking(m.random.slice(m.sizes.copied)))
	from, to := m.engine.New(tensor.Float32, m.sizes.copied), m.engine.New(tensor.Float32, m.sizes.copied)
	defer m.engine.Release(from, to)
	bytes := 4 * float64(m.sizes.copied)
	for _, c := range []struct {
		rate     *float64
		bytes    float64
		dst, src *tensor.Dense
	}{
		{&m.rates.Upload, bytes, from, host}, {&m.rates.Copy, 2 * bytes, to, from}, {&m.rates.Download, bytes, host, to},
	} {
		if err := m.best(c.rate, c.bytes, func() error { return m.engine.Convert(c.dst, c.src) }); err != nil {
			return err
		}
	}
	onHost := &ratings{clock: m.clock, sizes: m.sizes, engine: m.engine.Host()}
	err := onHost.copyOnHost()
	m.rates.CopyAll = onHost.rates.CopyAll
	return err
}

// exponentialsOnDevice takes the best of two poolings. Single vertices with a table that stays in the cache
// cost a read and a write for every exponential; the paths in cliques cost many exponentials for every number
// that is read or written.
func (m *ratings) exponentialsOnDevice() error {
	if err := m.poolVertices(); err != nil {
		return err
	}
	return m.poolCliques()
}

func (m *ratings) poolVertices() error {
	rows, q := m.sizes.vector, m.sizes.filters
	for dtype, rate := range map[tensor.Dtype]*float64{tensor.Float32: &m.rates.Exp32, tensor.Float64: &m.rates.Exp64} {
		scores, err := m.random.matrix(m.engine, dtype, rows, q)
		if err != nil {
			return err
		}
		out := m.engine.New(dtype, rows, q)
		err = m.best(rate, float64(rows*q), func() error {
			return m.engine.PathPool([]*tensor.Dense{out}, scores, nil, &engine.PathPooling{Size: 1, Kernel: gramKernel()})
		})
		m.engine.Release(scores, out)
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *ratings) poolCliques() error {
	const order, size = 8, 4
	b, err := cliques(m.sizes.vector, order)
	if err != nil {
		return err
	}
	paths := 0
	for _, c := range b.PathCounts(size) {
		paths += int(c)
	}
	index := make([]int32, b.NumVertices())
	for dtype, rate := range map[tensor.Dtype]*float64{tensor.Float32: &m.rates.Exp32, tensor.Float64: &m.rates.Exp64} {
		scores, err := m.random.matrix(m.engine, dtype, 1, size*m.sizes.filters)
		if err != nil {
			return err
		}
		out := make([]*tensor.Dense, size)
		for j := range out {
			out[j] = m.engine.New(dtype, b.NumVertices(), m.sizes.filters)
		}
		err = m.best(rate, float64(paths)*float64(m.sizes.filters), func() error {
			return m.engine.PathPool(out, scores, nil,
				&engine.PathPooling{Graph: b, Index: index, Size: size, AllLengths: true, Kernel: gramKernel()})
		})
		m.engine.Release(append(out, scores)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// cliques returns complete graphs of the given order.
func cliques(graphs, order int) (*graph.Batch, error) {
	all := make([]graph.Graph, graphs)
	for g := range all {
		all[g].NumVertices = order
		for u := range int32(order) {
			for v := range u {
				all[g].AddArc(u, v)
			}
		}
	}
	return graph.NewBatch(all)
}
