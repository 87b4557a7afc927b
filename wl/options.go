package wl

import (
	"fmt"
	"slices"
)

// Kernel is a kernel between coloured graphs.
type Kernel string

const (
	Subtree    Kernel = "wl"    // inner product of colour counts
	Assignment Kernel = "wl-oa" // intersection of colour counts: the best assignment of vertices
)

// Follow says which arcs of a directed graph lead from a vertex to the neighbours that refine its colour.
type Follow string

const (
	FollowOut  Follow = "out"  // arcs that leave the vertex
	FollowIn   Follow = "in"   // arcs that enter it
	FollowBoth Follow = "both" // both, told apart
)

var (
	kernels = []Kernel{Subtree, Assignment}
	follows = []Follow{FollowOut, FollowIn, FollowBoth}
)

// Options describe a kernel and the refinement under it. Start from [DefaultOptions].
type Options struct {
	Kernel     Kernel `json:"kernel"`
	Iterations int    `json:"iterations"` // h: rounds of refinement after the initial colours
	Normalise  bool   `json:"normalise"`  // k(x,y) / sqrt(k(x,x) k(y,y))

	Uniform   bool   `json:"uniform"`    // give all vertices the same initial colour, whatever their labels
	ArcLabels bool   `json:"arc_labels"` // tell neighbours apart by the label of the arc to them
	Follow    Follow `json:"follow"`     // of directed graphs

	// Vertices compares vertices in place of graphs, each as a graph of its own colours: the kernel is the number of
	// rounds, 0 to h, in which two vertices have the same colour, under both kernels.
	Vertices bool `json:"vertices,omitempty"`
}

// DefaultOptions returns the options of the published experiments: five rounds, a normalised kernel,
// vertex labels where there are any, arcs without their labels, followed from tail to head.
func DefaultOptions(kernel Kernel) Options {
	return Options{Kernel: kernel, Iterations: 5, Normalise: true, Follow: FollowOut}
}

const maxIterations = 1000

// Check reports the first option that makes no sense.
func (o *Options) Check() error {
	switch {
	case !slices.Contains(kernels, o.Kernel):
		return fmt.Errorf("kernel %q: want one of %q", o.Kernel, kernels)
	case o.Iterations < 0 || o.Iterations > maxIterations:
		return fmt.Errorf("%d rounds of refinement, want 0 to %d", o.Iterations, maxIterations)
	case !slices.Contains(follows, o.Follow):
		return fmt.Errorf("arcs to follow %q: want one of %q", o.Follow, follows)
	}
	return nil
}
