package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/split"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// explainFlags are the flags of grove explain.
type explainFlags struct {
	computing
	source
	model, out string
	index      []span
	names      []string
	bonds      []int
	columns    int
	classMap   string

	method  model.Method
	lambda  float64
	edges   int
	class   string
	limit   int
	colours int
	groups  bool
}

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

Where a gckn, wl, mpgk or cgmm model predicts vertices, it draws how important the vertices around one are to it: how
far the decision for the predicted class moves when one of them loses its arcs, and of the vertex itself when it
shows the mean of every attribute and a label that no other has. At most the 100 nearest are tried. The share is that
of all such changes: it has no sign, and what two vertices do only together counts for neither. Contributions, masks
and states are of whole graphs.

Of graph networks (gcn, gin) it draws how important vertices are: the share of a vertex in the gradient of
the predicted class, or number, times the features. Discs grow with the importance.

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
			if err := writableFigure("--out", f.out); err != nil {
				return err
			}
			if err := writableFigure("--class-map", f.classMap); err != nil {
				return err
			}
			return a.explain(c.Context(), f)
		},
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.model, "model", "", "`FILE` model that grove train wrote")
		f.source.addFlags(fs)
		fs.Var(param.List(&f.index, parseSpan), "index",
			"`I,J-K,...` graphs (or vertices) to explain, counted from 0; all for all of them")
		fs.StringVar(&f.class, "class", "", "`NAME` of these graphs take those of this class that are predicted to have it")
		fs.IntVar(&f.limit, "limit", 0, "`N` of these take the first N")
		bound(fs, "limit", 0, param.Many)
	})
	addFlags(c.Flags(), groupModel, f.addMethodFlags)
	addFlags(c.Flags(), groupComputing, f.computing.addFlags)
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` drawing to write, .svg or .png")
		fs.Var(param.List(&f.names, parseName), "label-names",
			"`NAME,...` names of the vertex labels, in ascending order of their codes")
		fs.Var(param.List(&f.bonds, parseBond), "bonds",
			"`KIND,...` how to draw the arc labels, in ascending order of their codes: single, double, triple or aromatic")
		annotateWords(fs, "bonds", []string{"single", "double", "triple", "aromatic"})
		fs.StringVar(&f.classMap, "class-map", "",
			"`FILE` heat map of the states of every class to write, .svg or .png (cgmm)")
		fs.IntVar(&f.columns, "columns", 0, "`N` drawings side by side (default: by their number)")
		bound(fs, "columns", 1, param.Many)
		a.addOutputFlags(fs)
	})
	return c
}

// subject is what is explained: graphs, or vertices or edges of graphs.
type subject struct {
	d        *dataset.Dataset // the graphs that are explained, or all where vertices or edges are
	head     *model.Head
	examples []int        // of d
	numbers  []int        // that these have in the data set on disk
	names    []string     // of the vertex labels, nil where there are none
	seen     *graph.Batch // whose vertices the model sees: the graphs of d, or their line graphs
	found    []model.Explanation
	notes    []string
}

func (a *app) explain(ctx context.Context, f *explainFlags) error {
	start := time.Now()
	e, err := a.open(&f.computing, 0)
	if err != nil {
		return err
	}
	m, err := loadModel(f.model, e)
	if err != nil {
		return err
	}
	x, _ := m.(model.Explainer)
	if err := f.suits(m, x); err != nil {
		return err
	}
	s, err := f.open(ctx, m)
	if err != nil {
		return err
	}
	opt := model.ExplainOptions{Method: f.method, Lambda: f.lambda, Colours: f.colours, Progress: a.progress.report}
	if s.found, err = x.Explain(ctx, s.d, s.examples, opt); err != nil {
		return asUsage(err)
	}
	base := explainReport{Model: s.head.Model, Dataset: s.d.Name, Device: e.Describe(), File: f.out, Notes: s.notes}
	var report explained
	switch f.method {
	case model.States:
		report, err = f.states(ctx, s, m, base)
	case model.Importance:
		report = importances(s, base)
	default:
		report = f.decisions(s, m, base)
	}
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := report.draw(f, s); err != nil {
			return err
		}
	}
	report.took(start)
	return a.emit(report, func(w io.Writer) {
		report.print(w)
		writeNotes(w, base.Notes)
		if f.out != "" {
			fmt.Fprintf(w, "drawn in %s\n", f.out)
		}
	})
}

// explained is the report of one method.
type explained interface {
	draw(f *explainFlags, s *subject) error
	print(w io.Writer)
	took(start time.Time)
}

// explainReport is what the reports of all methods have in common.
type explainReport struct {
	Model   string   `json:"model"`
	Dataset string   `json:"dataset"`
	Device  string   `json:"device"`
	File    string   `json:"file,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Seconds struct {
		Total float64 `json:"total"`
	} `json:"seconds"`
}

func (r *explainReport) took(start time.Time) { r.Seconds.Total = seconds(start) }

