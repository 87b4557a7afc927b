package machine

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/svm"
)

// KernelGrid returns the values of C that machines on kernels choose from where none are given, 10^-3, 10^-2, ...,
// 10^3.
func KernelGrid() []float64 { return []float64{1e-3, 1e-2, 1e-1, 1, 10, 100, 1000} }

// Grid returns the grid of the given values of C, ascending; those of defaults where there are none.
func Grid(values, defaults []float64) model.Grid {
	if values == nil {
		values = defaults
	}
	return model.Grid{Name: "C", Values: values}
}

// Constants are the parameters of the constant C.
type Constants struct {
	c     float64
	grid  []float64
	given func(name string) bool
}

// Constants C outside of these bounds make no difference but in overflow.
const (
	leastC = 1e-12
	mostC  = 1e12
)

// Declare declares them. defaults says which values are chosen from where none are given.
func (m *Constants) Declare(s *param.Set, defaults string) {
	m.given = s.Given
	s.Add(&param.Param{Value: param.One(&m.c, parseConstant), Name: "c", Least: leastC, Most: mostC,
		Usage: "`C` constant of the classifier, in place of choosing it"})
	s.Add(&param.Param{Value: param.One(&m.grid, parseGrid), Name: "c-grid",
		Usage: "`C,...` values of C to choose from, or code or paper for the grids of the published code and of the paper " +
			"of GCKN (default " + defaults + ")"})
}

// Values returns the values of C that were asked for, nil for the default.
func (m *Constants) Values() ([]float64, error) {
	if m.c == 0 {
		return m.grid, nil
	}
	if m.given("c-grid") {
		return nil, param.Errorf("c-grid", nil, "leave out c, or c-grid")
	}
	return []float64{m.c}, nil
}

// parseConstant reads a constant C.
func parseConstant(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= leastC && x <= mostC) {
		return 0, fmt.Errorf("%q is not a number from %g to %g", text, leastC, mostC)
	}
	return x, nil
}

// parseGrid reads values of C.
func parseGrid(text string) ([]float64, error) {
	switch text {
	case "code":
		return svm.CGrid(), nil
	case "paper":
		return svm.PaperGrid(), nil
	}
	var grid []float64
	if err := param.List(&grid, parseConstant).Set(text); err != nil {
		return nil, err
	}
	slices.Sort(grid)
	return slices.Compact(grid), nil
}
