package autodiff

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
	"gorgonia.org/tensor"
)

// timed is an engine that adds up the time of its operations.
type timed struct {
	*engine.CPU
	spent time.Duration
}

func (e *timed) measure(start time.Time, err error) error {
	e.spent += time.Since(start)
	return err
}

func (e *timed) MatMul(c, a, b *tensor.Dense, opt engine.MatMul) error {
	return e.measure(time.Now(), e.CPU.MatMul(c, a, b, opt))
}

func (e *timed) SparseMatMul(y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	return e.measure(time.Now(), e.CPU.SparseMatMul(y, a, x))
}

func (e *timed) NormalizeRows(dst, norms, x *tensor.Dense, eps float64) error {
	return e.measure(time.Now(), e.CPU.NormalizeRows(dst, norms, x, eps))
}

func (e *timed) PathPool(out []*tensor.Dense, scores, norms *tensor.Dense, p *engine.PathPooling) error {
	return e.measure(time.Now(), e.CPU.PathPool(out, scores, norms, p))
}

func (e *timed) PathPoolGrad(scoreGrad, normGrad *tensor.Dense, outGrad []*tensor.Dense, scores, norms *tensor.Dense, p *engine.PathPooling) error {
	return e.measure(time.Now(), e.CPU.PathPoolGrad(scoreGrad, normGrad, outGrad, scores, norms, p))
}

func (e *timed) Gram(out, z *tensor.Dense, kernel engine.Kernel, allLengths bool) error {
	return e.measure(time.Now(), e.CPU.Gram(out, z, kernel, allLengths))
}

func (e *timed) GramGrad(zGrad, z, kGrad, k *tensor.Dense, kernel engine.Kernel, allLengths bool) error {
	return e.measure(time.Now(), e.CPU.GramGrad(zGrad, z, kGrad, k, kernel, allLengths))
}

func (e *timed) InvSqrt(dst *tensor.Dense, kept *engine.Spectrum, k *tensor.Dense, eps float64, rule engine.InvSqrtRule) error {
	return e.measure(time.Now(), e.CPU.InvSqrt(dst, kept, k, eps, rule))
}

func (e *timed) InvSqrtGrad(kGrad, dstGrad *tensor.Dense, s *engine.Spectrum, eps float64, rule engine.InvSqrtRule) error {
	return e.measure(time.Now(), e.CPU.InvSqrtGrad(kGrad, dstGrad, s, eps, rule))
}

func (e *timed) SegmentReduce(out, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error {
	return e.measure(time.Now(), e.CPU.SegmentReduce(out, x, s, pool))
}

func (e *timed) SoftmaxCrossEntropy(loss, grad, logits *tensor.Dense, target []int32) error {
	return e.measure(time.Now(), e.CPU.SoftmaxCrossEntropy(loss, grad, logits, target))
}

func (e *timed) Adam(parameter, moment1, moment2, gradient *tensor.Dense, step engine.Adam) error {
	return e.measure(time.Now(), e.CPU.Adam(parameter, moment1, moment2, gradient, step))
}

func (e *timed) Place(dst, src *tensor.Dense, index []int32, at engine.Placement) error {
	return e.measure(time.Now(), e.CPU.Place(dst, src, index, at))
}

func (e *timed) Convert(dst, src *tensor.Dense) error {
	return e.measure(time.Now(), e.CPU.Convert(dst, src))
}

func (e *timed) NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error {
	return e.measure(time.Now(), e.CPU.NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms, eps))
}

