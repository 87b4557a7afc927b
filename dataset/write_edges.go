package dataset

import (
	"errors"
	"fmt"
	"strings"
)

// writeEdgeTables writes a data set as a table of edges, one of vertices and, of several graphs or such of which
// something is known, one of graphs.
func writeEdgeTables(w *folderWriter, d *Dataset) error {
	if err := d.checkNames(); err != nil {
		return fmt.Errorf("write list of edges: %w", err)
	}
	b := d.Batch
	graphs := d.graphColumns()
	several := d.NumGraphs() != 1 || len(graphs) > 0 || d.GraphIDs != nil
	first := func(of ...string) []string {
		if several {
			return append([]string{"graph"}, of...)
		}
		return of
	}
	if several {
		w.file("graphs.csv", func(t *text) {
			t.header([]string{"id"}, graphs)
			for g := range d.NumGraphs() {
				t.row([]string{d.graphName(g)}, graphs, g)
			}
		})
	}
	each := func(graph func(g int, name []string)) {
		for g := range d.NumGraphs() {
			name := make([]string, 0, 4)
			if several {
				name = append(name, d.graphName(g))
			}
			graph(g, name)
		}
	}
	w.file("vertices.csv", func(t *text) {
		columns := d.vertexColumns()
		t.header(first("id"), columns)
		each(func(g int, name []string) {
			from, to := b.Vertices(g)
			for v := from; v < to; v++ {
				t.row(append(name, d.vertexName(g, v)), columns, int(v))
			}
		})
	})
	w.file("edges.csv", func(t *text) {
		columns := d.arcColumns()
		if b.Directed {
			columns = append(columns, written{"directed", func(int) string { return "true" }})
		}
		t.header(first("source", "target"), columns)
		each(func(g int, name []string) {
			eachWritten(b, g, func(u, a int32) {
				t.row(append(name, d.vertexName(g, u), d.vertexName(g, b.Col[a])), columns, int(a))
			})
		})
	})
	return w.err
}

// checkNames reports what tables with names cannot hold.
func (d *Dataset) checkNames() error {
	switch {
	case d.NumGraphs() == 0:
		return errors.New("the format holds no data set without graphs")
	case d.Task == EdgeClassification:
		return errors.New("the format holds the classes of edges as their labels")
	}
	return nil
}

// header writes the names of columns.
func (t *text) header(names []string, columns []written) {
	for _, c := range columns {
		names = append(names, c.name)
	}
	t.values(names)
}

// row writes the values of columns after names.
func (t *text) row(names []string, columns []written, i int) {
	for k, name := range names {
		t.value(name, k == 0)
	}
	for _, c := range columns {
		t.value(c.value(i), false)
	}
	t.newline()
}

// values writes a row.
func (t *text) values(values []string) {
	for k, v := range values {
		t.value(v, k == 0)
	}
	t.newline()
}

// value writes a value of a row, in quotes where they are needed.
func (t *text) value(v string, first bool) {
	if !first {
		t.word(",")
	}
	if !strings.ContainsAny(v, "\",;\t\r\n #%") && v != "" || v == "" && !first {
		t.word(v)
		return
	}
	t.word(`"` + strings.ReplaceAll(v, `"`, `""`) + `"`)
}
