package dataset

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/grove-graph/grove/graph"
)

// graphRows gathers the graphs of a columnar file.
type graphRows struct {
	*columnLayout
	codes *columnarCodes
	row   int // of the file, from 0: the first of a batch

	offsets       []int32
	arcs          graph.ArcList
	labelIDs      []int32
	values        []float64 // attributes
	width         int       // of a vertex, -1 before the first
	classIDs      []int32   // of graphs
	vertexClasses []int32
	targetValues  []float64 // of graphs or vertices, row-major
	marked        []bool    // vertices
	markedArcs    []bool
	names         []string // of graphs
	vertexNames   []string
	parts         [][]string // of each split: the part of each graph, or of each vertex
	columns       []column   // the others

	wrong error // the first
}

func newGraphRows(l *columnLayout, codes *columnarCodes) *graphRows {
	r := &graphRows{columnLayout: l, codes: codes, offsets: []int32{0}, width: -1}
	r.parts = make([][]string, len(l.splits)+len(l.vertexSplits))
	for _, c := range l.others {
		r.columns = append(r.columns, column{name: c.name})
	}
	return r
}

// fail keeps the first error, with the column and the row, which counts from 1.
func (r *graphRows) fail(at, row int, format string, values ...any) {
	if r.wrong == nil {
		r.wrong = fmt.Errorf("row %d, column %s: %s", r.row+row+1, r.schema.Field(at).Name, fmt.Sprintf(format, values...))
	}
}

// add takes the rows of a batch.
func (r *graphRows) add(batch arrow.RecordBatch) error {
	sizes := r.sizes(batch)
	if err := r.addGraphs(batch, sizes); err != nil {
		return err
	}
	r.addNames(batch, sizes)
	return r.addKnown(batch, sizes)
}

// addGraphs takes the graphs of a batch, of so many vertices each.
func (r *graphRows) addGraphs(batch arrow.RecordBatch, sizes []int) error {
	for _, take := range []func(arrow.RecordBatch, []int){r.addArcs, r.addVertices} {
		if r.wrong == nil {
			take(batch, sizes)
		}
	}
	for _, size := range sizes {
		r.offsets = append(r.offsets, r.offsets[len(r.offsets)-1]+int32(size))
	}
	return r.wrong
}

// addKnown takes what is known of the graphs of a batch, or of their vertices, of which there are so many.
func (r *graphRows) addKnown(batch arrow.RecordBatch, sizes []int) error {
	for _, take := range []func(arrow.RecordBatch, []int){r.addClasses, r.addTargets, r.addSplits, r.addOthers} {
		if r.wrong == nil {
			take(batch, sizes)
		}
	}
	r.row += len(sizes)
	return r.wrong
}

// sizes returns the number of vertices of each graph.
func (r *graphRows) sizes(batch arrow.RecordBatch) []int {
	sizes := make([]int, batch.NumRows())
	room := math.MaxInt32 - int(r.offsets[len(r.offsets)-1])
	by := r.sizedBy()
	values, of := listsOf(batch.Column(by))
	whole := wholesOf(values)
	for row := range sizes {
		if by != r.vertices {
			from, to := of(row)
			sizes[row] = to - from
		} else if v := whole(row); batch.Column(by).IsNull(row) || v < 0 || v > math.MaxInt32 {
			r.fail(by, row, "no number of vertices")
		} else {
			sizes[row] = int(v)
		}
		if room -= sizes[row]; room < 0 && r.wrong == nil {
			r.fail(by, row, "more than %d vertices in all", math.MaxInt32)
		}
	}
	if by == r.vertices && r.wrong == nil {
		_, span := listsOf(batch.Column(r.from))
		r.proportionate(sizes, span)
	}
	if r.wrong != nil {
		return nil
	}
	return sizes
}

// proportionate refuses numbers of vertices out of proportion to the arcs, which are taken for damage.
func (r *graphRows) proportionate(sizes []int, span func(row int) (from, to int)) {
	vertices, given := 0, 0
	for row, size := range sizes {
		from, to := span(row)
		vertices, given = vertices+size, given+1+to-from
	}
	if limit := 1<<20 + 1024*given; vertices > limit {
		r.fail(r.vertices, 0, "%d vertices from here on are out of proportion to their arcs", vertices)
	}
}

// sizedBy returns the column that says how many vertices a graph has.
func (r *graphRows) sizedBy() int {
	for _, at := range []int{r.vertices, r.labels, r.attributes, r.vertexClass} {
		if at >= 0 {
			return at
		}
	}
	return r.vertexTargets[0].at
}

