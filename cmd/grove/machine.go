package main

import (
	"slices"
	"strings"

	"github.com/grove-graph/grove/svm"
	"github.com/spf13/pflag"
)

// machineFlags are the flags of the constant C of a support vector machine.
type machineFlags struct {
	c     float64
	grid  []float64 // nil: the default of the machine
	flags *pflag.FlagSet
}

func (m *machineFlags) add(fs *pflag.FlagSet, defaults string) {
	m.flags = fs
	fs.Var(newSingle(&m.c, parseConstant), "c", "`C` constant of the classifier, in place of choosing it")
	fs.Var(newSingle(&m.grid, parseGrid), "c-grid",
		"`C,...` values of C to choose from, or code or paper for the grids of the published code and of the paper of GCKN "+
			"(default "+defaults+")")
}

func (m *machineFlags) check() error {
	if m.c == 0 {
		return nil
	}
	if m.flags.Changed("c-grid") {
		return usagef("--c and --c-grid: give one of the two")
	}
	m.grid = []float64{m.c}
	return nil
}

// parseGrid reads --c-grid.
func parseGrid(text string) ([]float64, error) {
	switch text {
	case "code":
		return svm.CGrid(), nil
	case "paper":
		return svm.PaperGrid(), nil
	}
	var grid []float64
	for part := range strings.SplitSeq(text, ",") {
		c, err := parseConstant(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		grid = append(grid, c)
	}
	slices.Sort(grid)
	return slices.Compact(grid), nil
}
