package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/planted"
	"github.com/grove-graph/grove/treeg"
)

// treeOperations fit gradient-boosted TREE-G models of 50 trees with at most 10 leaves, d <= 2, a <= 2 and p = 0.25 to
// whole data sets of one-hot labels, under which the published code takes 56.3, 279.1 and 370.3 CPU seconds for 50
// trees, and 1.19 to predict MUTAG. Vertices are those of Cora with all features, 7 classes in 20 rounds, and of a
// planted task of the size of the Arxiv data set, a tree of depth 6 at a time. The floor reads every arc once for every
// tree.
func treeOperations() []operation {
	graphs := func(name string, vertices, count int) func(*inputs) (source, error) {
		return func(in *inputs) (source, error) {
			return in.named(name, "molecules", dataset.SynthOptions{Graphs: count, Vertices: vertices})
		}
	}
	mutag := graphs("MUTAG", 18, 188)
	return []operation{
		{"treeg-mutag", "boosting of 50 TREE-G trees on MUTAG", boostedGraphs(mutag, 0.3, 56.3), large},
		{"treeg-ptc", "the same on PTC_MR", boostedGraphs(graphs("PTC_MR", 14, 344), 1, 279.1), large},
		{"treeg-proteins", "the same on PROTEINS", boostedGraphs(graphs("PROTEINS", 39, 1113), 2.5, 370.3), large},
		{"treeg-predict", "prediction of MUTAG by 50 TREE-G trees", treePrediction(mutag), large},
		{"treeg-cora", "20 rounds of TREE-G trees on the vertices of Cora, 7 classes, 1433 features", boostedCora, large},
		{"treeg-planted", "a TREE-G tree of depth 6 on 170 000 vertices, 1.2 million arcs", plantedVertices, large},
	}
}

// publishedTrees is what the ratios are taken against.
func publishedTrees(seconds float64) func(*runner) (*rival, error) {
	if seconds == 0 {
		return nil
	}
	return func(*runner) (*rival, error) { return &rival{Name: "the published code", Seconds: seconds}, nil }
}

// paperOptions are those of the published figures.
func paperOptions() treeg.Options {
	opt := treeg.Defaults(treeg.Graphs, treeg.Boosting)
	opt.Constant = false
	return opt
}

// arcsOf is the floor of a number of trees.
func arcsOf(b *graph.Batch, trees int) floor {
	return floor{bytes: 4 * float64(trees) * float64(b.NumArcs())}
}

// treeTargets ask for graphs or vertices in a second and for a speed-up by a second worker.
func treeTargets(t *task, examples, limit float64) {
	t.units = examples
	t.rate = target{fmt.Sprintf("%s, %g seconds for all", t.unit, limit), examples / limit, atLeast}
	t.speedup = target{"two workers over one", 1.7, atLeast}
}

// boostedGraphs fits a model to a whole data set.
func boostedGraphs(from func(*inputs) (source, error), limit, published float64) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, err := from(t.inputs)
		if err != nil {
			return nil, err
		}
		task := &task{
			shape: fmt.Sprintf("%s: %d graphs, %d vertices, %d labels",
				s.from, s.batch.NumGraphs(), s.batch.NumVertices(), s.batch.NumLabels),
			run: func(e engine.Engine) error {
				_, err := treeg.Fit(context.Background(), e, s.batch, treeg.Targets{Classes: s.classes}, paperOptions(), nil)
				return err
			},
			unit: "graphs/s", against: publishedTrees(published), floor: arcsOf(s.batch, 50),
		}
		treeTargets(task, float64(s.batch.NumGraphs()), limit)
		return task, nil
	}
}

// treePrediction predicts a whole data set from its batch.
func treePrediction(from func(*inputs) (source, error)) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, err := from(t.inputs)
		if err != nil {
			return nil, err
		}
		model := onEngines(func(e engine.Engine) (*treeg.Model, error) {
			return treeg.Fit(context.Background(), e, s.batch, treeg.Targets{Classes: s.classes}, paperOptions(), nil)
		})
		graphs := float64(s.batch.NumGraphs())
		return &task{
			shape: fmt.Sprintf("%s: %.0f graphs, %d vertices", s.from, graphs, s.batch.NumVertices()),
			run: func(e engine.Engine) error {
				m, err := model(e)
				if err == nil {
					_, err = m.Scores(context.Background(), s.batch)
				}
				return err
			},
			units: graphs, unit: "graphs/s", against: publishedTrees(1.19), floor: arcsOf(s.batch, 50),
			rate: target{"graphs in a second", 1e5, atLeast},
		}, nil
	}
}

// boostedCora fits a model to the training vertices of the public split, or of a generated graph of that size.
func boostedCora(t *table) (*task, error) {
	b, classes, train, from, err := cora(t.inputs)
	if err != nil {
		return nil, err
	}
	opt := treeg.Defaults(treeg.Vertices, treeg.Boosting)
	opt.Estimators = 20
	task := &task{
		shape: vertexShape(from, b, len(train)),
		run: func(e engine.Engine) error {
			_, err := treeg.Fit(context.Background(), e, b, treeg.Targets{Classes: classes, Train: train}, opt, nil)
			return err
		},
		unit: "vertices/s", floor: arcsOf(b, 140),
	}
	treeTargets(task, float64(b.NumVertices()), 60)
	return task, nil
}

// plantedVertices fits one tree. 20 trees are to take at most 10 minutes.
func plantedVertices(t *table) (*task, error) {
	p, err := planted.Full()
	if t.inputs.sizes.columns < 64 {
		p, err = planted.New(500, 3500, 16)
	}
	if err != nil {
		return nil, err
	}
	opt := planted.Options(1)
	prepared := onEngines(func(e engine.Engine) (*treeg.Data, error) {
		return treeg.Prepare(context.Background(), e, p.Batch, opt)
	})
	task := &task{
		shape: p.String(),
		run: func(e engine.Engine) error {
			d, err := prepared(e)
			if err == nil {
				_, err = d.Fit(context.Background(), p.Targets, opt, nil)
			}
			return err
		},
		unit: "vertices/s", floor: arcsOf(p.Batch, 1),
	}
	treeTargets(task, float64(p.Batch.NumVertices()), 30)
	return task, nil
}

func vertexShape(from string, b *graph.Batch, train int) string {
	return fmt.Sprintf("%s: %d vertices, %d arcs, %d attributes, %d training vertices",
		from, b.NumVertices(), b.NumArcs(), b.AttributeDim, train)
}

// cora returns Cora with the training vertices of its public split, or a generated graph of its size.
func cora(in *inputs) (b *graph.Batch, classes, train []int, from string, err error) {
	var d *dataset.Dataset
	folder := filepath.Join(in.root, "node", "Cora")
	if _, err := os.Stat(folder); err == nil && in.sizes.graphs > 1000 {
		if d, err = dataset.OpenNode(folder, dataset.DetectDirection); err != nil {
			return nil, nil, nil, "", err
		}
		from = "Cora"
	} else {
		vertices := min(2708, max(in.sizes.graphs, 100))
		opt := dataset.SynthOptions{Vertices: vertices, Degree: 4, Communities: 7}
		if d, err = dataset.Synth("block-model", opt); err != nil {
			return nil, nil, nil, "", err
		}
		from = "generated block model"
	}
	for _, s := range d.Splits {
		if train == nil || s.Name == "planetoid" {
			train = s.Train
		}
	}
	return d.Batch, d.VertexClasses, train, from, nil
}
