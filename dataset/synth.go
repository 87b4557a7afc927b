package dataset

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/grove-graph/grove/graph"
)

// SynthOptions says how large a generated data set is. Zero means the kind's own default.
type SynthOptions struct {
	Seed        uint64
	Graphs      int     // number of graphs
	Vertices    int     // vertices of a graph, a mean where the kind varies it
	Degree      float64 // mean number of neighbours
	Communities int     // blocks of a block model
}

// SynthKind describes a generator. Defaults holds the sizes it takes for zero options; a size that is
// zero there has no meaning for the kind.
type SynthKind struct {
	Name        string
	Description string
	Defaults    SynthOptions

	classes int // graph g is of class g modulo these
	// begin returns a function that adds graph g to s, called for the graphs from 0 on; nil for a kind of one graph.
	begin func(opt SynthOptions, random *rand.Rand) func(s *growing, g int) error
	one   func(SynthOptions, *rand.Rand) (*Dataset, error) // where begin is nil
	// labels names the codes of the vertex labels; nil where there are none. With allLabels the data set has all of
	// them, otherwise those that occur.
	labels    []string
	allLabels bool
	arcLabels int // number of the codes of arcs
}

// SynthKinds lists the generators.
func SynthKinds() []SynthKind {
	var symbols []string
	for _, e := range elements() {
		symbols = append(symbols, e.symbol)
	}
	return []SynthKind{
		{Name: "molecules", begin: molecules, classes: 2, labels: symbols, arcLabels: double + 1,
			Description: "molecule-like graphs with atom and bond labels; class 1 has a nitro group on a ring",
			Defaults:    SynthOptions{Graphs: 400, Vertices: 18}},
		{Name: "red-isolated", begin: redIsolated, classes: 2, labels: []string{"blue", "red"}, allLabels: true,
			Description: "random graphs of red and blue vertices; class 1 has exactly one red isolated vertex",
			Defaults:    SynthOptions{Graphs: 1000, Vertices: 50, Degree: 2.94}},
		{Name: "block-model", one: blockModel,
			Description: "one graph of communities with noisy words as attributes; the class of a vertex is its community",
			Defaults:    SynthOptions{Graphs: 1, Vertices: 1000, Degree: 10, Communities: 4}},
		{Name: "communities", one: communities,
			Description: "as block-model, with degrees by a power law and real attributes; for graphs of millions of vertices",
			Defaults:    SynthOptions{Graphs: 1, Vertices: 10000, Degree: 10, Communities: 16}},
		{Name: "power-law", begin: powerLaw, classes: 2,
			Description: "growing graphs; class 0 attaches to vertices by degree (power law), class 1 evenly",
			Defaults:    SynthOptions{Graphs: 200, Vertices: 100, Degree: 4}},
		{Name: "rings-cliques", begin: ringsAndCliques, classes: 4,
			Description: "rings, cliques, rings of cliques and chains of cliques, a class each",
			Defaults:    SynthOptions{Graphs: 400, Vertices: 24}},
	}
}

