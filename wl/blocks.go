package wl

import (
	"context"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/split"
)

// inBlocks refines the colours of all graphs block by block, each by itself, in one pass: a block gives its own colours
// and counts, which are joined in the order of the blocks. It returns what finish makes of them. Graphs in memory are
// one block.
func inBlocks[T any](
	ctx context.Context, s Estimator, w *model.Work, by *rounds.Rounds, finish func(c *coloured) (T, error),
) (value T, err error) {
	encoding, err := s.Sees(w)
	if err != nil {
		return value, err
	}
	s.settle(w.Data)
	n, workers := w.Data.NumGraphs(), w.Engine.Workers()
	first, each, progress := []int{0}, w.Each, w.Progress // of vertices; of blocks where graphs stay on disk
	report := model.Progress(nil)
	if w.Store != nil {
		first, progress, report = rounds.Even(n, model.BlockGraphs), nil, w.Progress
	}
	all := nothing(&graph.Batch{}, s.Options)
	pass := rounds.Pass[block]{
		Name: "colours", First: first,
		Progress: func(done, blocks int) { report.Report("refine colours", done, blocks) },
		Compute: func(ctx context.Context, i int) (block, error) {
			if w.Store != nil {
				graphs := split.All(min(first[i]+model.BlockGraphs, n))[first[i]:]
				each = func(visit func(*dataset.Dataset) error) error { return w.Store.EachOf(graphs, visit) }
			}
			var some *seen
			if err := each(func(d *dataset.Dataset) error {
				b, err := encoding.Apply(d)
				if err != nil {
					return err
				}
				if some == nil {
					some = nothing(b, s.Options)
				}
				return some.see(ctx, b, workers, progress)
			}); err != nil {
				return block{}, err
			}
			return some.block(), nil
		},
	}
	return rounds.Digest(ctx, by, pass, func(b block) error {
		next := b.seen(s.Options)
		if all.counts[0].graphs() == 0 {
			all = next
			return nil
		}
		return all.join(next, workers)
	}, func() (T, error) { return finish(&coloured{encoding, all.model(w.Engine)}) })
}

// modelInRounds learns a model in rounds: the colours of the graphs are refined by parts, and who puts them together
// makes the model, of whose file the bytes are kept.
func (s Estimator) modelInRounds(ctx context.Context, w *model.Work, t model.Trial) (model.Model, error) {
	most, _, _ := s.most(w)
	alone := *w
	alone.Rounds = nil
	file, err := inBlocks(ctx, most, w, w.Rounds, func(c *coloured) ([]byte, error) {
		if _, err := model.Shared(&alone, sharedColours{most.Options, most.Features}, func() (*coloured, error) {
			return c, nil
		}); err != nil {
			return nil, err
		}
		l, err := s.Learner(ctx, &alone)
		if err != nil {
			return nil, err
		}
		m, err := l.Model(ctx, t)
		if err != nil {
			return nil, err
		}
		m.About().Training.Graphs = w.Data.NumGraphs()
		kind, description, tensors, err := model.Content(m)
		if err != nil {
			return nil, err
		}
		return modelfile.Encode(kind, description, tensors)
	})
	if err != nil {
		return nil, err
	}
	content, err := modelfile.Decode(file)
	if err != nil {
		return nil, err
	}
	return model.Decode(content, w.Engine)
}

// InRounds implements [model.InRounds].
func (s Estimator) InRounds() error { return nil }
