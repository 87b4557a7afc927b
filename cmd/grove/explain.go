package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
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

	method  method
	masks   gckn.MaskOptions
	edges   int
	class   string
	limit   int
	colours int
	groups  bool
}

// method is a way to explain a prediction.
type method string

const (
	byContributions method = "contributions"
	byMasks         method = "masks"
)

// mostDrawings bounds the graphs of one picture.
const mostDrawings = 400

func newExplain(a *app) *cobra.Command {
	f := &explainFlags{}
	c := &cobra.Command{
		Use:   "explain --model model.grove --data DIR --index I -o out.svg",
		Short: "Draw what the prediction for a graph rests on",
		Long: `Draw graphs with what the decision of a trained model rests on.

--method contributions colours the vertices. The contributions of a graph add up to its decision value:
with two classes the value that speaks for the second class where it is positive, with more the value
of the predicted class against the rest. The part of the decision that no vertex brings in (the
constant) is shared equally between them.

--method masks colours the edges. It looks for the fewest paths that keep the prediction: every path gets
a mask from 0 to 1, and the loss of the predicted class plus --lambda times the sum of all masks is made
as small as can be. The score of an edge is the mean of the masks of the paths through it: 1 where the
decision needs them all. The largest connected part of the edges with the highest scores is the motif;
all else is drawn pale. A larger --lambda leaves fewer paths. Where the model says the same of an empty
graph no path is needed, and the masks say nothing: take the contributions.

Of the Weisfeiler-Lehman kernels it draws the contributions, and of dwl-oa with --colours N the N colours of each
graph with the largest learned weights, as the rooted subtrees that they stand for.

Of a contextual graph Markov model (cgmm) it draws the most likely hidden state of every vertex, a
drawing for each layer, and with --class-map how often each class of the data set shows each state.

Of decision trees (treeg) it draws how important vertices and edges are: those count that the splits on
the way to a leaf use most often, trees by the size of their leaf. Discs and lines grow with the
importance. Where vertices or edges are to be predicted --index counts them, and what is around each is
drawn. Several examples are averaged too: which kinds of vertices and edges hold the importance in each
class.

Vertices carry the names of their labels, from NAME_node_label_names.txt of the data set or from
--label-names. Where the data set marks the true cause of its classes, it is highlighted.`,
		Example: `  grove explain --model model.grove --data molecules --index 3 -o graph.svg
  grove explain --model model.grove --data molecules --index 0-5,9 -o graphs.svg
  grove explain --model model.grove --data MUTAG --index 0-8 -o mutag.svg \
      --label-names C,N,O,F,I,Cl,Br --bonds aromatic,single,double,triple
  grove explain --model model.grove --data MUTAG --index 0 --json
  grove explain --model model.grove --data MUTAG --index 0-8 --method masks --edges 6 -o motifs.svg
  grove explain --model model.grove --data MUTAG --index all --class 1 --method masks --edges 10 --groups --json
  grove explain --model dwl.grove --data MUTAG --index 0 --colours 3 -o colours.svg
  grove explain --model trees.grove --data MUTAG --index 0-5 --bonds aromatic,single,double,triple -o trees.svg
  grove explain --model trees.grove --data MUTAG --index all --class 1 --json
  grove explain --model cgmm.grove --data MUTAG --index 0-2 -o states.svg --class-map classes.svg`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			need := []string{"model", "data", "index"}
			if !a.json && !f.groups {
				need = append(need, "out")
			}
			if err := requireFlags(c, need...); err != nil {
				return err
			}
			if err := f.checkMethod(c); err != nil {
				return err
			}
			if c.Flags().Changed("columns") && f.columns < 1 {
				return usagef("--columns %d: want a number from 1 on", f.columns)
			}
			if f.out != "" {
				if err := writableFigure("--out", f.out); err != nil {
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
		fs.Var(newList(&f.index, parseSpan), "index",
			"`I,J-K,...` graphs (or vertices) to explain, counted from 0; all for all of them")
		fs.StringVar(&f.class, "class", "", "`NAME` of these graphs take those of this class that are predicted to have it")
		fs.IntVar(&f.limit, "limit", 0, "`N` of these take the first N")
		bound(fs, "limit", 0, many)
	})
	addFlags(c.Flags(), groupModel, f.addMethodFlags)
	addFlags(c.Flags(), groupComputing, f.computing.addFlags)
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` drawing to write, .svg or .png")
		fs.Var(newList(&f.names, parseName), "label-names",
			"`NAME,...` names of the vertex labels, in ascending order of their codes")
		fs.Var(newList(&f.bonds, parseBond), "bonds",
			"`KIND,...` how to draw the arc labels, in ascending order of their codes: single, double, triple or aromatic")
		annotateWords(fs, "bonds", []string{"single", "double", "triple", "aromatic"})
		fs.StringVar(&f.classMap, "class-map", "",
			"`FILE` heat map of the states of every class to write, .svg or .png (cgmm)")
		fs.IntVar(&f.columns, "columns", 0, "`N` drawings side by side (default: by their number)")
		bound(fs, "columns", 1, many)
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
	Method  method        `json:"method"`
	Groups  *groupReport  `json:"groups,omitempty"`
	Weights *colourReport `json:"weights,omitempty"`
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
	Toward        string    `json:"toward"`                  // the class that positive values, or masks, speak for
	Decision      float64   `json:"decision,omitempty"`      // the sum of the contributions
	Contributions []float64 `json:"contributions,omitempty"` // of the vertices

	Masks   *maskReport `json:"masks,omitempty"`
	Colours []colour    `json:"colours,omitempty"` // of the largest learned weights
	Labels  []string    `json:"labels,omitempty"`  // of the vertices

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
	if _, ok := trained.(*cgmmModel); !ok && f.classMap != "" {
		return usagef("--class-map: %s has no states; leave it out", trained.about().Model)
	}
	switch m := trained.(type) {
	case *cgmmModel:
		return a.explainStates(ctx, f, m, e, start)
	case *treegModel:
		return a.explainTrees(ctx, f, m, e, start)
	case *kernelMachine:
		return a.explainKernel(ctx, f, m, e, start)
	}
	return a.explainNetwork(ctx, f, trained, e, start)
}

// explainNetwork draws what the vertices add to the decision of a network, or the edges that it rests on.
func (a *app) explainNetwork(
	ctx context.Context, f *explainFlags, trained predictor, e engine.Engine, start time.Time,
) error {
	if f.colours > 0 {
		return usagef("--colours: %s has none; leave it out", trained.about().Model)
	}
	p, err := decisionOf(trained)
	if err != nil {
		return err
	}
	d, index, names, said, err := f.open(ctx, p, p.network.encoding)
	if err != nil {
		return err
	}
	var explained []explanation
	if f.method == byMasks {
		explained, err = p.masks(ctx, d, said, f.masks, a.progress.report)
	} else {
		explained, err = p.contributions(ctx, d, said)
	}
	if err != nil {
		return err
	}
	identify(explained, d, index, names)
	draw := f.draw
	if f.method == byMasks {
		draw = f.drawMasks
		for i := range explained {
			explained[i].Masks.choose(f.edges)
			explained[i].Masks.compare(d, i)
		}
	}
	if f.out != "" {
		if err := draw(d, explained); err != nil {
			return err
		}
	}
	value := explainReport{Model: p.about().Model, Dataset: d.Name, Device: describe(e), File: f.out, Method: f.method,
		Graphs: explained}
	if f.groups {
		value.Groups = groups(d, explained)
	}
	value.Seconds.Total = seconds(start)
	return a.emit(value, func(w io.Writer) {
		for i := range explained {
			fmt.Fprintf(w, "graph %-5d %s\n", explained[i].Graph, explained[i].summary())
		}
		if f.groups {
			value.Groups.print(w)
		}
		if f.out != "" {
			fmt.Fprintf(w, "drawn in %s\n", f.out)
		}
	})
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

// open reads the graphs that the flags name, with their numbers in the data set, the names of their vertex
// labels and what a model says of them.
func (f *explainFlags) open(ctx context.Context, p predictor, labels *dataset.Encoding) (
	d *dataset.Dataset, index []int, names []string, said *predictions, err error,
) {
	if d, err = dataset.Open(f.data); err != nil {
		return nil, nil, nil, nil, err
	}
	if d.Task.PerVertex() {
		return nil, nil, nil, nil, fmt.Errorf("%s: the model explains whole graphs, "+
			"this data set has a task for every vertex", f.data)
	}
	if err = wantsVertices(d); err != nil {
		return nil, nil, nil, nil, err
	}
	if index, err = f.numbers(d.NumGraphs(), "graph"); err != nil {
		return nil, nil, nil, nil, err
	}
	if names, err = f.labelNames(d, labels); err != nil {
		return nil, nil, nil, nil, err
	}
	d, index, said, err = f.take(ctx, p, d.Select(index), index)
	return d, index, names, said, err
}

// identify notes which graphs were explained.
func identify(explained []explanation, d *dataset.Dataset, index []int, names []string) {
	for i := range explained {
		x := &explained[i]
		x.Graph = index[i]
		if d.Task == dataset.GraphClassification && d.Classes != nil {
			x.Class = &d.ClassNames[d.Classes[i]]
		}
		if names != nil {
			from, to := d.Batch.Vertices(i)
			for _, l := range d.Batch.Labels[from:to] {
				x.Labels = append(x.Labels, names[l])
			}
		}
	}
}
