package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// graphValue reads a value that is known of a graph.
func (r *linkReader) graphValue(key []byte) error {
	return r.value(key, &r.ofGraph, 0, func(name string) Role { return given(r.how.Graphs, name, graphRole) },
		func(id int64) { r.names[len(r.names)-1] = r.words.text(id) })
}

// node reads a vertex of a graph.
func (r *linkReader) node(g int32) error {
	named := false
	id := int64(0)
	role := func(name string) Role {
		role := given(r.how.Vertices, name, vertexRole)
		if role == GraphRole {
			return SkipRole
		}
		return role
	}
	err := r.object("a node", func(key []byte) error {
		return r.value(key, &r.ofVerts, 1, role, func(code int64) { id, named = code, true })
	})
	if err != nil {
		return err
	}
	if !named {
		return errors.New("a node without an id")
	}
	r.ofVerts.rows++
	if before := len(r.graphOf); r.vertices.find(g, id) >= 0 {
		return fmt.Errorf("node %s is there already", quoted(r.words.text(id)))
	} else if _, err := r.vertex(g, id); err != nil || len(r.graphOf) == before {
		return err
	}
	return nil
}

// edge reads an edge.
func (r *linkReader) edge() error {
	var e linkEdge
	var seen [2]bool
	err := r.object("an edge", func(key []byte) error {
		role, known := r.roles[string(key)]
		if !known {
			role = given(r.how.Edges, string(key), edgeRole([]string{"source", "target"}))
			r.roles[string(key)] = role
		}
		switch role {
		case FromRole:
			seen[0] = true
			return r.id(&e.from)
		case ToRole:
			seen[1] = true
			return r.id(&e.to)
		case GraphRole, "", directedRole:
			role = SkipRole
		}
		return r.value(key, &r.ofEdges, 2, func(string) Role { return role }, nil)
	})
	if err != nil {
		return err
	}
	if !seen[0] || !seen[1] {
		return errors.New("an edge without source or target")
	}
	e.line, _ = r.lines.at(r.dec.InputOffset())
	r.ofEdges.rows++
	r.edges = append(r.edges, e)
	return nil
}

// given returns the role that a key was given, or else that of its name.
func given(columns []Column, name string, known func(string) Role) Role {
	for _, c := range columns {
		if c.Name == name {
			return c.Role
		}
	}
	role := known(name)
	if role.single() && slices.ContainsFunc(columns, func(c Column) bool { return c.Role == role }) {
		return SkipRole
	}
	return role
}

// errNoName says that a name is an empty text.
var errNoName = errors.New("want a name, not an empty text")

// id reads the name of a vertex or graph: a number and a text are different names.
func (r *linkReader) id(to *int64) error {
	if kind := r.dec.PeekKind(); kind == '{' || kind == 'n' {
		return wanted("a name, a number or text", kind)
	}
	raw, err := r.dec.ReadValue()
	if err != nil {
		return err
	}
	switch raw.Kind() {
	case '"':
		if r.text, err = unquoted(r.text[:0], raw); err != nil {
			return err
		}
		if len(r.text) == 0 {
			return errNoName
		}
		*to = r.words.word(r.text)
		return nil
	case '0':
		*to = r.words.code(raw)
		return nil
	}
	raw = raw.Clone()
	err = raw.Compact()
	*to = r.words.word(raw)
	return err
}

// value reads what a key says, into a column of a frame.
func (r *linkReader) value(key []byte, f *frame, of int, role func(string) Role, named func(id int64)) error {
	place, known := f.places[string(key)]
	if !known {
		switch name := string(key); role(name) {
		case IDRole:
			kind, ofGraph := r.dec.PeekKind(), f == &r.ofGraph
			if !ofGraph {
				r.idKey = name
			}
			if kind == 'n' || ofGraph && kind != '"' && kind != '0' {
				return r.dec.SkipValue()
			}
			var id int64
			switch err := r.id(&id); {
			case ofGraph && errors.Is(err, errNoName): // as old versions of NetworkX write it
			case err != nil:
				return err
			default:
				named(id)
			}
			return nil
		case SkipRole:
			r.leave(of, name)
			return r.dec.SkipValue()
		}
	}
	switch kind := r.dec.PeekKind(); kind {
	case '{':
		r.leave(of, string(key))
		return r.dec.SkipValue()
	case '[':
		return r.vector(string(key), f, of, role)
	}
	if !known {
		place = f.column(string(key), role)
	}
	return r.scalar(f, place)
}

// leave takes note of a key that is not read.
func (r *linkReader) leave(of int, key string) {
	if !slices.Contains(r.left[of], key) {
		r.left[of] = append(r.left[of], key)
	}
}

// scalar reads a number, text, true or false into a column; null is no value.
func (r *linkReader) scalar(f *frame, place int) error {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return err
	}
	text := []byte(raw)
	switch raw.Kind() {
	case 'n':
		return nil
	case '"':
		if r.text, err = unquoted(r.text[:0], raw); err != nil {
			return err
		}
		text = r.text
	case '{', '[':
		return fmt.Errorf("%s: want a number or text", quoted(f.columns[place].name))
	}
	line, _ := r.lines.at(r.dec.InputOffset())
	if err := f.set(place, text, line); err != nil {
		return fmt.Errorf("%s: %w", quoted(f.columns[place].name), err)
	}
	return nil
}

// vector reads a list of numbers into columns, one for each place.
func (r *linkReader) vector(key string, f *frame, of int, role func(string) Role) error {
	what := role(key)
	if what != AttributeRole && what != TargetRole && what != valueRole && what != "" {
		r.leave(of, key)
		return r.dec.SkipValue()
	}
	name := string(rune('0'+of)) + key
	at := 0
	return r.array("numbers", func() error {
		if kind := r.dec.PeekKind(); kind != '0' && kind != 'n' {
			r.leave(of, key)
			return r.dec.SkipValue()
		}
		if at == len(r.vectors[name]) {
			if r.vectors == nil {
				r.vectors = map[string][]int{}
			}
			place := f.column(fmt.Sprintf("%s %d", key, at+1), func(string) Role { return what })
			r.vectors[name] = append(r.vectors[name], place)
		}
		at++
		return r.scalar(f, r.vectors[name][at-1])
	})
}

// describe says what the keys were taken for.
func (r *linkReader) describe() {
	texts := [3]string{"graphs:", "nodes: " + r.idKey + " names a vertex", "edges: source and target are their ends"}
	for i, f := range []*frame{&r.ofGraph, &r.ofVerts, &r.ofEdges} {
		f.end()
		if len(f.columns) > 0 || len(r.left[i]) > 0 {
			text := described(texts[i], f, r.left[i])
			r.note("%s", strings.NewReplacer(":, ", ": ", ":; ", ": ").Replace(text))
		}
	}
}

// nameGraphs calls the graphs as they call themselves, where all do and differently.
func (r *linkReader) nameGraphs(d *Dataset) {
	seen, numbers := map[string]bool{}, true
	for g, name := range r.names {
		if name == "" || seen[name] {
			return
		}
		seen[name] = true
		numbers = numbers && name == fmt.Sprint(g)
	}
	if !numbers {
		d.GraphIDs = r.names
	}
}