// each calls visit with the values of each row of a column of lists, which are as many as sizes says; what they are of
// is named for errors. There is nothing to do without the column.
func (r *graphRows) each(
	batch arrow.RecordBatch, at int, sizes []int, of string, visit func(values arrow.Array, row, from, to int),
) {
	if at < 0 {
		return
	}
	values, span := listsOf(batch.Column(at))
	for row, size := range sizes {
		from, to := span(row)
		if to-from != size {
			r.fail(at, row, "%d values for %d %s", to-from, size, of)
		}
		if r.wrong != nil {
			return
		}
		visit(values, row, from, to)
	}
}

// wholes appends whole numbers from low to high-1, where high may depend on the row.
func (r *graphRows) wholes(
	batch arrow.RecordBatch, at int, sizes []int, of string, high func(row int) int64, add func(row int, v int32),
) {
	r.each(batch, at, sizes, of, func(values arrow.Array, row, from, to int) {
		whole, limit := wholesOf(values), high(row)
		for i := from; i < to; i++ {
			v := whole(i)
			switch {
			case values.IsNull(i):
				r.fail(at, row, "value %d is missing", i-from+1)
				return
			case v < 0 || v >= limit:
				r.fail(at, row, "%d is none of the %d from 0 to %d", v, limit, limit-1)
				return
			}
			add(row, int32(v))
		}
	})
}

// ids appends the ids of codes; none may be missing unless that is allowed.
func (r *graphRows) ids(
	batch arrow.RecordBatch, at int, sizes []int, of string, c *coder, missing bool, ids []int32,
) []int32 {
	r.each(batch, at, sizes, of, func(values arrow.Array, row, from, to int) {
		access := c.access(values)
		for i := from; i < to; i++ {
			id := access(i)
			switch {
			case id == -2:
				r.fail(at, row, "value %d is no whole number", i-from+1)
				return
			case id == -1 && !missing:
				r.fail(at, row, "value %d is missing", i-from+1)
				return
			}
			ids = append(ids, id)
		}
	})
	return ids
}

// reals appends numbers, NaN for those that are missing.
func (r *graphRows) reals(batch arrow.RecordBatch, at int, sizes []int, of string, add func(row int, v float64)) {
	r.each(batch, at, sizes, of, func(values arrow.Array, row, from, to int) {
		real := realsOf(values)
		for i := from; i < to; i++ {
			v := real(i)
			if math.IsInf(v, 0) {
				r.fail(at, row, "value %d is infinite", i-from+1)
			}
			if add(row, v); r.wrong != nil {
				return
			}
		}
	})
}

// addArcs takes the arcs with what is known of them.
func (r *graphRows) addArcs(batch arrow.RecordBatch, sizes []int) {
	_, span := listsOf(batch.Column(r.from))
	arcs, firsts, first := make([]int, len(sizes)), make([]int32, len(sizes)), r.offsets[len(r.offsets)-1]
	room := math.MaxInt32 - len(r.arcs.From)
	for row, size := range sizes {
		from, to := span(row)
		arcs[row], firsts[row] = to-from, first
		first += int32(size)
		if room -= to - from; room < 0 {
			r.fail(r.from, row, "more than %d arcs in all", math.MaxInt32)
			return
		}
	}
	vertices := func(row int) int64 { return int64(sizes[row]) }
	for _, end := range []struct {
		at   int
		list *[]int32
	}{{r.from, &r.arcs.From}, {r.to, &r.arcs.To}} {
		r.wholes(batch, end.at, arcs, "arcs", vertices, func(row int, v int32) {
			*end.list = append(*end.list, firsts[row]+v)
		})
	}
	r.arcs.Labels = r.ids(batch, r.arcLabels, arcs, "arcs", r.codes.arcLabels, false, r.arcs.Labels)
	r.reals(batch, r.arcWeights, arcs, "arcs", func(row int, v float64) {
		if math.IsNaN(v) {
			r.fail(r.arcWeights, row, "a weight is missing")
		}
		r.arcs.Weights = append(r.arcs.Weights, v)
	})
	any := func(int) int64 { return math.MaxInt32 }
	r.wholes(batch, r.arcTypes, arcs, "arcs", any, func(_ int, v int32) { r.arcs.Types = append(r.arcs.Types, v) })
	r.markedArcs = r.marks(batch, r.arcMarks, arcs, "arcs", r.markedArcs)
}

// marks appends what is marked.
func (r *graphRows) marks(batch arrow.RecordBatch, at int, sizes []int, of string, marked []bool) []bool {
	r.wholes(batch, at, sizes, of, func(int) int64 { return 2 }, func(_ int, v int32) { marked = append(marked, v == 1) })
	return marked
}

