package main

import (
	"context"
	"fmt"
	"time"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/internal/cputime"
	"github.com/grove-graph/grove/internal/planted"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/treeg"
	"github.com/spf13/cobra"
)

func plantedCommand() *cobra.Command {
	trees, workers, quick := 20, 1, false
	c := &cobra.Command{
		Use: "planted", Short: "Fit TREE-G trees to the planted vertex task, from the graph to the predictions",
		Long: `Fit boosted TREE-G trees of depth 6 to every other vertex of the planted task (170 000 vertices, 1.2 million
arcs, 128 attributes) and predict all vertices. Print the seconds and the peak memory of the whole.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if trees < 1 || workers < 1 {
				return fmt.Errorf("%d trees by %d workers: want at least one of each", trees, workers)
			}
			task, err := planted.Full()
			if quick {
				task, err = planted.New(500, 3500, 16)
			}
			if err != nil {
				return err
			}
			line, err := measurePlanted(cmd.Context(), engine.NewCPU(workers), task, trees)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n", task, line)
			return err
		},
	}
	c.Flags().IntVar(&trees, "trees", trees, "trees to fit")
	c.Flags().IntVar(&workers, "workers", workers, "goroutines that compute")
	c.Flags().BoolVar(&quick, "quick", false, "a tiny graph, to see that it runs; says nothing about speed")
	return c
}

// measurePlanted fits trees, predicts all vertices and says what that took and how many of the vertices that the trees
// did not see are classified well.
func measurePlanted(ctx context.Context, e engine.Engine, task *planted.Task, trees int) (string, error) {
	memory.ResetPeak()
	wall, used := time.Now(), cputime.Seconds()
	m, err := treeg.Fit(ctx, e, task.Batch, task.Targets, planted.Options(trees), nil)
	if err != nil {
		return "", err
	}
	fit, fitCPU := time.Since(wall).Seconds(), cputime.Seconds()-used
	wall, used = time.Now(), cputime.Seconds()
	said, err := m.Predict(ctx, task.Batch)
	if err != nil {
		return "", err
	}
	right := 0
	for v := 1; v < len(said.Classes); v += 2 {
		if said.Classes[v] == task.Targets.Classes[v] {
			right++
		}
	}
	return fmt.Sprintf("%d trees, %d workers: fit %.1f s (CPU %.1f s), predict %.2f s (CPU %.2f s), "+
		"test accuracy %.1f %%, peak memory %.2f GB", trees, e.Workers(), fit, fitCPU, time.Since(wall).Seconds(),
		cputime.Seconds()-used, 100*float64(right)/float64(len(said.Classes)/2), float64(memory.Peak())/1e9), nil
}
