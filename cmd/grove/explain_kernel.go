package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/svm"
	"github.com/grove-graph/grove/wl"
)

// splitter is a kernel whose decisions are sums over vertices.
type splitter interface {
	// Contributions splits sum_j coef_j k(x, x_j) over the vertices of every graph x of b.
	Contributions(ctx context.Context, b *graph.Batch, coef []float64) ([]float64, error)
}

// colour is a colour with a large learned weight that a graph has. It stands for a rooted subtree.
type colour struct {
	wl.ColourWeight
	Roots []int `json:"roots"` // vertices of the graph that have it
	Ball  []int `json:"ball"`  // vertices that the subtree of the first root reaches
}

// explainKernel draws what each vertex adds to the decision of a machine on a kernel.
func (a *app) explainKernel(
	ctx context.Context, f *explainFlags, m *kernelMachine, e engine.Engine, start time.Time,
) error {
	kernel, ok := m.kernel.(splitter)
	deep, learned := m.kernel.(deepKernel)
	switch {
	case !ok || m.classifier == nil:
		return fmt.Errorf("--model: grove explain has nothing to say of %s", m.Model)
	case f.method == byMasks:
		return usagef("--method masks: %s has no paths; leave it out", m.Model)
	case f.colours > 0 && !learned:
		return usagef("--colours: %s has no weights of colours; leave it out", m.Model)
	}
	d, index, names, said, err := f.open(ctx, m, m.encoding)
	if err != nil {
		return err
	}
	b, err := m.encoding.Apply(d)
	if err != nil {
		return err
	}
	explained, err := m.split(ctx, kernel, b, said)
	if err != nil {
		return err
	}
	identify(explained, d, index, names)
	if f.colours > 0 {
		if err := deep.heaviest(ctx, b, explained, f.colours); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := f.drawKernel(d, explained); err != nil {
			return err
		}
	}
	value := explainReport{Model: m.Model, Dataset: d.Name, Device: describe(e), File: f.out, Method: f.method,
		Graphs: explained}
	if learned {
		zero, total := deep.Zero()
		value.Weights = &colourReport{total, zero}
	}
	value.Seconds.Total = seconds(start)
	return a.emit(value, func(w io.Writer) {
		for i := range explained {
			fmt.Fprintf(w, "graph %-5d %s\n", explained[i].Graph, explained[i].summary())
		}
		if learned {
			fmt.Fprintf(w, "weights of %s, %d of them zero\n", count(value.Weights.Colours, "colour"), value.Weights.Zero)
		}
		fmt.Fprintf(w, "drawn in %s\n", f.out)
	})
}

// colourReport counts the learned weights.
type colourReport struct {
	Colours int `json:"n_colours"`
	Zero    int `json:"n_zero"`
}

// split splits the decision on every graph of b over its vertices: of two classes the value that speaks for the
// second where it is positive, of more the sum of the predicted class's values against each other class.
func (m *kernelMachine) split(
	ctx context.Context, kernel splitter, b *graph.Batch, said *predictions,
) ([]explanation, error) {
	favoured := make([]int, len(m.classifier.Classes)) // positions in the classifier's classes
	for k := range favoured {
		favoured[k] = k
	}
	if len(favoured) == 2 {
		favoured = []int{slices.Index(m.classifier.Classes, slices.Max(m.classifier.Classes))}
	}
	shares, constants := map[int][]float64{}, map[int]float64{}
	for _, k := range favoured {
		coef, constant := speakingFor(m.classifier, k, m.kernel.NumGraphs())
		split, err := kernel.Contributions(ctx, b, coef)
		if err != nil {
			return nil, err
		}
		shares[k], constants[k] = split, constant
	}
	out := make([]explanation, b.NumGraphs())
	for g := range out {
		x, k := &out[g], favoured[0]
		x.Predicted = m.Classes[said.classes[g]]
		if x.Toward, x.against = m.Classes[m.classifier.Classes[k]], otherClasses; len(favoured) == 1 {
			x.against = "class " + m.Classes[slices.Min(m.classifier.Classes)]
		} else {
			k = slices.Index(m.classifier.Classes, said.classes[g])
			x.Toward = x.Predicted
		}
		from, to := b.Vertices(g)
		x.Contributions = slices.Clone(shares[k][from:to])
		x.share(constants[k])
	}
	return out, nil
}

// speakingFor adds up the machines of all pairs with class k: the coefficients of the fitted graphs and the
// constant of a sum that is positive where they speak for it.
func speakingFor(c *svm.KernelClassifier, k, graphs int) (coef []float64, constant float64) {
	coef = make([]float64, graphs)
	for _, pair := range c.Pairs {
		sign := 0.0
		switch k {
		case pair.First:
			sign = 1
		case pair.Second:
			sign = -1
		}
		for s, g := range pair.Objects {
			coef[g] += sign * pair.Coefficients[s]
		}
		constant += sign * pair.Bias
	}
	return coef, constant
}

// heaviest notes the n colours of every graph with the largest weights.
func (k deepKernel) heaviest(ctx context.Context, b *graph.Batch, explained []explanation, n int) error {
	colours, err := k.Model().Colours(ctx, b)
	if err != nil {
		return err
	}
	for g := range explained {
		from, to := b.Vertices(g)
		for _, weight := range k.HeaviestIn(colours, g, n) {
			c := colour{ColourWeight: weight}
			for _, v := range colours.Vertices(weight.Round, weight.Colour) {
				if from <= v && v < to {
					c.Roots = append(c.Roots, int(v-from))
				}
			}
			ball, _ := k.Model().Ball(b, from+int32(c.Roots[0]), weight.Round)
			for _, v := range ball {
				c.Ball = append(c.Ball, int(v-from))
			}
			explained[g].Colours = append(explained[g].Colours, c)
		}
	}
	return nil
}

// drawKernel draws the contributions of the vertices of every graph, and beside them its heaviest colours: the
// subtree of each as a marker over the vertices, the rest pale.
func (f *explainFlags) drawKernel(d *dataset.Dataset, explained []explanation) error {
	if f.colours == 0 {
		return f.draw(d, explained)
	}
	var drawings []render.Drawing
	for i := range explained {
		drawing, err := f.drawing(d, i, explained)
		if err != nil {
			return err
		}
		drawings = append(drawings, drawing)
		for _, c := range explained[i].Colours {
			one := render.Drawing{
				Batch: d.Batch, Graph: i, Names: drawing.Names, BondOrders: drawing.BondOrders, Highlight: c.Ball,
				Title:   fmt.Sprintf("graph %d, %s around vertex %d", explained[i].Graph, count(c.Round, "step"), c.Roots[0]),
				Caption: fmt.Sprintf("weight %.3g, %s of this graph", c.Weight, count(len(c.Roots), "vertex")),
			}
			from, to := d.Batch.Vertices(i)
			for v := range int(to - from) {
				if !slices.Contains(c.Ball, v) {
					one.Faded = append(one.Faded, v)
				}
			}
			drawings = append(drawings, one)
		}
	}
	if len(drawings) > mostDrawings {
		return usagef("--colours: more than %d drawings; explain fewer graphs at a time", mostDrawings)
	}
	across := f.columns
	if across == 0 {
		across = min(f.colours+1, 4)
	}
	return writeDrawing("--out", f.out, func(w io.Writer) error {
		return render.Grid(w, d.Name+": what each vertex contributes, and the heaviest colours", drawings, across,
			render.Style{})
	})
}
