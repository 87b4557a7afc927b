package main

import (
	"github.com/grove-graph/grove/engine"
)

// operation is one benchmark of the engine. Its name is what --op takes.
type operation struct {
	name    string
	about   string
	prepare func(t *table) (*task, error)
}

// table is what operations are prepared with.
type table struct {
	sizes    sizes
	inputs   *inputs
	engine   engine.Engine // to make inputs with
	portable bool          // the instruction set is lowered: very long operations shrink
}

// task is an operation with its inputs.
type task struct {
	shape string
	run   func(e engine.Engine) error

	// What one run achieves, for the rate.
	units float64
	unit  string

	floor floor

	// Targets, where the limit is not zero.
	rate    target // with AVX-512
	speedup target // of two workers over one
}

// floor is the work that no implementation can do without. Its time on a machine is the longer one of
// its arithmetic and its transfers.
type floor struct {
	flops32, flops64 float64 // a multiply-add counts as two
	exps32, exps64   float64
	bytes            float64 // inputs read once and outputs written once
}

// seconds returns the time of the floor at the given rates, on one core, and what bounds it.
func (f floor) seconds(r rates) (seconds float64, bound string) {
	if r.Copy == 0 {
		return 0, ""
	}
	flops := f.flops32/r.Peak32 + f.flops64/r.Peak64
	exps := f.exps32/r.Exp32 + f.exps64/r.Exp64
	bytes := f.bytes / r.Copy
	switch {
	case bytes > flops+exps:
		return bytes, "bytes"
	case exps > flops:
		return flops + exps, "exponentials"
	}
	return flops + exps, "multiply-adds"
}

// operations lists all of them in the order of the report.
func operations() []operation {
	return []operation{
		{"matmul", "dense product: the features of all NCI1 vertices with a 128 x 128 projection", matMul},
		{"matmul-thin", "scores of attributes: 40 000 vertices of 18 numbers with 512 anchors", matMulThin},
		{"sparse-matmul", "sparse-dense product: NCI1 adjacency with 128 features", sparseMatMul},
		{"path-trie", "path pooling by the trie, every NCI1 vertex a root, one row of scores for each label", pathTrie},
		{"path-trie-vertex", "the same with one row of scores for each vertex, as for attributes and upper layers", pathTrieVertex},
		{"path-early", "path pooling that stops a vertex early, IMDB-BINARY, paths of 3 vertices", pathEarly},
		{"path-early-dense", "the same on denser graphs of the kind of COLLAB (generated)", pathEarlyDense},
		{"path-classes", "grouping the NCI1 vertices by the label sequences of their paths, before pooling", pathClasses},
		{"walk-pool", "walk pooling by the recursion, NCI1, walks of up to 4 vertices", walkPool},
		{"gram", "kernel matrices of 128 anchors of 4 vertices: product and exponential, in float64", gram},
		{"invsqrt", "inverse square roots of 4 matrices of order 128, in float64", invSqrtSmall},
		{"invsqrt-large", "inverse square root of a matrix of order 1024, in float64", invSqrtLarge},
		{"assign", "nearest anchor of 300 000 points of 128 numbers among 1024 anchors", assign},
		{"kmeans", "spherical k-means of 300 000 points of 128 numbers, 128 anchors: start and 5 iterations", kMeans},
		{"distinct", "merging 300 000 sequences of 4 labels", distinct},
		{"sample", "drawing 300 000 of a million paths without replacement", sample},
		{"segment-sum", "sum of 128 features over the vertices of every NCI1 graph", segmentSum},
		{"segment-max", "maximum of 128 features over the vertices of every NCI1 graph", segmentMax},
	}
}
