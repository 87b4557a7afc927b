package treeg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/treeg/internal/predict"
	"github.com/grove-graph/grove/treeg/internal/search"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// wholeRounds are rounds of boosting that go over blocks of all graphs.
type wholeRounds struct {
	*storedFit
	scores *hostScores
	grower *search.StoredGrower
	lock   sync.Mutex // of room
}

// planted is a tree with what it says of the graphs that have a target.
type planted struct {
	Tree *Tree
	Leaf []int32 // by position
}

// wholeRounds returns the rounds that are left.
func (f *storedFit) wholeRounds(ctx context.Context) (*wholeRounds, error) {
	r := &wholeRounds{storedFit: f, scores: &hostScores{f.booster, slices.Repeat(f.m.start, len(f.examples)), f.y}}
	none, err := f.tell(walks.Prepare(ctx, f.m.engine, f.empty, f.m.input, f.want))
	if err != nil {
		return nil, err
	}
	first := rounds.Even(f.n, f.block)
	f.kept = make([]*walks.Data, len(first))
	r.grower = search.NewStoredGrower(&search.Stored{
		Empty: none, First: first, Few: f.few, Block: r.blockOf,
		Some: func(ctx context.Context, graphs []int32) (*walks.Data, error) {
			numbers := make([]int, len(graphs))
			for i, g := range graphs {
				numbers[i] = int(g)
			}
			return f.ready(ctx, numbers)
		},
		Kept: func(block int) bool { return f.kept[block] != nil },
	}, searchOptions(f.opt, &f.m.input, f.large), f.m.engine.Workers())
	return r, r.goOn(ctx)
}

// goOn gives the graphs the scores of the rounds that are done already.
func (r *wholeRounds) goOn(ctx context.Context) error {
	if len(r.m.trees) == 0 {
		return nil
	}
	all, err := rounds.Collect(ctx, r.by, rounds.Pass[[]float64]{
		Name: "scores", First: rounds.Even(r.n, r.block), Workers: r.m.engine.Workers(),
		Compute: func(ctx context.Context, block int) ([]float64, error) {
			d, err := dataOf(r.blockOf(ctx, block))
			if err != nil {
				return nil, err
			}
			return r.scoresBefore(ctx, d)
		},
	}, nil, func(all *[]float64, of []float64) error {
		*all = append(*all, of...)
		return nil
	})
	if err != nil {
		return err
	}
	for i, g := range r.examples {
		copy(r.scores.scores[i*r.outputs:(i+1)*r.outputs], all[int(g)*r.outputs:])
	}
	return nil
}

// blockOf returns a block that is ready. Blocks are kept where one process goes over them again and again.
func (r *wholeRounds) blockOf(ctx context.Context, block int) (*walks.Data, error) {
	if d := r.kept[block]; d != nil {
		return d, nil
	}
	d, err := r.ready(ctx, r.numbersOf(block))
	if err != nil || r.by != nil {
		return d, err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if bytes := int64(d.Bytes()); bytes < r.room {
		r.room -= bytes
		r.kept[block] = d
	}
	return d, nil
}

// round fits a tree to the negative gradient of every output.
func (r *wholeRounds) round(ctx context.Context, round int) error {
	sample := r.sample(round)
	row := make([]*Tree, r.outputs)
	r.scores.residuals() // all outputs of a round see the same scores
	for k := range row {
		grown, err := rounds.Whole(r.by, func(inner *rounds.Rounds) (planted, error) {
			return r.plant(ctx, inner, round, k, sample)
		})
		if err != nil {
			return err
		}
		row[k] = grown.Tree
		for i, leaf := range grown.Leaf {
			r.scores.scores[i*r.outputs+k] += float64(r.opt.LearningRate * grown.Tree.Nodes[leaf].Value[0])
		}
	}
	r.m.trees = append(r.m.trees, row)
	return nil
}

// plant grows a tree for one output.
func (r *wholeRounds) plant(ctx context.Context, by *rounds.Rounds, round, k int, sample []int32) (planted, error) {
	name := fmt.Sprintf("tree %d", round*r.outputs+k+1)
	r.grower.In(by, name)
	random := rand.New(rand.NewPCG(r.opt.Seed, treeStream+uint64(round*r.outputs+k)))
	grown, err := r.grower.Grow(ctx, r.scores.targets(k, sample), split.Select(r.examples, sample), random)
	if err != nil {
		return planted{}, err
	}
	of := planted{grown.Tree, make([]int32, len(r.examples))}
	position := make([]int32, r.n)
	for i, g := range r.examples {
		position[g] = int32(i)
	}
	for i := range grown.Tree.Nodes {
		if n := &grown.Tree.Nodes[i]; n.Split == nil {
			sums := grown.Sums(i)
			n.Value = []float64{r.objective.step(&sums)}
			for _, g := range grown.Members[i] {
				of.Leaf[position[g]] = int32(i)
			}
		}
	}
	if len(sample) == len(r.examples) {
		return of, nil
	}
	all, err := r.leaves(ctx, by, name, grown.Tree)
	for i, g := range r.examples {
		if err == nil {
			of.Leaf[i] = all[g]
		}
	}
	return of, err
}

// leaves returns the leaf that every graph reaches in a tree.
func (r *wholeRounds) leaves(ctx context.Context, by *rounds.Rounds, name string, t *Tree) ([]int32, error) {
	p := predict.NewProgram(&r.m.input, []*Tree{t})
	return rounds.Collect(ctx, by, rounds.Pass[[]int32]{
		Name: name + ", leaves", First: rounds.Even(r.n, r.block), Workers: r.m.engine.Workers(),
		Compute: func(ctx context.Context, block int) ([]int32, error) {
			d, err := r.blockOf(ctx, block)
			if err != nil {
				return nil, err
			}
			list := make([]int32, d.Examples())
			for i := range list {
				list[i] = int32(i)
			}
			leaves := make([]int32, len(list))
			return leaves, p.Each(ctx, d, r.opt.Empty, list, func(i, _ int, leaf int32) { leaves[i] = leaf })
		},
	}, nil, func(all *[]int32, of []int32) error {
		*all = append(*all, of...)
		return nil
	})
}
