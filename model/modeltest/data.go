package modeltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
)

// content says what vertices and arcs show.
type content int

const (
	labelled   content = iota // vertices have labels, arcs have labels
	attributed                // vertices have three attributes
)

// Numbers of the data.
const (
	numLabels  = 5
	numColumns = 3
)

// molecule returns a random graph of a class: a tree with some further edges, whose labels and attributes are drawn
// from a distribution of the class.
func molecule(rng *rand.Rand, class int, c content) graph.Graph {
	n := 4 + rng.IntN(6)
	g := graph.Graph{NumVertices: n}
	join := func(u, v int) {
		g.Arcs.From, g.Arcs.To = append(g.Arcs.From, int32(u)), append(g.Arcs.To, int32(v))
		if c == labelled {
			g.Arcs.Labels = append(g.Arcs.Labels, int32(rng.IntN(2)))
		}
	}
	for v := 1; v < n; v++ {
		join(rng.IntN(v), v)
	}
	for range 1 + 2*class {
		if u, v := rng.IntN(n), rng.IntN(n); u < v && !joined(g, u, v) {
			join(u, v)
		}
	}
	for range n {
		if c == labelled {
			g.Labels = append(g.Labels, int32(min(rng.IntN(numLabels), rng.IntN(numLabels)+class)))
			continue
		}
		g.AttributeDim = numColumns
		for k := range numColumns {
			g.Attributes = append(g.Attributes, rng.NormFloat64()+float64(class*k)/2)
		}
	}
	return g
}

func joined(g graph.Graph, u, v int) bool {
	for i, from := range g.Arcs.From {
		if to := g.Arcs.To[i]; int(from) == u && int(to) == v || int(from) == v && int(to) == u {
			return true
		}
	}
	return false
}

// graphs returns random graphs of two classes in turn.
func graphs(n int, seed uint64, c content) []graph.Graph {
	rng := rand.New(rand.NewPCG(seed, 1))
	all := make([]graph.Graph, n)
	for i := range all {
		all[i] = molecule(rng, i%2, c)
	}
	return all
}

// classify makes a data set of graphs whose classes are 0 and 1 in turn.
func classify(all []graph.Graph) (*dataset.Dataset, error) {
	b, err := graph.NewBatch(all)
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Name: "made", Task: dataset.GraphClassification, Batch: b, ClassNames: []string{"0", "1"}}
	for i := range all {
		d.Classes = append(d.Classes, i%2)
	}
	if b.Labels != nil {
		b.NumLabels = max(b.NumLabels, numLabels)
		d.LabelCodes = numbered(b.NumLabels)
		d.LabelNames = d.LabelCodes
	}
	if b.ArcLabels != nil {
		d.ArcLabelNames = numbered(int(slices.Max(b.ArcLabels)) + 1)
	}
	return d, nil
}

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// dataset makes a data set of graphs with targets that the family learns: classes, or else numbers.
func (s *Subject) dataset(all []graph.Graph) (*dataset.Dataset, error) {
	d, err := classify(all)
	if err == nil && !s.Family.Classes {
		d = asNumbers(d)
	}
	return d, err
}

// fitted is the data of most checks: what a model is fitted on and what it is asked.
func (s *Subject) fitted(c content) (train, test *dataset.Dataset, err error) {
	if train, err = s.dataset(graphs(24, 1, c)); err != nil {
		return nil, nil, err
	}
	test, err = s.dataset(graphs(10, 2, c))
	return train, test, err
}

// asNumbers asks for a number of every graph in place of its class: how many vertices it has.
func asNumbers(d *dataset.Dataset) *dataset.Dataset {
	r := *d
	r.Task, r.Classes, r.ClassNames, r.TargetNames = dataset.GraphRegression, nil, nil, []string{"size"}
	for g := range d.NumGraphs() {
		from, to := d.Batch.Vertices(g)
		r.Targets = append(r.Targets, float64(to-from))
	}
	return &r
}

// ofVertices asks for the class of every vertex of the graphs: whether it has more than two neighbours.
func ofVertices(d *dataset.Dataset) *dataset.Dataset {
	v := *d
	v.Task, v.Classes = dataset.NodeClassification, nil
	for u := range d.Batch.NumVertices() {
		class := 0
		if d.Batch.Degree(int32(u)) > 2 {
			class = 1
		}
		v.VertexClasses = append(v.VertexClasses, class)
	}
	return &v
}

// permuted returns a graph whose vertex v is vertex place[v].
func permuted(g graph.Graph, place []int) graph.Graph {
	p := graph.Graph{NumVertices: g.NumVertices, Directed: g.Directed, AttributeDim: g.AttributeDim,
		Labels: slices.Clone(g.Labels), Attributes: slices.Clone(g.Attributes)}
	p.Arcs.Labels, p.Arcs.Types, p.Arcs.Weights = g.Arcs.Labels, g.Arcs.Types, g.Arcs.Weights
	for i := range g.Arcs.From {
		p.Arcs.From = append(p.Arcs.From, int32(place[g.Arcs.From[i]]))
		p.Arcs.To = append(p.Arcs.To, int32(place[g.Arcs.To[i]]))
	}
	width := g.AttributeDim
	for v, at := range place {
		if g.Labels != nil {
			p.Labels[at] = g.Labels[v]
		}
		copy(p.Attributes[at*width:(at+1)*width], g.Attributes[v*width:(v+1)*width])
	}
	return p
}

// shuffled returns the graphs with the vertices of each in another order.
func shuffled(all []graph.Graph, seed uint64) []graph.Graph {
	rng := rand.New(rand.NewPCG(seed, 2))
	out := make([]graph.Graph, len(all))
	for i, g := range all {
		out[i] = permuted(g, rng.Perm(g.NumVertices))
	}
	return out
}

// renamed returns the data set with its labels numbered in another order, as the reader of a file does whose codes are
// others.
func renamed(d *dataset.Dataset, place []int) (*dataset.Dataset, error) {
	if len(place) != d.Batch.NumLabels {
		return nil, fmt.Errorf("%d places for %d labels", len(place), d.Batch.NumLabels)
	}
	b := *d.Batch
	b.Labels = make([]int32, len(d.Batch.Labels))
	for v, l := range d.Batch.Labels {
		b.Labels[v] = int32(place[l])
	}
	return d.WithBatch(&b), nil
}

// withColumns returns the graphs with their columns of attributes in another order.
func withColumns(all []graph.Graph, order []int) []graph.Graph {
	out := slices.Clone(all)
	for i, g := range all {
		out[i].Attributes = nil
		for v := range g.NumVertices {
			for _, k := range order {
				out[i].Attributes = append(out[i].Attributes, g.Attributes[v*g.AttributeDim+k])
			}
		}
	}
	return out
}
