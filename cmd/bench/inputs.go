package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// sizes are the dimensions of the inputs.
type sizes struct {
	filters    int // q
	graphs     int // at most; of a data set
	vertices   int // with attributes
	points     int // of nearest-anchor assignment
	anchors    int
	matrix     int // order of the square matrices of the peak rate on a CPU
	inverted   int // order of the large matrix of the inverse square root
	copied     int // float32 numbers of the copy
	vector     int // of the exponential
	samples    int // paths that anchors are learned from
	penalty    int // step through the grid of C
	powerLaw   int // vertices of the power-law graph, whose mean degree is 10
	columns    int // of the features on the power-law graph
	histograms int // of the histogram intersection
	parameters int // of the optimiser
	molecules  int // of the large generated data set
}

// fullSizes are those of the published experiments; quickSizes only show that everything runs.
func fullSizes() sizes {
	return sizes{
		filters: 128, graphs: 1 << 30, vertices: 40000, points: 300000, anchors: 1024, matrix: 1024, inverted: 1024,
		copied: 32 << 20, vector: 4096, samples: 300000, penalty: 1, powerLaw: 1000000, columns: 64,
		histograms: 2000, parameters: 1 << 22, molecules: 1000000,
	}
}

func quickSizes() sizes {
	return sizes{
		filters: 16, graphs: 20, vertices: 300, points: 500, anchors: 32, matrix: 64, inverted: 40,
		copied: 1 << 16, vector: 256, samples: 500, penalty: 20, powerLaw: 300, columns: 8,
		histograms: 20, parameters: 1000, molecules: 40,
	}
}

// source is a data set as a batch of labelled graphs, with their classes and where it came from.
type source struct {
	data    *dataset.Dataset
	batch   *graph.Batch
	classes []int
	from    string
}

// inputs provides the graphs that operations run on. Where the data folder lacks a data set, a
// generator stands in for it.
type inputs struct {
	root  string // folder that holds tu/NAME
	sizes sizes
	ready map[string]source
}

func newInputs(root string, s sizes) *inputs {
	return &inputs{root: root, sizes: s, ready: map[string]source{}}
}

// molecules returns NCI1, or generated molecules of its size.
func (in *inputs) molecules() (source, error) { return in.named("NCI1", "molecules", sizeOfNCI1) }

var sizeOfNCI1 = dataset.SynthOptions{Graphs: 4110, Vertices: 30}

// social returns IMDB-BINARY with degrees as labels, or generated graphs of its size and density.
func (in *inputs) social() (source, error) {
	return in.named("IMDB-BINARY", "power-law", dataset.SynthOptions{Graphs: 1000, Vertices: 20, Degree: 10})
}

// dense returns generated graphs of the size and density of those of COLLAB, whose text takes long to
// read.
func (in *inputs) dense() (source, error) {
	return in.named("", "power-law", dataset.SynthOptions{Graphs: 100, Vertices: 75, Degree: 66})
}

// powerLaw returns one graph whose degrees follow a power law, of 10 million arcs at full size.
func (in *inputs) powerLaw() (source, error) {
	return in.named("", "power-law", dataset.SynthOptions{Graphs: 1, Vertices: in.sizes.powerLaw, Degree: 10})
}

func keyOf(name, kind string, opt dataset.SynthOptions) string {
	return fmt.Sprintf("%s %s %+v", name, kind, opt)
}

// named returns a data set by its name in the TU collection, or the generated one.
func (in *inputs) named(name, kind string, opt dataset.SynthOptions) (source, error) {
	key := keyOf(name, kind, opt)
	if s, ok := in.ready[key]; ok {
		return s, nil
	}
	var d *dataset.Dataset
	from, folder := name, filepath.Join(in.root, "tu", name)
	if _, err := os.Stat(folder); name != "" && err == nil {
		if d, err = dataset.Open(folder); err != nil {
			return source{}, err
		}
	} else {
		opt.Graphs = min(opt.Graphs, in.sizes.graphs)
		if d, err = dataset.Synth(kind, opt); err != nil {
			return source{}, err
		}
		from = fmt.Sprintf("generated %s (%d vertices, mean degree %.1f)", kind, d.Batch.NumVertices(),
			float64(d.Batch.NumArcs())/float64(max(d.Batch.NumVertices(), 1)))
	}
	d = thinned(d, in.sizes.graphs)
	b, err := encoded(d)
	if err != nil {
		return source{}, err
	}
	in.ready[key] = source{d, b, d.Classes, from}
	return in.ready[key], nil
}

// encoded returns the graphs of d with labels as a model wants them: their own, or degrees.
func encoded(d *dataset.Dataset) (*graph.Batch, error) {
	encoding, err := dataset.FitEncoding(d, dataset.AutoFeatures, nil)
	if err != nil {
		return nil, err
	}
	return encoding.Apply(d)
}

// thinned returns n graphs of d, evenly over the set, whose classes may stand one after another. A smaller
// set is returned as it is.
func thinned(d *dataset.Dataset, n int) *dataset.Dataset {
	if d.NumGraphs() <= n {
		return d
	}
	graphs := make([]int, n)
	for i := range graphs {
		graphs[i] = i * d.NumGraphs() / n
	}
	return d.Select(graphs)
}

// random draws inputs, the same ones for the same name in every run.
type random struct{ *rand.Rand }

func newRandom(name string) random {
	h := fnv.New64a()
	h.Write([]byte(name))
	return random{rand.New(rand.NewPCG(1, h.Sum64()))}
}

// slice returns n numbers between -1 and 1.
func (r random) slice(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 2*r.Float32() - 1
	}
	return x
}

// matrix returns a tensor of numbers between -1 and 1 on an engine.
func (r random) matrix(e engine.Engine, dtype tensor.Dtype, shape ...int) (*tensor.Dense, error) {
	t := tensor.New(tensor.Of(dtype), tensor.WithShape(shape...))
	switch x := t.Data().(type) {
	case []float32:
		for i := range x {
			x[i] = 2*r.Float32() - 1
		}
	case []float64:
		for i := range x {
			x[i] = 2*r.Float64() - 1
		}
	}
	return onto(e, t)
}

// onto puts a tensor of host memory onto an engine.
func onto(e engine.Engine, t *tensor.Dense) (*tensor.Dense, error) {
	out := e.New(t.Dtype(), t.Shape()...)
	return out, e.Convert(out, t)
}

// unit returns anchors or points: count x rows x columns with rows of norm 1.
func (r random) unit(e engine.Engine, dtype tensor.Dtype, count, rows, columns int) (*tensor.Dense, error) {
	t, err := r.matrix(e, dtype, count*rows, columns)
	if err != nil {
		return nil, err
	}
	return engine.View(t, 0, count, rows, columns), e.NormalizeRows(t, nil, t, 1e-4)
}

// indices returns n numbers below bound.
func (r random) indices(n, bound int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = r.Int32N(int32(bound))
	}
	return x
}
