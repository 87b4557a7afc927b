package baseline

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/trees"
)

// counted is what trees see: numbers that are counted once, see [counted.names]. A vertex shows its labels (a one for
// each) and attributes f, and the means P f, P P f, ... over the vertices that its arcs lead to. Missing attributes are
// left out of means, and are missing where all are.
type counted struct {
	Task     model.Task        `json:"task"`
	Encoding *dataset.Encoding `json:"-"`
	Steps    int               `json:"steps"`             // walks and means reach so far
	Degrees  int               `json:"degrees"`           // classes of degrees
	Colours  int               `json:"colours,omitempty"` // classes of the colours of vertices, in a graph task
	Directed bool              `json:"directed,omitempty"`
}

// newCounted returns what is counted of all graphs of some work.
func newCounted(w *model.Work, steps, colours int) (*counted, error) {
	e, err := encodingOf(w, nil)
	if err != nil {
		return nil, err
	}
	d := w.Data
	f := &counted{Task: model.TaskOf(d), Encoding: e, Steps: steps, Colours: colours, Directed: d.Batch.Directed}
	if colours > 0 && f.Task != model.GraphTask {
		return nil, param.Errorf("colours", colours, "they are counted of graphs; data set %s has a target for every %s",
			d.Name, f.Task.Noun())
	}
	if f.Task != model.GraphTask {
		return f, nil
	}
	return f, w.Each(func(d *dataset.Dataset) error {
		f.Degrees = max(f.Degrees, degreeClasses(d.Batch))
		return nil
	})
}

// names returns what each column holds. labels, unless nil, are the names of the vertex labels.
func (f *counted) names(labels []string) (names []string) {
	add := func(format string, args ...any) { names = append(names, fmt.Sprintf(format, args...)) }
	if labels == nil {
		labels = labelNames(f.Encoding)
	}
	if f.Task != model.GraphTask {
		f.namesOfVertices(labels, add)
		if f.Task == model.EdgeTask {
			return append(f.namesOfEnds(names), "common neighbours")
		}
		return names
	}
	for _, name := range []string{"vertices", "arcs", "arcs per vertex", "density", "components", "largest degree",
		"smallest degree", "deviation of the degrees", "triangles", "triangles per vertex", "transitivity"} {
		add("%s", name)
	}
	for s := range f.Steps {
		add("walks of %d per vertex", s+2)
	}
	for c := range f.Degrees {
		add("share of %s", degreeName(c))
	}
	for _, l := range labels {
		add("number of %s", l)
		add("share of %s", l)
		for s := range f.Steps {
			add("walks of %d from %s per vertex", s+1, l)
		}
	}
	for k := range f.Encoding.Attributes {
		for _, of := range []string{"mean", "sum", "smallest", "largest", "deviation", "mean by degree"} {
			add("%s of %s", of, f.Encoding.AttributeName(k))
		}
	}
	for _, l := range f.Encoding.ArcLabels {
		add("number of arcs %s", l)
		add("share of arcs %s", l)
	}
	for c := range f.Colours {
		add("vertices of colour %d", c)
	}
	return names
}

func (f *counted) namesOfVertices(labels []string, add func(string, ...any)) {
	add("degree")
	add("triangles")
	add("clustering")
	for s := range f.Steps {
		add("walks of %d", s+2)
	}
	for s := range f.Steps + 1 {
		around := ""
		if s > 0 {
			around = fmt.Sprintf(", mean after %s", model.Count(s, "step"))
		}
		for _, l := range labels {
			add("%s%s", l, around)
		}
		for k := range f.Encoding.Attributes {
			add("%s%s", f.Encoding.AttributeName(k), around)
		}
	}
}

// namesOfEnds returns the names of what an edge has of its ends.
func (f *counted) namesOfEnds(names []string) (ends []string) {
	places := []string{" (both ends)", " (difference of the ends)"}
	if f.Directed {
		places = []string{" (tail)", " (head)"}
	}
	for _, place := range places {
		for _, name := range names {
			ends = append(ends, name+place)
		}
	}
	return ends
}

// labelNames returns the names of the labels of an encoding, of those without a name by their codes.
func labelNames(e *dataset.Encoding) []string {
	if e.Names != nil {
		return e.Names
	}
	var names []string
	for _, code := range e.Labels {
		names = append(names, "label "+code)
	}
	return names
}

// degreeName names a class of degrees.
func degreeName(class int) string {
	if class <= exactDegrees {
		return fmt.Sprintf("degree %d", class)
	}
	last := exactDegrees << (class - exactDegrees)
	return fmt.Sprintf("degrees %d to %d", last/2+1, last)
}

// table counts the examples of some work.
func (f *counted) table(w *model.Work, workers int) (*trees.Table, error) {
	columns, n := len(f.names(nil)), examples(f.Task, w.Data)
	rows := max(n, w.Data.Batch.NumVertices())
	if err := memory.ForMatrices("table of features", 1, rows, (columns+1)/2); err != nil {
		return nil, err
	}
	t, first := trees.NewTable(n, columns), 0
	return t, w.Each(func(d *dataset.Dataset) error {
		err := f.fill(t, first, d, workers)
		first += examples(f.Task, d)
		return err
	})
}

// fill counts the examples of d, which are those of a table from one on. Vertices and edges are all that there are.
func (f *counted) fill(t *trees.Table, first int, d *dataset.Dataset, workers int) error {
	if f.Task == model.EdgeTask && d.Batch.Directed != f.Directed && d.Batch.NumArcs() > 0 {
		return directedError(d, f.Directed)
	}
	b, err := f.Encoding.Apart(d.MissingAsNaN())
	if err != nil {
		return err
	}
	walks, common := b.WalkCounts(f.Steps+2), commonNeighbours(b, workers)
	switch f.Task {
	case model.GraphTask:
		components := componentsOf(b)
		parallel.For(workers, b.NumGraphs(), func(g int) {
			w := &row{to: t.Row(first + g)[:0]}
			f.ofGraph(w, b, g, components[g], walks, common)
		})
	case model.NodeTask:
		f.ofVertices(t, b, walks, common, workers)
	default:
		vertices := trees.NewTable(b.NumVertices(), (t.Columns-1)/2)
		f.ofVertices(vertices, b, walks, common, workers)
		f.ofEdges(t, vertices, b, d.Edges)
	}
	return nil
}

// check returns an error where the parts do not fit each other, as they may in a file.
func (f *counted) check(task model.Task) error {
	if err := f.Encoding.Check(); err != nil {
		return err
	}
	switch {
	case f.Task != task:
		return fmt.Errorf("features of a %s for a model of a %s", f.Task.Noun(), task.Noun())
	case f.Encoding.Standardisation != nil:
		return fmt.Errorf("attributes that are standardised for trees that want them as they are")
	case f.Steps < 0 || f.Steps > maxSteps:
		return fmt.Errorf("%d steps: want 0 to %d", f.Steps, maxSteps)
	case f.Colours < 0 || f.Colours > maxColours || f.Colours > 0 && task != model.GraphTask:
		return fmt.Errorf("%d classes of colours of a %s", f.Colours, task.Noun())
	case f.Degrees < 0 || f.Degrees > degreeClass(math.MaxInt32)+1, task != model.GraphTask && f.Encoding.ArcLabels != nil:
		return fmt.Errorf("%d classes of degrees of a %s", f.Degrees, task.Noun())
	}
	return nil
}
