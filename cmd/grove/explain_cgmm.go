package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/grove-graph/grove/cgmm"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/render"
)

// statesReport is what grove explain reports of a contextual graph Markov model.
type statesReport struct {
	Model    string         `json:"model"`
	Dataset  string         `json:"dataset"`
	Device   string         `json:"device"`
	File     string         `json:"file,omitempty"`
	ClassMap string         `json:"class_map,omitempty"`
	Graphs   []graphStates  `json:"graphs"`
	Classes  []classProfile `json:"classes,omitempty"` // of the whole data set
	Seconds  struct {
		Total float64 `json:"total"`
	} `json:"seconds"`
}

// graphStates is what is said of one graph.
type graphStates struct {
	Graph     int      `json:"graph"`
	Predicted string   `json:"predicted"`
	Class     *string  `json:"class,omitempty"`
	Labels    []string `json:"labels,omitempty"` // of the vertices
	States    [][]int  `json:"states"`           // of every layer: the most likely state of every vertex
}

// classProfile is how often a class shows each state.
type classProfile struct {
	Class  string      `json:"class"`
	Layers [][]float64 `json:"layers"` // of every layer: the mean frequency of every state
}

// explainStates draws the hidden states of graphs.
func (a *app) explainStates(
	ctx context.Context, f *explainFlags, m *cgmmModel, e engine.Engine, start time.Time,
) error {
	if f.method == byMasks || f.class != "" || f.limit > 0 {
		return usagef("--method masks, --class and --limit: %s has no paths and is drawn by its states; leave them out",
			m.Model)
	}
	d, err := dataset.Open(f.data)
	if err != nil {
		return err
	}
	if d.Task.PerVertex() {
		return fmt.Errorf("%s: the model explains whole graphs, this data set has a task for every vertex", f.data)
	}
	if err := wantsVertices(d); err != nil {
		return err
	}
	if f.classMap != "" && d.Classes == nil {
		return usagef("--class-map: the graphs of %s have no classes", d.Name)
	}
	index, err := f.numbers(d.NumGraphs(), "graph")
	if err != nil {
		return err
	}
	if n := len(index) * m.model.Layers(); n > mostDrawings {
		return usagef("--index: %d graphs in %d layers make more than %d drawings; explain fewer at a time", len(index),
			m.model.Layers(), mostDrawings)
	}
	names, err := f.labelNames(d, m.encoding)
	if err != nil {
		return err
	}
	r := &statesReport{Model: m.Model, Dataset: d.Name, Device: describe(e), File: f.out, ClassMap: f.classMap}
	if d.Classes != nil {
		if r.Classes, err = m.profiles(ctx, d); err != nil {
			return err
		}
	}
	chosen := d.Select(index)
	if r.Graphs, err = m.explain(ctx, chosen, index, names); err != nil {
		return err
	}
	if f.classMap != "" {
		if err := m.drawProfiles(f.classMap, d.Name, r.Classes); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := f.drawStates(chosen, r.Graphs); err != nil {
			return err
		}
	}
	r.Seconds.Total = seconds(start)
	return a.emit(r, r.print)
}

func (r *statesReport) print(w io.Writer) {
	for _, g := range r.Graphs {
		fmt.Fprintf(w, "graph %-5d %s\n", g.Graph, g.summary())
	}
	fmt.Fprintf(w, "drawn in %s\n", r.File)
	if r.ClassMap != "" {
		fmt.Fprintf(w, "classes drawn in %s\n", r.ClassMap)
	}
}

// summary says what was predicted.
func (g *graphStates) summary() string {
	switch {
	case g.Class == nil:
		return "predicted " + g.Predicted
	case *g.Class == g.Predicted:
		return "predicted " + g.Predicted + " (right)"
	}
	return "predicted " + g.Predicted + " (wrong: it is " + *g.Class + ")"
}

// statesOf infers the states of all vertices of d.
func (m *cgmmModel) statesOf(ctx context.Context, d *dataset.Dataset) (*cgmm.States, error) {
	b, err := m.encoding.Apart(d)
	if err != nil {
		return nil, err
	}
	return m.model.States(ctx, b, nil)
}

// explain lists the states of the graphs of d, which have the numbers in index.
func (m *cgmmModel) explain(
	ctx context.Context, d *dataset.Dataset, index []int, names []string,
) ([]graphStates, error) {
	said, err := m.predict(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	states, err := m.statesOf(ctx, d)
	if err != nil {
		return nil, err
	}
	out := make([]graphStates, d.NumGraphs())
	for g := range out {
		x := &out[g]
		x.Graph, x.Predicted = index[g], m.Classes[said.classes[g]]
		if d.Classes != nil {
			x.Class = &d.ClassNames[d.Classes[g]]
		}
		from, to := d.Batch.Vertices(g)
		if names != nil {
			for _, l := range d.Batch.Labels[from:to] {
				x.Labels = append(x.Labels, names[l])
			}
		}
		for l := range states.Layers() {
			layer := make([]int, to-from)
			for v, state := range states.Of(l)[from:to] {
				layer[v] = int(state)
			}
			x.States = append(x.States, layer)
		}
	}
	return out, nil
}

// profiles returns the mean frequency of every state in every class of d, layer by layer.
func (m *cgmmModel) profiles(ctx context.Context, d *dataset.Dataset) ([]classProfile, error) {
	states, err := m.statesOf(ctx, d)
	if err != nil {
		return nil, err
	}
	profiles := make([]classProfile, d.NumClasses())
	for c := range profiles {
		profiles[c].Class = d.ClassNames[c]
	}
	for l := range states.Layers() {
		means, err := states.ClassMeans(l, d.Classes, d.NumClasses())
		if err != nil {
			return nil, err
		}
		width := states.NumStates(l)
		for c := range profiles {
			profiles[c].Layers = append(profiles[c].Layers, means[c*width:(c+1)*width])
		}
	}
	return profiles, nil
}

// drawProfiles draws a panel for each layer.
func (m *cgmmModel) drawProfiles(path, name string, profiles []classProfile) error {
	rows := make([]string, len(profiles))
	panels := make([]render.HeatMap, m.model.Layers())
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

// drawStates writes a drawing of every graph of d in every layer.
func (f *explainFlags) drawStates(d *dataset.Dataset, explained []graphStates) error {
	var drawings []render.Drawing
	layers := 0
	for g := range explained {
		x := &explained[g]
		layers = len(x.States)
		for l, states := range x.States {
			drawing := render.Drawing{
				Batch: d.Batch, Graph: g, Title: fmt.Sprintf("graph %d, layer %d", x.Graph,
					l+1), Names: x.Labels, Kinds: states, Kind: "state",
			}
			if l == 0 {
				drawing.Caption = x.summary()
			}
			if f.bonds != nil {
				var err error
				if drawing.BondOrders, err = f.bondOrders(d, g); err != nil {
					return err
				}
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
