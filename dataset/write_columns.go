package dataset

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/grove-graph/grove/graph"
)

// written is a column of a table that is written: the value of each vertex, arc or graph as text, "" where there is
// none.
type written struct {
	name  string
	value func(i int) string
}

// graphColumns returns what is known of the graphs beside their names, so that a reader takes it for the same.
func (d *Dataset) graphColumns() []written {
	if d.Task.PerVertex() {
		return nil
	}
	n := d.NumGraphs()
	var columns []written
	add := func(name string, classes []string, forced bool, value func(g int) string) {
		c := column{values: make([]string, n)}
		for g := range c.values {
			c.values[g] = value(g)
		}
		columns = append(columns, written{headerOf(name, c, classes, forced), func(g int) string { return c.values[g] }})
	}
	if d.Classes != nil {
		add(cmp.Or(d.Target, "class"), d.ClassNames, d.Targets != nil, func(g int) string {
			if d.Classes[g] < 0 {
				return ""
			}
			return d.ClassNames[d.Classes[g]]
		})
	}
	for k, name := range d.TargetNames {
		value := func(g int) float64 { return d.Targets[g*len(d.TargetNames)+k] }
		if d.TargetClasses == nil || d.TargetClasses[k] == nil {
			add(name, nil, false, func(g int) string { return realText(value(g)) })
			continue
		}
		add(name, d.TargetClasses[k], false, func(g int) string {
			if math.IsNaN(value(g)) {
				return ""
			}
			return d.TargetClasses[k][int(value(g))]
		})
	}
	return append(columns, splitColumns(d.Splits, n)...)
}

// headerOf returns the name of a column of graphs by which its values are read as the classes, which may have to be
// said, or as numbers where there are none.
func headerOf(name string, c column, classes []string, said bool) string {
	role := graphRole(name)
	c.classes, c.numbers = role == ClassRole, role == TargetRole
	t := targetOf(c)
	switch {
	case ownName(name) == name && t != nil && (role == ClassRole || !said) && slices.Equal(t.classes, classes):
		return name
	case classes == nil:
		return "target " + name
	}
	return "class " + name
}

// splitColumns returns a column for each split of so many examples.
func splitColumns(splits []Split, n int) []written {
	var columns []written
	for _, s := range splits {
		parts := make([]string, n)
		for _, part := range []struct {
			name string
			of   []int
		}{{"train", s.Train}, {"val", s.Validation}, {"test", s.Test}} {
			for _, i := range part.of {
				parts[i] = part.name
			}
		}
		name := "split"
		if s.Name != "split" {
			name = "split " + s.Name
		}
		columns = append(columns, written{name, func(i int) string { return parts[i] }})
	}
	return columns
}

// vertexColumns returns what is known of the vertices beside their names.
func (d *Dataset) vertexColumns() []written {
	b := d.Batch
	var columns []written
	if b.Labels != nil {
		columns = append(columns, written{"label", func(v int) string { return d.LabelCodes[b.Labels[v]] }})
		if !slices.Equal(d.LabelNames, d.LabelCodes) {
			columns = append(columns, written{"label_name", func(v int) string { return d.LabelNames[b.Labels[v]] }})
		}
	}
	attributes, width := b.Attributes, b.AttributeDim
	if len(d.Missing) > 0 {
		attributes = d.MissingAsNaN().Batch.Attributes
	}
	for k, name := range d.attributeColumns() {
		columns = append(columns, written{name, func(v int) string {
			return realText(attributes[v*width+k])
		}})
	}
	switch d.Task {
	case NodeClassification:
		columns = append(columns, written{"class", func(v int) string {
			if d.VertexClasses[v] < 0 {
				return ""
			}
			return d.ClassNames[d.VertexClasses[v]]
		}})
	case NodeRegression:
		for k, name := range d.TargetNames {
			if vertexRole(name) != TargetRole || ownName(name) != name {
				name = "target " + name
			}
			columns = append(columns, written{name, func(v int) string {
				return realText(d.Targets[v*len(d.TargetNames)+k])
			}})
		}
	}
	if d.Task.PerVertex() {
		columns = append(columns, splitColumns(d.Splits, b.NumVertices())...)
	}
	return columns
}

// realText writes the shortest number that reads back as v, "" for one that is not known.
func realText(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// arcColumns returns what is known of the arcs.
func (d *Dataset) arcColumns() []written {
	b := d.Batch
	var columns []written
	if b.ArcLabels != nil {
		columns = append(columns, written{"label", func(a int) string { return d.ArcLabelNames[b.ArcLabels[a]] }})
	}
	if b.ArcTypes != nil {
		columns = append(columns, written{"type", func(a int) string { return strconv.Itoa(int(b.ArcTypes[a])) }})
	}
	if b.ArcWeights != nil {
		columns = append(columns, written{"weight", func(a int) string { return realText(b.ArcWeights[a]) }})
	}
	return columns
}

// eachWritten calls visit for the arcs of graph g that have to be written: of an undirected edge one, unless both
// differ.
func eachWritten(b *graph.Batch, g int, visit func(u, a int32)) {
	from, to := b.Vertices(g)
	for u := from; u < to; u++ {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			if b.Directed || u <= b.Col[a] || !sameArc(b, a, reverse(b, u, a)) {
				visit(u, a)
			}
		}
	}
}

// reverse returns the arc from the head to the tail of an arc that leaves u, of the same type.
func reverse(b *graph.Batch, u, a int32) int32 {
	v := b.Col[a]
	at, _ := slices.BinarySearch(b.Neighbors(v), u)
	back := b.RowPtr[v] + int32(at)
	for b.ArcTypes != nil && b.Col[back] == u && b.ArcTypes[back] != b.ArcTypes[a] {
		back++
	}
	return back
}

func sameArc(b *graph.Batch, x, y int32) bool {
	return (b.ArcLabels == nil || b.ArcLabels[x] == b.ArcLabels[y]) &&
		(b.ArcWeights == nil || b.ArcWeights[x] == b.ArcWeights[y])
}

// graphName and vertexName return what a graph, and a vertex of it, is called in a file: its number where it has no
// name.
func (d *Dataset) graphName(g int) string {
	if d.GraphIDs != nil {
		return d.GraphIDs[g]
	}
	return strconv.Itoa(g)
}

func (d *Dataset) vertexName(g int, v int32) string {
	if d.VertexIDs != nil {
		return d.VertexIDs[v]
	}
	return strconv.Itoa(int(v - d.Batch.Offsets[g]))
}
