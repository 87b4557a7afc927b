package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/grove-graph/grove/graph"
)

// network gathers graphs whose vertices have names, from whatever says which edges there are.
type network struct {
	words    words
	graphs   numbering // the names of the graphs
	vertices numbering // those of the vertices, within their graphs unless they are known through all of them
	graphOf  []int32   // of each vertex, -1 while it is not known
	through  bool      // whether the name of a vertex says which graph it is in

	graphsListed, verticesListed bool // whether they stay in their order
	graphsClosed, verticesClosed bool // whether there are no others

	arcs                      graph.ArcList // between vertices by their numbers
	ofEdges, ofVerts, ofGraph frame
	directed                  bool
	notes                     []string
}

const noGraph = -1

// graph returns the number of a graph.
func (n *network) graph(code int64) (int32, error) {
	if n.graphsClosed {
		g := n.graphs.find(0, code)
		if g < 0 {
			return 0, fmt.Errorf("graph %s is not in the table of graphs", quoted(n.words.text(code)))
		}
		return g, nil
	}
	g, _ := n.graphs.add(0, code)
	return g, nil
}

// vertex returns the number of a vertex of a graph, which is noGraph where the vertex itself says which one that is.
func (n *network) vertex(g int32, code int64) (int32, error) {
	within := g
	if n.through {
		within = 0
	}
	v := n.vertices.find(within, code)
	if v < 0 {
		switch {
		case n.verticesClosed:
			return 0, fmt.Errorf("vertex %s is not in the table of vertices%s", quoted(n.words.text(code)),
				n.inGraph(within))
		case len(n.graphOf) >= math.MaxInt32/2:
			return 0, fmt.Errorf("more than %d vertices", math.MaxInt32/2)
		}
		v, _ = n.vertices.add(within, code)
		n.graphOf = append(n.graphOf, g)
	}
	switch known := n.graphOf[v]; {
	case g == noGraph || known == g:
	case known == noGraph:
		n.graphOf[v] = g
	default:
		return 0, fmt.Errorf("vertex %s is in graph %s as well as in graph %s", quoted(n.words.text(code)),
			n.words.text(n.graphs.codes[known]), n.words.text(n.graphs.codes[g]))
	}
	return v, nil
}

// inGraph names a graph where there are several.
func (n *network) inGraph(g int32) string {
	if n.through || len(n.graphs.codes) < 2 {
		return ""
	}
	return " for graph " + n.words.text(n.graphs.codes[g])
}

// edge adds an edge.
func (n *network) edge(u, v int32) error {
	if a, b := n.graphOf[u], n.graphOf[v]; a != b {
		switch {
		case a == noGraph:
			n.graphOf[u] = b
		case b == noGraph:
			n.graphOf[v] = a
		default:
			name := func(v int32) string { return quoted(n.words.text(n.vertices.codes[v])) }
			return fmt.Errorf("vertex %s is in graph %s, and vertex %s in graph %s", name(u),
				n.words.text(n.graphs.codes[a]), name(v), n.words.text(n.graphs.codes[b]))
		}
	}
	n.arcs.From, n.arcs.To = append(n.arcs.From, u), append(n.arcs.To, v)
	return nil
}

// finish returns the data set of what was gathered.
func (n *network) finish(name, file string) (*Dataset, error) {
	for _, f := range []*frame{&n.ofEdges, &n.ofVerts, &n.ofGraph} {
		f.end()
	}
	if len(n.graphs.codes) == 0 {
		return nil, fileError(file, "no graphs")
	}
	if v := slices.Index(n.graphOf, noGraph); v >= 0 {
		return nil, fileError(file, "vertex %s is at no edge, so that its graph is not known: say it in a column graph of "+
			"the table of vertices", quoted(n.words.text(n.vertices.codes[v])))
	}
	d := &Dataset{Name: name, Notes: n.notes}
	if err := n.takeDirection(d); err != nil {
		return nil, fileError(file, "%v", err)
	}
	graphs := n.orderOfGraphs()
	offsets, vertices := n.orderOfVertices(graphs)
	if err := n.build(d, offsets, vertices); err != nil {
		return nil, fileError(file, "%v", err)
	}
	n.name(d, graphs, vertices)
	n.ofVerts.reorder(vertices)
	n.ofGraph.reorder(graphs)
	n.vertexData(d)
	if err := n.targets(d); err != nil {
		return nil, fileError(file, "%v", err)
	}
	return d, nil
}

