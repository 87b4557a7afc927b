package dataset

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// listFiles lists the tables of a folder that may list edges, but for those of vertices and graphs.
func listFiles(f folder) []string {
	return slices.DeleteFunc(f.stored("*.csv", "*.tsv", "*.edges", "*.edgelist"), func(name string) bool {
		return slices.Contains([]string{"vertices", "nodes", "graphs"}, stem(name))
	})
}

// edgeFiles returns the files of edges of a folder, and whether each of them is a graph.
func edgeFiles(f folder) (files []string, apart bool) {
	if found := f.stored("edges.csv", "edges.tsv"); len(found) > 0 {
		return found[:1], false
	}
	found := f.stored("edges/*.csv", "edges/*.tsv", "edges/*.edges", "edges/*.edgelist", "edges/*.txt")
	if len(found) > 0 {
		return found, true
	}
	found = listFiles(f)
	return found, len(found) > 1
}

// holdsEdges reports whether a folder holds lists of edges, by the first of them.
func holdsEdges(f folder) bool {
	found, _ := edgeFiles(f)
	return len(found) > 0 && listsEdges(f, found[0], Reading{})
}

// listsEdges reports whether a file is a table whose columns say which edges there are.
func listsEdges(f folder, file string, how Reading) bool {
	if len(how.Tables.Edges) > 0 {
		return true
	}
	r, err := f.openRows(file)
	if err != nil {
		return false
	}
	defer r.close()
	return r.nextRow() && (headsEdges(r.names()) || startsEdges(r.fields))
}

// headsEdges reports whether names of columns are those of edges.
func headsEdges(header []string) bool {
	known := edgeRole(header)
	return slices.ContainsFunc(header, func(name string) bool { return known(name) == FromRole })
}

// startsEdges reports whether a row without a header begins with the numbers of two vertices.
func startsEdges(row [][]byte) bool {
	if len(row) < 2 {
		return false
	}
	_, first := wholeNumber(row[0])
	_, second := wholeNumber(row[1])
	return first && second
}

// table is a file in some folder; without a name there is none.
type table struct {
	folder
	file string
}

// besideEdges returns the tables of vertices and graphs that belong to a table of edges: those that were named, or
// those that lie beside it.
func besideEdges(f folder, edges string, how Tables) (vertices, graphs table) {
	prefix, ok := strings.CutSuffix(stem(path.Base(edges)), "edges")
	beside := func(given string, names ...string) table {
		if given != "" {
			where, file := locate(given)
			return table{where, file}
		}
		for _, name := range names {
			for _, suffix := range []string{".csv", ".tsv"} {
				if found := f.find(prefix + name + suffix); ok && found != "" {
					return table{f, found}
				}
			}
		}
		return table{}
	}
	return beside(how.VertexTable, "vertices", "nodes"), beside(how.GraphTable, "graphs")
}

// tablesIn lists the files of the lists of edges in a folder.
func tablesIn(f folder) []string {
	files, apart := edgeFiles(f)
	edges := "edges"
	if !apart && len(files) > 0 {
		edges = files[0]
	}
	return append(files, tablesBeside(f, edges)...)
}

// tablesBeside lists the tables of vertices and graphs beside a table of edges.
func tablesBeside(f folder, edges string) (files []string) {
	vertices, graphs := besideEdges(f, edges, Tables{})
	for _, t := range []table{vertices, graphs} {
		if t.file != "" {
			files = append(files, t.file)
		}
	}
	return files
}

