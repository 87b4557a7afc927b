package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newPredict(a *app) *cobra.Command {
	var where computing
	var model, data, out string
	c := &cobra.Command{
		Use:   "predict --model model.grove --data DIR",
		Short: "Classify graphs with a trained model",
		Long: `Classify every graph of a data set with a trained model. Where the data set has classes, the
accuracy is shown and which classes were taken for which.

The predictions are written as a table with a line for each graph: its number from 0, the predicted
class, its own class where it has one, and the decision values: with two classes one that speaks for
the second class where it is positive, with more one for each class, of which the largest wins.`,
		Example: `  grove predict --model model.grove --data MUTAG
  grove predict --model model.grove --data new-molecules -o predictions.csv
  grove predict --model model.grove --data new-molecules -o - | head`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := requireFlags(c, "model", "data"); err != nil {
				return err
			}
			if out == "-" && a.json {
				return usagef("predict: --json and -o - both want standard output: leave out one")
			}
			if out != "" && out != "-" {
				if err := writable("--out", out); err != nil {
					return err
				}
			}
			return a.predict(c, &where, model, data, out)
		},
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&model, "model", "", "`FILE` model that grove train wrote")
		fs.StringVar(&data, "data", "", "`DIR` data set to read")
	})
	addFlags(c.Flags(), groupComputing, where.addFlags)
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&out, "out", "o", "", "`FILE` predictions to write, as comma-separated values; - for standard output")
		a.addOutputFlags(fs)
	})
	return c
}

// prediction is what is said of one graph.
type prediction struct {
	Graph     int       `json:"graph"`
	Predicted string    `json:"predicted"`
	Class     *string   `json:"class,omitempty"`
	Decisions []float64 `json:"decisions"`
}

// predictReport is what grove predict reports.
type predictReport struct {
	Model         string       `json:"model"`
	Dataset       string       `json:"dataset"`
	Graphs        int          `json:"n_graphs"`
	Device        string       `json:"device"`
	Classes       []string     `json:"classes"`
	Counts        []int        `json:"predicted_counts"`    // of each class
	Accuracy      *float64     `json:"accuracy,omitempty"`  // percent, where the graphs have classes
	Confusion     [][]int      `json:"confusion,omitempty"` // own class x predicted class
	UnknownClass  int          `json:"n_unknown_class"`     // graphs of a class that the model does not know
	UnknownLabels []string     `json:"unknown_labels,omitempty"`
	File          string       `json:"file,omitempty"`
	Predictions   []prediction `json:"predictions,omitempty"` // where they are not written to a file
	Seconds       eval.Seconds `json:"seconds"`
}

func (a *app) predict(c *cobra.Command, where *computing, model, data, out string) error {
	start := time.Now()
	e, err := a.open(where)
	if err != nil {
		return err
	}
	p, err := loadPipeline(model, e)
	if err != nil {
		return err
	}
	d, err := dataset.Open(data)
	if err != nil {
		return err
	}
	if err := wantsVertices(d); err != nil {
		return err
	}
	r := predictReport{Model: p.model, Dataset: d.Name, Graphs: d.NumGraphs(), Device: describe(e), Classes: p.classes}
	load := seconds(start)
	var spent stopwatch
	transforming := time.Now()
	said, err := p.predict(c.Context(), d, a.progress.report)
	if err != nil {
		return err
	}
	spent.transforming(transforming)
	r.UnknownLabels = p.network.unknownLabels(d)
	truth := p.truth(d)
	r.compare(said.classes, truth)

	lines := p.lines(d, said)
	switch out {
	case "":
		r.Predictions = lines
	case "-":
		a.progress.clear()
		return p.writeCSV(a.out, lines)
	default:
		r.File = out
		if err := writeFile("--out", out, func(w io.Writer) error { return p.writeCSV(w, lines) }); err != nil {
			return err
		}
	}
	r.Seconds = spent.spent(load, 0, start)
	return a.emit(&r, r.print)
}

