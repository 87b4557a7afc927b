package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/render"
)

// drawTrees writes a drawing for each example: discs and lines as large as vertices and edges are important.
func (f *explainFlags) drawTrees(x *toExplain, explained []treesExplanation) error {
	drawings := make([]render.Drawing, len(explained))
	for i := range explained {
		var err error
		if x.task == graphTask {
			drawings[i], err = f.drawGraph(x.d, i, &explained[i])
		} else {
			drawings[i] = x.drawSurroundings(i, &explained[i])
		}
		if err != nil {
			return err
		}
	}
	title := ""
	if len(drawings) > 1 {
		title = x.d.Name + ": size shows importance"
		if x.d.Motif != nil && x.task == graphTask {
			title += " (highlighted: the true cause)"
		}
	} else {
		drawings[0].Title = x.d.Name + ", " + drawings[0].Title
	}
	return writeFile("--out", f.out, func(w io.Writer) error {
		return render.Grid(w, title, drawings, f.across(len(drawings)), render.Style{})
	})
}

// drawGraph says how to draw graph i of d.
func (f *explainFlags) drawGraph(d *dataset.Dataset, i int, x *treesExplanation) (render.Drawing, error) {
	drawing := render.Drawing{
		Batch: d.Batch, Graph: i, Title: x.example(), Caption: x.summary(), Names: x.labels,
		Sizes: x.vertices, Size: "importance", ArcScores: x.arcs, Measure: "importance of an edge",
		Highlight: motifOf(d, i),
	}
	if f.bonds == nil {
		return drawing, nil
	}
	var err error
	drawing.BondOrders, err = f.bondOrders(d, i)
	return drawing, err
}

// Bounds of what is drawn around a vertex.
const (
	mostHops  = 2
	mostDrawn = 40 // vertices
)

// drawSurroundings says how to draw the most important vertices around example i, coloured by class.
func (x *toExplain) drawSurroundings(i int, explained *treesExplanation) render.Drawing {
	b := *x.d.Batch
	from, _ := b.Vertices(x.graphOf(i))
	vertex := int32(x.examples[i])
	b.Labels, b.NumLabels, b.ArcLabels = numbered(b.NumVertices()), b.NumVertices(), numbered(b.NumArcs())
	cutter := b.Neighbourhoods()
	around, _ := cutter.Of([]int32{vertex}, mostHops)
	list := slices.DeleteFunc(slices.Clone(around.Labels), func(v int32) bool { return v == vertex })
	slices.SortStableFunc(list, func(u, v int32) int {
		return cmp.Compare(explained.vertices[v-from], explained.vertices[u-from])
	})
	drawn, at := cutter.Of(append([]int32{vertex}, list[:min(len(list), mostDrawn-1)]...), 0)
	drawing := render.Drawing{
		Title: explained.example(), Highlight: []int{int(at[0])}, Size: "importance", Measure: "importance of an edge",
		Caption: fmt.Sprintf("%s; %s within %d arcs", explained.summary(), count(drawn.NumVertices(), "vertex"), mostHops),
	}
	for _, v := range drawn.Labels {
		drawing.Sizes = append(drawing.Sizes, explained.vertices[v-from])
		if c := x.d.VertexClasses; c != nil {
			drawing.Kinds, drawing.Kind = append(drawing.Kinds, c[v]), "class"
		}
	}
	if slices.Contains(drawing.Kinds, -1) {
		drawing.Kinds = nil
	}
	for _, p := range drawn.ArcLabels {
		drawing.ArcScores = append(drawing.ArcScores, explained.arcs[p-b.RowPtr[from]])
	}
	plain := *drawn
	plain.Labels, plain.NumLabels, plain.ArcLabels = nil, 0, nil
	drawing.Batch = &plain
	return drawing
}

// numbered returns 0, 1, 2, ...
func numbered(n int) []int32 {
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return numbers
}

// motifOf returns the vertices of graph g that the data set marks as the cause of its class.
func motifOf(d *dataset.Dataset, g int) (motif []int) {
	if d.Motif == nil {
		return nil
	}
	from, to := d.Batch.Vertices(g)
	for v := from; v < to; v++ {
		if d.Motif.Vertices[v] {
			motif = append(motif, int(v-from))
		}
	}
	return motif
}
