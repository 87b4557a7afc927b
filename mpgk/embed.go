package mpgk

import (
	"context"
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/eigen"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// maxKernelPCA is the largest number of different vertices whose kernel matrix is decomposed.
const maxKernelPCA = 1 << 13

// EmbedVertices returns coordinates of the vertices of b by kernel PCA of the vertex kernel k^T (section 4.1;
// Schölkopf, Smola and Müller, 1997): with the doubly centred kernel matrix K = V diag(e) V', eigenvalues descending,
// coordinate j of vertex v is V_vj sqrt(e_j). Each column has the sign that makes its largest entry positive.
// Vertices with equal kernel rows, such as structurally equivalent ones, get the same coordinates to the last bit.
//
// The result is NumVertices x dims, Float64; columns beyond the rank are zero. Of opt.Variant the first letter alone
// matters. Errors are those of Fit, fewer than one dimension, and, for the exact kernel by assignment, more than
// 8192 different vertices.
func EmbedVertices(
	ctx context.Context, e engine.Engine, b *graph.Batch, opt Options, dims int, progress model.Progress,
) (*tensor.Dense, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if dims < 1 || b.NumVertices() == 0 {
		return nil, fmt.Errorf("%d dimensions for %d vertices: want at least one of each", dims, b.NumVertices())
	}
	if opt.Variant.assignsNeighbours() {
		opt.Variant = AR
	} else {
		opt.Variant = RR
	}
	m := &Model{opt: opt, input: InputOf(b), engine: e, fitted: make([]iteration, opt.Iterations+1)}
	if err := m.input.check(b); err != nil {
		return nil, err
	}
	var last *state
	err := m.propagate(ctx, b, learner{m}, progress, func(_ int, s *state, _ []int32) error {
		last = s
		return nil
	})
	if err != nil {
		return nil, err
	}
	host := e.Host()
	var x []float64 // points x dims
	if len(last.counts.column) == 0 {
		x, err = last.linearPCA(host, dims)
	} else {
		x, err = last.kernelPCA(host, dims)
	}
	if err != nil {
		return nil, err
	}
	orient(x, dims)
	out := make([]float64, 0, len(last.class)*dims)
	for _, p := range last.class {
		out = append(out, x[int(p)*dims:(int(p)+1)*dims]...)
	}
	return matrix(host, out, len(last.class), dims), nil
}

// linearPCA projects points without counts on the main axes of the vertices that they stand for.
func (p *points) linearPCA(e engine.Engine, dims int) ([]float64, error) {
	n, d := p.len(), len(p.scale)
	mean, total := make([]float64, d), 0.0
	for i, c := range p.copies {
		total += c
		for j, x := range p.row(int32(i)) {
			mean[j] += c * x
		}
	}
	centred, weighted := make([]float64, n*d), make([]float64, n*d)
	for i, c := range p.copies {
		for j, x := range p.row(int32(i)) {
			centred[i*d+j] = (x - mean[j]/total) * math.Sqrt(p.scale[j])
			weighted[i*d+j] = centred[i*d+j] * math.Sqrt(c)
		}
	}
	y := matrix(e, weighted, n, d)
	covariance := e.New(tensor.Float64, d, d)
	if err := e.Gemm(covariance, y, y, engine.Gemm{TransA: true, Alpha: 1}); err != nil {
		return nil, err
	}
	_, axes, err := eigen.Symmetric(e.Workers(), d, covariance.Float64s(), d)
	if err != nil {
		return nil, fmt.Errorf("covariance of the vertices: %w", err)
	}
	out := make([]float64, n*dims)
	for k := range min(dims, d) {
		axis := axes[(d-1-k)*d : (d-k)*d]
		for i := range n {
			for j, a := range axis {
				out[i*dims+k] += centred[i*d+j] * a
			}
		}
	}
	return out, nil
}

// kernelPCA is linearPCA by the kernel matrix of the points.
func (p *points) kernelPCA(e engine.Engine, dims int) ([]float64, error) {
	n := p.len()
	if n > maxKernelPCA {
		return nil, fmt.Errorf("kernel PCA of %d different vertices, at most %d: choose landmarks, 200 in the paper",
			n, maxKernelPCA)
	}
	k, err := kernel(e, p, p)
	if err != nil {
		return nil, err
	}
	engine.MirrorUpper(e.Workers(), n, k)
	p.centre(k)
	for i, a := range p.copies {
		for j, b := range p.copies {
			k[i*n+j] *= math.Sqrt(a * b)
		}
	}
	values, vectors, err := eigen.Symmetric(e.Workers(), n, k, n)
	if err != nil {
		return nil, fmt.Errorf("kernel matrix of the vertices: %w", err)
	}
	out := make([]float64, n*dims)
	for d := range min(dims, n) {
		root := math.Sqrt(max(values[n-1-d], 0))
		for i, c := range p.copies {
			out[i*dims+d] = vectors[(n-1-d)*n+i] * root / math.Sqrt(c)
		}
	}
	return out, nil
}

// centre subtracts from a symmetric kernel matrix the means of its rows and columns over all vertices, and adds their
// mean.
func (p *points) centre(k []float64) {
	n := p.len()
	mean, all, total := make([]float64, n), 0.0, 0.0
	for _, c := range p.copies {
		total += c
	}
	for i := range n {
		for j, c := range p.copies {
			mean[i] += c * k[i*n+j] / total
		}
		all += p.copies[i] * mean[i] / total
	}
	for i := range n {
		for j := range n {
			k[i*n+j] += all - mean[i] - mean[j]
		}
	}
}

// orient turns the columns so that their largest entries, the first of equals, are positive.
func orient(x []float64, dims int) {
	for k := range dims {
		largest := 0.0
		for i := k; i < len(x); i += dims {
			if math.Abs(x[i]) > math.Abs(largest) {
				largest = x[i]
			}
		}
		for i := k; largest < 0 && i < len(x); i += dims {
			x[i] = -x[i]
		}
	}
}