// Synth generates a data set of one of the [SynthKinds]. The same options give the same data set. It is
// an error if the kind is unknown or the sizes make no sense together.
func Synth(kind string, options SynthOptions) (*Dataset, error) {
	k, opt, err := synthesis(kind, options, math.MaxInt)
	if err != nil {
		return nil, err
	}
	var d *Dataset
	if k.begin == nil {
		d, err = k.one(opt, rand.New(rand.NewPCG(opt.Seed, 0)))
	} else {
		s := growing{kind: k, opt: opt}
		if err = s.draw(k.begin(opt, rand.New(rand.NewPCG(opt.Seed, 0))), opt.Graphs); err == nil {
			d, err = s.finish(codesOf(s.labels), codesOf(s.arcLabels))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("synth %s: %w", kind, err)
	}
	d.Name = strings.ReplaceAll(kind, "-", "_")
	return d, nil
}

// synthesis returns a kind and its options without zeros, for data sets of which so many graphs are held together.
func synthesis(kind string, options SynthOptions, together int) (*SynthKind, SynthOptions, error) {
	var names []string
	for _, k := range SynthKinds() {
		if k.Name != kind {
			names = append(names, k.Name)
			continue
		}
		opt, err := k.complete(options, together)
		if err != nil {
			return nil, opt, fmt.Errorf("synth %s: %w", kind, err)
		}
		return &k, opt, nil
	}
	return nil, options, fmt.Errorf("synth %s: unknown kind, the kinds are %s", kind, strings.Join(names, ", "))
}

// complete puts the defaults in place of zeros and checks the sizes, of which so many graphs are held together.
func (k *SynthKind) complete(opt SynthOptions, together int) (SynthOptions, error) {
	opt.Graphs = cmp.Or(opt.Graphs, k.Defaults.Graphs)
	opt.Vertices = cmp.Or(opt.Vertices, k.Defaults.Vertices)
	opt.Degree = cmp.Or(opt.Degree, k.Defaults.Degree)
	opt.Communities = cmp.Or(opt.Communities, k.Defaults.Communities)
	switch {
	case opt.Graphs < 1:
		return opt, fmt.Errorf("%d graphs", opt.Graphs)
	case opt.Vertices < 1:
		return opt, fmt.Errorf("%d vertices", opt.Vertices)
	case !(opt.Degree >= 0) || opt.Degree > float64(opt.Vertices-1) && k.Defaults.Degree > 0:
		return opt, fmt.Errorf("a mean degree of %g among %d vertices", opt.Degree, opt.Vertices)
	case opt.Communities < 0 || opt.Communities > opt.Vertices:
		return opt, fmt.Errorf("%d communities of %d vertices", opt.Communities, opt.Vertices)
	case k.Defaults.Graphs == 1 && opt.Graphs > 1:
		return opt, fmt.Errorf("%d graphs: this kind has one", opt.Graphs)
	case float64(min(opt.Graphs, together))*float64(opt.Vertices)*max(opt.Degree, 4) > math.MaxInt32/2:
		return opt, fmt.Errorf("%d graphs of %d vertices and mean degree %g are too many arcs for one data set",
			opt.Graphs, opt.Vertices, opt.Degree)
	}
	return opt, nil
}

// growing are consecutive graphs of a data set under construction: vertices and edges are added to the last one.
type growing struct {
	kind      *SynthKind
	opt       SynthOptions
	first     int // number of the first graph
	offsets   []int32
	arcs      graph.ArcList
	labels    []int64 // codes of the vertices' labels, nil where there are none
	arcLabels []int64 // those of arcs.From
	vertices  int32
	motif     []int32    // vertices of the motif
	edges     [][2]int32 // edges of the motif
}

// draw adds so many graphs.
func (s *growing) draw(next func(s *growing, g int) error, graphs int) error {
	for range graphs {
		if err := next(s, s.first+s.graphs()); err != nil {
			return err
		}
	}
	return nil
}

// graphs returns the number of graphs so far.
func (s *growing) graphs() int { return max(len(s.offsets)-1, 0) }

// start begins a graph of n vertices and returns its first vertex.
func (s *growing) start(n int) int32 {
	if s.offsets == nil {
		s.offsets = []int32{0}
	}
	first := s.vertices
	s.vertices += int32(n)
	s.offsets = append(s.offsets, s.vertices)
	return first
}

func (s *growing) edge(u, v int32) {
	s.arcs.From = append(s.arcs.From, u)
	s.arcs.To = append(s.arcs.To, v)
}

// codesOf returns the codes that occur, ascending.
func codesOf(codes []int64) []int64 {
	_, distinct := enumerate(codes)
	return distinct
}

// finish returns the graphs as a data set whose labels have the given codes, ascending.
func (s *growing) finish(labels, arcLabels []int64) (*Dataset, error) {
	s.arcs.Labels = idsOf(s.arcLabels, arcLabels)
	b, err := graph.FromArcs(s.offsets, s.arcs, graph.BuildOptions{})
	if err != nil {
		return nil, err
	}
	d := &Dataset{Batch: b}
	for g := range b.NumGraphs() {
		d.Classes = append(d.Classes, (s.first+g)%s.kind.classes)
	}
	d.ClassNames = codeNames(firstCodes(min(s.opt.Graphs, s.kind.classes)))
	if s.kind.labels != nil {
		if s.kind.allLabels {
			labels = firstCodes(len(s.kind.labels))
		}
		b.Labels, b.NumLabels, d.LabelCodes = idsOf(s.labels, labels), len(labels), codeNames(labels)
		for _, c := range labels {
			d.LabelNames = append(d.LabelNames, s.kind.labels[c])
		}
	}
	if s.arcLabels != nil {
		d.ArcLabelNames = codeNames(arcLabels)
	}
	if s.motif != nil {
		d.Motif = &Motif{Vertices: make([]bool, b.NumVertices()), Arcs: make([]bool, b.NumArcs())}
		for _, v := range s.motif {
			d.Motif.Vertices[v] = true
		}
		for _, e := range s.edges {
			d.Motif.markEdge(b, e[0], e[1])
		}
	}
	return d, nil
}

// idsOf returns the place of each code among the distinct ones, which are ascending.
func idsOf(codes, distinct []int64) []int32 {
	if codes == nil {
		return nil
	}
	ids := make([]int32, len(codes))
	for i, c := range codes {
		id, _ := slices.BinarySearch(distinct, c)
		ids[i] = int32(id)
	}
	return ids
}
