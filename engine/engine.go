// Package engine is Grove's tensor engine: the list of operations that the models are made of, the
// float64 reference of each of them, and the CPU engine. Everything above this package speaks to the
// [Engine] interface alone and does not know which device runs it.
//
// Matrices are gorgonia tensors (*tensor.Dense), dense and row-major, of dtype Float32 or Float64.
// All tensors of one call share one dtype unless an operation says otherwise. Operations write into
// tensors that the caller made; they return an error for shapes or dtypes that do not fit, for a
// failure of the device, and for nothing else. Results are the same to the last bit for any number
// of workers.
package engine

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Engine is what a device must be able to do. In the formulas below rows are counted from 0, and
// op(A) is A or its transpose.
type Engine interface {
	tensor.Engine

	// String names the engine as the command line does: "cpu", "reference".
	String() string

	// MatMul computes C = alpha op(A) op(B) + beta C for matrices. With beta = 0 the old content of
	// C does not matter.
	MatMul(c, a, b *tensor.Dense, opt MatMul) error

	// SparseMatMul computes Y = A X for a sparse A (r x s) and dense X (s x q), Y (r x q).
	SparseMatMul(y *tensor.Dense, a *Sparse, x *tensor.Dense) error

	// NormalizeRows computes dst_r = x_r / max(|x_r|, eps) and, unless norms is nil, norms_r = |x_r|
	// (not clamped). dst and x are n x d and may be the same tensor; norms has n entries.
	NormalizeRows(dst, norms, x *tensor.Dense, eps float64) error

	// PathPool pools the kernel values of all paths (or walks) that start at a vertex; see [PathPooling].
	PathPool(out []*tensor.Dense, scores, norms *tensor.Dense, p *PathPooling) error

	// Gram computes the kernel matrices of anchors Z (p x q x d): out is J x q x q, where matrix j
	// (J = p with opt.AllLengths, else the one matrix of length p) has the entries
	// kappa_j(z, z') = exp(scale_j sum_{i<=j} <z_i, z'_i> + shift_j), see [Kernel]. out is Float64
	// whatever the dtype of Z, because its small eigenvalues matter to InvSqrt.
	Gram(out, z *tensor.Dense, kernel Kernel, allLengths bool) error

	// InvSqrt replaces each of the symmetric matrices in k (J x q x q, Float64) by its regularised inverse
	// square root, by the given rule. dst and k may be the same tensor.
	InvSqrt(dst, k *tensor.Dense, eps float64, rule InvSqrtRule) error

	// Assign finds the nearest anchor of every point: index_i = argmax_f sim(i, f) with the first
	// maximum winning, and best_i = max_f sim(i, f), where sim(i, f) = sum_j <x_ij, z_jf> for point i
	// and anchors Z (p x q x d). The n x q similarities are never stored. best may be nil.
	Assign(index []int32, best *tensor.Dense, points Points, z *tensor.Dense) error

	// SegmentReduce pools rows: out_g = pool over s.Offsets[g] <= i < s.Offsets[g+1] of x_{s.Row(i)}. An
	// empty segment gives zeros. x is r x q, out is the number of segments x q.
	SegmentReduce(out, x *tensor.Dense, s Segments, pool Pooling) error

	// Workers returns the number of goroutines that host-side work beside the engine may use.
	Workers() int

	// Convert copies src to dst, which has the same number of elements, across dtypes.
	Convert(dst, src *tensor.Dense) error
}

// MatMul holds the options of [Engine].MatMul. The zero value computes nothing useful: set Alpha.
type MatMul struct {
	TransA, TransB bool
	Alpha, Beta    float64
}

// Sparse is a matrix in compressed sparse rows: the entries of row r are in the columns
// Col[RowPtr[r]:RowPtr[r+1]]. Values is nil for a matrix of ones.
type Sparse struct {
	Cols        int
	RowPtr, Col []int32
	Values      []float64
}

// Adjacency returns the adjacency matrix of a batch, with its arc weights.
func Adjacency(b *graph.Batch) *Sparse {
	return &Sparse{Cols: b.NumVertices(), RowPtr: b.RowPtr, Col: b.Col, Values: b.ArcWeights}
}

// Pooling says how many values become one.
type Pooling int

// The pooling operations. The mean is the sum divided by the number of pooled values; all three of
// nothing are zero.
const (
	Sum Pooling = iota
	Mean
	Max
)

var poolingNames = [...]string{"sum", "mean", "max"}

func (p Pooling) String() string { return poolingNames[p] }

