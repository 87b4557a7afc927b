package svm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"
)

// Expansion is a function of kernel values, f(x) = sum_s Coefficients[s] k(x, Objects[s]) + Bias.
type Expansion struct {
	Objects      []int     `json:"objects"` // support vectors, ascending indices
	Coefficients []float64 `json:"coefficients"`
	Bias         float64   `json:"bias"`
	Objective    float64   `json:"objective"` // of the dual problem, minimised
	Steps        int       `json:"steps"`
}

// add appends a variable.
func (d *dual) add(item int, p, low, high float64) {
	d.item = append(d.item, item)
	d.p = append(d.p, p)
	d.low = append(d.low, low)
	d.high = append(d.high, high)
}

// path solves the problem for every C of a grid.
func (d dual) path(ctx context.Context, grid []float64, o KernelOptions) ([]Expansion, error) {
	items := slices.Clone(d.item)
	s := newSMO(d, o)
	out := make([]Expansion, len(grid))
	for g, c := range grid {
		if err := s.solve(ctx, c); err != nil {
			return nil, err
		}
		out[g] = Expansion{Bias: -s.threshold(), Objective: s.objective(), Steps: s.steps}
		out[g].collect(items, s.solution())
	}
	return out, nil
}

// collect keeps the objects whose variables do not add up to 0.
func (e *Expansion) collect(items []int, b []float64) {
	sum := map[int]float64{}
	for t, item := range items {
		sum[item] += b[t]
	}
	e.Objects, e.Coefficients = []int{}, []float64{}
	for _, item := range slices.Compact(slices.Sorted(slices.Values(items))) {
		if c := sum[item]; c != 0 {
			e.Objects = append(e.Objects, item)
			e.Coefficients = append(e.Coefficients, c)
		}
	}
}

// dualTolerance is the rounding of the conditions on the variables of the dual problem, in units of C.
const dualTolerance = 1e-6

// check returns an error where the parts do not fit each other, or where the coefficients are not within -C and C or
// do not add up to 0, as those of every solution do.
func (e *Expansion) check(c float64) error {
	if len(e.Objects) != len(e.Coefficients) {
		return fmt.Errorf("%d support vectors and %d coefficients", len(e.Objects), len(e.Coefficients))
	}
	last := -1
	for _, i := range e.Objects {
		if i <= last {
			return fmt.Errorf("support vectors are not ascending from 0 on: %d after %d", i, last)
		}
		last = i
	}
	if notFinite(e.Coefficients) >= 0 || !finite(e.Bias) {
		return fmt.Errorf("a number is not finite")
	}
	sum := 0.0
	for _, v := range e.Coefficients {
		if sum += v / c; math.Abs(v) > (1+dualTolerance)*c {
			return fmt.Errorf("the coefficient %g with C %g", v, c)
		}
	}
	if math.Abs(sum) > dualTolerance*float64(1+len(e.Coefficients)) {
		return fmt.Errorf("coefficients of sum %g", sum*c)
	}
	return nil
}

// checkC reports a C that no grid has.
func checkC(c float64) error {
	if !(c > 0) || math.IsInf(c, 0) {
		return fmt.Errorf("the model was trained with C %g: want a positive number", c)
	}
	return nil
}

// supportOf returns all objects of some expansions, ascending.
func supportOf(expansions []*Expansion) []int {
	var all []int
	for _, e := range expansions {
		all = append(all, e.Objects...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// renumber gives the objects of expansions their places in supportOf.
func renumber(expansions []*Expansion) {
	support := supportOf(expansions)
	for _, e := range expansions {
		e.Objects = placesIn(support, e.Objects)
	}
}

// placesIn returns the place of every object in an ascending list that holds it.
func placesIn(list, objects []int) []int {
	places := make([]int, len(objects))
	for s, i := range objects {
		places[s], _ = slices.BinarySearch(list, i)
	}
	return places
}

// decisionsOf evaluates expansions for rows of kernel values: a Float64 matrix with a column for each.
func decisionsOf(k *tensor.Dense, expansions []*Expansion) (*tensor.Dense, error) {
	single, double, err := contents(k, "the kernel values", "a row for each object, a column for each trained on")
	if err != nil {
		return nil, err
	}
	n, columns := k.Shape()[0], k.Shape()[1]
	for _, e := range expansions {
		if last := len(e.Objects) - 1; last >= 0 && e.Objects[last] >= columns {
			return nil, fmt.Errorf("the kernel values have %d columns, the machine needs column %d", columns, e.Objects[last])
		}
	}
	out := make([]float64, n*len(expansions))
	row := make([]float64, columns)
	for i := range n {
		if single != nil {
			for j, v := range single[i*columns : (i+1)*columns] {
				row[j] = float64(v)
			}
		} else {
			copy(row, double[i*columns:(i+1)*columns])
		}
		if j := notFinite(row); j >= 0 {
			return nil, fmt.Errorf("kernel value %d of row %d is NaN or infinite", j, i)
		}
		for p, e := range expansions {
			out[i*len(expansions)+p] = e.at(row, e.Objects)
		}
	}
	return tensor.New(tensor.WithShape(n, len(expansions)), tensor.WithBacking(out)), nil
}

// at evaluates the expansion, given kernel values and the place of every support vector in them.
func (e *Expansion) at(row []float64, places []int) float64 {
	sum := 0.0
	for s, c := range e.Coefficients {
		sum += c * row[places[s]]
	}
	return sum + e.Bias
}

// objectDecisions evaluates expansions for objects of the kernel itself: element [i*len(expansions)+p].
func objectDecisions(k Kernel, objects []int, expansions []*Expansion) ([]float64, error) {
	support := supportOf(expansions)
	for _, i := range support {
		if i >= k.Len() {
			return nil, fmt.Errorf("object %d is not in a kernel of %d objects", i, k.Len())
		}
	}
	places := make([][]int, len(expansions))
	for p, e := range expansions {
		places[p] = placesIn(support, e.Objects)
	}
	row := make([]float64, len(support))
	out := make([]float64, len(objects)*len(expansions))
	for i, object := range objects {
		if object < 0 || object >= k.Len() {
			return nil, fmt.Errorf("object %d is not in a kernel of %d objects", object, k.Len())
		}
		if err := k.Row(object, support, row); err != nil {
			return nil, err
		}
		for p, e := range expansions {
			out[i*len(expansions)+p] = e.at(row, places[p])
		}
	}
	return out, nil
}
