package dataset

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/grove-graph/grove/graph"
)

// Direction says how a list of edges between vertices is read.
type Direction int

const (
	// DetectDirection takes the list for undirected if every line has src < dst, or if the reverse of
	// every line stands in it too; otherwise for directed.
	DetectDirection Direction = iota
	Undirected                // every line is an edge
	Directed                  // every line is an arc from src to dst
)

// OpenNode reads a vertex task from a folder of comma-separated files, each with a header line and
// vertices numbered from 0:
//
//	edges.csv                   src,dst
//	labels.csv                  node,label or node,TARGET,...
//	features.coo.csv            row,col,value: the non-zero entries of the attributes
//	or features.csv             node,NAME,...: all of the attributes
//	split_NAME.csv              node,set with set = train, val or test
//
// Only edges.csv and labels.csv must exist; labels.csv has a line for every vertex.
//
// Rules: the data set is one graph. Its direction is given or detected ([DetectDirection]; Dataset.Notes
// says what was found). Repeated edges are merged, self loops are kept. With the header node,label the
// labels are classes, -1 meaning none; otherwise every column is a target of a regression and an empty
// field means no target. An empty field of features.csv takes the mean of its column (0 in an empty
// column) and is listed in Dataset.Missing.
func OpenNode(dir string, direction Direction) (*Dataset, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, plainError(err))
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: a vertex task is a folder that holds edges.csv", dir)
	}
	return openNode(folder{os.DirFS(dir), dir}, direction)
}

func openNode(f folder, direction Direction) (*Dataset, error) {
	r := &nodeReader{folder: f, set: &Dataset{Name: folderName(f.name)}, direction: direction}
	for _, step := range []func() error{r.readLabels, r.readEdges, r.readFeatures, r.readSplits} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.set, nil
}

// nodeReader holds what the files of one vertex task have told so far.
type nodeReader struct {
	folder
	set       *Dataset
	direction Direction
	vertices  int
}

// openTable opens a file and takes its header, which must begin with the given fields.
func (r *nodeReader) openTable(name string, begin ...string) (l *lines, header []string, err error) {
	if l, err = r.open(name); err != nil {
		return nil, nil, err
	}
	if l.next() {
		for name := range strings.SplitSeq(string(l.line), ",") {
			header = append(header, strings.TrimSpace(name))
		}
		for i, want := range begin {
			if i >= len(header) || header[i] != want {
				l.fail("the header does not begin with %s", strings.Join(begin, ","))
			}
		}
	} else if l.err == nil {
		l.err = fmt.Errorf("%s: empty file", l.file)
	}
	if l.err != nil {
		l.close()
		return nil, nil, l.err
	}
	return l, header, nil
}

// vertex takes the number of a vertex from the current line.
func (r *nodeReader) vertex(l *lines) int32 {
	v := l.integer()
	if v < 0 || v >= int64(r.vertices) {
		l.fail("vertex %d: the vertices are 0 to %d", v, r.vertices-1)
		return 0
	}
	return int32(v)
}

// readLabels reads the classes or targets of all vertices, and thereby their number.
func (r *nodeReader) readLabels() error {
	l, header, err := r.openTable("labels.csv", "node")
	if err != nil {
		return err
	}
	defer l.close()
	columns := len(header) - 1
	if columns == 0 {
		return fmt.Errorf("%s:1: the header has no column after node", l.file)
	}
	regression := columns > 1 || header[1] != "label"
	var vertices, codes []int64
	var targets []float64
	for l.next() {
		vertices = append(vertices, l.integer())
		if regression {
			targets = append(targets, l.optionalReals(columns)...)
		} else {
			codes = append(codes, l.integer())
		}
		l.end()
	}
	if l.err != nil {
		return l.err
	}
	if r.vertices = len(vertices); r.vertices == 0 {
		return fmt.Errorf("%s: no vertices", l.file)
	}
	order := make([]int, r.vertices) // position of each vertex in the file, from 1
	for i, v := range vertices {
		switch {
		case v < 0 || v >= int64(r.vertices):
			return fmt.Errorf("%s:%d: vertex %d: the file has %d vertices, counted from 0", l.file, i+2, v, r.vertices)
		case order[v] > 0:
			return fmt.Errorf("%s:%d: vertex %d is in line %d as well", l.file, i+2, v, order[v]+1)
		}
		order[v] = i + 1
	}
	if regression {
		r.set.Task, r.set.TargetNames = NodeRegression, header[1:]
		for _, at := range order {
			r.set.Targets = append(r.set.Targets, targets[(at-1)*columns:at*columns]...)
		}
		return nil
	}
	r.set.Task = NodeClassification
	r.set.VertexClasses, r.set.ClassNames = vertexClasses(codes, order)
	return nil
}

// optionalReals takes the given number of fields, NaN for an empty one.
func (l *lines) optionalReals(columns int) []float64 {
	values := make([]float64, columns)
	for c := range values {
		if l.err == nil && !l.more() {
			// The last field may be empty only after a comma, which more would have seen.
			l.fail("%d values, the header has %d", c, columns)
		}
		if v, ok := l.optionalReal(); ok {
			values[c] = v
		} else {
			values[c] = math.NaN()
		}
	}
	return values
}

// vertexClasses brings the codes into the order of the vertices; order holds the position of each vertex, from 1.
// The code -1 means no class.
func vertexClasses(codes []int64, order []int) (classes []int, names []string) {
	var known []int64
	for _, c := range codes {
		if c != -1 {
			known = append(known, c)
		}
	}
	ids, distinct := enumerate(known)
	byPosition := make([]int, len(codes))
	next := 0
	for i, c := range codes {
		byPosition[i] = -1
		if c != -1 {
			byPosition[i] = int(ids[next])
			next++
		}
	}
	classes = make([]int, len(order))
	for v, at := range order {
		classes[v] = byPosition[at-1]
	}
	return classes, codeNames(distinct)
}

// readEdges reads the edges and builds the graph.
func (r *nodeReader) readEdges() error {
	l, _, err := r.openTable("edges.csv", "src", "dst")
	if err != nil {
		return err
	}
	defer l.close()
	var arcs graph.ArcList
	ascending := true
	for l.next() {
		u, v := r.vertex(l), r.vertex(l)
		l.end()
		ascending = ascending && u < v
		arcs.From = append(arcs.From, u)
		arcs.To = append(arcs.To, v)
	}
	if l.err != nil {
		return l.err
	}
	offsets := []int32{0, int32(r.vertices)}
	build := func(directed bool) error {
		r.set.Batch, err = graph.FromArcs(offsets, arcs, graph.BuildOptions{Directed: directed})
		if err != nil {
			return fmt.Errorf("%s: %w", l.file, err)
		}
		return nil
	}
	switch {
	case r.direction != DetectDirection:
		return build(r.direction == Directed)
	case ascending:
		r.set.Notes = append(r.set.Notes, "undirected: every line of edges.csv has src < dst")
		return build(false)
	}
	if err := build(true); err != nil {
		return err
	}
	if symmetric(r.set.Batch.RowPtr, r.set.Batch.Col) {
		r.set.Batch.Directed = false
		r.set.Notes = append(r.set.Notes, "undirected: every line of edges.csv has its reverse")
	} else {
		r.set.Notes = append(r.set.Notes, "directed: edges.csv has arcs without their reverse")
	}
	return nil
}