// ParsePooling reads "sum", "mean" or "max".
func ParsePooling(s string) (Pooling, error) {
	for i, name := range poolingNames {
		if s == name {
			return Pooling(i), nil
		}
	}
	return 0, fmt.Errorf("pooling %q: want one of %s", s, strings.Join(poolingNames[:], ", "))
}

// InvSqrtRule says where the regularisation of an inverse square root goes. K = V diag(e) V'.
type InvSqrtRule int

const (
	// AfterRoot is V diag(1/(sqrt(max(e,0)) + eps)) V', the rule of the published GCKN code.
	AfterRoot InvSqrtRule = iota
	// InsideRoot is (K + eps I)^(-1/2), the rule of the GCKN paper (section 3.2).
	InsideRoot
)

// Kernel is the dot-product kernel between paths of j vertices with unit rows,
// kappa_j(z, x) = exp(scale_j sum_{i<=j} <z_i, x_i> + shift_j). With the exponent as a mean over
// positions (the published GCKN code) scale_j = alpha/j and shift_j = -alpha; as a sum (Eq. 12 of the
// paper) scale_j = alpha and shift_j = -alpha j. Either way kappa_j(z, z) = 1.
type Kernel struct {
	Alpha       float64 // 1 / sigma^2
	SumExponent bool
}

// Scale returns scale_j and shift_j for paths of j vertices.
func (k Kernel) Scale(j int) (scale, shift float64) {
	if k.SumExponent {
		return k.Alpha, -k.Alpha * float64(j)
	}
	return k.Alpha / float64(j), -k.Alpha
}

// PathPooling describes a path pooling (GCKN, Eqs. 10 and 13 and Algorithm 1, before the projection):
//
//	out_j[u] = norm(u) * pool over paths p of j vertices from u of exp(scale_j sum_{i<=j} s_i(p_i) + shift_j)
//
// where s_i(v) = <z_i, x_v> comes as a table of scores: scores has D rows of Size*q columns, and the
// columns i*q to (i+1)*q of row Index[v] are s_{i+1}(v) for the q filters. norms has D entries or is
// nil for ones; norm(u) is the entry of u's row.
//
// The lengths j are 1..Size with AllLengths, otherwise Size alone; out holds a matrix of q columns for
// each, in ascending order of j. Row r of the matrix of a length belongs to the vertex Roots[length][r],
// or to vertex r where Roots is nil. A vertex with no path of that length gets zeros.
//
// Graph may be nil when Size is 1: each row of the table is then its own vertex.
type PathPooling struct {
	Graph      *graph.Batch
	Index      []int32   // row of the table for each vertex; nil: vertex v has row v
	Roots      [][]int32 // for each length, ascending vertices; nil: every vertex
	Size       int       // vertices of the longest path
	AllLengths bool
	Walks      bool // pool over walks in place of simple paths
	Kernel     Kernel
	Pool       Pooling
}

// Lengths returns the path sizes that are pooled, ascending.
func (p *PathPooling) Lengths() []int {
	if !p.AllLengths {
		return []int{p.Size}
	}
	lengths := make([]int, p.Size)
	for j := range lengths {
		lengths[j] = j + 1
	}
	return lengths
}

// Points are sequences of Size rows of a table (D x d): point i consists of the rows
// Rows[i*Size:(i+1)*Size]. With Rows nil, Size is 1 and point i is row i.
type Points struct {
	Table *tensor.Dense
	Rows  []int32
	Size  int
}

// Len returns the number of points.
func (p Points) Len() int {
	if p.Rows == nil {
		return p.Table.Shape()[0]
	}
	return len(p.Rows) / p.Size
}

// Segments are consecutive runs of items, each item standing for a row of a matrix.
type Segments struct {
	Offsets []int32 // ascending; one more than there are segments
	Index   []int32 // row of each item; nil: item i is row i
}

// New returns a zeroed tensor on e.
func New(e Engine, dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithEngine(e), tensor.Of(dtype), tensor.WithShape(shape...))
}

// Open returns the engine of a device: "auto" or "cpu". workers bounds the number of goroutines that
// compute; 0 means one for every CPU.
func Open(device string, workers int) (Engine, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	switch {
	case device == "auto" || device == "cpu" || device == "":
		return NewCPU(workers), nil
	case device == "cuda" || strings.HasPrefix(device, "cuda:"):
		return nil, fmt.Errorf("device %q: this program was built without GPU support; use --device cpu", device)
	}
	return nil, fmt.Errorf("device %q: want auto or cpu", device)
}
