package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/report"
)

// decisionReport is what grove explain reports of decisions: what every vertex adds, or which paths they need.
type decisionReport struct {
	explainReport
	Method  model.Method  `json:"method"`
	Groups  *groupReport  `json:"groups,omitempty"`
	Weights *colourReport `json:"weights,omitempty"`
	Graphs  []explanation `json:"graphs"`
}

// colourReport counts the learned weights.
type colourReport struct {
	Colours int `json:"n_colours"`
	Zero    int `json:"n_zero"`
}

// explanation is what is said of one graph.
type explanation struct {
	Graph         int            `json:"graph"`
	Predicted     string         `json:"predicted"`
	Class         *string        `json:"class,omitempty"`
	Toward        string         `json:"toward"`                  // the class that positive values, or masks, speak for
	Decision      float64        `json:"decision,omitempty"`      // the sum of the contributions
	Contributions []float64      `json:"contributions,omitempty"` // of the vertices
	Masks         *maskReport    `json:"masks,omitempty"`
	Colours       []model.Colour `json:"colours,omitempty"` // of the largest learned weights
	Labels        []string       `json:"labels,omitempty"`  // of the vertices

	from *model.Explanation
}

// decisions reports what decisions rest on.
func (f *explainFlags) decisions(s *subject, m model.Model, base explainReport) *decisionReport {
	r := &decisionReport{explainReport: base, Method: f.method, Graphs: make([]explanation, len(s.found))}
	names := s.head.Classes
	for i := range s.found {
		from := &s.found[i]
		x := &r.Graphs[i]
		*x = explanation{
			Graph: s.numbers[i], Predicted: names[from.Predicted], Class: s.class(i), Toward: names[from.Toward],
			Decision: from.Decision, Contributions: from.Contributions, Colours: from.Colours, Labels: s.labels(i),
			from: from,
		}
		if from.Mask != nil {
			x.Masks = newMaskReport(from.Mask)
			x.Masks.choose(f.edges)
			x.Masks.compare(s.d, i)
		}
	}
	if w, ok := m.(model.Weights); ok {
		total, zero := w.Weights()
		r.Weights = &colourReport{total, zero}
	}
	if f.groups {
		r.Groups = groups(s.d, r.Graphs)
	}
	return r
}

func (r *decisionReport) print(w io.Writer) {
	for i := range r.Graphs {
		fmt.Fprintf(w, "graph %-5d %s\n", r.Graphs[i].Graph, r.Graphs[i].summary())
	}
	if r.Weights != nil {
		fmt.Fprintf(w, "weights of %s, %d of them zero\n", model.Count(r.Weights.Colours, "colour"), r.Weights.Zero)
	}
	if r.Groups != nil {
		r.Groups.print(w)
	}
}

// summary says in a line what was predicted and why.
func (x *explanation) summary() string {
	text := predicted(x.Predicted, x.Class)
	if x.Masks != nil {
		return text + ", " + x.Masks.summary(x.Labels)
	}
	text += fmt.Sprintf(", decision %+.2f", x.Decision)
	if x.from.Against < 0 {
		text += " against the rest"
	}
	return text
}

// draw draws the contributions or masks of every graph, and beside them its heaviest colours.
func (r *decisionReport) draw(f *explainFlags, s *subject) error {
	var drawings []render.Drawing
	for i := range r.Graphs {
		drawing, err := f.drawing(s, i, r.Graphs)
		if err != nil {
			return err
		}
		if m := r.Graphs[i].Masks; m != nil {
			m.drawOn(&drawing, s.d, i)
			drawing.Caption = predicted(r.Graphs[i].Predicted, r.Graphs[i].Class)
		}
		drawings = append(drawings, drawing)
		drawings = append(drawings, colours(s.d, i, &r.Graphs[i], drawing)...)
	}
	style, title, across := render.Style{}, titleOf(s.d, len(drawings), "what each vertex contributes"),
		f.across(len(drawings))
	switch {
	case f.method == model.Masks:
		style.Limit, title = 1, titleOf(s.d, len(drawings), "the edges that the decision rests on")
	case f.colours > 0:
		title = s.d.Name + ": what each vertex contributes, and the heaviest colours"
		if f.columns == 0 {
			across = min(f.colours+1, 4)
		}
	}
	if len(drawings) > mostDrawings {
		return usagef("--colours: more than %d drawings; explain fewer graphs at a time", mostDrawings)
	}
	return writeDrawing("--out", f.out, func(w io.Writer) error { return render.Grid(w, title, drawings, across, style) })
}

// colours draws the heaviest colours of graph i: the tree of each as a marker over the vertices, the rest pale.
func colours(d *dataset.Dataset, i int, x *explanation, like render.Drawing) (drawings []render.Drawing) {
	for _, c := range x.Colours {
		one := render.Drawing{
			Batch: d.Batch, Graph: i, Names: like.Names, BondOrders: like.BondOrders, Atoms: like.Atoms, Highlight: c.Ball,
			Title:   fmt.Sprintf("graph %d, %s around vertex %d", x.Graph, model.Count(c.Round, "step"), c.Roots[0]),
			Caption: fmt.Sprintf("weight %.3g, %s of this graph", c.Weight, model.Count(len(c.Roots), "vertex")),
		}
		from, to := d.Batch.Vertices(i)
		for v := range int(to - from) {
			if !slices.Contains(c.Ball, v) {
				one.Faded = append(one.Faded, v)
			}
		}
		drawings = append(drawings, one)
	}
	return drawings
}

// drawing says how to draw graph i of those that are explained.
func (f *explainFlags) drawing(s *subject, i int, all []explanation) (render.Drawing, error) {
	x, d := &all[i], s.d
	drawing := report.Drawing(d, i, x.Labels, s.head.Classes, x.from)
	drawing.Title, drawing.Caption = fmt.Sprintf("graph %d", x.Graph), x.summary()
	if len(all) == 1 {
		drawing.Title = d.Name + ", " + drawing.Title
	} else if x.from.Against < 0 {
		drawing.Positive = "predicted class" // the legend is for all drawings
	}
	err := f.bondOrders(&drawing, d, i)
	return drawing, err
}
