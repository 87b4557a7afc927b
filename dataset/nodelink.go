package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// linkPatterns are the names of files of node-link JSON.
func linkPatterns() []string { return []string{"*.json", "*.jsonl", "*.ndjson"} }

// linkFiles lists the files of a folder that hold graphs as node-link JSON.
func linkFiles(f folder) []string {
	return slices.DeleteFunc(f.stored(linkPatterns()...), func(name string) bool {
		l, err := f.open(name)
		if err != nil {
			return true
		}
		defer l.close()
		start, _ := l.in.Peek(1 << 16)
		return !bytes.Contains(start, []byte(`"nodes"`)) && !bytes.Contains(start, []byte(`"links"`))
	})
}

// openLinks reads graphs in the node-link form of NetworkX: one, or one after another, as on a line each, or a list.
func openLinks(f folder, file string, how Reading) (*Dataset, error) {
	if file == "" {
		found := linkFiles(f)
		if len(found) != 1 {
			return nil, fmt.Errorf("%s: %d files of graphs: name the one to read", f.name, len(found))
		}
		file = found[0]
	}
	l, err := f.open(file)
	if err != nil {
		return nil, err
	}
	defer l.close()
	in := &lineReader{in: l.in}
	r := &linkReader{
		how: how.Tables, lines: in, dec: jsontext.NewDecoder(in), roles: map[string]Role{},
		network: network{graphsListed: true, verticesListed: true},
	}
	if err := r.all(); err != nil {
		return nil, r.located(l.file, err)
	}
	r.describe()
	d, err := r.finish(stem(file), l.file)
	if err != nil {
		return nil, err
	}
	r.nameGraphs(d)
	return d, nil
}

// lineReader remembers where the lines begin of what is read through it.
type lineReader struct {
	in    io.Reader
	read  int64
	ends  []int64 // of lines that were not asked for yet
	line  int     // number of lines that end before what was asked for last
	start int64   // where that line begins
	err   error   // of reading, but for the end of the file
}

func (r *lineReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	for rest, at := p[:n], r.read; ; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			break
		}
		at += int64(i) + 1
		rest, r.ends = rest[i+1:], append(r.ends, at)
	}
	if r.read += int64(n); err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// at returns the line and column of an offset that does not lie before those that were asked for.
func (r *lineReader) at(offset int64) (line, column int) {
	passed := 0
	for passed < len(r.ends) && r.ends[passed] <= offset {
		r.start = r.ends[passed]
		passed++
	}
	r.line += passed
	r.ends = r.ends[:copy(r.ends, r.ends[passed:])]
	return r.line + 1, int(offset-r.start) + 1
}

// linkReader reads node-link JSON.
type linkReader struct {
	network
	how   Tables
	lines *lineReader
	dec   *jsontext.Decoder
	text  []byte // of the last string

	edges   []linkEdge       // of the current graph
	roles   map[string]Role  // of the keys of edges
	vectors map[string][]int // places of the columns of lists of numbers
	left    [3][]string      // keys that are not read, of graphs, vertices and edges
	names   []string         // of the graphs, "" where there is none
	undir   bool             // whether there are undirected graphs
	idKey   string           // the key that names vertices
}

// linkEdge is an edge between vertices by their names, and the line on which it stands.
type linkEdge struct {
	from, to int64
	line     int
}

// located puts file, line and column before an error.
func (r *linkReader) located(file string, err error) error {
	offset := r.dec.InputOffset()
	var wrong *jsontext.SyntacticError
	var said *linkError
	var next *nextError
	switch {
	case r.lines.err != nil:
		return fmt.Errorf("%s: %w", file, gzipError(plainError(r.lines.err)))
	case errors.As(err, &said):
		return fmt.Errorf("%s:%d: %w", file, said.line, said.err)
	case errors.As(err, &next):
		rest := r.dec.UnreadBuffer()
		offset += int64(len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:")))
	case errors.As(err, &wrong):
		err, offset = wrong.Err, max(wrong.ByteOffset, offset)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file ends within a value")
		}
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the file ends within a value")
	}
	line, column := r.lines.at(offset)
	return fmt.Errorf("%s:%d: column %d: %w", file, line, column, err)
}

// nextError says that another value was wanted than the one that comes next.
type nextError struct{ text string }

func (e *nextError) Error() string { return e.text }

func wanted(what string, kind jsontext.Kind) error {
	return &nextError{fmt.Sprintf("want %s, not %s", what, kind)}
}

