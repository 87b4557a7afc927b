package dataset

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
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

	generate func(SynthOptions, *rand.Rand) (*Dataset, error)
}

// SynthKinds lists the generators.
func SynthKinds() []SynthKind {
	return []SynthKind{
		{"molecules", "molecule-like graphs with atom and bond labels; class 1 has a nitro group on a ring",
			SynthOptions{Graphs: 400, Vertices: 18}, molecules},
		{"red-isolated", "random graphs of red and blue vertices; class 1 has exactly one red isolated vertex",
			SynthOptions{Graphs: 1000, Vertices: 50, Degree: 2.94}, redIsolated},
		{"block-model", "one graph of communities with noisy words as attributes; the class of a vertex is its community",
			SynthOptions{Graphs: 1, Vertices: 1000, Degree: 10, Communities: 4}, blockModel},
		{"power-law", "growing graphs; class 0 attaches to vertices by degree (power law), class 1 evenly",
			SynthOptions{Graphs: 200, Vertices: 100, Degree: 4}, powerLaw},
		{"rings-cliques", "rings, cliques, rings of cliques and chains of cliques, a class each",
			SynthOptions{Graphs: 400, Vertices: 24}, ringsAndCliques},
	}
}

// Synth generates a data set of one of the [SynthKinds]. The same options give the same data set. It is
// an error if the kind is unknown or the sizes make no sense together.
func Synth(kind string, options SynthOptions) (*Dataset, error) {
	var names []string
	for _, k := range SynthKinds() {
		if k.Name != kind {
			names = append(names, k.Name)
			continue
		}
		opt, err := k.complete(options)
		if err != nil {
			return nil, fmt.Errorf("synth %s: %w", kind, err)
		}
		d, err := k.generate(opt, rand.New(rand.NewPCG(opt.Seed, 0)))
		if err != nil {
			return nil, fmt.Errorf("synth %s: %w", kind, err)
		}
		d.Name = strings.ReplaceAll(kind, "-", "_")
		return d, nil
	}
	return nil, fmt.Errorf("synth %s: unknown kind, the kinds are %s", kind, strings.Join(names, ", "))
}

// complete puts the defaults in place of zeros and checks the sizes.
func (k SynthKind) complete(opt SynthOptions) (SynthOptions, error) {
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
	case float64(opt.Graphs)*float64(opt.Vertices)*max(opt.Degree, 4) > math.MaxInt32/2:
		return opt, fmt.Errorf("%d graphs of %d vertices and mean degree %g are too many arcs for one data set",
			opt.Graphs, opt.Vertices, opt.Degree)
	}
	return opt, nil
}

// growing is a data set under construction: vertices and edges are added to the last graph.
type growing struct {
	offsets  []int32
	arcs     graph.ArcList
	vertices int32
	motif    []int32    // vertices of the motif
	edges    [][2]int32 // edges of the motif
}

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

// finish builds the data set. classOf gives the class of graph g.
func (s *growing) finish(classes int, classOf func(g int) int) (*Dataset, error) {
	b, err := graph.FromArcs(s.offsets, s.arcs, graph.BuildOptions{})
	if err != nil {
		return nil, err
	}
	d := &Dataset{Batch: b}
	for g := range b.NumGraphs() {
		d.Classes = append(d.Classes, classOf(g))
	}
	for c := range classes {
		d.ClassNames = append(d.ClassNames, fmt.Sprint(c))
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
