package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// Boosting is a gradient boosting of trees (Friedman 2001) that begins: N examples with K outputs each.
type Boosting struct {
	Objective Objective
	Outputs   int       // K
	Examples  []int32   // their numbers
	Targets   []float64 // N x K
	Start     []float64 // score of each output before the first tree
}

// Objective is the loss of an example that a boosting reduces, y its targets and F its scores.
type Objective int32

// The objectives.
const (
	SquaredObjective  Objective = iota // sum over outputs of (y - F)^2
	LogisticObjective                  // sum over outputs of log(1 + e^F) - y F, y in {0, 1}
	SoftmaxObjective                   // sum over outputs of y (log(sum_j e^F_j) - F)
)

// Booster keeps the scores of a boosting on an engine, and what trees are fitted to. Memory of the engine holds it
// until Release. Trees of different outputs may grow at the same time.
type Booster interface {
	// Residuals makes the negative gradients of the loss at the scores as they are, which trees are fitted to from then
	// on; before, they are fitted to the targets. The gradient of the squared objective is that of half of it.
	Residuals() error

	// Plant begins a tree of g, whose splits reduce the variance, as [Growth].Plant does: of the examples at some
	// positions in [Boosting].Examples, ascending, each of weight 1, whose values are the residuals of output k.
	Plant(g Growth, k int, positions []int32, bins int) (NodeSums, error)

	// Add adds to the scores of output k what the leaves of the tree of g say, which are all of its examples.
	Add(g Growth, k int, leaves []GrownLeaf) error

	// AddOthers adds to the scores of output k, of the examples that the tree of g was not planted with, the values of
	// the nodes that they reach in a tree, as [Engine].Descend sends them, by number of the node.
	AddOthers(g Growth, k int, x *tensor.Dense, t *Trees, values []float64) error

	// Loss returns the mean loss of the examples from a position on.
	Loss(from int) (float64, error)

	// Release gives the memory back.
	Release()
}

// GrownLeaf are the examples From to the next leaf in the order of a [Growth], below so many splits, and what is added
// to their scores.
type GrownLeaf struct {
	From, Depth int
	Value       float64
}

// Residual returns the negative gradient of the loss of an example for output k, of target y.
func (o Objective) Residual(y float64, scores []float64, k int) float64 {
	switch o {
	case LogisticObjective:
		return y - 1/(1+exp(-scores[k]))
	case SoftmaxObjective:
		return y - exp(scores[k]-logSumExp(scores))
	}
	return y - scores[k]
}

// Mean returns the mean loss of examples, K targets and scores each.
func (o Objective) Mean(y, scores []float64, outputs int) float64 {
	n := len(y) / outputs
	return Total(n, func(i int) float64 {
		return o.of(y[i*outputs:(i+1)*outputs], scores[i*outputs:(i+1)*outputs])
	}) / float64(n)
}

// of returns the loss of an example.
func (o Objective) of(y, scores []float64) (loss float64) {
	all := 0.0
	if o == SoftmaxObjective {
		all = logSumExp(scores)
	}
	for k, f := range scores {
		switch o {
		case SquaredObjective:
			loss += float64((y[k] - f) * (y[k] - f))
		case LogisticObjective: // log(1 + e^F) without overflow
			loss += max(f, 0) + log(1+exp(-math.Abs(f))) - float64(y[k]*f)
		case SoftmaxObjective:
			loss += float64(y[k] * (all - f))
		}
	}
	return loss
}

func logSumExp(x []float64) float64 {
	most := math.Inf(-1)
	for _, v := range x {
		most = max(most, v)
	}
	sum := 0.0
	for _, v := range x {
		sum += exp(v - most)
	}
	return most + log(sum)
}

// CheckBoost returns what is wrong with a boosting.
func CheckBoost(b *Boosting) error {
	ck := checks{op: "Boost"}
	ck.that(b.Objective >= SquaredObjective && b.Objective <= SoftmaxObjective, "objective %d", b.Objective)
	ck.that(b.Outputs > 0 && len(b.Targets) == len(b.Examples)*b.Outputs && len(b.Start) == b.Outputs,
		"%d targets and %d scores to start from for %d examples with %d outputs", len(b.Targets), len(b.Start),
		len(b.Examples), b.Outputs)
	return ck.err
}

// CheckBoosted returns what is wrong with an output, or with the positions of examples.
func CheckBoosted(b *Boosting, op string, k int, positions []int32) error {
	ck := checks{op: op}
	ck.that(k >= 0 && k < b.Outputs, "output %d of %d", k, b.Outputs)
	ck.within(positions, len(b.Examples), "entry %d of the positions is %d of %d")
	return ck.err
}

// CheckLeaves returns what is wrong with the leaves of a tree of so many examples.
func CheckLeaves(leaves []GrownLeaf, examples int) error {
	ck := checks{op: "Add"}
	last := 0
	for i, l := range leaves {
		ck.that(l.Depth >= 0 && (i == 0 && l.From == 0 || i > 0 && last <= l.From && l.From <= examples),
			"leaf %d begins at example %d of %d after %d", i, l.From, examples, last)
		last = l.From
	}
	ck.that(len(leaves) > 0 || examples == 0, "%d leaves", len(leaves))
	return ck.err
}

// CheckOthers returns what is wrong with the arguments of [Booster].AddOthers.
func CheckOthers(b *Boosting, x *tensor.Dense, t *Trees, values []float64) error {
	ck := checks{op: "AddOthers"}
	if !ck.dims("x", x, 2) {
		return ck.err
	}
	examples := t.Examples(x)
	ck.that(len(t.Roots) == 1 && len(values) == len(t.Nodes), "%d trees with %d values for %d nodes, want one tree",
		len(t.Roots), len(values), len(t.Nodes))
	ck.within(b.Examples, examples, "entry %d of the examples is example %d of %d")
	if ck.err != nil {
		return ck.err
	}
	return CheckDescend(make([]int32, examples), x, t)
}
