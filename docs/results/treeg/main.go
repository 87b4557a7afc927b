// Command treeg repeats the measurements of TREE-G in docs/results/treeg.md that are no plain evaluations:
//
//	go run ./docs/results/treeg walk-counts --shades --graphs 1000 --trees 100 docs/results/images
//	go run ./docs/results/treeg tree-cost docs/results/images/treeg-cost.svg
//	go run ./docs/results/treeg planted --trees 20 --workers 2
package main

import (
	"os"

	"github.com/spf13/cobra"
)

func main() {
	if command().Execute() != nil {
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use: "treeg", Short: "Measure what docs/results/treeg.md tells of TREE-G", SilenceUsage: true,
	}
	root.AddCommand(walkCountCommand(), treeCostCommand(), plantedCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	return root
}