// addVertices takes what is known of the vertices.
func (r *graphRows) addVertices(batch arrow.RecordBatch, sizes []int) {
	r.labelIDs = r.ids(batch, r.labels, sizes, "vertices", r.codes.labels, false, r.labelIDs)
	r.vertexClasses = r.ids(batch, r.vertexClass, sizes, "vertices", r.codes.classes, true, r.vertexClasses)
	r.marked = r.marks(batch, r.vertexMarks, sizes, "vertices", r.marked)
	r.each(batch, r.attributes, sizes, "vertices", func(values arrow.Array, row, from, to int) {
		numbers, span := listsOf(values)
		real := realsOf(numbers)
		if _, nothing := numbers.(*array.Null); nothing && numbers.Len() > 0 { // however many there may be
			r.fail(r.attributes, row, "all attributes are missing")
			return
		}
		for i := from; i < to; i++ {
			lo, hi := span(i)
			if r.width < 0 {
				r.width = hi - lo
			}
			if hi-lo != r.width {
				r.fail(r.attributes, row, "%d attributes of vertex %d, %d of those before", hi-lo, i-from, r.width)
				return
			}
			for ; lo < hi; lo++ {
				v := real(lo)
				if math.IsInf(v, 0) {
					r.fail(r.attributes, row, "an attribute of vertex %d is infinite", i-from)
					return
				}
				r.values = append(r.values, v)
			}
		}
		if len(r.values) > maxAttributes {
			r.fail(r.attributes, row, "more than %d attributes in all", maxAttributes)
		}
	})
}

// addNames takes the names of graphs and of vertices.
func (r *graphRows) addNames(batch arrow.RecordBatch, sizes []int) {
	if r.idAt >= 0 {
		text := cellsOf(batch.Column(r.idAt))
		for row := range sizes {
			r.names = append(r.names, text(row))
		}
	}
	if r.molecules >= 0 {
		return
	}
	r.each(batch, r.vertexIDs, sizes, "vertices", func(values arrow.Array, _, from, to int) {
		text := cellsOf(values)
		for i := from; i < to; i++ {
			r.vertexNames = append(r.vertexNames, text(i))
		}
	})
}

// addClasses takes the classes of the graphs.
func (r *graphRows) addClasses(batch arrow.RecordBatch, sizes []int) {
	if r.class < 0 {
		return
	}
	access := r.codes.classes.access(batch.Column(r.class))
	for row := range sizes {
		id := access(row)
		if id == -2 {
			r.fail(r.class, row, "want a whole number or a word")
			return
		}
		r.classIDs = append(r.classIDs, id)
	}
}

// addTargets takes the targets of graphs, or of vertices.
func (r *graphRows) addTargets(batch arrow.RecordBatch, sizes []int) {
	of, width := r.targets, len(r.targets)
	rows := len(sizes)
	if r.perVertex() {
		of, width, rows = r.vertexTargets, len(r.vertexTargets), 0
		for _, size := range sizes {
			rows += size
		}
	}
	first := len(r.targetValues)
	r.targetValues = append(r.targetValues, make([]float64, rows*width)...)
	for k, c := range of {
		next := first + k
		put := func(row int, v float64) {
			if math.IsInf(v, 0) {
				r.fail(c.at, row, "the target is infinite")
			}
			r.targetValues[next] = v
			next += width
		}
		if r.perVertex() {
			r.reals(batch, c.at, sizes, "vertices", put)
			continue
		}
		if known := r.codes.targets[c.at]; known != nil {
			access := known.access(batch.Column(c.at))
			for row := range sizes {
				if id := access(row); id >= 0 {
					put(row, float64(id))
				} else {
					put(row, math.NaN())
				}
			}
			continue
		}
		real := realsOf(batch.Column(c.at))
		for row := range sizes {
			put(row, real(row))
		}
	}
}

// perVertex reports whether the file asks about vertices.
func (l *columnLayout) perVertex() bool { return l.vertexClass >= 0 || len(l.vertexTargets) > 0 }

// addSplits takes which part of each split a graph, or a vertex, belongs to.
func (r *graphRows) addSplits(batch arrow.RecordBatch, sizes []int) {
	for k, c := range r.splits {
		text := textsOf(batch.Column(c.at))
		for row := range sizes {
			r.parts[k] = append(r.parts[k], r.part(c.at, row, text(row)))
		}
	}
	for k, c := range r.vertexSplits {
		k += len(r.splits)
		r.each(batch, c.at, sizes, "vertices", func(values arrow.Array, row, from, to int) {
			text := textsOf(values)
			for i := from; i < to; i++ {
				r.parts[k] = append(r.parts[k], r.part(c.at, row, text(i)))
			}
		})
	}
}

// part checks the name of a part, "" for none.
func (r *graphRows) part(at, row int, name string) string {
	switch name {
	case "", "train", "val", "test":
	default:
		r.fail(at, row, "%s is none of train, val and test", quote([]byte(name)))
	}
	return name
}

// addOthers takes the further columns as text.
func (r *graphRows) addOthers(batch arrow.RecordBatch, sizes []int) {
	for k, c := range r.others {
		text := cellsOf(batch.Column(c.at))
		for row := range sizes {
			r.columns[k].values = append(r.columns[k].values, text(row))
		}
	}
}
