package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model/param"
	"github.com/spf13/pflag"
)

// addTableFlags declares how to read tables of edges, vertices and graphs, and node-link JSON.
func (s *source) addTableFlags(fs *pflag.FlagSet) {
	t := &s.reading.Tables
	for _, f := range []struct {
		name, of string
		to       *[]dataset.Column
		roles    []dataset.Role
	}{
		{"edge-columns", "edges", &t.Edges, dataset.EdgeRoles()},
		{"vertex-columns", "vertices", &t.Vertices, dataset.VertexRoles()},
		{"graph-columns", "graphs", &t.Graphs, dataset.GraphRoles()},
	} {
		fs.Var(param.List(f.to, columnOf(f.roles)), f.name, fmt.Sprintf("`ROLE=COLUMN,...` of tables of %s: what columns "+
			"are for, by their names or, without a header, numbers; ROLE is %s", f.of, listedRoles(f.roles)))
	}
	fs.StringVar(&t.VertexTable, "vertex-table", "",
		"`FILE` table of the vertices (default: vertices.csv beside edges.csv)")
	fs.StringVar(&t.GraphTable, "graph-table", "", "`FILE` table of the graphs (default: graphs.csv beside edges.csv)")
	fs.BoolVar(&t.Directed, "directed", false, "of tables of edges: make every line an arc, not an edge")
}

// columnOf reads what a column is for.
func columnOf(roles []dataset.Role) func(text string) (dataset.Column, error) {
	return func(text string) (dataset.Column, error) {
		role, name, found := strings.Cut(text, "=")
		if !found || name == "" || !slices.Contains(roles, dataset.Role(role)) {
			return dataset.Column{}, fmt.Errorf("want ROLE=COLUMN, where ROLE is %s", listedRoles(roles))
		}
		return dataset.Column{Role: dataset.Role(role), Name: name}, nil
	}
}

// listedRoles lists roles in words.
func listedRoles(roles []dataset.Role) string {
	words := make([]string, len(roles))
	for i, role := range roles {
		words[i] = string(role)
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// tableFlags says which flags of tables were given, and whether a format has such tables.
func (s *source) tableFlags(f dataset.FormatInfo) []readingFlag {
	t := &s.reading.Tables
	lists := f.Format == dataset.EdgeFormat
	tables := lists || f.Format == dataset.LinkFormat
	return []readingFlag{
		{"edge-columns", t.Edges != nil, tables, "edges"}, {"vertex-columns", t.Vertices != nil, tables, "edges"},
		{"graph-columns", t.Graphs != nil, tables, "edges"}, {"vertex-table", t.VertexTable != "", lists, "edges"},
		{"graph-table", t.GraphTable != "", lists, "edges"}, {"directed", t.Directed, lists, "edges"},
	}
}
