package gckn

import (
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"github.com/grove-graph/grove/rounds"
	"gorgonia.org/tensor"
)

// gathered are sampled paths as sequences of rows of one table, with each row that occurs taken up once.
type gathered struct {
	Width  int
	Single []float32 // the table, in the model's dtype: this one
	Double []float64 // or that one
	Rows   []int32   // of the vertices of the paths
	Labels []int32   // of the rows, where these stand for labels; nil where a vertex has a row of its own

	places []int32 // of labels: row of the table + 1
}

// take takes up paths of a run, by their vertices in a channel.
func (g *gathered) take(e engine.Engine, c *autodiff.Features, vertices []int32, dtype tensor.Dtype) error {
	row := make([]int32, c.Rows.Shape()[0]) // row of the channel -> row of the table + 1
	known := g.size()
	var fresh []int32 // rows of the channel to append to the table
	for _, r := range vertices {
		if c.Index != nil {
			r = c.Index[r]
		}
		if row[r] == 0 {
			fresh = append(fresh, r)
			row[r] = known + int32(len(fresh))
		}
		g.Rows = append(g.Rows, row[r]-1)
	}
	if c.Unit {
		g.Labels = append(g.Labels, fresh...)
	}
	if len(fresh) == 0 {
		return nil
	}
	rows := e.Scratch(c.Rows.Dtype(), len(fresh), g.Width)
	defer e.Release(rows)
	if err := e.Place(rows, c.Rows, fresh, engine.Placement{Stride: 1}); err != nil {
		return err
	}
	return e.Convert(g.grow(e.Host(), dtype, len(fresh)), rows)
}

// grow makes the table longer by so many rows, which it returns.
func (g *gathered) grow(host engine.Engine, dtype tensor.Dtype, rows int) *tensor.Dense {
	var backing any
	if n := rows * g.Width; dtype == tensor.Float32 {
		g.Single = slices.Grow(g.Single, n)[:len(g.Single)+n]
		backing = g.Single[len(g.Single)-n:]
	} else {
		g.Double = slices.Grow(g.Double, n)[:len(g.Double)+n]
		backing = g.Double[len(g.Double)-n:]
	}
	return tensor.New(tensor.WithEngine(host), tensor.WithShape(rows, g.Width), tensor.WithBacking(backing))
}

// size returns the number of rows of the table.
func (g *gathered) size() int32 { return int32((len(g.Single) + len(g.Double)) / g.Width) }

// add takes up the paths of the next run. Rows of labels are the same in every run.
func (g *gathered) add(run *gathered) error {
	if g.Rows == nil && run.Labels == nil {
		*g = *run
		return nil
	}
	g.Single = slices.Grow(g.Single, len(run.Single)) // at most
	g.Double = slices.Grow(g.Double, len(run.Double))
	place := make([]int32, run.size()) // of the rows of the run
	for r := range place {
		if run.Labels != nil {
			label := int(run.Labels[r])
			if label >= len(g.places) {
				g.places = append(g.places, make([]int32, label+1-len(g.places))...)
			}
			if g.places[label] > 0 {
				place[r] = g.places[label] - 1
				continue
			}
			g.places[label] = g.size() + 1
			g.Labels = append(g.Labels, int32(label))
		}
		place[r] = g.size()
		if run.Single != nil {
			g.Single = append(g.Single, run.Single[r*g.Width:(r+1)*g.Width]...)
		} else {
			g.Double = append(g.Double, run.Double[r*g.Width:(r+1)*g.Width]...)
		}
	}
	for _, r := range run.Rows {
		g.Rows = append(g.Rows, place[r])
	}
	return nil
}

// points returns what was gathered as unit rows and distinct sequences with their counts, or as one unit vector for
// each sequence.
func (g *gathered) points(e engine.Engine, dtype tensor.Dtype, size int, whole bool) (nystrom.Points, error) {
	var backing any = g.Double
	if dtype == tensor.Float32 {
		backing = g.Single
	}
	table := tensor.New(tensor.WithEngine(e), tensor.WithShape(int(g.size()), g.Width), tensor.WithBacking(backing))
	if g.Labels == nil && !whole {
		if err := e.NormalizeRows(table, nil, table, autodiff.NormEps); err != nil {
			return nystrom.Points{}, err
		}
	}
	rows, counts := nystrom.Distinct(g.Rows, size, nil)
	if whole {
		vectors, err := wholeVectors(e, table, rows, size)
		return nystrom.Points{Points: engine.Points{Table: vectors, Size: 1}, Weights: counts}, err
	}
	if size == 1 {
		rows = nil // the table holds every row once, in the order of the points
	}
	return nystrom.Points{Points: engine.Points{Table: table, Rows: rows, Size: size}, Weights: counts}, nil
}

// keptNumbers are the numbers of a tensor in a file of package rounds.
type keptNumbers struct {
	Shape  []int
	Single []float32
	Double []float64
}

// keepTensor is [rounds.Keep] of a tensor in host memory.
func keepTensor(
	by *rounds.Rounds, host engine.Engine, compute func() (*tensor.Dense, error),
) (*tensor.Dense, error) {
	if by == nil {
		return compute()
	}
	k, err := rounds.Keep(by, func() (k keptNumbers, err error) {
		x, err := compute()
		if err != nil {
			return k, err
		}
		k.Shape = x.Shape().Clone()
		if x.Dtype() == tensor.Float32 {
			k.Single = x.Float32s()
		} else {
			k.Double = x.Float64s()
		}
		return k, nil
	})
	if err != nil {
		return nil, err
	}
	var backing any = k.Double
	if k.Single != nil {
		backing = k.Single
	}
	return tensor.New(tensor.WithEngine(host), tensor.WithShape(k.Shape...), tensor.WithBacking(backing)), nil
}
