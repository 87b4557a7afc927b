package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/report"
)

// draw writes a drawing for each example: discs and lines as large as vertices and edges are important.
func (r *importanceReport) draw(f *explainFlags, x *subject) error {
	drawings := make([]render.Drawing, len(r.Examples))
	for i := range r.Examples {
		var err error
		if r.Task == model.GraphTask {
			drawings[i], err = f.drawGraph(x.d, i, &r.Examples[i])
		} else {
			drawings[i] = x.drawSurroundings(&r.Examples[i])
		}
		if err != nil {
			return err
		}
	}
	title := ""
	if len(drawings) > 1 {
		title = x.d.Name + ": size shows importance"
		if r.Task == model.EdgeTask {
			title = x.d.Name + ": what the classes of edges rest on"
		}
		if x.d.Motif != nil && r.Task == model.GraphTask {
			title += " (highlighted: the true cause)"
		}
	} else {
		drawings[0].Title = x.d.Name + ", " + drawings[0].Title
	}
	return writeDrawing("--out", f.out, func(w io.Writer) error {
		return render.Grid(w, title, drawings, f.across(len(drawings)), render.Style{})
	})
}

// drawGraph says how to draw graph i of d.
func (f *explainFlags) drawGraph(d *dataset.Dataset, i int, x *importance) (render.Drawing, error) {
	drawing := report.Drawing(d, i, x.labels, nil, &model.Explanation{Vertices: x.vertices, Arcs: x.arcs})
	drawing.Title, drawing.Caption = x.example(), x.summary()
	err := f.bondOrders(&drawing, d, i)
	return drawing, err
}

// Bounds of what is drawn around a vertex or an edge.
const (
	mostHops  = 2
	mostDrawn = 40 // vertices
)

// drawSurroundings says how to draw the most important vertices around a vertex, coloured by class, or around an edge;
// of a small graph all vertices.
func (x *subject) drawSurroundings(explained *importance) render.Drawing {
	b := *x.d.Batch
	from, to := b.Vertices(explained.Graph)
	var centre []int32
	if explained.Edge != nil {
		centre = slices.Compact([]int32{from + *explained.From, from + *explained.To})
	} else {
		centre = []int32{int32(*explained.Vertex)}
	}
	important := func(v int32) float64 {
		if explained.vertices != nil {
			return explained.vertices[v-from]
		}
		first := b.RowPtr[from]
		if arcs := explained.arcs[b.RowPtr[v]-first : b.RowPtr[v+1]-first]; len(arcs) > 0 {
			return slices.Max(arcs)
		}
		return 0
	}
	b.Labels, b.NumLabels, b.ArcLabels = numbered(b.NumVertices()), b.NumVertices(), numbered(b.NumArcs())
	cutter := b.Neighbourhoods()
	list, caption := b.Labels[from:to], explained.summary()
	if len(list) > mostDrawn {
		around, _, _ := cutter.Of(centre, mostHops)
		list = around.Labels
		near := model.Count(min(len(list), mostDrawn), "vertex")
		caption += fmt.Sprintf("; %s within %d arcs", near, mostHops)
	}
	list = slices.DeleteFunc(slices.Clone(list), func(v int32) bool { return slices.Contains(centre, v) })
	slices.SortStableFunc(list, func(u, v int32) int { return cmp.Compare(important(v), important(u)) })
	drawn, at, _ := cutter.Of(append(centre, list[:min(len(list), mostDrawn-len(centre))]...), 0)
	drawing := render.Drawing{Title: explained.example(), Caption: caption, Measure: report.EdgeMeasure}
	for i := range centre {
		drawing.Highlight = append(drawing.Highlight, int(at[i]))
	}
	for _, v := range drawn.Labels {
		if explained.vertices != nil {
			drawing.Sizes, drawing.Size = append(drawing.Sizes, explained.vertices[v-from]), "importance"
		}
		if c := x.d.VertexClasses; c != nil {
			drawing.Kinds, drawing.Kind = append(drawing.Kinds, c[v]), "class"
		}
		if explained.Edge != nil && explained.labels != nil {
			drawing.Names = append(drawing.Names, explained.labels[v-from])
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
