package baseline

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"gorgonia.org/tensor"
)

// Statistic says what is counted of the vertices of a graph.
type Statistic string

// The statistics. Of a vertex or edge that has a target itself only labels and attributes count.
const (
	AllStatistics Statistic = "all" // those of the following that the data have
	OfLabels      Statistic = "labels"
	OfAttributes  Statistic = "attributes"
	OfSizes       Statistic = "sizes"      // vertices and arcs
	OfDegrees     Statistic = "degrees"    // how many vertices have each number of arcs
	OfArcLabels   Statistic = "arc-labels" // how many arcs have each label
)

// bag is what a linear machine sees: a vector of every vertex, phi(v), and of a graph the sum and the mean of these
// over its vertices; of an edge the sum and the difference of its ends, in a directed graph first the tail and then the
// head. phi(v) is, one after the other and each where it is asked for: a one for the label, the attributes, 1 and the
// number of arcs that leave v, a one for the class of that number, the number of arcs with each label that leave v.
type bag struct {
	Task     model.Task        `json:"task"`
	Encoding *dataset.Encoding `json:"-"`
	Sizes    bool              `json:"sizes"`
	Degrees  int               `json:"degrees"`            // classes of degrees
	Fill     []float64         `json:"mean"`               // of every attribute: it stands for a missing one
	Directed bool              `json:"directed,omitempty"` // edges have a tail and a head
}

// encodingOf returns the encoding for some statistics of all graphs of some work.
func encodingOf(w *model.Work, statistics []Statistic) (*dataset.Encoding, error) {
	w = w.Whole()
	d := w.Data
	asked := func(s Statistic) bool { return slices.Contains(statistics, s) }
	have := map[Statistic]bool{OfLabels: d.Batch.Labels != nil, OfAttributes: d.Batch.AttributeDim > 0,
		OfArcLabels: d.Batch.ArcLabels != nil, OfSizes: true, OfDegrees: true}
	all := len(statistics) == 0 || asked(AllStatistics)
	for _, s := range statistics {
		switch ofGraphs := s == OfSizes || s == OfDegrees || s == OfArcLabels; {
		case s == AllStatistics:
		case ofGraphs && model.TaskOf(d) != model.GraphTask:
			return nil, param.Errorf("statistics", s, "it is counted of graphs; data set %s has a target for every %s", d.Name,
				model.TaskOf(d).Noun())
		case !have[s]:
			return nil, param.Errorf("statistics", s, "data set %s has none", d.Name)
		}
	}
	labels, attributes := have[OfLabels] && (all || asked(OfLabels)), have[OfAttributes] && (all || asked(OfAttributes))
	features := dataset.NoFeatures
	switch {
	case labels && attributes:
		features = dataset.RawAttributesAndLabels
	case labels:
		features = dataset.LabelFeatures
	case attributes:
		features = dataset.RawAttributes
	}
	e, err := w.FitEncoding(features)
	if err != nil {
		return nil, err
	}
	if have[OfArcLabels] && (all || asked(OfArcLabels)) && model.TaskOf(d) == model.GraphTask {
		e.KeepArcLabels(d)
	}
	if w.Store != nil {
		return e, e.RenumberStored(w.Store, nil)
	}
	e.Renumber(d, nil)
	return e, nil
}

// newBag returns the bag for some statistics of all graphs of some work.
func newBag(w *model.Work, statistics []Statistic) (*bag, error) {
	e, err := encodingOf(w, statistics)
	if err != nil {
		return nil, err
	}
	f := &bag{Task: model.TaskOf(w.Data), Encoding: e, Directed: w.Data.Batch.Directed}
	all, of := len(statistics) == 0 || slices.Contains(statistics, AllStatistics), &means{}
	f.Sizes = f.Task == model.GraphTask && (all || slices.Contains(statistics, OfSizes))
	degrees := f.Task == model.GraphTask && (all || slices.Contains(statistics, OfDegrees))
	if err := w.Each(func(d *dataset.Dataset) error {
		b, err := e.Apart(d.MissingAsNaN())
		if err != nil {
			return err
		}
		if of.add(b); degrees {
			f.Degrees = max(f.Degrees, degreeClasses(b))
		}
		return nil
	}); err != nil {
		return nil, err
	}
	f.Fill = of.values()
	return f, nil
}

// means are those of every attribute over the vertices that have it.
type means struct{ sums, n []float64 }

// add adds the vertices of some graphs.
func (m *means) add(b *graph.Batch) {
	if m.sums == nil {
		m.sums, m.n = make([]float64, b.AttributeDim), make([]float64, b.AttributeDim)
	}
	for i, v := range b.Attributes {
		if v == v {
			m.sums[i%b.AttributeDim] += v
			m.n[i%b.AttributeDim]++
		}
	}
}

// values returns the means, 0 where no vertex has an attribute.
func (m *means) values() []float64 {
	for k := range m.sums {
		m.sums[k] /= max(m.n[k], 1)
	}
	return m.sums
}

// degreeClasses returns the number of classes of degrees of some graphs.
func degreeClasses(b *graph.Batch) (classes int) {
	for v := range b.NumVertices() {
		classes = max(classes, degreeClass(b.Degree(int32(v)))+1)
	}
	return classes
}

// exactDegrees is the largest degree with a class of its own. Above a class ends at a power of two.
const exactDegrees = 16

// degreeClass returns the class of a degree: the degree itself up to 16, then that of 17 to 32, 33 to 64, ...
func degreeClass(degree int) int {
	if degree <= exactDegrees {
		return degree
	}
	return exactDegrees + bits.Len(uint((degree-1)/exactDegrees))
}

