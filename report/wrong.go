package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/render/page"
)

// Bounds of what is drawn.
const (
	mostCells    = 12  // of a confusion matrix, those of the most examples
	mostOfBest   = 3   // graphs in each
	mostOfOthers = 1   // the same of a model that is not the best one
	mostErrors   = 6   // graphs of a regression
	mostVertices = 200 // of a graph
	mostModels   = 8   // that are trained again to explain
)

// miss is a graph of a test part that was predicted wrongly.
type miss struct {
	fold, place, graph int
	explained          *explained // nil: the graph alone is drawn
}

// explained is what the model of a fold says of a graph.
type explained struct {
	model.Explanation
	names []string // of the vertices
}

// cell is an entry of a confusion matrix beside its diagonal.
type cell struct {
	class, taken, count int
	misses              []*miss // those to draw, the most wrongly predicted first
}

// cells lists the entries of the confusion matrix that are not empty, those of the most examples first.
func (e *evaluated) cells(graphs int) []*cell {
	var list []*cell
	truth := e.truth()
	folds, places := eval.MostWrong(e.outcome.Predicted, truth, math.MaxInt)
	for n, f := range folds {
		m := &miss{fold: f, place: places[n], graph: e.Folds[f].Test[places[n]]}
		class, taken := truth[f].Classes[m.place], e.outcome.Predicted[f].Classes[m.place]
		at := slices.IndexFunc(list, func(c *cell) bool { return c.class == class && c.taken == taken })
		if at < 0 {
			at, list = len(list), append(list, &cell{class: class, taken: taken})
		}
		if list[at].count++; len(list[at].misses) < graphs && e.drawn(m.graph) {
			list[at].misses = append(list[at].misses, m)
		}
	}
	slices.SortStableFunc(list, func(a, b *cell) int { return b.count - a.count })
	for i := range list {
		if i >= mostCells {
			list[i].misses = nil
		}
	}
	return list
}

// drawn reports whether a graph is small enough to be looked at.
func (e *evaluated) drawn(graph int) bool {
	if e.Targets.Task != model.GraphTask {
		return false
	}
	from, to := e.Work.Data.Batch.Vertices(graph)
	return to-from <= mostVertices
}

// confusion counts by class over all test parts. Where graphs are classified, every entry beside the diagonal leads to
// some of its graphs: those of the best model with what the model looks at.
func (s *Study) confusion(ctx context.Context, e *evaluated, best bool) (*page.Section, error) {
	graphs := mostOfOthers
	if best {
		graphs = mostOfBest
	}
	cells, names := e.cells(graphs), e.Targets.Names
	var misses []*miss
	for _, c := range cells {
		misses = append(misses, c.misses...)
	}
	note, err := "", error(nil)
	if best {
		if note, err = s.explain(ctx, e, misses); err != nil {
			return nil, err
		}
	}
	t := &page.Table{Caption: "All test parts",
		Columns: []page.Column{{Name: "class", Help: "of the example"}}}
	for _, name := range names {
		t.Columns = append(t.Columns, page.Column{Name: name, Help: "predicted", Number: true})
	}
	truth := e.truth()
	var said, own []int
	for f, p := range e.outcome.Predicted {
		said, own = append(said, p.Classes...), append(own, truth[f].Classes...)
	}
	for c, counts := range eval.Confusion(said, own, len(names)) {
		row := page.Row{Cells: []page.Cell{{Text: names[c]}}}
		for _, n := range counts {
			row.Cells = append(row.Cells, page.Cell{Text: fmt.Sprint(n), Value: float64(n)})
		}
		t.Rows = append(t.Rows, row)
	}
	section := &page.Section{Heading: "Which classes were taken for which", Table: t,
		Text: "A row for each class, a column for what its examples were taken for."}
	for _, c := range cells {
		if c.misses == nil {
			continue
		}
		one := page.Section{Heading: fmt.Sprintf("%d of class %s taken for %s", c.count, names[c.class], names[c.taken]),
			ID: fmt.Sprintf("%s-%d-%d", e.id, c.class, c.taken)}
		if one.Text = note; c.count > len(c.misses) {
			one.Text = fmt.Sprintf("The %s that the decisions are most wrong about. ",
				model.Count(len(c.misses), "graph")) + note
		}
		if one.Figures, err = s.draw(e, c.misses); err != nil {
			return nil, err
		}
		t.Rows[c.class].Cells[c.taken+1].Link = one.ID
		section.More = append(section.More, one)
	}
	if section.More != nil {
		section.Text += " A number that is a link opens the graphs that were predicted most wrongly."
	}
	return section, nil
}

