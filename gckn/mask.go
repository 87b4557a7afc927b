package gckn

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/svm"
	"gonum.org/v1/gonum/optimize"
)

// Settings of the search for masks.
const (
	defaultLambda  = 0.01 // weight of the sum of all masks (appendix B.3)
	maskIterations = 1000 // steps of the optimiser at most
	maskTolerance  = 1e-6 // of a projected step along the gradient at the end
)

// Explain looks for the paths of every graph of b on which the decision for its class rests (section 4, Eq.
// 18): masks M in [0, 1] on the paths of all layers that minimise
//
//	loss(class, W Psi(paths, M) + b) + lambda sum of all M
//
// where a mask multiplies the kernel values of its path, and does not enter the count of a mean. Layers of
// single vertices have no masks, and the channels of a layer share them. The minimum is found by projected
// L-BFGS from masks of one, in float64 on the host whatever the engine.
//
// The loss is the cross-entropy, and a lambda of 0 stands for 0.01. classes holds the class of each graph to explain.
// The classifier has an output for each class, or a single one that speaks for class 1 and against class 0.
// Generalised max pooling and norms of whole paths are refused, as is a model without a layer of paths, and a graph
// with more paths than memory should hold.
func (m *Model) Explain(ctx context.Context, b *graph.Batch, classes []int, c *svm.Linear, lambda float64,
	progress model.Progress) ([]*model.Mask, error) {
	if lambda == 0 {
		lambda = defaultLambda
	}
	if err := m.checkMasks(b, classes, c, lambda); err != nil {
		return nil, err
	}
	n := b.NumGraphs()
	out, errs := make([]*model.Mask, n), make([]error, n)
	const together = 16
	idle := make(chan *autodiff.KernelNetwork, together)
	for range min(m.engine.Workers(), together, n) {
		network, err := m.maskNetwork(c)
		if err != nil {
			return nil, err
		}
		defer network.Release()
		idle <- network
	}
	for first := 0; first < n; first += together {
		progress.Report("explain", first, n)
		parallel.For(m.engine.Workers(), min(together, n-first), func(i int) {
			g, network := first+i, <-idle
			out[g], errs[g] = m.explain(ctx, network, b.Slice(g, g+1), classes[g], lambda)
			idle <- network
		})
		for g := first; g < min(first+together, n); g++ {
			if errs[g] != nil {
				return nil, fmt.Errorf("graph %d: %w", g, errs[g])
			}
		}
	}
	progress.Report("explain", n, n)
	return out, nil
}

func (m *Model) checkMasks(b *graph.Batch, classes []int, c *svm.Linear, lambda float64) error {
	if !(lambda > 0) || math.IsInf(lambda, 0) {
		return fmt.Errorf("lambda %g, want a positive number", lambda)
	}
	if err := c.Check(); err != nil {
		return err
	}
	if len(c.Weight[0]) != m.opt.Dim() {
		return fmt.Errorf("a classifier of %d features on a representation of length %d", len(c.Weight[0]), m.opt.Dim())
	}
	if len(classes) != b.NumGraphs() {
		return fmt.Errorf("%d classes for %d graphs", len(classes), b.NumGraphs())
	}
	for g, class := range classes {
		if known := max(len(c.Weight), 2); class < 0 || class >= known {
			return fmt.Errorf("graph %d: class %d of a classifier of %d classes", g, class, known)
		}
	}
	masked := false
	for l, y := range m.opt.Layers {
		masked = masked || y.PathSize > 1
		if m.opt.whole(l) {
			return fmt.Errorf("layer %d: masks do not go with the norms of whole paths", l+1)
		}
		if y.PathSize > 1 && y.Pooling == GeneralizedMax {
			return fmt.Errorf("layer %d: masks do not go with generalised max pooling", l+1)
		}
	}
	switch {
	case m.opt.GlobalPooling == GeneralizedMax:
		return fmt.Errorf("masks do not go with generalised max pooling over vertices")
	case !masked:
		return fmt.Errorf("the model has no layer of paths to put masks on: its path sizes are all 1")
	}
	return nil
}

// maskFloor is the least mask while a minimum is sought below another layer; masks that stay there become 0. That
// layer sees the direction of a vertex's row and its norm: where all masks of a vertex vanish the objective has
// a tip, from which no gradient leads away.
const maskFloor = 0.01

func (m *Model) floor() float64 {
	if len(m.layers) > 1 {
		return maskFloor
	}
	return 0
}

// explain is [Model.Explain] for a batch of one graph, on a network for masks.
func (m *Model) explain(
	ctx context.Context, n *autodiff.KernelNetwork, b *graph.Batch, class int, lambda float64,
) (*model.Mask, error) {
	w, err := m.mask(n, b, class)
	if err != nil {
		return nil, err
	}
	count := w.batch.Masks()
	x, gradient := make([]float64, count), make([]float64, count)
	out := &model.Mask{Converged: true}
	out.EmptyLoss = w.loss(x, gradient)
	for i := range x {
		x[i] = 1
	}
	out.WholeLoss = w.loss(x, gradient)
	out.Loss = out.WholeLoss
	if count > 0 && w.err == nil {
		r, err := optimize.Minimize(optimize.Problem{
			Func: func(x []float64) float64 {
				value := w.loss(x, gradient)
				for i, v := range x {
					value += lambda * v
					gradient[i] += lambda
				}
				return value
			},
			Grad:   func(grad, _ []float64) { copy(grad, gradient) }, // boxLBFGS wants both at the same point
			Status: func() (optimize.Status, error) { return optimize.NotTerminated, errors.Join(w.err, ctx.Err()) },
		}, x, &optimize.Settings{
			MajorIterations: maskIterations,
			Converger:       &optimize.FunctionConverge{Relative: 1e-10, Iterations: 20},
		}, &boxLBFGS{lower: m.floor(), upper: 1, tolerance: maskTolerance, memory: 10})
		if err != nil {
			return nil, err
		}
		for i, v := range r.X {
			if x[i] = v; v <= m.floor() {
				x[i] = 0
			}
		}
		out.Loss = w.loss(x, gradient)
		out.Iterations, out.Converged = r.MajorIterations, !r.Status.Early()
	}
	out.Paths = w.list(x)
	out.Edges = scoreEdges(b, out.Paths)
	return out, w.err
}