// width returns the length of phi.
func (f *bag) width() int {
	n := len(f.Encoding.Labels) + len(f.Fill) + f.Degrees + len(f.Encoding.ArcLabels)
	if f.Sizes {
		n += 2
	}
	return n
}

// columns returns how many columns an example has, at least one.
func (f *bag) columns() int {
	if f.Task == model.NodeTask {
		return max(f.width(), 1)
	}
	return max(2*f.width(), 1)
}

// of calls visit with the entries of phi(v) that are not 0.
func (f *bag) of(b *graph.Batch, v int32, visit func(column int, value float64)) {
	at, labels := 0, len(f.Encoding.Labels)
	if labels > 0 {
		if l := int(b.Labels[v]); l < labels {
			visit(l, 1)
		}
		at += labels
	}
	for k, fill := range f.Fill {
		x := b.Attributes[int(v)*b.AttributeDim+k]
		if math.IsNaN(x) {
			x = fill
		}
		if x != 0 {
			visit(at+k, x)
		}
	}
	at += len(f.Fill)
	degree := b.Degree(v)
	if f.Sizes {
		visit(at, 1)
		visit(at+1, float64(degree))
		at += 2
	}
	if f.Degrees > 0 {
		visit(at+min(degreeClass(degree), f.Degrees-1), 1)
		at += f.Degrees
	}
	if known := len(f.Encoding.ArcLabels); known > 0 {
		for p := b.RowPtr[v]; p < b.RowPtr[v+1]; p++ {
			if l := int(b.ArcLabels[p]); l < known {
				visit(at+l, 1)
			}
		}
	}
}

// seen returns the graphs of d as the bag sees them.
func (f *bag) seen(d *dataset.Dataset) (*graph.Batch, error) {
	if f.Task == model.EdgeTask && d.Batch.Directed != f.Directed && d.Batch.NumArcs() > 0 {
		return nil, directedError(d, f.Directed)
	}
	return f.Encoding.Apart(d.MissingAsNaN())
}

// directedError says that the edges of d are of another kind than those of a training.
func directedError(d *dataset.Dataset, trained bool) error {
	return fmt.Errorf("data set %s: the model of edges was trained on graphs that are directed: %t, these are: %t",
		d.Name, trained, d.Batch.Directed)
}

// rows returns the vectors of all examples of some work, a matrix of Float64.
func (f *bag) rows(w *model.Work) (*tensor.Dense, error) {
	n, columns := examples(f.Task, w.Data), f.columns()
	if n == 0 {
		return nil, fmt.Errorf("data set %s has no %s", w.Data.Name, f.Task.Plural())
	}
	if err := memory.ForMatrices("matrix of features", 1, n, columns); err != nil {
		return nil, err
	}
	x := make([]float64, n*columns)
	left := x
	if err := w.Each(func(d *dataset.Dataset) error {
		some := examples(f.Task, d) * columns
		err := f.fill(left[:some], d)
		left = left[some:]
		return err
	}); err != nil {
		return nil, err
	}
	return tensor.New(tensor.WithShape(n, columns), tensor.WithBacking(x)), nil
}

// fill writes the vectors of all examples of d to x, which is zero, one after the other.
func (f *bag) fill(x []float64, d *dataset.Dataset) error {
	b, err := f.seen(d)
	if err != nil {
		return err
	}
	columns, width := f.columns(), f.width()
	add := func(row []float64, v int32, times float64) {
		f.of(b, v, func(c int, value float64) { row[c] += times * value })
	}
	for i := range len(x) / columns {
		row := x[i*columns : (i+1)*columns]
		switch f.Task {
		case model.NodeTask:
			add(row, int32(i), 1)
		case model.EdgeTask:
			e := d.Edges[i]
			first, _ := b.Vertices(e.Graph)
			sum, difference := row[:width], row[width:]
			add(sum, first+e.From, 1)
			if f.Directed {
				add(difference, first+e.To, 1)
				break
			}
			add(difference, first+e.From, 1)
			add(sum, first+e.To, 1)
			add(difference, first+e.To, -1)
			for c := range difference[:width] {
				difference[c] = math.Abs(difference[c])
			}
		default:
			from, to := b.Vertices(i)
			for v := from; v < to; v++ {
				add(row[:width], v, 1)
			}
			for c := range width {
				row[width+c] = row[c] / max(float64(to-from), 1)
			}
		}
	}
	return nil
}

// split returns what every vertex of a graph adds to <weights, vector of the graph>.
func (f *bag) split(b *graph.Batch, g int, weights []float64) []float64 {
	from, to := b.Vertices(g)
	width, n := f.width(), float64(to-from)
	out := make([]float64, to-from)
	for v := from; v < to; v++ {
		f.of(b, v, func(c int, value float64) { out[v-from] += value * (weights[c] + weights[width+c]/n) })
	}
	return out
}

// check returns an error where the parts do not fit each other, as they may in a file.
func (f *bag) check(task model.Task) error {
	if err := f.Encoding.Check(); err != nil {
		return err
	}
	switch {
	case f.Task != task:
		return fmt.Errorf("features of a %s for a model of a %s", f.Task.Noun(), task.Noun())
	case f.Encoding.Standardisation != nil || len(f.Fill) != f.Encoding.Attributes:
		return fmt.Errorf("%d means of %d attributes", len(f.Fill), f.Encoding.Attributes)
	case f.Degrees < 0 || f.Degrees > degreeClass(math.MaxInt32)+1,
		task != model.GraphTask && (f.Sizes || f.Degrees > 0 || f.Encoding.ArcLabels != nil):
		return fmt.Errorf("%d classes of degrees of a %s", f.Degrees, task.Noun())
	}
	for _, v := range f.Fill {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("a mean of %g of an attribute", v)
		}
	}
	return nil
}
