package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/mpgk"
	"github.com/grove-graph/grove/render"
)

// picture returns the SVG of a figure of what is kept, nil where nothing is.
func (p *place) picture(of *paper, f *figure) ([]byte, error) {
	draw := f.computed
	if draw == nil {
		curves, err := p.curves(of, f)
		if len(curves) == 0 || err != nil {
			return nil, err
		}
		chart := f.chart
		chart.Title = f.title
		draw = func() (*render.Figure, error) { return render.Lines(chart, curves) }
	}
	fig, err := draw()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	var out bytes.Buffer
	err = fig.WriteSVG(&out)
	return out.Bytes(), err
}

// image is the file of a picture.
func (p *place) image(f *figure) string { return filepath.Join(p.pages, "images", f.name+".svg") }

// curves returns the curves of a figure, those of which two points are kept at least.
func (p *place) curves(of *paper, f *figure) ([]render.Curve, error) {
	var curves []render.Curve
	for i := range f.curves {
		c := &f.curves[i]
		k, err := p.read(of, c)
		if err != nil {
			return nil, err
		}
		curve := render.Curve{Name: c.row}
		for _, j := range c.jobs {
			if r := k.of(c).run(j.run); r != nil {
				curve.X, curve.Y = append(curve.X, j.x), append(curve.Y, r.Mean)
			}
		}
		if len(curve.X) > 1 {
			curves = append(curves, curve)
		}
	}
	return curves, nil
}

// barbell draws figure 1 of "Message Passing Graph Kernels".
func barbell(ctx context.Context) (*render.Figure, error) {
	const clique, path = 10, 10
	g := graph.Graph{NumVertices: 2*clique + path}
	join := func(a, b int) {
		g.AddArc(int32(a), int32(b))
		g.AddArc(int32(b), int32(a))
	}
	for _, first := range []int{0, clique + path} {
		for a := range clique {
			for b := range a {
				join(first+a, first+b)
			}
		}
	}
	for v := clique - 1; v < clique+path; v++ {
		join(v, v+1)
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		return nil, err
	}
	opt, err := mpgk.Preset("mpgk-rr")
	if err != nil {
		return nil, err
	}
	opt.Iterations = 5
	e, err := engine.Open("cpu", 1)
	if err != nil {
		return nil, err
	}
	x, err := mpgk.EmbedVertices(ctx, e, b, opt, 2, nil)
	if err != nil {
		return nil, err
	}
	names := map[int]string{0: "in the complete graphs", clique - 1: "where the path begins"}
	for step := range path / 2 {
		names[clique+step] = fmt.Sprintf("%d on the path", step+1)
	}
	var points []render.Curve
	for v := range clique + path/2 {
		if names[v] != "" {
			at := x.Float64s()[2*v : 2*v+2]
			points = append(points, render.Curve{Name: names[v], X: at[:1], Y: at[1:], Marked: []int{0}})
		}
	}
	return render.Lines(render.Chart{
		Title: "Vertices of the barbell graph by MPGK RR",
		X:     render.Axis{Label: "first coordinate"}, Y: render.Axis{Label: "second coordinate"},
	}, points)
}
