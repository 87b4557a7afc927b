package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// explainFlags are the flags of grove explain.
type explainFlags struct {
	computing
	model, data, out string
	index            []span
	names            []string
	bonds            []int
	columns          int
	classMap         string
}

// mostDrawings bounds the graphs of one picture.
const mostDrawings = 400

func newExplain(a *app) *cobra.Command {
	f := &explainFlags{}
	c := &cobra.Command{
		Use:   "explain --model model.grove --data DIR --index I -o out.svg",
		Short: "Draw what each vertex contributes to a prediction",
		Long: `Draw graphs with the contribution of every vertex to the decision of a trained model. The
contributions of a graph add up to its decision value: with two classes the value that speaks for the
second class where it is positive, with more the value of the predicted class against the rest. The
part of the decision that no vertex brings in (the constant) is shared equally between them.

Of a contextual graph Markov model (cgmm) it draws the most likely hidden state of every vertex, a
drawing for each layer, and with --class-map how often each class of the data set shows each state.

Vertices carry the names of their labels, from NAME_node_label_names.txt of the data set or from
--label-names. Where the data set marks the true cause of its classes, it is highlighted.`,
		Example: `  grove explain --model model.grove --data molecules --index 3 -o graph.svg
  grove explain --model model.grove --data molecules --index 0-5,9 -o graphs.svg
  grove explain --model model.grove --data MUTAG --index 0-8 -o mutag.svg \
      --label-names C,N,O,F,I,Cl,Br --bonds aromatic,single,double,triple
  grove explain --model model.grove --data MUTAG --index 0 --json
  grove explain --model cgmm.grove --data MUTAG --index 0-2 -o states.svg --class-map classes.svg`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			need := []string{"model", "data", "index"}
			if !a.json {
				need = append(need, "out")
			}
			if err := requireFlags(c, need...); err != nil {
				return err
			}
			if c.Flags().Changed("columns") && f.columns < 1 {
				return usagef("--columns %d: want a number from 1 on", f.columns)
			}
			if f.out != "" {
				if !strings.HasSuffix(strings.ToLower(f.out), ".svg") {
					return usagef("--out %s: drawings are SVG; give a name that ends in .svg", f.out)
				}
				if err := writable("--out", f.out); err != nil {
					return err
				}
			}
			if f.classMap != "" {
				if err := writableFigure("--class-map", f.classMap); err != nil {
					return err
				}
			}
			return a.explain(c.Context(), f)
		},
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.model, "model", "", "`FILE` model that grove train wrote")
		fs.StringVar(&f.data, "data", "", "`DIR` data set to read")
		fs.Var(newList(&f.index, parseSpan), "index", "`I,J-K,...` graphs to explain, counted from 0")
	})
	addFlags(c.Flags(), groupComputing, f.computing.addFlags)
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` drawing to write, an SVG document")
		fs.Var(newList(&f.names, parseName), "label-names", "`NAME,...` names of the vertex labels, in ascending order of their codes")
		fs.Var(newList(&f.bonds, parseBond), "bonds", "`KIND,...` how to draw the arc labels, in ascending order of their codes: single, double, triple or aromatic")
		fs.StringVar(&f.classMap, "class-map", "", "`FILE` heat map of the states of every class to write, .svg or .png (cgmm)")
		fs.IntVar(&f.columns, "columns", 0, "`N` drawings side by side (default: by their number)")
		a.addOutputFlags(fs)
	})
	return c
}

// explainReport is what grove explain reports.
type explainReport struct {
	Model   string        `json:"model"`
	Dataset string        `json:"dataset"`
	Device  string        `json:"device"`
	File    string        `json:"file,omitempty"`
	Graphs  []explanation `json:"graphs"`
	Seconds struct {
		Total float64 `json:"total"`
	} `json:"seconds"`
}

// explanation is what is said of one graph.
type explanation struct {
	Graph         int       `json:"graph"`
	Predicted     string    `json:"predicted"`
	Class         *string   `json:"class,omitempty"`
	Toward        string    `json:"toward"`   // the class that positive values speak for
	Decision      float64   `json:"decision"` // the sum of the contributions
	Contributions []float64 `json:"contributions"`
	Labels        []string  `json:"labels,omitempty"` // of the vertices

	against string // what negative values speak for
}

// otherClasses is what negative values speak for where there are more than two classes.
const otherClasses = "other classes"

func (a *app) explain(ctx context.Context, f *explainFlags) error {
	start := time.Now()
	e, err := a.open(&f.computing)
	if err != nil {
		return err
	}
	trained, err := load(f.model, e)
	if err != nil {
		return err
	}
	if m, ok := trained.(*cgmmModel); ok {
		return a.explainStates(ctx, f, m, e, start)
	}
	if f.classMap != "" {
		return usagef("--class-map: %s has no states; leave it out", trained.about().Model)
	}
	p, ok := trained.(*pipeline)
	if !ok {
		return fmt.Errorf("--model %s: grove explain has nothing to say of %s", f.model, trained.about().Model)
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
	index, err := f.graphs(d.NumGraphs())
	if err != nil {
		return err
	}
	names, err := f.labelNames(d, p.network.encoding)
	if err != nil {
		return err
	}
	d = d.Select(index)
	explained, err := p.explain(ctx, d)
	if err != nil {
		return err
	}
	for i := range explained {
		x := &explained[i]
		x.Graph = index[i]
		if names != nil {
			from, to := d.Batch.Vertices(i)
			for _, l := range d.Batch.Labels[from:to] {
				x.Labels = append(x.Labels, names[l])
			}
		}
	}
	if f.out != "" {
		if err := f.draw(d, explained); err != nil {
			return err
		}
	}
	value := explainReport{Model: p.Model, Dataset: d.Name, Device: describe(e), File: f.out, Graphs: explained}
	value.Seconds.Total = seconds(start)
	return a.emit(value, func(w io.Writer) {
		for i := range explained {
			fmt.Fprintf(w, "graph %-5d %s\n", explained[i].Graph, explained[i].summary())
		}
		fmt.Fprintf(w, "drawn in %s\n", f.out)
	})
}

// explain splits the decision on every graph of d over its vertices.
func (p *pipeline) explain(ctx context.Context, d *dataset.Dataset) ([]explanation, error) {
	m := p.classifier
	if len(m.Weights) == 0 {
		return nil, fmt.Errorf("the model knows only class %s: there is no decision to explain", p.Classes[m.Classes[0]])
	}
	said, err := p.predict(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	all, err := p.network.vertices(ctx, d)
	if err != nil {
		return nil, err
	}
	out := make([]explanation, d.NumGraphs())
	for g := range out {
		x := &out[g]
		problem := p.question(x, said.classes[g])
		if d.Task == dataset.GraphClassification && d.Classes != nil {
			x.Class = &d.ClassNames[d.Classes[g]]
		}
		from, to := d.Batch.Vertices(g)
		weights, constant := rawWeights(m, problem)
		x.Contributions, err = contributions(all, int(from), int(to), weights, p.network.model.Options().GlobalPooling)
		if err != nil {
			return nil, err
		}
		x.share(constant)
	}
	return out, nil
}

// question notes in x which class a graph was predicted to have and between which classes its decision
// is, and returns the problem of the classifier that decides it.
func (p *pipeline) question(x *explanation, predicted int) (problem int) {
	m := p.classifier
	x.Predicted = p.Classes[predicted]
	if len(m.Classes) == 2 {
		x.Toward, x.against = p.Classes[m.Classes[1]], "class "+p.Classes[m.Classes[0]]
		return 0
	}
	x.Toward, x.against = x.Predicted, otherClasses
	return slices.Index(m.Classes, predicted)
}

// share adds the constant of the decision to the contributions in equal parts and the whole up.
func (x *explanation) share(constant float64) {
	if len(x.Contributions) == 0 {
		x.Decision = constant
	}
	for v := range x.Contributions {
		x.Contributions[v] += constant / float64(len(x.Contributions))
		x.Decision += x.Contributions[v]
	}
}
