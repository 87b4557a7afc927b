package model

import (
	"context"

	"github.com/grove-graph/grove/dataset"
)

// Method is a way to explain a prediction.
type Method string

// The methods.
const (
	Contributions Method = "contributions" // what every vertex adds to the decision
	Masks         Method = "masks"         // the fewest paths that keep it
	States        Method = "states"        // the most likely hidden state of every vertex, layer by layer
	Importance    Method = "importance"    // how much vertices and arcs count
)

// Explainer says what predictions rest on.
type Explainer interface {
	// Methods lists what the model can be explained by, the default first.
	Methods() []Method
	// Explain explains the prediction of some examples of d, in their order.
	Explain(ctx context.Context, d *dataset.Dataset, examples []int, opt ExplainOptions) ([]Explanation, error)
}

// ExplainOptions say how to explain.
type ExplainOptions struct {
	Method   Method  // "" is the default of the model
	Lambda   float64 // of masks: weight of the sum of all masks against the loss, 0 is the default
	Colours  int     // of learned weights: how many of the heaviest colours to list
	Progress Progress
}

// Explanation says what the prediction of one example rests on. Vertices and arcs are those of its graph, in the order
// of the data set, numbered from 0 within the graph. What the method does not give is nil.
type Explanation struct {
	Graph     int      // that the example is, or lies in
	Predicted int      // class, an index of [Head.Classes]; -1 in a regression
	Value     *float64 // predicted in a regression

	// Contributions of the vertices add up to the decision value. It speaks for the class Toward where it is
	// positive, against it for the class Against, which is -1 where it stands for all others.
	Contributions   []float64
	Decision        float64
	Toward, Against int

	Vertices []float64 // importance of every vertex, not negative, of sum 1; nil where edges are the examples
	Arcs     []float64 // importance of every arc; both arcs of an undirected edge have that of the edge
	Seen     []float64 // importance of what the model sees as vertices: Vertices, or the edges of the graph

	Mask    *Mask
	Colours []Colour
	States  [][]int // of every layer: of every vertex
}

// Mask says which paths of a graph a decision needs (GCKN, appendix B.3).
type Mask struct {
	WholeLoss  float64      // of the predicted class, with all paths
	Loss       float64      // with the masks
	EmptyLoss  float64      // with no path: where it is below Loss the classifier needs none
	Paths      []MaskedPath // layer by layer and length by length
	Edges      []MaskedEdge // all edges of the graph, those with the highest score first
	Iterations int
	Converged  bool
}

// MaskedPath is a path of a layer with its mask.
type MaskedPath struct {
	Layer    int     `json:"layer"`    // counted from 1
	Vertices []int32 `json:"vertices"` // numbered from 0 within the graph
	Mask     float64 `json:"mask"`     // from 0 to 1
}

// MaskedEdge is an edge, or in a directed graph an arc, with what the masks of the paths through it say.
type MaskedEdge struct {
	From  int32   `json:"from"`  // numbered from 0 within the graph
	To    int32   `json:"to"`    // above From in an undirected graph
	Score float64 `json:"score"` // mean of the masks of the paths through the edge: the share that is needed
	Sum   float64 `json:"sum"`   // their sum (appendix B.3), which grows with the number of paths
}

// Colour is a colour of the Weisfeiler-Lehman refinement with its learned weight, as it occurs in a graph. It stands
// for a rooted tree of Round levels: what a vertex sees within Round steps.
type Colour struct {
	Round  int     `json:"round"`
	Colour int32   `json:"colour"` // within its round
	Weight float64 `json:"weight"`
	Group  int     `json:"group"` // of colours that share a weight, from 0; -1 without groups
	Roots  []int   `json:"roots"` // vertices of the graph that have it
	Ball   []int   `json:"ball"`  // vertices that the tree of the first root reaches
}

// Weights counts the learned weights of a model.
type Weights interface {
	Weights() (total, zero int)
}

// AddConstant shares the constant of a decision between the contributions in equal parts and sums the decision up.
func (x *Explanation) AddConstant(constant float64) {
	if len(x.Contributions) == 0 {
		x.Decision = constant
	}
	for v := range x.Contributions {
		x.Contributions[v] += constant / float64(len(x.Contributions))
		x.Decision += x.Contributions[v]
	}
}

// Profile is how often the graphs of a class show each hidden state.
type Profile struct {
	Class  string      `json:"class"`
	Layers [][]float64 `json:"layers"` // of every layer: the mean frequency of every state
}

// Profiler is a model of hidden states that says how often each class shows them.
type Profiler interface {
	// Profiles returns the profile of every class of d, nil where its graphs have no classes.
	Profiles(ctx context.Context, d *dataset.Dataset, progress Progress) ([]Profile, error)
}
