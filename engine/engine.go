// Package engine is Grove's tensor engine: the list of operations that the models are made of, the
// float64 reference of each of them, and the CPU engine. Everything above this package speaks to the
// [Engine] interface alone and does not know which device runs it.
//
//	e, err := engine.Open("auto", runtime.GOMAXPROCS(0)) // a device where there is one, else the CPU
//	err = e.Gemm(c, a, b, engine.Gemm{Alpha: 1})
//
// Matrices are gorgonia tensors (*tensor.Dense), dense and row-major, of dtype Float32 or Float64.
// All tensors of one call share one dtype unless an operation says otherwise. Operations write into
// tensors that the caller made; they return an error for shapes or dtypes that do not fit, for a
// failure of the device, and for nothing else. Results are the same to the last bit for any number
// of workers.
package engine

import (
	"fmt"
	"strings"

	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Engine is what a device must be able to do. In the formulas below rows are counted from 0, and
// op(A) is A or its transpose.
type Engine interface {
	tensor.Engine
	Memory

	// String names the engine as the command line does: "cpu", "cuda:0", "reference".
	String() string

	// Describe names the engine and what it computes with, as in "cpu (avx2, workers 8)".
	Describe() string

	// Capabilities says what the engine does in a way of its own.
	Capabilities() Capabilities

	// Workers returns the number of goroutines that host-side work beside the engine may use.
	Workers() int

	// WithWorkers returns an engine for one of several pieces of work side by side, which may use the given number of
	// goroutines, at least one. All pieces share a device.
	WithWorkers(workers int) Engine

	// Host returns the engine for work on host memory beside this one, with as many workers: itself if it works there.
	Host() Engine

	// Synchronize waits until everything is done that the engine was asked for, and returns what went wrong since the
	// last time.
	Synchronize() error

	// Gemm computes C = alpha op(A) op(B) + beta C for matrices. With beta = 0 the old content of
	// C does not matter.
	Gemm(c, a, b *tensor.Dense, opt Gemm) error

	// SparseMatMul computes Y = A X for a sparse A (r x s) and dense X (s x q), Y (r x q).
	SparseMatMul(y *tensor.Dense, a *Sparse, x *tensor.Dense) error

	// SparseMatMulAdd computes Y = Y + A X, of the shapes of SparseMatMul.
	SparseMatMulAdd(y *tensor.Dense, a *Sparse, x *tensor.Dense) error

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

	// GramGrad is the gradient of a scalar through Gram: from kGrad, its gradient with respect to the kernel matrices k
	// of anchors z, it computes the gradient with respect to z,
	//
	//	zGrad_i = plus_i + sum_{j>=i} scale_j (K_j o G_j + (K_j o G_j)^T) Z_i
	//
	// over the lengths j that have a matrix. plus is what the anchors have of a gradient already, and may be nil. zGrad
	// and plus are p x q x d like z; k and kGrad are J x q x q and Float64, and so are the sums.
	GramGrad(zGrad, plus, z, kGrad, k *tensor.Dense, kernel Kernel, allLengths bool) error

	// InvSqrt computes the regularised inverse square root of each of the symmetric matrices in k (J x q x q,
	// Float64), by the given rule. dst and k may be the same tensor. A matrix that is not finite or has no
	// inverse square root is an error. Unless spectrum is nil, the eigendecompositions are left there for
	// InvSqrtGrad; a device then need not wait for the result, and gives NaN in place of the error.
	InvSqrt(dst *tensor.Dense, spectrum *Spectrum, k *tensor.Dense, eps float64, rule InvSqrtRule) error

	// Project multiplies the channels of stacked rows x (rows x q) by matrices a (J x q x q, Float64 whatever the rows
	// are): y_r = x_r A_{c mod J} for the rows r of channel c. y is rows x q, or interleaved, see [Projection].
	Project(y, x, a *tensor.Dense, p Projection) error

	// ProjectGrad is the gradient of a scalar through Project: from yGrad, its gradient with respect to y, it computes
	//
	//	xGrad_r = yGrad_r A_{c mod J}^T,  aGrad_j = sum over the rows r of the channels c = j mod J of x_r^T yGrad_r
	//
	// of the shapes and dtypes of x and a. Either may be nil.
	ProjectGrad(xGrad, aGrad, yGrad, x, a *tensor.Dense, p Projection) error

	// Assign finds the nearest anchor of every point: index_i = argmax_f sim(i, f) with the first
	// maximum winning, and best_i = max_f sim(i, f), where sim(i, f) = sum_j <x_ij, z_jf> for point i
	// and anchors Z (p x q x d). The n x q similarities are never stored. best may be nil, or n x 2 for
	// the two largest similarities of each point; the second is -Inf where there is a single anchor.
	Assign(index []int32, best *tensor.Dense, points Points, z *tensor.Dense) error

	// PlusPlus draws points to start k-means from (Arthur and Vassilvitskii, SODA 2007), with several candidates for each:
	// the first is start[0], and every other entry of start is written. With m_i the least mass of point i with the points
	// drawn so far, a candidate is the first point y with sum_{i<=y} m_i >= u sum_i m_i for a uniform number u. The one
	// that reduces the sum most is drawn, the first of equals. See [Seeding] for masses, whose sums are exact: every
	// engine draws the same points. It waits for the result.
	PlusPlus(start []int32, s *Seeding) error

	// AddRows adds rows to sums, one after another in the order of the items: for the items i of segment g,
	// sums_g += weights_i x_{row of item i}, every product and every sum rounded. sums is the number of segments x q and
	// Float64, x is r x q. Every engine adds up the same bits.
	AddRows(sums, x *tensor.Dense, s Segments) error

	// SegmentReduce pools rows: out_g = pool over s.Offsets[g] <= i < s.Offsets[g+1] of x_{row of item i}. An
	// empty segment gives zeros. x is r x q, out is the number of segments x q; out may be Float64 for an x of
	// Float32, so that sums lose nothing.
	SegmentReduce(out, x *tensor.Dense, s Segments, pool Pooling) error

	// NormalizeRowsGrad is the gradient of a scalar through NormalizeRows: from the gradients g_r and h_r
	// with respect to the unit rows u_r = x_r / max(|x_r|, eps) and to the norms |x_r|, it computes the
	// gradient with respect to x,
	//
	//	(g_r - u_r <u_r, g_r>) / |x_r| + h_r u_r           where |x_r| >= eps
	//	g_r / eps + h_r x_r / |x_r|                        elsewhere, without the second term where x_r = 0
	//
	// unit, unitGrad and xGrad are n x d, norms and normGrad have n entries; normGrad may be nil for zeros,
	// and xGrad may be the same tensor as unitGrad.
	NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error

	// SegmentReduceGrad is the gradient of a scalar through SegmentReduce: from outGrad, its gradient with
	// respect to the pooled rows, it computes the gradient with respect to x, which has x's shape. Where
	// several items of a segment attain a maximum, the first takes the gradient.
	SegmentReduceGrad(xGrad, outGrad, x *tensor.Dense, s Segments, pool Pooling) error

	// PathPoolGrad is the gradient of a scalar through PathPool: from outGrad, its gradient with respect to
	// the outputs, it computes the gradients with respect to scores and norms, which have their
	// shapes; normGrad may be nil. Where several paths attain a maximum, the first in the order of
	// [graph.Batch.VisitPaths] takes the gradient.
	PathPoolGrad(scoreGrad, normGrad *tensor.Dense, outGrad []*tensor.Dense, scores, norms *tensor.Dense,
		p *PathPooling) error

	// InvSqrtGrad is the gradient of a scalar through InvSqrt: from dstGrad, its gradient with respect to
	// the inverse square roots (J x q x q), and the spectrum that InvSqrt kept it computes the symmetric
	// gradient with respect to the matrices k. All are Float64; kGrad may be the same tensor as dstGrad.
	InvSqrtGrad(kGrad, dstGrad *tensor.Dense, s *Spectrum, eps float64, rule InvSqrtRule) error

	// HistogramIntersection computes out_{ij} = sum_k min(a_ik, b_jk) for matrices of non-negative
	// entries with ascending columns in every row. out is rows of a x rows of b.
	HistogramIntersection(out *tensor.Dense, a, b *Sparse) error

	// Posterior is Bayes' rule for every row: posterior_{ui} = prior_{ui} likelihood_{index_u,i} / evidence_u
	// with evidence_u = sum_i prior_{ui} likelihood_{index_u,i}. A row without evidence gets zeros. prior
	// and posterior are n x c and may be the same tensor, likelihood is m x c, evidence has n entries.
	Posterior(posterior, evidence, prior, likelihood *tensor.Dense, index []int32) error

	// SubsetWalks makes one step of walks that begin in subsets of the vertices, the incremental form of
	// A^d (1_S o f) in Eq. 1 of the TREE-G paper: y_vik = sum over the entries a_ij of A with j in subset v of
	// round_k(a_ij x_vjk), without the missing values (NaN) of x. A is n x n, y is V x n x q and x too, or 1 x n x q
	// for the same start of all. Sums go along the rows of A in their order. All are Float64.
	SubsetWalks(y, x *tensor.Dense, a *Sparse, s *Subsets) error

	// DynamicFeatures computes TREE-G's dynamic features (sections 3.2 and 3.5 of the paper) from vectors along
	// walks: columns has the length of s.Places(q), x is V x n x q. Both are Float64.
	DynamicFeatures(columns, x *tensor.Dense, s *SplitSearch) error

	// BestSplits finds the best split of every node: best (nodes x 4) holds its gain, threshold, the number of its
	// column over all searches, and 1 where missing values count as above the threshold; zeros where none
	// gains. A threshold lies midway between two values of a column that follow each other, of large nodes only
	// between two groups of them where s.Bins says so (see [Cells]); missing values go to the side that gains
	// more, below where both gain the same, and where none is missing to the heavier side. Of equal gains the
	// first column and its lowest threshold win. Sums of weights and targets must be exact in float64 in any
	// order; weights of classes are whole numbers. columns are those of DynamicFeatures for the given number of
	// features. All are Float64.
	BestSplits(best, columns *tensor.Dense, s *SplitSearch, features int) error

	// Grow returns what grows the trees of a fit, one after another: a level of a tree is one call, which sends little
	// more than the list of its searches and brings the chosen splits back.
	Grow(f *TreeFeatures) (Growth, error)

	// Boost returns what keeps the scores of a gradient boosting whose trees such growths grow.
	Boost(b *Boosting) (Booster, error)

	// Descend sends all examples through fitted trees: leaves (trees x examples) holds the node of the leaf that each
	// reaches. x is features x vertices, Float64.
	Descend(leaves []int32, x *tensor.Dense, t *Trees) error

	// Linear computes y_i = W x_i + b for the rows of x (n x d), a weight W (outputs x d) and a bias b (1 x outputs, nil
	// for none); y is n x outputs. Its rows stand apart, see [Gemm].
	Linear(y, x, weight, bias *tensor.Dense) error

	// LinearGrad is the gradient of a scalar through Linear: from yGrad, its gradient with respect to y, it computes
	// xGrad = yGrad W, weightGrad = yGrad^T x and biasGrad, the sums of the columns of yGrad, of the shapes of x, W and
	// b. Each of the three may be nil.
	LinearGrad(xGrad, weightGrad, biasGrad, yGrad, x, weight *tensor.Dense) error

	// BatchNorm normalises the columns of x (n x d), y_ij = (x_ij - mean_j) / sqrt(variance_j + Epsilon) Scale_j +
	// Shift_j (Ioffe and Szegedy, ICML 2015), and makes y_ij = max(0, y_ij) of it with Rectify. With Training the moments
	// are those of the rows of x, of which there must be one, else the moving averages. See [BatchNorm].
	BatchNorm(y, x *tensor.Dense, b *BatchNorm) error

	// BatchNormGrad is the gradient of a scalar through BatchNorm with Training: from yGrad, its gradient with respect to
	// y, and the moments that BatchNorm left in b it computes, with g = yGrad, zero where Rectify made y so, and
	// u = (x - BatchMean) BatchDeviation,
	//
	//	shiftGrad_j = sum_i g_ij,  scaleGrad_j = sum_i g_ij u_ij
	//	xGrad_ij = Scale_j BatchDeviation_j (g_ij - (shiftGrad_j + u_ij scaleGrad_j) / n)
	//
	// scaleGrad and shiftGrad are 1 x d; xGrad may be the same tensor as yGrad; y is not read without Rectify.
	BatchNormGrad(xGrad, scaleGrad, shiftGrad, yGrad, x, y *tensor.Dense, b *BatchNorm) error

	// Rectify computes y_ij = max(0, x_ij + bias_j) for x (n x d) and a bias (1 x d, nil for none). x and y may be the
	// same tensor.
	Rectify(y, x, bias *tensor.Dense) error

	// RectifyGrad is the gradient of a scalar through Rectify: xGrad = yGrad where y > 0, else 0, and biasGrad, the sums
	// of the columns of xGrad (1 x d, nil where they are not wanted). xGrad may be the same tensor as yGrad.
	RectifyGrad(xGrad, biasGrad, yGrad, y *tensor.Dense) error

	// Dropout keeps an element with probability 1 - Rate: y_i = x_i / (1 - Rate) where its random number is at least
	// Rate, else 0 (Srivastava et al., JMLR 2014). Every engine keeps the same elements, see [Dropout]; the gradient is
	// Dropout of the gradient. x and y have any one shape and may be the same tensor.
	Dropout(y, x *tensor.Dense, d Dropout) error

	// SoftmaxCrossEntropy computes loss_i = -log softmax(logits_i)_{target_i} and, unless grad is nil,
	// grad_i = softmax(logits_i) - e_{target_i}, the gradient of loss_i. logits and grad are n x c and may
	// be the same tensor, loss has n entries. With weights, one for each row, loss has a single entry,
	// sum_i weights_i loss_i, and grad is the gradient of it.
	SoftmaxCrossEntropy(loss, grad, logits *tensor.Dense, target []int32, weights []float64) error

	// OutputLoss computes loss_i = sum_j l(x_ij, y_ij) for one of the kinds of [Loss] and, unless grad is nil,
	// grad_ij = dl/dx_ij. x, y and grad are n x c, loss has n entries; grad may be the same tensor as x. Weights are
	// those of SoftmaxCrossEntropy.
	OutputLoss(loss, grad, x, y *tensor.Dense, kind Loss, weights []float64) error

	// Adam makes one step of Adam in place, for some tensors that share no memory. See [Adam].
	Adam(of []AdamState, step Adam) error

	// Place writes rows of src (r x q) into dst: dst_{at.Row+i, at.Column+f*at.Stride} = src_{index_i, f}, with row
	// i of src for a nil index. It gathers rows (Stride 1) and interleaves channels.
	Place(dst, src *tensor.Dense, index []int32, at Placement) error

	// Convert copies src to dst, which has the same number of elements, across dtypes. Either tensor may
	// lie in host memory whatever the engine: this is how data get onto a device and back.
	Convert(dst, src *tensor.Dense) error
}

// Gemm holds the options of [Engine].Gemm. The zero value computes nothing useful: set Alpha.
type Gemm struct {
	TransA, TransB bool
	Alpha, Beta    float64
	Precision      Precision // of Float32 products
	Apart          bool      // a row of C has the same bits whatever the other rows are, and however many
}

// Precision says how exact a Float32 matrix product must be. Engines may always be more exact.
type Precision int

// The precisions of a matrix product. Sums are always in float32 or better.
const (
	Full     Precision = iota // factors in float32
	TF32                      // factors rounded to 10 bits of mantissa
	BFloat16                  // factors rounded to 7 bits of mantissa
)

// Sparse is a matrix in compressed sparse rows: the entries of row r are in the columns
// Col[RowPtr[r]:RowPtr[r+1]]. Values is nil for a matrix of ones. KeepRows and KeepCols, unless nil,
// are masks: entries of other rows and columns count as zero, as in diag(KeepRows) A diag(KeepCols). Batch,
// unless nil, is the batch that RowPtr and Col belong to: a device keeps the arcs and weights of a batch.
type Sparse struct {
	Cols               int
	RowPtr, Col        []int32
	Values             []float64
	KeepRows, KeepCols []bool
	Batch              *graph.Batch
}

// Adjacency returns the adjacency matrix of a batch, with its arc weights.
func Adjacency(b *graph.Batch) *Sparse {
	return &Sparse{Cols: b.NumVertices(), RowPtr: b.RowPtr, Col: b.Col, Values: b.ArcWeights, Batch: b}
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

// InvSqrtRule says where the regularisation of an inverse square root goes, and which gradient it has.
// K = V diag(e) V'.
type InvSqrtRule int

const (
	// AfterRoot is V diag(1/(sqrt(max(e,0)) + eps)) V', the rule of the published GCKN code.
	AfterRoot InvSqrtRule = iota
	// InsideRoot is (K + eps I)^(-1/2), the rule of the GCKN paper (section 3.2).
	InsideRoot
	// Published is AfterRoot with the gradient that the published GCKN code takes, -V (F o (V' G V)) V' with
	// F_ij = 1/((s_i + s_j) s_i s_j) and s = sqrt(max(e,0)) + eps. The true derivative, that of AfterRoot,
	// has sqrt(e_i) + sqrt(e_j) in place of s_i + s_j and no bound where anchors coincide.
	Published
)

// Spectrum holds eigendecompositions K = V diag(e) V' of J symmetric matrices of order q, in Float64.
type Spectrum struct {
	Values  *tensor.Dense // J x q, in any order
	Vectors *tensor.Dense // J x q x q: ROW i of a matrix is the eigenvector of value i
}

// NewSpectrum returns memory for the eigendecompositions of J matrices of order q.
func NewSpectrum(e Engine, matrices, q int) *Spectrum {
	return &Spectrum{e.New(tensor.Float64, matrices, q), e.New(tensor.Float64, matrices, q, q)}
}

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

// Placement is a block of a matrix: rows from Row on, every Stride-th column from Column on.
type Placement struct {
	Row, Column, Stride int
}
