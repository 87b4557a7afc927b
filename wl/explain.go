package wl

import (
	"cmp"
	"slices"
)

// ColourWeight is a colour with its learned weight. The colour stands for a rooted tree of Round levels: what a vertex
// sees within Round steps.
type ColourWeight struct {
	Round  int     `json:"round"`
	Colour int32   `json:"colour"` // within its round
	Weight float64 `json:"weight"`
	Group  int     `json:"group"` // of DWL-OA2, from 0; -1 without groups
}

// Heaviest returns the colours with the largest weights, at most n of them, by descending weight. Of equal ones, such
// as those of one group, the earlier round comes first, and then the smaller number. Colours of weight 0 are left
// out. With more than two classes weights are the mean over the classes.
func (d *Deep) Heaviest(n int) []ColourWeight {
	return d.heaviest(n, func(int, int) bool { return true })
}

// HeaviestIn is [Deep.Heaviest] among the colours of graph g of a batch, as [Model.Colours] gave them.
func (d *Deep) HeaviestIn(c *Colouring, g, n int) []ColourWeight {
	present := make([]map[int32]bool, len(c.Of))
	for t, of := range c.Of {
		present[t] = make(map[int32]bool)
		for _, colour := range of[c.offsets[g]:c.offsets[g+1]] {
			present[t][colour] = true
		}
	}
	return d.heaviest(n, func(t, colour int) bool { return present[t][int32(colour)] })
}

func (d *Deep) heaviest(n int, among func(t, colour int) bool) []ColourWeight {
	var all []ColourWeight
	for t, weights := range d.weights {
		for c, w := range weights {
			if w > 0 && among(t, c) {
				all = append(all, ColourWeight{t, int32(c), w, d.groupOf(t, c)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b ColourWeight) int { return cmp.Compare(b.Weight, a.Weight) })
	return all[:min(n, len(all))]
}

func (d *Deep) groupOf(t, c int) int {
	if d.group == nil {
		return -1
	}
	return int(d.group[t][c])
}

// Weights returns the weight of every fitted colour of every round: the mean over the problems. It is part of the
// kernel.
func (d *Deep) Weights() [][]float64 { return d.weights }

// Zero returns how many colours have the weight zero, and how many there are.
func (d *Deep) Zero() (zero, total int) {
	for _, weights := range d.weights {
		for _, w := range weights {
			if w == 0 {
				zero++
			}
		}
		total += len(weights)
	}
	return zero, total
}
