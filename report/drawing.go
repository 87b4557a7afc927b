package report

import (
	"strconv"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
)

// EdgeMeasure is what drawings of importance say of their lines.
const EdgeMeasure = "importance of an edge, by colour and width"

// OtherClasses is what contributions against a class speak for where there are more than two.
const OtherClasses = "other classes"

// Drawing says how to draw graph g of d with what the prediction for it rests on, the graph alone where x is nil. names
// are those of its vertices, nil for none, classes those of the model. Of states the last layer is drawn, and the edges
// of a mask are left to the caller.
func Drawing(d *dataset.Dataset, g int, names, classes []string, x *model.Explanation) render.Drawing {
	drawing := render.Drawing{Batch: d.Batch, Graph: g, Names: names}
	if d.Atoms != nil {
		from, to := d.Batch.Vertices(g)
		drawing.Atoms = d.Atoms[from:to]
		if d.Batch.ArcLabels != nil {
			drawing.BondOrders = BondOrders(d, g, usualBonds(d.ArcLabelNames))
		}
	}
	if x == nil {
		return drawing
	}
	if x.States != nil {
		drawing.Kinds, drawing.Kind = x.States[len(x.States)-1], "state"
		return drawing
	}
	drawing.Highlight = motif(d, g)
	switch {
	case x.Vertices != nil:
		drawing.Sizes, drawing.Size = x.Vertices, "importance"
		if x.Arcs != nil {
			drawing.ArcScores, drawing.Measure = x.Arcs, EdgeMeasure
		}
	case x.Contributions != nil:
		drawing.Contributions, drawing.Measure = x.Contributions, "contribution to the decision"
		drawing.Positive, drawing.Negative = "class "+classes[x.Toward], OtherClasses
		if x.Against >= 0 {
			drawing.Negative = "class " + classes[x.Against]
		}
	}
	return drawing
}

// BondOrders returns the lines of every arc of graph g, by those of each label of arcs.
func BondOrders(d *dataset.Dataset, g int, lines []int) []int {
	from, to := d.Batch.Vertices(g)
	labels := d.Batch.ArcLabels[d.Batch.RowPtr[from]:d.Batch.RowPtr[to]]
	orders := make([]int, len(labels))
	for i, l := range labels {
		orders[i] = lines[l]
	}
	return orders
}

// usualBonds returns the lines of bonds by their codes in molecules that were read; others than the usual ones are
// single.
func usualBonds(codes []string) []int {
	lines := make([]int, len(codes))
	for i, code := range codes {
		order, err := strconv.Atoi(code)
		if err != nil || order > render.Aromatic {
			order = render.Single
		}
		lines[i] = order
	}
	return lines
}

// motif returns the vertices of graph g that the data set marks as the cause of its class.
func motif(d *dataset.Dataset, g int) (vertices []int) {
	if d.Motif == nil {
		return nil
	}
	from, to := d.Batch.Vertices(g)
	for v := from; v < to; v++ {
		if d.Motif.Vertices[v] {
			vertices = append(vertices, int(v-from))
		}
	}
	return vertices
}

// labels returns the names of the labels of the vertices of graph g, by those of all labels; nil where there are none.
func labels(d *dataset.Dataset, g int, names []string) []string {
	if d.Batch.Labels == nil {
		return nil
	}
	from, to := d.Batch.Vertices(g)
	list := make([]string, 0, to-from)
	for _, l := range d.Batch.Labels[from:to] {
		list = append(list, names[l])
	}
	return list
}