// BenchmarkEpoch trains on NCI1, batches of 32, 32 filters, paths of up to 4 vertices, one worker. It
// reports the median time of a step, the share of it that is not spent in operations of the engine, and the
// layout of a batch.
func BenchmarkEpoch(b *testing.B) {
	data, err := dataset.Open(testfiles.Data(b, "tu", "NCI1"))
	if err != nil {
		b.Fatal(err)
	}
	known := data.Batch.PathClasses(data.Batch.Labels, 4, true, false, 2).Class
	for name, sizes := range map[string][]int{"path": {4}, "subtree": {4, 1}} {
		b.Run(name, func(b *testing.B) {
			e := &timed{CPU: engine.NewCPU(1)}
			net, features := benchmarkNetwork(b, e, sizes, data.Batch.NumLabels)
			var graphs []*graph.Batch
			var classes [][]int32
			var paths [][][]int32 // of each batch: classes for each length
			order := rand.New(rand.NewPCG(1, 1)).Perm(data.Batch.NumGraphs())
			for len(order) > 0 {
				pick := order[:min(32, len(order))]
				order = order[len(pick):]
				target, ofPaths := make([]int32, len(pick)), make([][]int32, len(known))
				for i, g := range pick {
					target[i] = int32(data.Classes[g])
					from, to := data.Batch.Vertices(g)
					for j := range ofPaths {
						ofPaths[j] = append(ofPaths[j], known[j][from:to]...)
					}
				}
				paths = append(paths, ofPaths)
				graphs, classes = append(graphs, data.Batch.Select(pick)), append(classes, target)
			}
			var moments [2][]*tensor.Dense
			for _, p := range net.Parameters().List() {
				for i := range moments {
					moments[i] = append(moments[i], engine.New(e, tensor.Float32, p.Shape()...))
				}
			}
			var prepare, step, outside []time.Duration
			for b.Loop() {
				for i, g := range graphs {
					start := time.Now()
					batch, err := net.Prepare(g, Features{Rows: features, Index: g.Labels, Unit: true, Classes: paths[i]}, Targets{Classes: classes[i]}, nil)
					if err != nil {
						b.Fatal(err)
					}
					prepare = append(prepare, time.Since(start))
					e.spent, start = 0, time.Now()
					if err := net.Step(batch); err != nil {
						b.Fatal(err)
					}
					grads, err := net.Gradients()
					if err != nil {
						b.Fatal(err)
					}
					for i, gradient := range grads.List() {
						adam := engine.Adam{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: len(step) + 1}
						if err := e.Adam(net.Parameters().List()[i], moments[0][i], moments[1][i], gradient, adam); err != nil {
							b.Fatal(err)
						}
					}
					if _, err := net.Loss(); err != nil {
						b.Fatal(err)
					}
					step, outside = append(step, time.Since(start)), append(outside, time.Since(start)-e.spent)
					batch.Release(e)
				}
			}
			b.ReportMetric(median(step), "us/step")
			b.ReportMetric(median(prepare), "us/prepare")
			b.ReportMetric(100*median(outside)/median(step), "%outside")
		})
	}
}

// median returns the median in microseconds: what a step takes where no other program interrupts it.
func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Nanoseconds()) / 1000
}

// benchmarkNetwork returns a network with random anchors and the rows of its labels.
func benchmarkNetwork(b *testing.B, e engine.Engine, sizes []int, labels int) (*Network, *tensor.Dense) {
	const filters = 32
	opt := Options{Epsilon: 0.01, Loss: CrossEntropy}
	var p Parameters
	rng, d, channels := rand.New(rand.NewPCG(2, 2)), labels, 1
	random := func(shape ...int) *tensor.Dense {
		values := make([]float64, tensor.Shape(shape).TotalSize())
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		return upload(b, e, tensor.Float32, values, shape...)
	}
	for _, size := range sizes {
		opt.Layers = append(opt.Layers, Layer{Size: size, AllLengths: true, Kernel: engine.Kernel{Alpha: 1 / 0.36}})
		p.Anchors = append(p.Anchors, random(size, filters, d))
		d, channels = filters, channels*size
	}
	p.Weight, p.Bias = random(2, filters*channels), random(1, 2)
	net, err := New(e, opt, p)
	if err != nil {
		b.Fatal(err)
	}
	identity := make([]float64, labels*labels)
	for i := range labels {
		identity[i*labels+i] = 1
	}
	return net, upload(b, e, tensor.Float32, identity, labels, labels)
}
