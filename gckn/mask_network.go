package gckn

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// maskNetwork returns the model with a classifier on top as a network for masks: in Float64 in host memory, of one
// worker. The cross-entropy of a single output is its logistic loss.
func (m *Model) maskNetwork(c *svm.Linear) (*autodiff.KernelNetwork, error) {
	opt, p, host := m.opt.network(), autodiff.Parameters{}, engine.NewCPU(1)
	if opt.Loss = autodiff.CrossEntropy; len(c.Weight) == 1 {
		opt.Loss = autodiff.Logistic
	}
	var failed error
	local := func(t *tensor.Dense) *tensor.Dense {
		values, err := engine.Float64s(t)
		failed = errors.Join(failed, err)
		return tensor.New(tensor.WithEngine(host), tensor.WithShape(t.Shape()...), tensor.WithBacking(values))
	}
	for _, y := range m.layers {
		p.Anchors, p.Roots = append(p.Anchors, local(y.wide)), append(p.Roots, local(y.invSqrt))
	}
	p.Weight, p.Bias = local(matrixOf(c.Weight)), local(matrixOf([][]float64{c.Bias}))
	if failed != nil {
		return nil, failed
	}
	return autodiff.NewKernelNetwork(host, opt, p)
}

// maskedGraph is a graph with masks on its paths, laid out for a network that takes one after another.
type maskedGraph struct {
	network *autodiff.KernelNetwork
	batch   *autodiff.Batch
	err     error // the first of loss
}

// maxMasked bounds the kernel values of one graph that are held at once, half a gigabyte.
const maxMasked = 1 << 26

// mask lays out the only graph of b.
func (m *Model) mask(n *autodiff.KernelNetwork, b *graph.Batch, class int) (*maskedGraph, error) {
	copies := 1
	for l, y := range m.opt.Layers {
		if paths := countPaths(b, m.opt.route(), y.PathSize); paths*float64(y.Filters*copies) > maxMasked {
			return nil,
				fmt.Errorf("%.3g paths of up to %d vertices are too many for a mask on each; take a model with shorter paths",
					paths, y.PathSize)
		}
		copies = m.opt.channels(l)
	}
	in, err := features(m.input, engine.NewCPU(1), tensor.Float64, b)
	if err != nil {
		return nil, err
	}
	in.Masked = true
	batch, err := n.Prepare(b, in, autodiff.Targets{Classes: []int32{int32(class)}}, nil)
	return &maskedGraph{network: n, batch: batch}, err
}

// countPaths returns the number of paths or walks of all sizes.
func countPaths(b *graph.Batch, route graph.Route, size int) float64 {
	total := 0.0
	for _, walks := range b.WalkCounts(size) {
		total += walks
	}
	if route == graph.Walks || total <= maxMasked/16 { // no graph has more paths than walks
		return total
	}
	total = 0
	for _, paths := range b.PathCounts(size) {
		total += float64(paths)
	}
	return total
}

// loss returns the loss of the class with the given masks, and writes its gradient with respect to them.
func (w *maskedGraph) loss(masks, gradient []float64) float64 {
	if w.err == nil {
		w.err = w.network.StepMasked(w.batch, masks, gradient)
	}
	if w.err != nil {
		return 0
	}
	var loss float64
	loss, w.err = w.network.Loss()
	return loss
}

// list names the paths of the masks.
func (w *maskedGraph) list(masks []float64) []model.MaskedPath {
	out := make([]model.MaskedPath, 0, len(masks))
	w.batch.EachPath(func(layer int, vertices []int32) {
		out = append(out, model.MaskedPath{Layer: layer + 1, Vertices: vertices, Mask: masks[len(out)]})
	})
	return out
}