// takeDirection finds out whether edges are arcs, from a column that says so.
func (n *network) takeDirection(d *Dataset) error {
	says := func(c *frameColumn, directed, undirected []string) (yes, no int) {
		for _, text := range c.kinds.texts {
			switch word := strings.ToLower(text); {
			case slices.Contains(directed, word):
				yes++
			case slices.Contains(undirected, word):
				no++
			}
		}
		return yes, no
	}
	for _, c := range n.ofEdges.all(directedRole, TypeRole) {
		directed, undirected := []string{"directed"}, []string{"undirected"}
		if c.role == directedRole {
			directed, undirected = append(directed, "true", "1", "yes"), append(undirected, "false", "0", "no")
		}
		yes, no := says(c, directed, undirected)
		switch all := yes+no == len(c.kinds.texts) && !slices.Contains(c.ids, -1); {
		case yes > 0 && no > 0 && all, c.role == directedRole && (!all || yes > 0 && no > 0):
			return fmt.Errorf("column %s has to say of all edges that they are directed, or of all that they are not", c.name)
		case all:
			n.directed = n.directed || yes > 0
			c.kind = leftOutColumn
		}
	}
	return nil
}

// orderOfGraphs returns the numbers of the graphs in their order; nil where they have it.
func (n *network) orderOfGraphs() []int32 {
	if n.graphsListed || !n.graphs.plain() {
		return nil
	}
	order := counted(len(n.graphs.codes))
	slices.SortFunc(order, func(a, b int32) int { return compare(n.graphs.codes[a], n.graphs.codes[b]) })
	return order
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// counted returns 0, 1, ... n-1.
func counted(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// orderOfVertices returns where the vertices of each graph begin, and the numbers of the vertices in their order.
func (n *network) orderOfVertices(graphs []int32) (offsets, order []int32) {
	rank := make([]int32, len(n.graphs.codes))
	for i := range rank {
		if rank[i] = int32(i); graphs != nil {
			rank[graphs[i]] = int32(i)
		}
	}
	offsets = make([]int32, len(rank)+1)
	for _, g := range n.graphOf {
		offsets[rank[g]+1]++
	}
	for g := range rank {
		offsets[g+1] += offsets[g]
	}
	next := slices.Clone(offsets)
	order = make([]int32, len(n.graphOf))
	for v, g := range n.graphOf {
		order[next[rank[g]]] = int32(v)
		next[rank[g]]++
	}
	if !n.verticesListed && n.vertices.plain() {
		for g := range rank {
			part := order[offsets[g]:offsets[g+1]]
			ascending := func(a, b int32) int { return compare(n.vertices.codes[a], n.vertices.codes[b]) }
			if !slices.IsSortedFunc(part, ascending) {
				slices.SortFunc(part, ascending)
			}
		}
	}
	return offsets, order
}

// build makes the batch.
func (n *network) build(d *Dataset, offsets, order []int32) error {
	number := make([]int32, len(order))
	for i, v := range order {
		number[v] = int32(i)
	}
	loops := 0
	for i, u := range n.arcs.From {
		v := n.arcs.To[i]
		if u == v {
			loops++
		}
		n.arcs.From[i], n.arcs.To[i] = number[u], number[v]
	}
	if c := n.ofEdges.of(LabelRole); c != nil {
		n.arcs.Labels, d.ArcLabelNames = c.coded()
		n.noteMissing(c, "edges", "label")
	}
	if c := n.ofEdges.of(TypeRole); c != nil {
		n.arcs.Types, _ = c.coded()
		n.noteMissing(c, "edges", "type")
	}
	if c := n.ofEdges.of(WeightRole); c != nil {
		n.arcs.Weights = c.numbers
		if missing := fill(c.numbers, 1); missing > 0 {
			n.note("%d edges without a weight have the weight 1", missing)
		}
	}
	b, err := graph.FromArcs(offsets, n.arcs, graph.BuildOptions{Directed: n.directed})
	if err != nil {
		return err
	}
	edges := len(n.arcs.From)
	full := edges
	if !n.directed {
		full = 2*edges - loops
	}
	if full > b.NumArcs() {
		n.note("%d edges are %d arcs: repeated ones are merged, the first is kept", edges, b.NumArcs())
	}
	d.Batch, d.Notes = b, n.notes
	return nil
}

func (n *network) note(format string, values ...any) {
	n.notes = append(n.notes, fmt.Sprintf(format, values...))
}

// noteMissing says how many have no label.
func (n *network) noteMissing(c *frameColumn, what, kind string) {
	missing := 0
	for _, id := range c.ids {
		if id < 0 {
			missing++
		}
	}
	if missing > 0 {
		n.note("%d %s without a %s have the %s %s", missing, what, kind, kind, missingCode)
	}
}

// fill puts a value where there is none, and returns how often.
func fill(values []float64, value float64) (missing int) {
	for i, v := range values {
		if math.IsNaN(v) {
			values[i] = value
			missing++
		}
	}
	return missing
}
