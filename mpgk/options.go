// Package mpgk implements the message passing graph kernels RR, RA, AR and AA (Nikolentzos and
// Vazirgiannis, "Message Passing Graph Kernels", 2018).
//
//	options, err := mpgk.Preset("mpgk-ra")
//	m, err := model.Fit(ctx, d, mpgk.Estimator{Options: options, C: []float64{1}}, nil)
//	said, err := m.Predict(ctx, d, nil)
//
// # The kernels
//
// A kernel between vertices starts from labels (equal or not), attributes (inner product) or degrees
// (product) and is updated T times (Eq. 2), with neighbourhoods compared by R-convolution (Eq. 6) or by
// an assignment (Eq. 7):
//
//	k^{t+1}(v, w) = Alpha k^t(v, w) + Beta k_N(N(v), N(w))
//
// Two graphs are then compared by the same two means over all their vertices (Eqs. 8 and 9). N(v) are the
// heads of the arcs that leave v, without arc weights, labels and types. An assignment kernel lives on a
// hierarchy: a tree whose leaves hold the vertices, grown by recursive kernel k-means on k^t. With
// additive weights omega of the tree's nodes and n_r(V) the number of vertices of V below node r it is
// the histogram intersection sum_r omega_r min(n_r(V), n_r(W)) (Kriege, Giscard and Wilson, NIPS 2016).
//
// # Exact features
//
// No kernel matrix of vertices is ever stored. With R-convolution the recursion expands to
// k^T = sum_s C(T,s) Alpha^{T-s} Beta^s A^s k^0 A'^s, the inner product of A^0 x, ..., A^T x. With
// min(m, n) = sum_i [m >= i][n >= i] an assignment kernel is an inner product too, of 0/1 features, so
// that kernel k-means runs as k-means on explicit sparse features. Vertices with equal features are one
// point with a multiplicity. Options.Landmarks asks for the paper's Nyström approximation instead.
package mpgk

import (
	"fmt"
	"math"
	"strings"
)

// Variant names a kernel by two letters: how neighbourhoods are compared, and how graphs are; R stands for
// R-convolution and A for an assignment.
type Variant string

// The variants of section 3.
const (
	RR Variant = "rr"
	RA Variant = "ra"
	AR Variant = "ar"
	AA Variant = "aa"
)

// assignsNeighbours reports whether neighbourhoods are compared by an assignment.
func (v Variant) assignsNeighbours() bool { return v == AR || v == AA }

// assignsGraphs reports whether graphs are compared by an assignment.
func (v Variant) assignsGraphs() bool { return v == RA || v == AA }

// Weights says how the nodes of a hierarchy are weighted.
type Weights string

// The weightings: omega is 1 at the root and (depth-1)/depth elsewhere in the paper (section 3), and 1 at
// leaves and (depth+1)/(largest depth+1) elsewhere in the published code.
const (
	PaperWeights     Weights = "paper"
	PublishedWeights Weights = "published"
)

// Options describe a kernel. The zero value is not usable; start from [Preset].
type Options struct {
	Variant    Variant `json:"variant"`
	Iterations int     `json:"iterations"` // T, the updates of the vertex kernel; every smaller number comes with it
	Alpha      float64 `json:"alpha"`      // weight of the vertex in an update
	Beta       float64 `json:"beta"`       // weight of its neighbourhood

	Landmarks int `json:"landmarks"` // vertices of the Nyström approximation after every update; 0: exact

	Branching int     `json:"branching"` // clusters of one k-means of a hierarchy
	Depth     int     `json:"depth"`     // of a hierarchy at most, its root having depth 0
	Weights   Weights `json:"weights"`

	// SumIterations sums the graph kernels of k^0, ..., k^{T-1}, as the published code does, in place of
	// taking that of k^T alone (Eqs. 8 and 9).
	SumIterations bool `json:"sum_iterations"`
	// Normalise divides k(G, H) by sqrt(k(G, G) k(H, H)). A graph without vertices keeps zeros.
	Normalise bool `json:"normalise"`

	GraphLandmarks int    `json:"graph_landmarks"` // graphs that [Model.Features] compares with; 0: none
	Seed           uint64 `json:"seed"`            // of k-means and landmarks

	// Vertices compares vertices in place of graphs, each as a graph of one vertex that sees its neighbours all the same:
	// by k^T itself in the variants rr and ar, by the hierarchy on k^T in the others.
	Vertices bool `json:"vertices,omitempty"`
}

