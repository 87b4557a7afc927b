package main

import (
	"fmt"
	"io"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// rawWeights returns the weights of a problem for features that are not standardised, and the constant
// that then belongs to them: <w, (x-mean)/scale> + b = <w/scale, x> + (b - <w, mean/scale>).
func rawWeights(m *svm.Model, problem int) (weights []float64, constant float64) {
	constant = m.Bias[problem]
	weights = make([]float64, len(m.Weights[problem]))
	for j, w := range m.Weights[problem] {
		weights[j] = w / m.Scaler.Scale[j]
		constant -= weights[j] * m.Scaler.Mean[j]
	}
	return weights, constant
}

// contributions splits a linear function of the representation of a graph over its vertices, which are
// the rows from to to-1 of all.
func contributions(all *tensor.Dense, from, to int, weights []float64, pool gckn.Pooling) ([]float64, error) {
	columns := all.Shape()[1]
	if from == to {
		return []float64{}, nil
	}
	var backing any
	if all.Dtype() == tensor.Float32 {
		backing = all.Float32s()[from*columns : to*columns]
	} else {
		backing = all.Float64s()[from*columns : to*columns]
	}
	return gckn.Contributions(tensor.New(tensor.WithShape(to-from, columns), tensor.WithBacking(backing)), weights, pool)
}

// prediction says which class was predicted, and whether it is right.
func (x *explanation) prediction() string {
	text := "predicted " + x.Predicted
	switch {
	case x.Class == nil:
	case *x.Class == x.Predicted:
		text += " (right)"
	default:
		text += " (wrong: it is " + *x.Class + ")"
	}
	return text
}

// summary says in a line what was predicted and why.
func (x *explanation) summary() string {
	text := x.prediction()
	if x.Masks != nil {
		return text + ", " + x.Masks.summary(x.Labels)
	}
	text += fmt.Sprintf(", decision %+.2f", x.Decision)
	if x.against == otherClasses {
		text += " against the rest"
	}
	return text
}

// draw writes the drawings of the graphs of d, which are those that were explained.
func (f *explainFlags) draw(d *dataset.Dataset, explained []explanation) error {
	drawings := make([]render.Drawing, len(explained))
	for i := range explained {
		drawing, err := f.drawing(d, i, explained)
		if err != nil {
			return err
		}
		drawings[i] = drawing
	}
	title := titleOf(d, len(drawings), "what each vertex contributes")
	return writeDrawing("--out", f.out, func(w io.Writer) error {
		return render.Grid(w, title, drawings, f.across(len(drawings)), render.Style{})
	})
}

// titleOf says what several drawings show; one needs no title.
func titleOf(d *dataset.Dataset, drawings int, shown string) string {
	if drawings < 2 {
		return ""
	}
	title := d.Name + ": " + shown
	if d.Motif != nil {
		title += " (highlighted: the true cause)"
	}
	return title
}

// across returns the number of drawings side by side.
func (f *explainFlags) across(drawings int) int {
	switch {
	case f.columns > 0:
		return f.columns
	case drawings == 4:
		return 2
	}
	return max(min(drawings, 3), 1)
}

// drawing says how to draw graph i of d.
func (f *explainFlags) drawing(d *dataset.Dataset, i int, explained []explanation) (render.Drawing, error) {
	x := &explained[i]
	drawing := render.Drawing{
		Batch: d.Batch, Graph: i,
		Title:         fmt.Sprintf("graph %d", x.Graph),
		Caption:       x.summary(),
		Names:         x.Labels,
		Contributions: x.Contributions,
		Measure:       "contribution to the decision",
		Positive:      "class " + x.Toward,
		Negative:      x.against,
	}
	if len(explained) == 1 {
		drawing.Title = d.Name + ", " + drawing.Title
	} else if x.against == otherClasses {
		drawing.Positive = "predicted class" // the legend is for all drawings
	}
	drawing.Highlight = motifOf(d, i)
	if f.bonds == nil {
		return drawing, nil
	}
	var err error
	drawing.BondOrders, err = f.bondOrders(d, i)
	return drawing, err
}

// bondOrders returns the bond of every arc of graph g by --bonds.
func (f *explainFlags) bondOrders(d *dataset.Dataset, g int) ([]int, error) {
	if d.Batch.ArcLabels == nil {
		return nil, usagef("--bonds: the arcs of %s have no labels", d.Name)
	}
	if len(f.bonds) != len(d.ArcLabelNames) {
		return nil, usagef("--bonds: %d bonds for %d arc labels", len(f.bonds), len(d.ArcLabelNames))
	}
	from, to := d.Batch.Vertices(g)
	labels := d.Batch.ArcLabels[d.Batch.RowPtr[from]:d.Batch.RowPtr[to]]
	orders := make([]int, len(labels))
	for i, l := range labels {
		orders[i] = f.bonds[l]
	}
	return orders, nil
}
