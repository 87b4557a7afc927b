package main

import (
	"context"
	"fmt"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/treeg"
	"github.com/spf13/cobra"
)

// plantedTask classifies the vertices of one large graph.
type plantedTask struct {
	batch   *graph.Batch
	classes []int
	train   []int
	from    string
}

// planted returns a task of the size of the Arxiv data set. The class of a vertex is decided by the sum of attribute 3
// over those neighbours whose attribute 7 is positive; every other vertex is trained on.
func planted(in *inputs) (*plantedTask, error) {
	vertices, arcs, width := 170000, 1200000, 128
	if in.sizes.columns < 64 {
		vertices, arcs, width = 500, 3500, 16
	}
	s, err := in.named("", "power-law", dataset.SynthOptions{Graphs: 1, Vertices: vertices, Degree: 8})
	if err != nil {
		return nil, err
	}
	r := newRandom("planted")
	b := thinnedTo(s.batch, arcs, r)
	b.AttributeDim, b.Attributes = width, make([]float64, vertices*width)
	for i := range b.Attributes {
		b.Attributes[i] = r.NormFloat64()
	}
	t := &plantedTask{batch: b, classes: make([]int, vertices), from: "generated power-law"}
	for v := range t.classes {
		sum := 0.0
		for _, u := range b.Neighbors(int32(v)) {
			if x := b.Attribute(u); x[7] > 0 {
				sum += x[3]
			}
		}
		if sum > 0 {
			t.classes[v] = 1
		}
		if v%2 == 0 {
			t.train = append(t.train, v)
		}
	}
	return t, nil
}

// thinnedTo keeps so many arcs of an undirected graph, edges drawn with equal chances.
func thinnedTo(b *graph.Batch, arcs int, r random) *graph.Batch {
	neighbors := make([][]int32, b.NumVertices())
	left, want := b.NumArcs()/2, arcs/2
	for u := range int32(len(neighbors)) {
		for _, v := range b.Neighbors(u) {
			if v < u {
				continue
			}
			if r.IntN(left) < want {
				neighbors[u], neighbors[v] = append(neighbors[u], v), append(neighbors[v], u)
				want--
			}
			left--
		}
	}
	return graph.FromAdjacency(b.Offsets, neighbors)
}

// options are those of trees of depth 6.
func (t *plantedTask) options(trees int) treeg.Options {
	opt := treeg.Defaults(treeg.Vertices, treeg.Boosting)
	opt.Estimators, opt.Growth, opt.MaxLeaves, opt.MaxDepth = trees, treeg.LevelWise, 0, 6
	return opt
}

func (t *plantedTask) targets() treeg.Targets {
	return treeg.Targets{Classes: t.classes, Train: t.train}
}

// plantedVertices fits one tree. 20 trees are to take at most 10 minutes.
func plantedVertices(t *table) (*task, error) {
	p, err := planted(t.inputs)
	if err != nil {
		return nil, err
	}
	opt := p.options(1)
	prepared := onEngines(func(e engine.Engine) (*treeg.Data, error) {
		return treeg.Prepare(context.Background(), e, p.batch, opt)
	})
	task := &task{
		shape: vertexShape(p.from, p.batch, len(p.train)),
		run: func(e engine.Engine) error {
			d, err := prepared(e)
			if err == nil {
				_, err = d.Fit(context.Background(), p.targets(), opt, nil)
			}
			return err
		},
		unit: "vertices/s", floor: arcsOf(p.batch, 1),
	}
	treeTargets(task, float64(p.batch.NumVertices()), 30)
	return task, nil
}

func plantedCommand() *cobra.Command {
	trees, workers, quick := 20, 1, false
	c := &cobra.Command{
		Use: "planted", Short: "Fit TREE-G trees to the planted vertex task, from the graph to the predictions",
		Long: `Fit boosted TREE-G trees of depth 6 to every other vertex of the planted task (170 000 vertices, 1.2 million
arcs, 128 attributes) and predict all vertices. Print the seconds and the peak memory of the whole.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if trees < 1 || workers < 1 {
				return usageError{fmt.Errorf("%d trees by %d workers: want at least one of each", trees, workers)}
			}
			sizes := fullSizes()
			if quick {
				sizes = quickSizes()
			}
			p, err := planted(newInputs("", sizes))
			if err != nil {
				return err
			}
			line, err := p.measure(cmd.Context(), engine.NewCPU(workers), trees)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n", vertexShape(p.from, p.batch, len(p.train)), line)
			return err
		},
	}
	c.Flags().IntVar(&trees, "trees", trees, "trees to fit")
	c.Flags().IntVar(&workers, "workers", workers, "goroutines that compute")
	c.Flags().BoolVar(&quick, "quick", false, "a tiny graph, to see that it runs; says nothing about speed")
	return c
}

// measure fits trees, predicts all vertices and says what that took and how many of the vertices that the trees did not
// see are classified well.
func (t *plantedTask) measure(ctx context.Context, e engine.Engine, trees int) (string, error) {
	resetPeak()
	wall, used := time.Now(), cpuSeconds()
	m, err := treeg.Fit(ctx, e, t.batch, t.targets(), t.options(trees), nil)
	if err != nil {
		return "", err
	}
	fit, fitCPU := time.Since(wall).Seconds(), cpuSeconds()-used
	wall, used = time.Now(), cpuSeconds()
	classes, err := m.Classes(ctx, t.batch)
	if err != nil {
		return "", err
	}
	right := 0
	for v := 1; v < len(classes); v += 2 {
		if classes[v] == t.classes[v] {
			right++
		}
	}
	return fmt.Sprintf("%d trees, %d workers: fit %.1f s (CPU %.1f s), predict %.2f s (CPU %.2f s), "+
		"test accuracy %.1f %%, peak memory %.2f GB", trees, e.Workers(), fit, fitCPU, time.Since(wall).Seconds(),
		cpuSeconds()-used, 100*float64(right)/float64(len(classes)/2), float64(memory.Peak())/1e9), nil
}
