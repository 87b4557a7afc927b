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

// HeaviestIn returns the colours with the largest weights among those of graph g of a batch, as [Model.Colours] gave
// them: at most n, by descending weight. Of equal ones, such as those of one group, the earlier round comes first, and
// then the smaller number. Colours of weight 0 are left out. With more than two classes weights are the mean over the
// classes.
func (d *Deep) HeaviestIn(c *Colouring, g, n int) []ColourWeight {
	var all []ColourWeight
	for t, of := range c.Of {
		present := map[int32]bool{}
		for _, colour := range of[c.offsets[g]:c.offsets[g+1]] {
			present[colour] = true
		}
		for colour, w := range d.model.weights[t] {
			if w == 0 || !present[int32(colour)] {
				continue
			}
			group := -1
			if d.group != nil {
				group = int(d.group[t][colour])
			}
			all = append(all, ColourWeight{t, int32(colour), w, group})
		}
	}
	slices.SortStableFunc(all, func(a, b ColourWeight) int { return cmp.Compare(b.Weight, a.Weight) })
	return all[:min(n, len(all))]
}

// Zero returns how many colours have the weight zero, and how many there are.
func (d *Deep) Zero() (zero, total int) {
	for _, weights := range d.model.weights {
		for _, w := range weights {
			if w == 0 {
				zero++
			}
		}
		total += len(weights)
	}
	return zero, total
}
