package walks

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// Known is what has to be known of all graphs before some of them can be made ready by themselves.
type Known struct {
	Grids  []Grid // of the features, see [Input]; NoGrid where none of the graphs has the feature
	Occur  []bool // which features some graph has
	Cyclic [][]bool
}

// Know returns what is known of the graphs of a batch. It is for labels and unweighted arcs: there the grid of a
// feature is the coarsest of those of its graphs.
func Know(e engine.Engine, b *graph.Batch, in Input, want Demand) (Known, error) {
	in.FeatureGrids = nil
	d, err := read(e, b, in, want)
	if err != nil {
		return Known{}, err
	}
	k := Known{Grids: d.Input.FeatureGrids, Occur: make([]bool, len(d.features))}
	for feature := range k.Occur {
		k.Occur[feature] = d.Present(feature)
	}
	if want.Cycles {
		d.computeDiagonals()
		k.Cyclic = d.cyclic
	}
	return k, nil
}

// Join returns what is known of the graphs of both. It may change k.
func (k Known) Join(other Known) Known {
	for f, occurs := range other.Occur {
		switch {
		case !occurs:
		case !k.Occur[f]:
			k.Grids[f], k.Occur[f] = other.Grids[f], true
		case k.Grids[f] == NoGrid || other.Grids[f] == NoGrid:
			k.Grids[f] = NoGrid
		default:
			k.Grids[f] = max(k.Grids[f], other.Grids[f])
		}
	}
	for op, lengths := range other.Cyclic {
		for i, cyclic := range lengths {
			k.Cyclic[op][i] = k.Cyclic[op][i] || cyclic
		}
	}
	return k
}

// Tell makes a batch that holds some of the graphs try the closed walks that any of them has.
func (k Known) Tell(d *Data) { d.cyclic = k.Cyclic }

// Bytes returns about how many bytes a batch that is ready holds.
func (d *Data) Bytes() int {
	floats := len(d.values)
	for _, of := range [][][][]float64{d.walks, d.diagonal, d.starts} {
		for _, lengths := range of {
			for _, x := range lengths {
				floats += len(x)
			}
		}
	}
	for _, x := range d.whole {
		floats += len(x)
	}
	return 8*floats + 4*(len(d.of)+len(d.sources)) + 48*len(d.segments)
}
