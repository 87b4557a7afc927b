package dataset

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// readGraphs reads the table of graphs, if there is one.
func (r *tablesReader) readGraphs(t table) error {
	if t.file == "" {
		return nil
	}
	known := func([]string) func(string) Role { return graphRole }
	add := func(fields [][]byte, id int, _ []Role) (int, error) {
		if _, added := r.graphs.add(0, r.words.code(fields[id])); !added {
			return id, fmt.Errorf("graph %s is there already", quote(fields[id]))
		}
		return 0, nil
	}
	err := r.readNamed(t, r.how.Graphs, known, "graph", &r.ofGraph, add)
	r.graphsListed, r.graphsClosed = true, true
	return err
}

// readVertices reads the table of vertices, if there is one. A vertex is called by its name within its graph where both
// the vertices and their edges say in which graph they are.
func (r *tablesReader) readVertices(t table, edgesSay bool) error {
	if t.file == "" {
		return nil
	}
	known := func([]string) func(string) Role { return vertexRole }
	first := true
	add := func(fields [][]byte, id int, roles []Role) (int, error) {
		at := slices.Index(roles, GraphRole)
		if first {
			r.through = edgesSay != (at >= 0)
			first = false
		}
		g := int32(noGraph)
		switch {
		case at >= 0 && len(fields[at]) == 0:
			return at, fmt.Errorf("want the name of a graph")
		case at >= 0:
			var err error
			if g, err = r.graph(r.words.code(fields[at])); err != nil {
				return at, err
			}
		case !r.through:
			var err error
			if g, err = r.onlyGraph(); err != nil {
				return id, err
			}
		}
		before := len(r.graphOf)
		v, err := r.vertex(g, r.words.code(fields[id]))
		if err == nil && int(v) < before {
			err = fmt.Errorf("vertex %s is there already", quote(fields[id]))
			if r.through && at >= 0 {
				err = fmt.Errorf("%w; vertices of several graphs share a name only where the edges have a column graph", err)
			}
		}
		return id, err
	}
	err := r.readNamed(t, r.how.Vertices, known, "vertex", &r.ofVerts, add)
	r.verticesListed, r.verticesClosed = true, true
	return err
}

// readNamed reads a table whose rows have names: add takes one, and returns the column of a mistake.
func (r *tablesReader) readNamed(
	t table, given []Column, known func([]string) func(string) Role, what string, into *frame,
	add func(fields [][]byte, id int, roles []Role) (int, error),
) error {
	rows, roles, err := openTableOf(t, given, known)
	if err != nil {
		return err
	}
	defer rows.close()
	id := slices.Index(roles, IDRole)
	if id < 0 {
		columns := "--graph-columns"
		if what == "vertex" {
			columns = "--vertex-columns"
		}
		return fmt.Errorf("%s:%d: no column that names the %s, as id, in %s: name it by %s id=NAME", rows.file, rows.number,
			what, quoted(strings.Join(rows.header, ", ")), columns)
	}
	places := make([]int, len(roles))
	for i, role := range roles {
		if places[i] = -1; role != IDRole && role != GraphRole && role != SkipRole {
			places[i] = into.column(rows.columnName(i), func(string) Role { return role })
		}
	}
	for rows.nextRow() {
		fields := rows.fields
		if len(fields) != len(roles) {
			rows.number = rows.at
			rows.fail("%d values, the first line has %d", len(fields), len(roles))
			break
		}
		if len(fields[id]) == 0 {
			rows.wrong(id, "want the name of a %s", what)
			break
		}
		if column, err := add(fields, id, roles); err != nil {
			rows.wrong(column, "%v", err)
			break
		}
		for i, place := range places {
			if place < 0 {
				continue
			}
			if err := into.set(place, fields[i], rows.at); err != nil {
				rows.wrong(i, "%v", err)
				break
			}
		}
		if into.rows++; rows.err != nil {
			break
		}
	}
	if rows.err != nil {
		return rows.err
	}
	into.end()
	text := fmt.Sprintf("%s: %s names a %s", path.Base(t.file), rows.columnName(id), what)
	if at := slices.Index(roles, GraphRole); at >= 0 {
		text += fmt.Sprintf(", %s its graph", rows.columnName(at))
	}
	r.note("%s", described(text, into, rows.having(roles, SkipRole)))
	return nil
}

// having lists the columns of a role.
func (r *rows) having(roles []Role, role Role) (names []string) {
	for i := range roles {
		if roles[i] == role {
			names = append(names, r.columnName(i))
		}
	}
	return names
}

// described says what the columns of a frame were taken for, after what is said of others, and which are left out.
func described(text string, f *frame, left []string) string {
	var attributes, targets []string
	for _, c := range f.columns {
		switch {
		case c.kind == leftOutColumn:
			left = append(left, c.name)
		case c.role == ClassRole, c.role == TargetRole, c.role == valueRole:
			targets = append(targets, c.name)
		case c.role == AttributeRole, c.role == "":
			attributes = append(attributes, c.name)
		case c.role == nameRole:
			text += fmt.Sprintf(", %s the name of the label", c.name)
		default:
			text += fmt.Sprintf(", %s its %s", c.name, c.role)
		}
	}
	if len(attributes) > 0 {
		text += ", attributes " + abridged(attributes)
	}
	if len(targets) > 0 {
		text += ", to predict " + abridged(targets)
	}
	if len(left) > 0 {
		text += "; left out: " + abridged(left)
	}
	return text
}

// abridged lists names, of many the first and the last.
func abridged(names []string) string {
	if len(names) > 6 {
		return fmt.Sprintf("%s, %s, ... %s (%d)", names[0], names[1], names[len(names)-1], len(names))
	}
	return strings.Join(names, ", ")
}