// errors draws the graphs of a regression with the largest errors, nil where there are none.
func (s *Study) errors(ctx context.Context, e *evaluated) (*page.Section, error) {
	truth := e.truth()
	folds, places := eval.MostWrong(e.outcome.Predicted, truth, mostErrors)
	var misses []*miss
	for n, f := range folds {
		if m := (&miss{fold: f, place: places[n], graph: e.Folds[f].Test[places[n]]}); e.drawn(m.graph) {
			misses = append(misses, m)
		}
	}
	if misses == nil {
		return nil, nil
	}
	note, err := s.explain(ctx, e, misses)
	if err != nil {
		return nil, err
	}
	section := &page.Section{Heading: "The largest errors", Text: note}
	section.Figures, err = s.draw(e, misses)
	return section, err
}

// explain asks the models of the folds, which it trains again, what they look at in graphs of their test parts: those
// of the folds with the most of them, up to some number of models. It returns what the drawings show.
func (s *Study) explain(ctx context.Context, e *evaluated, misses []*miss) (string, error) {
	byFold := map[int][]*miss{}
	var folds []int
	for _, m := range misses {
		if byFold[m.fold] == nil {
			folds = append(folds, m.fold)
		}
		byFold[m.fold] = append(byFold[m.fold], m)
	}
	slices.SortStableFunc(folds, func(a, b int) int { return len(byFold[b]) - len(byFold[a]) })
	folds = folds[:min(len(folds), mostModels)]
	shows := ""
	for n, f := range folds {
		s.Progress.Report("explain", n, len(folds))
		m, err := e.Model(ctx, f, e.chosen(f))
		if err == nil {
			x, _ := m.(model.Explainer)
			if x == nil || len(x.Methods()) == 0 {
				return "", nil
			}
			shows = shown(x.Methods()[0])
			err = ask(ctx, e.Work.Data, m, x, byFold[f])
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil { // the figures are worth more than what explains them
			return fmt.Sprintf("What the model looks at is not shown: %v.", err), nil
		}
	}
	s.Progress.Report("explain", len(folds), len(folds))
	return shows, nil
}

// shown says what drawings show of a method.
func shown(m model.Method) string {
	switch m {
	case model.Contributions:
		return "Colours show what each vertex adds to the decision of the model that had not seen the graph."
	case model.Importance:
		return "Sizes show how important each vertex was to the model that had not seen the graph."
	case model.States:
		return "Colours show the most likely state of each vertex in the last layer of the model that had not seen the graph."
	}
	return ""
}

// ask explains the predictions of a model for some graphs.
func ask(ctx context.Context, d *dataset.Dataset, m model.Model, x model.Explainer, misses []*miss) error {
	graphs, examples := make([]int, len(misses)), make([]int, len(misses))
	for i, one := range misses {
		graphs[i], examples[i] = one.graph, i
	}
	few := d.Select(graphs)
	found, err := x.Explain(ctx, few, examples, model.ExplainOptions{Method: x.Methods()[0]})
	if err != nil {
		return err
	}
	for i, one := range misses {
		one.explained = &explained{found[i], labels(few, i, m.Encoding().DisplayNames(few))}
	}
	return nil
}

// draw draws graphs that were predicted wrongly, with what was predicted below each.
func (s *Study) draw(e *evaluated, misses []*miss) (figures []page.Figure, err error) {
	d := e.Work.Data
	for _, m := range misses {
		names, x := labels(d, m.graph, d.LabelNames), (*model.Explanation)(nil)
		if m.explained != nil {
			names, x = m.explained.names, &m.explained.Explanation
		}
		drawing := Drawing(d, m.graph, names, e.Targets.Names, x)
		drawing.Title = fmt.Sprintf("graph %d", m.graph)
		said, truth := e.outcome.Predicted[m.fold], e.Targets.Of([]int{m.graph})
		if said.Classes != nil {
			drawing.Caption = fmt.Sprintf("taken for %s, is %s", e.Targets.Names[said.Classes[m.place]],
				e.Targets.Names[truth.Classes[0]])
			if p := said.Probabilities; p != nil {
				width := p.Shape()[1]
				drawing.Caption += fmt.Sprintf(" (probability %.2f)", p.Float64s()[m.place*width+truth.Classes[0]])
			}
		} else {
			drawing.Caption = fmt.Sprintf("predicted %.4g, is %.4g", said.Values.Float64s()[m.place], truth.Values[0])
		}
		figure, err := page.Draw(drawing.Title+", "+drawing.Caption, func(w io.Writer) error {
			return render.Graph(w, drawing, render.Style{MaxWidth: 360, MaxHeight: 300})
		})
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure)
	}
	return figures, nil
}