// linkError is a mistake on a line that was read before.
type linkError struct {
	line int
	err  error
}

func (e *linkError) Error() string { return e.err.Error() }

// all reads the graphs of a file.
func (r *linkReader) all() error {
	list := r.dec.PeekKind() == '['
	if list {
		if _, err := r.dec.ReadToken(); err != nil {
			return err
		}
	}
	for {
		switch kind := r.dec.PeekKind(); {
		case kind == ']' && list:
			_, err := r.dec.ReadToken()
			if list = false; err != nil {
				return err
			}
		case kind == jsontext.KindInvalid:
			if _, err := r.dec.ReadToken(); err != io.EOF || list {
				return err
			}
			return nil
		default:
			if err := r.graphObject(); err != nil {
				return err
			}
		}
	}
}

// object calls visit for every key of an object, whose value comes next.
func (r *linkReader) object(what string, visit func(key []byte) error) error {
	if kind := r.dec.PeekKind(); kind != '{' && kind != jsontext.KindInvalid {
		return wanted(what+", an object in braces", kind)
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	var key []byte
	for r.dec.PeekKind() != '}' {
		raw, err := r.dec.ReadValue()
		if err != nil {
			return err
		}
		if key, err = unquoted(key[:0], raw); err != nil {
			return err
		}
		if err := visit(key); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// array calls visit for every value of an array, which comes next.
func (r *linkReader) array(what string, visit func() error) error {
	if kind := r.dec.PeekKind(); kind != '[' && kind != jsontext.KindInvalid {
		return wanted("a list of "+what+" in brackets", kind)
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for r.dec.PeekKind() != ']' {
		if err := visit(); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// unquoted appends the text of a string.
func unquoted(to []byte, raw jsontext.Value) ([]byte, error) {
	if len(raw) >= 2 && bytes.IndexByte(raw, '\\') < 0 {
		return append(to, raw[1:len(raw)-1]...), nil
	}
	return jsontext.AppendUnquote(to, raw)
}

// graphObject reads a graph.
func (r *linkReader) graphObject() error {
	g := int32(len(r.graphs.codes))
	r.graphs.add(0, int64(g))
	r.edges, r.names = r.edges[:0], append(r.names, "")
	directed, nodes, edges := r.directed, false, false
	err := r.object("a graph", func(key []byte) (err error) {
		switch string(key) {
		case "directed":
			directed, err = r.truth("directed")
			return err
		case "multigraph":
			_, err = r.truth("multigraph")
			return err
		case "graph":
			if r.dec.PeekKind() != '{' {
				return r.dec.SkipValue()
			}
			return r.object("what is known of the graph", r.graphValue)
		case "nodes":
			nodes = true
			return r.array("nodes", func() error { return r.node(g) })
		case "links", "edges":
			if edges {
				return errors.New("a graph has links or edges, not both")
			}
			edges = true
			return r.array("edges", r.edge)
		case "adjacency":
			return errors.New("want the node-link form, which networkx.node_link_data writes, not that of adjacency_data")
		}
		return r.graphValue(key)
	})
	if err != nil {
		return err
	}
	if !nodes {
		return errors.New("a graph without a list nodes: want the form that networkx.node_link_data writes")
	}
	if r.undir = r.undir || !directed; r.undir && directed {
		return errors.New("this graph is directed, others are not")
	}
	r.directed = directed
	r.ofGraph.rows++
	return r.resolve(g)
}

// truth reads true or false.
func (r *linkReader) truth(key string) (bool, error) {
	t, err := r.dec.ReadToken()
	if err == nil && t.Kind() != 't' && t.Kind() != 'f' {
		err = fmt.Errorf("%s: want true or false", key)
	}
	return err == nil && t.Kind() == 't', err
}

// resolve adds the edges of a graph whose vertices are known by now.
func (r *linkReader) resolve(g int32) error {
	for _, e := range r.edges {
		u, v := r.vertices.find(g, e.from), r.vertices.find(g, e.to)
		for i, end := range [2]int32{u, v} {
			if end < 0 {
				return &linkError{e.line, fmt.Errorf("an edge at %s, which is no node of its graph",
					quoted(r.words.text([2]int64{e.from, e.to}[i])))}
			}
		}
		if err := r.network.edge(u, v); err != nil {
			return &linkError{e.line, err}
		}
	}
	return nil
}