// compare counts the predicted classes and how they agree with the graphs' own, if they have any.
func (r *predictReport) compare(predicted, truth []int) {
	r.Counts = make([]int, len(r.Classes))
	for _, c := range predicted {
		r.Counts[c]++
	}
	if len(truth) == 0 {
		return
	}
	right := 0
	r.Confusion = make([][]int, len(r.Classes))
	for c := range r.Confusion {
		r.Confusion[c] = make([]int, len(r.Classes))
	}
	for g, c := range truth {
		if c == predicted[g] {
			right++
		}
		if c >= 0 {
			r.Confusion[c][predicted[g]]++
		} else {
			r.UnknownClass++
		}
	}
	accuracy := rounded(100 * float64(right) / float64(len(truth)))
	r.Accuracy = &accuracy
}

// lines puts together what is said of each graph.
func (p *pipeline) lines(d *dataset.Dataset, said *predictions) []prediction {
	width := said.decisions.Shape()[1]
	values := said.decisions.Float64s()
	lines := make([]prediction, len(said.classes))
	for g, c := range said.classes {
		lines[g] = prediction{Graph: g, Predicted: p.classes[c], Decisions: values[g*width : (g+1)*width]}
		if d.Task == dataset.GraphClassification && d.Classes != nil {
			lines[g].Class = &d.ClassNames[d.Classes[g]]
		}
	}
	return lines
}

// writeCSV writes the predictions as a table.
func (p *pipeline) writeCSV(to io.Writer, lines []prediction) error {
	w := csv.NewWriter(to)
	header := []string{"graph", "predicted"}
	withClass := len(lines) > 0 && lines[0].Class != nil
	if withClass {
		header = append(header, "class")
	}
	if len(p.classifier.Classes) <= 2 {
		header = append(header, "decision")
	} else {
		for _, c := range p.classifier.Classes {
			header = append(header, "decision "+p.classes[c])
		}
	}
	_ = w.Write(header) // the writer keeps its error
	for _, line := range lines {
		fields := []string{strconv.Itoa(line.Graph), line.Predicted}
		if withClass {
			fields = append(fields, *line.Class)
		}
		for _, v := range line.Decisions {
			fields = append(fields, strconv.FormatFloat(v, 'g', 8, 64))
		}
		_ = w.Write(fields)
	}
	w.Flush()
	return w.Error()
}

func (r *predictReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s on %s: %s\n", r.Model, r.Dataset, count(r.Graphs, "graph"))
	if r.Accuracy != nil {
		fact(w, "accuracy", "%.1f %%", *r.Accuracy)
		if len(r.Classes) <= 12 {
			r.printConfusion(w)
		}
	} else {
		fact(w, "accuracy", "unknown: the graphs have no classes of their own")
		for c, name := range r.Classes {
			fact(w, "predicted "+name, "%s", count(r.Counts[c], "graph"))
		}
	}
	if r.UnknownClass > 0 {
		fact(w, "note", "%s of a class that the model does not know, counted as wrong; it knows %s", count(r.UnknownClass, "graph"), strings.Join(r.Classes, ", "))
	}
	if n := len(r.UnknownLabels); n > 0 {
		fact(w, "note", "the model never saw %s of this data set and treats them as one unlike all others: %s", count(n, "label"), strings.Join(r.UnknownLabels[:min(n, 10)], ", "))
	}
	if r.File != "" {
		fact(w, "written to", "%s", r.File)
	} else {
		fact(w, "hint", "-o FILE keeps the prediction of every graph")
	}
}

// printConfusion writes how many graphs of each class were taken for each class.
func (r *predictReport) printConfusion(w io.Writer) {
	width := 5
	for _, name := range r.Classes {
		width = max(width, len([]rune(name))+1)
	}
	fmt.Fprintf(w, "%-12s", "taken for")
	for _, name := range r.Classes {
		fmt.Fprintf(w, " %*s", width, name)
	}
	fmt.Fprintln(w)
	for c, row := range r.Confusion {
		fmt.Fprintf(w, "%-12s", "class "+r.Classes[c])
		for _, n := range row {
			fmt.Fprintf(w, " %*d", width, n)
		}
		fmt.Fprintln(w)
	}
}
