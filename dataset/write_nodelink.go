package dataset

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// writeLinks writes graphs in the node-link form of NetworkX: one in NAME.json, several in NAME.jsonl, one a line.
func writeLinks(w *folderWriter, d *Dataset) error {
	if err := d.checkNames(); err != nil {
		return fmt.Errorf("write node-link JSON: %w", err)
	}
	name := d.Name + ".jsonl"
	if d.NumGraphs() == 1 {
		name = d.Name + ".json"
	}
	graphs, vertices, arcs := d.graphColumns(), d.vertexColumns(), d.arcColumns()
	b := d.Batch
	w.file(name, func(t *text) {
		for g := range d.NumGraphs() {
			t.word(fmt.Sprintf(`{"directed": %t, "multigraph": %t, "graph": {`, b.Directed, b.ArcTypes != nil))
			if d.GraphIDs != nil {
				t.member("name", d.GraphIDs[g], true)
			}
			t.members(graphs, g, d.GraphIDs == nil)
			t.word(`}, "nodes": [`)
			from, to := b.Vertices(g)
			for v := from; v < to; v++ {
				t.word(separated(v > from, "{"))
				t.member("id", d.vertexName(g, v), true)
				t.members(vertices, int(v), false)
				t.word("}")
			}
			t.word(`], "edges": [`)
			more := false
			eachWritten(b, g, func(u, a int32) {
				t.word(separated(more, "{"))
				t.member("source", d.vertexName(g, u), true)
				t.member("target", d.vertexName(g, b.Col[a]), false)
				t.members(arcs, int(a), false)
				t.word("}")
				more = true
			})
			t.word("]}\n")
		}
	})
	return w.err
}

// separated puts a comma before what is not the first.
func separated(comma bool, text string) string {
	if comma {
		return ", " + text
	}
	return text
}

// members writes the values of columns as members of an object, the first of it or further ones.
func (t *text) members(columns []written, i int, first bool) {
	for k, c := range columns {
		t.member(c.name, c.value(i), first && k == 0)
	}
}

// member writes a member of an object: a number where its text is one, null where there is none.
func (t *text) member(key, value string, first bool) {
	t.word(separated(!first, ""))
	t.quoted(key)
	t.word(": ")
	raw := jsontext.Value(value)
	switch {
	case value == "":
		t.word("null")
	case strings.TrimSpace(value) == value && raw.Kind() == '0' && raw.IsValid():
		t.word(value)
	default:
		t.quoted(value)
	}
}

// quoted writes a string of JSON.
func (t *text) quoted(s string) {
	var err error
	if t.scratch, err = jsontext.AppendQuote(t.scratch[:0], s); err != nil && t.err == nil {
		t.err = fmt.Errorf("%q: %w", s, err)
	}
	_, _ = t.out.Write(t.scratch)
}
