package main

import (
	"github.com/grove-graph/grove/dataset"
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

// bondOrders returns the bond of every arc of graph g by --bonds, nil without them.
func (f *explainFlags) bondOrders(d *dataset.Dataset, g int) ([]int, error) {
	if f.bonds == nil {
		return nil, nil
	}
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