const prefix = "mpgk-"

// Variants lists the names that [Preset] knows.
func Variants() []string { return []string{"mpgk-rr", "mpgk-ra", "mpgk-ar", "mpgk-aa"} }

// Preset returns the options of one of mpgk-rr, mpgk-ra, mpgk-ar and mpgk-aa: four iterations with Alpha 0.8
// and Beta 0.2 (section 4.2), exact, on hierarchies of depth 8 in which every node has up to 4 children.
func Preset(name string) (Options, error) {
	opt := Options{
		Variant: Variant(strings.TrimPrefix(name, prefix)), Iterations: 4, Alpha: 0.8, Beta: 0.2,
		Branching: 4, Depth: 8, Weights: PaperWeights,
	}
	if !strings.HasPrefix(name, prefix) || opt.Check() != nil {
		return Options{}, fmt.Errorf("model %q: want one of %s", name, strings.Join(Variants(), ", "))
	}
	return opt, nil
}

// Bounds of the options.
const (
	maxIterations = 32
	maxBranching  = 64
	maxDepth      = 64
	maxLandmarks  = 1 << 13
	maxLabels     = 1 << 16
)

// Check reports the first option that makes no sense.
func (o *Options) Check() error {
	switch {
	case o.Variant != RR && o.Variant != RA && o.Variant != AR && o.Variant != AA:
		return fmt.Errorf("variant %q, want rr, ra, ar or aa", o.Variant)
	case o.Iterations < 1 || o.Iterations > maxIterations:
		return fmt.Errorf("%d iterations, want 1 to %d", o.Iterations, maxIterations)
	case !(o.Alpha >= 0) || math.IsInf(o.Alpha, 0):
		return fmt.Errorf("alpha %g, want a number from 0 on", o.Alpha)
	case !(o.Beta >= 0) || math.IsInf(o.Beta, 0):
		return fmt.Errorf("beta %g, want a number from 0 on", o.Beta)
	case o.Alpha == 0 && o.Beta == 0:
		return fmt.Errorf("alpha and beta are both 0, want one of them to be positive")
	case o.Landmarks < 0 || o.Landmarks > maxLandmarks:
		return fmt.Errorf("%d landmarks, want 1 to %d, or 0 for the exact kernel", o.Landmarks, maxLandmarks)
	case o.Branching < 2 || o.Branching > maxBranching:
		return fmt.Errorf("branching %d, want 2 to %d clusters", o.Branching, maxBranching)
	case o.Depth < 1 || o.Depth > maxDepth:
		return fmt.Errorf("depth %d, want 1 to %d", o.Depth, maxDepth)
	case o.Weights != PaperWeights && o.Weights != PublishedWeights:
		return fmt.Errorf("weights %q, want paper or published", o.Weights)
	case o.GraphLandmarks < 0 || o.GraphLandmarks > maxLandmarks:
		return fmt.Errorf("%d graph landmarks, want 1 to %d, or 0 for none", o.GraphLandmarks, maxLandmarks)
	}
	return nil
}

// grows reports whether there is a hierarchy on k^t: for the neighbourhoods of update t+1, or for graphs.
func (o *Options) grows(t int) bool {
	return t < o.Iterations && o.Variant.assignsNeighbours() || o.Variant.assignsGraphs() && o.compares(t)
}

// compares reports whether graphs are compared by k^t.
func (o *Options) compares(t int) bool {
	if o.SumIterations {
		return t < o.Iterations
	}
	return t >= 1
}