// openEdges reads lists of edges, and the tables beside them.
func openEdges(f folder, file string, how Reading) (*Dataset, error) {
	r := &tablesReader{how: how.Tables}
	files, apart, name := []string{file}, false, stem(file)
	if file == "" {
		files, apart = edgeFiles(f)
		name = folderName(f.name)
	}
	beside := files[0]
	if apart {
		beside = "edges"
	}
	vertices, graphs := besideEdges(f, beside, how.Tables)
	if err := r.readGraphs(graphs); err != nil {
		return nil, err
	}
	first, err := r.beginEdges(table{f, files[0]})
	if err != nil {
		return nil, err
	}
	first.close()
	if err := r.readVertices(vertices, apart || first.graph >= 0); err != nil {
		return nil, err
	}
	for _, edges := range files {
		if err := r.readEdges(table{f, edges}, apart); err != nil {
			return nil, err
		}
	}
	at := f.path(files[0])
	if apart {
		at = f.name
	}
	r.directed = r.how.Directed
	r.ofEdges.end()
	r.note("%s", described(r.ends, &r.ofEdges, r.left))
	d, err := r.finish(name, at)
	if err == nil && !d.Batch.Directed && !r.saysDirection() {
		d.Notes = append(d.Notes, "the graphs are undirected, unless --directed makes every line an arc")
	}
	return d, err
}

// tablesReader reads the tables of a data set.
type tablesReader struct {
	network
	how  Tables
	ends string   // what is said of the columns of the ends of an edge
	left []string // columns of edges that are not read
}

// saysDirection reports whether the edges have a column of their direction.
func (r *tablesReader) saysDirection() bool {
	return slices.ContainsFunc(r.ofEdges.columns, func(c *frameColumn) bool { return c.role == directedRole })
}

// openTableOf opens a table up to its header, and returns what its columns are for.
func openTableOf(t table, given []Column, known func(header []string) func(string) Role) (*rows, []Role, error) {
	r, err := t.openRows(t.file)
	if err != nil {
		return nil, nil, err
	}
	r.nextRow()
	if names := r.names(); !givenNumbers(given) {
		r.header = names
	}
	r.again = r.header == nil
	roles, err := rolesOf(r.header, len(r.fields), given, known(r.header))
	if err != nil {
		r.close()
		return nil, nil, fmt.Errorf("%s:%d: %w", r.file, r.number, err)
	}
	for i, name := range r.header {
		if first := slices.Index(r.header, name); first < i && roles[i] != SkipRole {
			r.close()
			return nil, nil, fmt.Errorf("%s:%d: columns %d and %d are both called %s", r.file, r.number, first+1, i+1,
				quoted(name))
		}
	}
	return r, roles, nil
}

// edgeRows is a table of edges that is read.
type edgeRows struct {
	*rows
	roles           []Role
	from, to, graph int   // columns, -1 where there is none
	data            []int // columns of what is known of the edges
	places          []int // of these in the frame
}

// beginEdges opens a table of edges and finds out what its columns are for.
func (r *tablesReader) beginEdges(t table) (*edgeRows, error) {
	first, err := t.openRows(t.file)
	if err != nil {
		return nil, err
	}
	first.nextRow()
	given, bare := r.how.Edges, !headsEdges(first.names()) && startsEdges(first.fields)
	if bare && !slices.ContainsFunc(given, func(c Column) bool { return c.Role == FromRole || c.Role == ToRole }) {
		given = append([]Column{{FromRole, "1"}, {ToRole, "2"}}, given...)
		weighted := len(first.fields) > 2 && !slices.ContainsFunc(given, func(c Column) bool {
			return c.Role == WeightRole || c.Name == "3"
		})
		if weighted && isNumber(first.fields[2]) {
			given = append(given, Column{WeightRole, "3"})
		}
	}
	names := first.names()
	if first.close(); bare && len(names) > 2 && strings.HasPrefix(names[2], "{") {
		return nil, fmt.Errorf("%s:%d: want no values in braces: networkx.write_weighted_edgelist writes weights without "+
			"them", first.file, first.number)
	}
	rows, roles, err := openTableOf(t, given, edgeRole)
	if err != nil {
		return nil, err
	}
	e := &edgeRows{rows: rows, roles: roles, from: slices.Index(roles, FromRole), to: slices.Index(roles, ToRole),
		graph: slices.Index(roles, GraphRole)}
	if e.from < 0 || e.to < 0 {
		rows.close()
		return nil, fmt.Errorf("%s:%d: no columns of the two vertices of an edge, as source,target, in %s: name them by "+
			"--edge-columns from=NAME,to=NAME, or by their numbers where there is no header (and molecules by --smiles-column)",
			rows.file, rows.number, quoted(strings.Join(names, ", ")))
	}
	for i, role := range roles {
		switch role {
		case WeightRole, LabelRole, TypeRole, directedRole:
			e.data = append(e.data, i)
		}
	}
	return e, nil
}

