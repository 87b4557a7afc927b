package main

import (
	"strconv"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/render"
)

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

// chemical makes a drawing that of a molecule where the data set holds such.
func (f *explainFlags) chemical(drawing *render.Drawing, d *dataset.Dataset, g int) (err error) {
	if d.Atoms != nil {
		from, to := d.Batch.Vertices(g)
		drawing.Atoms = d.Atoms[from:to]
	}
	drawing.BondOrders, err = f.bondOrders(d, g)
	return err
}

// bondOrders returns the bond of every arc of graph g: by --bonds, or by the codes of molecules, otherwise nil.
func (f *explainFlags) bondOrders(d *dataset.Dataset, g int) ([]int, error) {
	bonds := f.bonds
	switch {
	case bonds == nil && d.Atoms == nil:
		return nil, nil
	case bonds == nil:
		for _, code := range d.ArcLabelNames {
			bonds = append(bonds, drawnAs(code))
		}
	}
	if d.Batch.ArcLabels == nil {
		return nil, usagef("--bonds: the arcs of %s have no labels", d.Name)
	}
	if len(bonds) != len(d.ArcLabelNames) {
		return nil, usagef("--bonds: %d bonds for %d arc labels", len(bonds), len(d.ArcLabelNames))
	}
	from, to := d.Batch.Vertices(g)
	labels := d.Batch.ArcLabels[d.Batch.RowPtr[from]:d.Batch.RowPtr[to]]
	orders := make([]int, len(labels))
	for i, l := range labels {
		orders[i] = bonds[l]
	}
	return orders, nil
}

// drawnAs returns the lines that stand for the code of a bond: others than the usual ones are single.
func drawnAs(code string) int {
	order, err := strconv.Atoi(code)
	if err != nil || order > render.Aromatic {
		return render.Single
	}
	return order
}
