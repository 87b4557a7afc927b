package treeg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/treeg/internal/predict"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Model is a fitted ensemble. It is safe for concurrent use.
type Model struct {
	engine engine.Engine
	opt    Options
	input  Input
	loss   Loss  // the one that was fitted
	number int   // of classes; 0 for regression
	absent []int // classes that no example of the training had

	start []float64 // of every output, before the first tree
	first []*Tree   // of the reference scheme: a tree in place of start for every output
	trees [][]*Tree // by round of boosting and output, or one a row

	compiled atomic.Pointer[predict.Program] // all trees, from the first prediction on
	idle     sync.Pool                       // of *memory
}

// Options returns the options that the model was fitted with.
func (m *Model) Options() Options { return m.opt }

// Input returns what the model sees of a batch.
func (m *Model) Input() Input { return m.input }

// Loss returns the loss that was fitted.
func (m *Model) Loss() Loss { return m.loss }

// NumClasses returns the number of classes, 0 for regression.
func (m *Model) NumClasses() int { return m.number }

// Rounds returns the number of rounds of boosting, or of trees of a forest.
func (m *Model) Rounds() int { return len(m.trees) }

// Trees returns the trees of a round: one for each output of boosting, else one. They are part of the model.
func (m *Model) Trees(round int) []*Tree { return m.trees[round] }

// Outputs returns the number of scores of an example: 1 for values and for boosting of two classes, else the
// number of classes.
func (m *Model) Outputs() int { return len(m.start) }

// all lists all trees: those of the reference scheme's start, then by round and output.
func (m *Model) all() []*Tree {
	return slices.Concat(append([][]*Tree{m.first}, m.trees...)...)
}

// program returns all trees, made ready.
func (m *Model) program() *predict.Program {
	p := m.compiled.Load()
	if p == nil {
		p = predict.NewProgram(&m.input, m.all())
		m.compiled.Store(p)
	}
	return p
}

// Prepare makes a batch ready for the model's predictions.
func (m *Model) Prepare(ctx context.Context, b *graph.Batch) (*Data, error) {
	return m.prepareIn(ctx, b, nil)
}

// prepareIn prepares a batch. With a memory, where the numbers then lie, the data serve to find leaves only.
func (m *Model) prepareIn(ctx context.Context, b *graph.Batch, memory *walks.Memory) (*Data, error) {
	if m.engine == nil || len(m.trees) == 0 {
		return nil, errors.New("the model is not fitted")
	}
	want := m.demand()
	want.Memory, want.Words = memory, memory != nil && !m.engine.Capabilities().Wide
	return dataOf(walks.Prepare(ctx, m.engine, b, m.input, want))
}

// demand returns what the trees need to know of a batch.
func (m *Model) demand() walks.Demand {
	var want walks.Demand
	for _, t := range m.all() {
		for i := range t.Nodes {
			if s := t.Nodes[i].Split; s != nil {
				want.Length = max(want.Length, s.Length)
				want.Cycles = want.Cycles || s.Walk == Cycle && s.Length > 0
			}
		}
	}
	return want
}

// ScoresOf returns the raw scores of some graphs or vertices of prepared data, all where examples is nil: N x Outputs
// log-odds or values; of a forest and a single tree the probabilities of the classes.
func (m *Model) ScoresOf(ctx context.Context, d *Data, examples []int) ([]float64, error) {
	leaves, err := m.leavesOf(ctx, d, examples)
	if err != nil {
		return nil, err
	}
	return m.scores(leaves), nil
}

// scores returns the raw scores of examples that reached some leaves.
func (m *Model) scores(leaves []int32) []float64 {
	k, trees := m.Outputs(), m.program().Trees()
	scores := make([]float64, len(leaves)/trees*k)
	for i := range len(scores) / k {
		m.score(scores[i*k:(i+1)*k], leaves[i*trees:(i+1)*trees])
	}
	return scores
}

// score adds up the leaves that an example reached, in the order in which they were fitted.
func (m *Model) score(scores []float64, leaves []int32) {
	copy(scores, m.start)
	for k, t := range m.first {
		scores[k] = t.Nodes[leaves[k]].Value[0]
	}
	leaves = leaves[len(m.first):]
	for r, row := range m.trees {
		for k, t := range row {
			value := t.Nodes[leaves[r*len(row)+k]].Value
			if m.opt.Ensemble == Boosting {
				scores[k] += float64(m.opt.LearningRate * value[0])
				continue
			}
			for c, v := range value {
				scores[c] += v
			}
		}
	}
	if m.opt.Ensemble != Boosting {
		for c := range scores {
			scores[c] /= float64(len(m.trees))
		}
	}
}

// leavesOf returns the leaf of every example in every tree, row by row.
func (m *Model) leavesOf(ctx context.Context, d *Data, examples []int) ([]int32, error) {
	if want := m.demand(); d.data.Length < want.Length || want.Cycles && !d.data.Demand.Cycles {
		return nil, fmt.Errorf("the data were prepared for other walks than those of the model")
	}
	list, err := d.exampleList(examples)
	if err != nil {
		return nil, err
	}
	trees := m.program().Trees()
	leaves := make([]int32, len(list)*trees)
	err = m.program().Each(ctx, d.data, m.opt.Empty, list, func(i, t int, leaf int32) { leaves[i*trees+t] = leaf })
	return leaves, err
}

// exampleList returns examples as numbers of the batch, all where there is no list.
func (d *Data) exampleList(examples []int) ([]int32, error) {
	n := d.Examples()
	if examples == nil {
		examples = split.All(n)
	}
	list := make([]int32, len(examples))
	for i, e := range examples {
		if e < 0 || e >= n {
			return nil, fmt.Errorf("example %d of %d", e, n)
		}
		list[i] = int32(e)
	}
	return list, nil
}

// probabilities turns the scores of one example into probabilities of the classes.
func (m *Model) probabilities(p, scores []float64) {
	switch {
	case m.loss == Logistic:
		p[1] = sigmoid(scores[0])
		p[0] = 1 - p[1]
	case m.loss == Softmax:
		softmaxOf(p, scores)
	case m.loss == OneVsAll:
		sum := 0.0
		for c, s := range scores {
			p[c] = sigmoid(s)
			sum += p[c]
		}
		if sum == 0 { // all of them underflow: in the limit they are as exp(s)
			softmaxOf(p, scores)
			return
		}
		for c := range p {
			p[c] /= sum
		}
	default:
		copy(p, scores)
	}
}

// softmaxOf writes exp(s) / sum exp(s).
func softmaxOf(p, scores []float64) {
	all := logSumExp(scores)
	for c, s := range scores {
		p[c] = math.Exp(s - all)
	}
}
