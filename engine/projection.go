package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

// Projection says how the channels of [Engine].Project lie. There are C = len(Offsets) - 1 of them.
type Projection struct {
	Offsets []int32 // channel c has rows Offsets[c] to Offsets[c+1] of the stacked rows; the first is 0

	// Interleaved says that the projected rows are not stacked, but a matrix of rows x (q C), where element f of row i of
	// channel c is in column f C + c. All channels have as many rows.
	Interleaved bool

	Apart bool // a projected row has the same bits whatever the others of its channel are, and however many
}

// channels returns the number of channels.
func (p *Projection) channels() int { return len(p.Offsets) - 1 }

// each calls body with the stacked rows of every channel and the matrix that they belong to.
func (p *Projection) each(matrices int, body func(first, rows, matrix int)) {
	for c := range p.channels() {
		body(int(p.Offsets[c]), int(p.Offsets[c+1]-p.Offsets[c]), c%matrices)
	}
}

// interleave writes stacked rows of q columns as the matrix that is interleaved, or with back the other way.
func interleave[T simd.Float](matrix, stacked []T, channels, q int, back bool) {
	items := len(stacked) / max(channels*q, 1)
	for c := range channels {
		rows := stacked[c*items*q : (c+1)*items*q]
		for at := range rows {
			if back {
				rows[at] = matrix[at*channels+c]
			} else {
				matrix[at*channels+c] = rows[at]
			}
		}
	}
}

// CheckProject returns what is wrong with the arguments of Project.
func CheckProject(y, x, a *tensor.Dense, p Projection) error {
	ck := checks{op: "Project"}
	ck.projection(y, x, a, &p)
	return ck.err
}

// CheckProjectGrad returns what is wrong with the arguments of ProjectGrad.
func CheckProjectGrad(xGrad, aGrad, yGrad, x, a *tensor.Dense, p Projection) error {
	ck := checks{op: "ProjectGrad"}
	if ck.projection(yGrad, x, a, &p); ck.err != nil {
		return ck.err
	}
	ck.optional("the gradient of x", xGrad, x.Shape()...)
	ck.optional("the gradient of A", aGrad, a.Shape()...)
	ck.float(x, xGrad)
	ck.float(a, aGrad)
	return ck.err
}

func (c *checks) projection(y, x, a *tensor.Dense, p *Projection) {
	if !c.dims("x", x, 2) || !c.dims("A", a, 3) {
		return
	}
	rows, q, channels := x.Shape()[0], x.Shape()[1], p.channels()
	c.that(channels >= 0 && p.Offsets[0] == 0 && int(p.Offsets[channels]) == rows, "offsets that are not of %d rows", rows)
	c.that(a.Shape()[0] > 0, "no matrices")
	c.shape("A", a, a.Shape()[0], q, q)
	c.float(x, y)
	c.that(a.Dtype() == tensor.Float64, "A must have dtype float64")
	if c.err != nil {
		return
	}
	for i := range channels {
		c.that(p.Offsets[i] <= p.Offsets[i+1], "falling offsets")
		c.that(!p.Interleaved || int(p.Offsets[i+1])*channels == rows*(i+1), "channels of unlike numbers of rows")
	}
	if p.Interleaved && c.err == nil {
		c.that(channels > 0, "no channels")
		c.shape("y", y, rows/max(channels, 1), q*channels)
		return
	}
	c.shape("y", y, rows, q)
}

// Project implements [Engine].
func (Reference) Project(y, x, a *tensor.Dense, p Projection) error {
	if err := CheckProject(y, x, a, p); err != nil {
		return err
	}
	q := x.Shape()[1]
	xv, av, out := values(x), values(a), make([]float64, y.DataSize())
	p.each(a.Shape()[0], func(first, rows, matrix int) {
		for r := first; r < first+rows; r++ {
			for f := range q {
				for l := range q {
					out[r*q+f] += xv[r*q+l] * av[(matrix*q+l)*q+f]
				}
			}
		}
	})
	if p.Interleaved {
		stacked := out
		out = make([]float64, len(stacked))
		interleave(out, stacked, p.channels(), q, false)
	}
	store(y, out)
	return nil
}

// ProjectGrad implements [Engine].
func (Reference) ProjectGrad(xGrad, aGrad, yGrad, x, a *tensor.Dense, p Projection) error {
	if err := CheckProjectGrad(xGrad, aGrad, yGrad, x, a, p); err != nil {
		return err
	}
	q, g := x.Shape()[1], values(yGrad)
	if p.Interleaved {
		g = make([]float64, len(g))
		interleave(values(yGrad), g, p.channels(), q, true)
	}
	xv, av := values(x), values(a)
	byRow, byMatrix := make([]float64, len(xv)), make([]float64, len(av))
	p.each(a.Shape()[0], func(first, rows, matrix int) {
		for r := first; r < first+rows; r++ {
			for l := range q {
				for f := range q {
					byRow[r*q+l] += g[r*q+f] * av[(matrix*q+l)*q+f]
					byMatrix[(matrix*q+l)*q+f] += xv[r*q+l] * g[r*q+f]
				}
			}
		}
	})
	if xGrad != nil {
		store(xGrad, byRow)
	}
	if aGrad != nil {
		store(aGrad, byMatrix)
	}
	return nil
}
