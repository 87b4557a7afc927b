package main

import (
	"context"
	"fmt"
	"io"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/report"
)

// statesReport is what grove explain reports of hidden states.
type statesReport struct {
	explainReport
	ClassMap string          `json:"class_map,omitempty"`
	Graphs   []graphStates   `json:"graphs"`
	Classes  []model.Profile `json:"classes,omitempty"` // of the whole data set
}

// graphStates is what is said of one graph.
type graphStates struct {
	Graph     int      `json:"graph"`
	Predicted string   `json:"predicted"`
	Class     *string  `json:"class,omitempty"`
	Labels    []string `json:"labels,omitempty"` // of the vertices
	States    [][]int  `json:"states"`           // of every layer: the most likely state of every vertex
}

// states reports the hidden states of graphs, and those of the classes of the whole data set.
func (f *explainFlags) states(ctx context.Context, s *subject, m model.Model,
	base explainReport) (*statesReport, error) {
	r := &statesReport{explainReport: base, ClassMap: f.classMap, Graphs: make([]graphStates, len(s.found))}
	layers := 0
	for i := range s.found {
		from := &s.found[i]
		layers = len(from.States)
		r.Graphs[i] = graphStates{s.numbers[i], s.head.Classes[from.Predicted], s.class(i), s.labels(i), from.States}
	}
	if n := len(r.Graphs) * layers; n > mostDrawings && f.out != "" {
		return nil, usagef("--index: %d graphs in %d layers make more than %d drawings; explain fewer at a time",
			len(r.Graphs), layers, mostDrawings)
	}
	d, err := f.source.open()
	if err == nil {
		d, err = s.head.Asks(d)
	}
	if err != nil {
		return nil, err
	}
	if d.Classes == nil && f.classMap != "" {
		return nil, usagef("--class-map: the graphs of %s have no classes", d.Name)
	}
	if r.Classes, err = m.(model.Profiler).Profiles(ctx, d, nil); err != nil {
		return nil, err
	}
	if f.classMap != "" {
		return r, drawProfiles(f.classMap, d.Name, r.Classes)
	}
	return r, nil
}

func (r *statesReport) print(w io.Writer) {
	for _, g := range r.Graphs {
		fmt.Fprintf(w, "graph %-5d %s\n", g.Graph, predicted(g.Predicted, g.Class))
	}
	if r.ClassMap != "" {
		fmt.Fprintf(w, "classes drawn in %s\n", r.ClassMap)
	}
}

// drawProfiles draws a panel for each layer.
func drawProfiles(path, name string, profiles []model.Profile) error {
	rows := make([]string, len(profiles))
	panels := make([]render.HeatMap, len(profiles[0].Layers))
	for c, p := range profiles {
		rows[c] = "class " + p.Class
		for l, means := range p.Layers {
			panels[l].Title, panels[l].Columns = fmt.Sprintf("layer %d", l+1), len(means)
			panels[l].Values = append(panels[l].Values, means...)
		}
	}
	chart := render.Chart{
		Title: name + ": hidden states of each class", Width: 900,
		X: render.Axis{Label: "state"}, Y: render.Axis{Label: "mean frequency in a graph"},
	}
	figure, err := render.HeatMaps(chart, rows, panels)
	if err != nil {
		return err
	}
	return writeFigure("--class-map", path, figure)
}

// draw writes a drawing of every graph in every layer.
func (r *statesReport) draw(f *explainFlags, s *subject) error {
	d := s.d
	var drawings []render.Drawing
	layers := 0
	for g := range r.Graphs {
		x := &r.Graphs[g]
		layers = len(x.States)
		for l, states := range x.States {
			drawing := report.Drawing(d, g, x.Labels, nil, &model.Explanation{States: [][]int{states}})
			drawing.Title = fmt.Sprintf("graph %d, layer %d", x.Graph, l+1)
			if l == 0 {
				drawing.Caption = predicted(x.Predicted, x.Class)
			}
			if err := f.bondOrders(&drawing, d, g); err != nil {
				return err
			}
			drawings = append(drawings, drawing)
		}
	}
	columns := f.columns
	if columns < 1 {
		columns = min(layers, 4)
	}
	return writeDrawing("--out", f.out, func(w io.Writer) error {
		return render.Grid(w, d.Name+": the most likely state of each vertex", drawings, columns, render.Style{})
	})
}