func isNumber(text []byte) bool {
	f := frame{columns: []*frameColumn{newColumn("", WeightRole)}}
	return f.set(0, text, 1) == nil
}

// readEdges reads a table of edges, all of them of one graph where each has a table of its own.
func (r *tablesReader) readEdges(t table, apart bool) error {
	e, err := r.beginEdges(t)
	if err != nil {
		return err
	}
	defer e.rows.close()
	for _, i := range e.data {
		e.places = append(e.places, r.ofEdges.column(e.columnName(i), func(string) Role { return e.roles[i] }))
	}
	g := int32(noGraph)
	switch {
	case apart:
		if g, err = r.graphOfFile(t.file); err != nil {
			return fileError(e.file, "%v", err)
		}
	case e.graph < 0 && !r.through:
		if g, err = r.onlyGraph(); err != nil {
			return fmt.Errorf("%s:%d: %w", e.file, e.number, err)
		}
	}
	for e.nextRow() {
		r.readEdge(e, g)
	}
	if r.ends == "" {
		r.ends, r.left = e.describe(t), append(e.having(e.roles, ""), e.having(e.roles, SkipRole)...)
	}
	return e.err
}

// onlyGraph returns the graph that all vertices belong to.
func (r *tablesReader) onlyGraph() (int32, error) {
	if n := len(r.graphs.codes); n > 1 {
		return 0, fmt.Errorf("no column of the graphs, of which the table of graphs has %d: name it by --edge-columns "+
			"graph=NAME or --vertex-columns graph=NAME", n)
	}
	if len(r.graphs.codes) == 0 {
		r.graphs.add(0, 0)
	}
	return 0, nil
}

// describe says which columns are the ends of an edge, and its graph.
func (e *edgeRows) describe(t table) string {
	word := ""
	if e.header == nil {
		word = "columns "
	}
	text := fmt.Sprintf("%s: %s%s and %s are the ends of an edge", path.Base(t.file), word, e.columnName(e.from),
		e.columnName(e.to))
	if e.graph >= 0 {
		text += fmt.Sprintf(", %s its graph", e.columnName(e.graph))
	}
	return text
}

// graphOfFile returns the graph that a file of edges is, called by its name or by that without the ending.
func (r *tablesReader) graphOfFile(file string) (int32, error) {
	name := strings.TrimSuffix(path.Base(file), ".gz")
	if g := r.graphs.find(0, r.words.code([]byte(name))); g >= 0 {
		return g, nil
	}
	return r.graph(r.words.code([]byte(stem(name))))
}

// readEdge reads an edge of a graph, or of the one that a column says.
func (r *tablesReader) readEdge(e *edgeRows, g int32) {
	fields := e.fields
	if len(fields) != len(e.roles) {
		e.number = e.at
		e.fail("%d values, the first line has %d", len(fields), len(e.roles))
		return
	}
	if e.graph >= 0 {
		var err error
		if len(fields[e.graph]) == 0 {
			e.wrong(e.graph, "want the name of a graph")
			return
		}
		if g, err = r.graph(r.words.code(fields[e.graph])); err != nil {
			e.wrong(e.graph, "%v", err)
			return
		}
	}
	var ends [2]int32
	for i, column := range [2]int{e.from, e.to} {
		if len(fields[column]) == 0 {
			e.wrong(column, "want the name of a vertex")
			return
		}
		v, err := r.vertex(g, r.words.code(fields[column]))
		if err != nil {
			e.wrong(column, "%v", err)
			return
		}
		ends[i] = v
	}
	if err := r.edge(ends[0], ends[1]); err != nil {
		e.number = e.at
		e.fail("%v", err)
		return
	}
	for i, column := range e.data {
		if err := r.ofEdges.set(e.places[i], fields[column], e.at); err != nil {
			e.wrong(column, "%v", err)
			return
		}
	}
	r.ofEdges.rows++
}