// suits refuses flags that ask for what a model does not have, and fills in the method.
func (f *explainFlags) suits(m model.Model, x model.Explainer) error {
	var methods []model.Method
	name := m.About().Model
	if x != nil {
		methods = x.Methods()
	}
	if len(methods) == 0 {
		return fmt.Errorf("--model: grove explain has nothing to say of %s", name)
	}
	if f.method == "" || f.method == model.Contributions {
		f.method = methods[0]
	}
	_, weighs := m.(model.Weights)
	switch {
	case !slices.Contains(methods, f.method) && m.About().Task == model.NodeTask:
		return usagef("--method %s: predictions of vertices are explained by their %s; leave it out", f.method, methods[0])
	case !slices.Contains(methods, f.method):
		return usagef("--method %s: %s has no paths and is explained by its %s; leave it out", f.method, name, methods[0])
	case f.colours > 0 && !weighs:
		return usagef("--colours: %s has no weights of colours; leave it out", name)
	case f.classMap != "" && f.method != model.States:
		return usagef("--class-map: %s has no states; leave it out", name)
	}
	return nil
}

// open reads what the flags name.
func (f *explainFlags) open(ctx context.Context, m model.Model) (*subject, error) {
	s := &subject{head: m.About()}
	if err := f.as(s.head); err != nil {
		return nil, err
	}
	d, err := f.source.open()
	if err != nil {
		return nil, err
	}
	s.notes = skippedNotes(d)
	if d, err = s.head.Asks(d); err != nil {
		return nil, err
	}
	noun := s.head.Task.Noun()
	if asked := model.TaskOf(d); asked != s.head.Task && (asked == model.NodeTask || s.head.Task == model.NodeTask) {
		return nil, fmt.Errorf("%s: the model explains each %s, the data set asks about each %s", f.data, noun, asked.Noun())
	}
	if err := model.HasVertices(d); err != nil {
		return nil, err
	}
	if s.names, err = f.labelNames(d, m.Encoding()); err != nil {
		return nil, err
	}
	most := d.NumGraphs()
	switch s.head.Task {
	case model.NodeTask:
		most = d.Batch.NumVertices()
	case model.EdgeTask:
		most = len(d.Edges)
	}
	index, err := f.numbers(most, noun)
	if err != nil {
		return nil, err
	}
	s.seen = d.Batch
	if s.head.Task == model.EdgeTask {
		if s.seen, _, err = d.Batch.LineGraph(); err != nil {
			return nil, fmt.Errorf("data set %s: %w", d.Name, err)
		}
	}
	if s.head.Task != model.GraphTask {
		if s.examples, err = f.take(ctx, m, d, index); err != nil {
			return nil, err
		}
		s.d, s.numbers = d, s.examples
		return s, nil
	}
	d = d.Select(index)
	every := split.All(len(index))
	taken, err := f.take(ctx, m, d, every)
	if err != nil {
		return nil, err
	}
	s.d, s.examples = d.Select(taken), every[:len(taken)]
	s.seen = s.d.Batch
	for _, i := range taken {
		s.numbers = append(s.numbers, index[i])
	}
	return s, nil
}

// take returns those of some examples of d that --class and --limit ask for.
func (f *explainFlags) take(ctx context.Context, m model.Model, d *dataset.Dataset, examples []int) ([]int, error) {
	h := m.About()
	noun, taken := h.Task.Noun(), examples
	if f.class != "" {
		class := slices.Index(h.Classes, f.class)
		truth := h.Truth(d)
		if class < 0 {
			return nil, usagef("--class %s: the model knows %s", f.class, model.Listed(h.Classes))
		}
		if truth == nil {
			return nil, usagef("--class: the %s of %s have no classes", model.Plural(noun), d.Name)
		}
		said, err := m.Predict(ctx, d, nil)
		if err != nil {
			return nil, err
		}
		taken = nil
		for _, i := range examples {
			if truth[i] == class && said.Classes[i] == class {
				taken = append(taken, i)
			}
		}
		if len(taken) == 0 {
			return nil, fmt.Errorf("no %s of class %s among those of --index is predicted to have it", noun, f.class)
		}
	}
	if f.limit > 0 {
		taken = taken[:min(f.limit, len(taken))]
	}
	if f.out != "" && len(taken) > mostDrawings {
		return nil, usagef("--index: more than %d %s in a drawing; take fewer with --limit", mostDrawings, model.Plural(noun))
	}
	return taken, nil
}

// class returns the name of the class that an example has, nil where it has none.
func (s *subject) class(i int) *string {
	t := model.TargetsOf(s.d)
	if t.Classes == nil || t.Task != s.head.Task || t.Classes[s.examples[i]] < 0 {
		return nil
	}
	return &t.Names[t.Classes[s.examples[i]]]
}

// labels returns the names of the labels of the vertices of a graph, nil where they have none.
func (s *subject) labels(graph int) (labels []string) {
	if s.names == nil {
		return nil
	}
	from, to := s.d.Batch.Vertices(graph)
	for _, l := range s.d.Batch.Labels[from:to] {
		labels = append(labels, s.names[l])
	}
	return labels
}

// predicted says which class was predicted, and whether it is right.
func predicted(class string, own *string) string {
	text := "predicted " + class
	switch {
	case own == nil:
	case *own == class:
		text += " (right)"
	default:
		text += " (wrong: it is " + *own + ")"
	}
	return text
}
