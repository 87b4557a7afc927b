package main

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

const (
	trieTarget    = 12e6 // wanted rate of encoding, in trie nodes for a second and a core with AVX-512
	speedupTarget = 1.8  // wanted ratio of the times of one worker and two
	deviceTrie    = 0.5  // wanted share of the floor of encoding on a GPU
)

func pathOperations() []operation {
	return []operation{
		{"path-trie", "path pooling by the trie, every NCI1 vertex a root, one row of scores for each label", pathTrie,
			everywhere},
		{"path-trie-double", "the same in float64, in which models encode", trie(true, engine.Sum, tensor.Float64),
			everywhere},
		{"path-trie-vertex", "the same with one row of scores for each vertex, as for attributes and upper layers",
			trie(false, engine.Sum, tensor.Float32), everywhere},
		{"path-trie-max", "the same with maxima in place of sums", trie(false, engine.Max, tensor.Float32), everywhere},
		{"path-early", "path pooling that stops a vertex early, IMDB-BINARY, paths of 3 vertices",
			pathsEarly((*inputs).social), everywhere},
		{"path-early-dense", "the same on denser graphs of the kind of COLLAB (generated)", pathsEarly((*inputs).dense),
			everywhere},
		{"path-twins", "path pooling as models encode, which takes twins together, IMDB-BINARY, paths of 4 vertices",
			pathTwins, onHost},
		{"path-power-law", "the same on one power-law graph of 10 million arcs (generated), 64 filters",
			pathsEarly((*inputs).powerLaw), large},
		{"path-classes", "grouping the NCI1 vertices by the label sequences of their paths, before pooling", pathClasses,
			onHost},
		{"walk-pool", "walk pooling by the recursion, NCI1, walks of up to 4 vertices",
			walkPool((*inputs).molecules, graph.Walks, 4), everywhere},
		{"walk-pool-power-law", "the same on the power-law graph, walks of up to 3 vertices, 64 filters",
			walkPool((*inputs).powerLaw, graph.Walks, 3), large},
		{"nonbacktracking", "pooling over non-backtracking walks, NCI1, up to 4 vertices",
			walkPool((*inputs).molecules, graph.NonBacktracking, 4), everywhere},
		{"nonbacktracking-dense", "the same on denser graphs of the kind of COLLAB (generated), up to 3 vertices",
			walkPool((*inputs).dense, graph.NonBacktracking, 3), everywhere},
		{"path-grad", "gradient through path pooling, NCI1, one row of scores for each vertex",
			pathGrad(graph.Paths, false, tensor.Float32), everywhere},
		{"path-grad-label", "the same with one row of scores for each label, as in the first layer",
			pathGrad(graph.Paths, true, tensor.Float32), everywhere},
		{"path-grad-label-double", "the same in float64", pathGrad(graph.Paths, true, tensor.Float64), everywhere},
		{"walk-grad", "gradient through walk pooling, NCI1, one row of scores for each vertex",
			pathGrad(graph.Walks, false, tensor.Float32), everywhere},
	}
}

// trie pools over paths of NCI1 from all vertices, with a row of scores for each label or each vertex.
func trie(byLabel bool, pool engine.Pooling, dtype tensor.Dtype) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, err := t.inputs.molecules()
		if err != nil {
			return nil, err
		}
		var index []int32
		if byLabel {
			index = s.batch.Labels
		}
		return paths(t, s, 4, index, pool, dtype)
	}
}

func pathTrie(t *table) (*task, error) {
	task, err := trie(true, engine.Sum, tensor.Float32)(t)
	if err != nil {
		return nil, err
	}
	task.rate = target{"trie nodes per second and core, 128 filters", trieTarget, atLeast}
	task.speedup = target{"path pooling, two workers over one", speedupTarget, atLeast}
	task.device = deviceTarget{share: deviceTrie}
	return task, nil
}

// paths pools over paths of 1 to size vertices from all vertices of s. A trie node is a path of any of
// these sizes. Of sums each one costs a product and an addition for every filter, and every row an exponential for
// each of its positions; of maxima, every vertex an exponential for each size.
func paths(
	t *table, s source, size int, index []int32, pool engine.Pooling, dtype tensor.Dtype,
) (*task, error) {
	p := newPooling(t, s, size, index)
	p.Pool, p.dtype = pool, dtype
	run, err := p.forward()
	if err != nil {
		return nil, err
	}
	nodes := sum(pathsBySize(s, size))
	f := floor{bytes: p.scoreBytes() + p.outBytes()}
	rows := p.rows
	if pool == engine.Max {
		rows = s.batch.NumVertices()
	}
	flops, exps := 2*nodes*float64(p.filters), float64(rows*size*p.filters)
	if dtype == tensor.Float64 {
		f.flops64, f.exps64 = flops, exps
	} else {
		f.flops32, f.exps32 = flops, exps
	}
	return &task{
		shape: fmt.Sprintf("%s: %d vertices, %.0f trie nodes, sizes 1 to %d, %d filters",
			s.from, s.batch.NumVertices(), nodes, size, p.filters),
		run:   run,
		units: nodes, unit: "nodes/s",
		floor: f,
	}, nil
}

// pathsEarly counts the trie nodes that are covered, though the search does not visit the last of every
// path. It takes an exponential for every path that is not of full size, for every vertex on its own and
// for every vertex as the end of a path of each size.
func pathsEarly(from func(*inputs) (source, error)) func(t *table) (*task, error) {
	const size = 3
	return func(t *table) (*task, error) {
		s, err := from(t.inputs)
		if err != nil {
			return nil, err
		}
		task, err := paths(t, s, size, s.batch.Labels, engine.Sum, tensor.Float32)
		if err != nil {
			return nil, err
		}
		counts := pathsBySize(s, size)
		exps := counts[0]*size + sum(counts[:size-1])
		task.floor.exps32 = exps * float64(t.filtersOn(s))
		return task, nil
	}
}

// pathTwins counts the paths that are covered, and times the search that takes every path by itself. Its floor is to
// read scores and to write the sums, with an exponential for each row at each position.
func pathTwins(t *table) (*task, error) {
	const size = 4
	s, err := t.inputs.social()
	if err != nil {
		return nil, err
	}
	p := newPooling(t, s, size, s.batch.Labels)
	p.dtype, p.AllLengths = tensor.Float64, false
	alone, err := p.forward()
	if err != nil {
		return nil, err
	}
	together := *p
	for r := range int32(p.rows) {
		together.Ranks = append(together.Ranks, r)
	}
	run, err := together.forward()
	if err != nil {
		return nil, err
	}
	paths := float64(s.batch.NewPathIndex(size, false, 1).Total())
	return &task{
		shape: fmt.Sprintf("%s: %d vertices, %d classes of twins, %.0f paths, %d filters", s.from, s.batch.NumVertices(),
			len(s.batch.Twins(s.batch.Labels, size).First), paths, p.filters),
		run:   run,
		units: paths, unit: "paths/s",
		floor: floor{exps64: float64(p.rows * size * p.filters), bytes: p.scoreBytes() + p.outBytes()},
		against: func(r *runner) (*rival, error) {
			times, _, err := r.measure(context.Background(), "path-twins", r.clock, func() error {
				return alone(r.engine.Host())
			})
			if err != nil {
				return nil, err
			}
			return &rival{Name: "every path by itself", Seconds: newResult("", r.place, times[0]).Seconds}, nil
		},
	}, nil
}

// walkPool counts a step for every arc in every pass of the recursion: j-1 passes for walks of j
// vertices. A step is an addition, and where walks must not turn back a subtraction and a multiplication
// more.
func walkPool(from func(*inputs) (source, error), route graph.Route, size int) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, err := from(t.inputs)
		if err != nil {
			return nil, err
		}
		p := newPooling(t, s, size, s.batch.Labels)
		p.Route = route
		run, err := p.forward()
		if err != nil {
			return nil, err
		}
		n, q := float64(s.batch.NumVertices()), float64(p.filters)
		passes, factors := float64(size*(size-1)/2), float64(size*(size+1)/2)
		steps := passes * float64(s.batch.NumArcs())
		flops := 1.0
		if route == graph.NonBacktracking {
			flops = 3
		}
		return &task{
			shape: fmt.Sprintf("%s: %.0f steps over arcs, sizes 1 to %d, %d filters", s.from, steps, size, p.filters),
			run:   run,
			units: steps, unit: "steps/s",
			floor: floor{exps32: factors * n * q, flops32: flops * steps * q, bytes: p.scoreBytes() + p.outBytes()},
		}, nil
	}
}

// pathGrad counts like its forward operation. Its floor is to read scores and gradients of the outputs and to write the
// gradients of the scores; the exponentials are taken again. A trie node of paths costs a product, and additions to the
// gradients of its vertex and of the path.
func pathGrad(route graph.Route, byLabel bool, dtype tensor.Dtype) func(t *table) (*task, error) {
	const size = 4
	return func(t *table) (*task, error) {
		s, err := t.inputs.molecules()
		if err != nil {
			return nil, err
		}
		var index []int32
		if byLabel {
			index = s.batch.Labels
		}
		p := newPooling(t, s, size, index)
		p.Route, p.dtype = route, dtype
		scores, out, err := p.tensors()
		if err != nil {
			return nil, err
		}
		r := newRandom("path-grad")
		for j := range out {
			if out[j], err = r.matrix(t.engine, dtype, out[j].Shape()...); err != nil {
				return nil, err
			}
		}
		grad := t.engine.New(dtype, scores.Shape()...)
		n, q := float64(s.batch.NumVertices()), float64(p.filters)
		task := &task{run: func(e engine.Engine) error { return e.PathPoolGrad(grad, nil, out, scores, nil, &p.PathPooling) }}
		var exps, flops float64
		if route == graph.Walks {
			steps := float64(size*(size-1)/2) * float64(s.batch.NumArcs())
			exps, flops = size*(size+1)/2*n*q, 2*steps*q
			task.units, task.unit = steps, "steps/s"
		} else {
			nodes := sum(pathsBySize(s, size))
			exps, flops = float64(p.rows*size)*q, 3*nodes*q
			task.units, task.unit = nodes, "nodes/s"
		}
		task.floor.bytes = 2*p.scoreBytes() + p.outBytes()
		if dtype == tensor.Float64 {
			task.floor.exps64, task.floor.flops64 = exps, flops
		} else {
			task.floor.exps32, task.floor.flops32 = exps, flops
		}
		task.shape = fmt.Sprintf("%s: %d vertices, sizes 1 to %d, %d filters", s.from, s.batch.NumVertices(), size, p.filters)
		return task, nil
	}
}

func pathClasses(t *table) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	b := s.batch
	classes := b.PathClasses(b.Labels, nil, 4, true, false, 1)
	return &task{
		shape: fmt.Sprintf("%s: %d vertices, %d classes of size 4", s.from, b.NumVertices(), len(classes.Roots[3])),
		run: func(e engine.Engine) error {
			b.PathClasses(b.Labels, nil, 4, true, false, e.Workers())
			return nil
		},
		units: sum(pathsBySize(s, 4)), unit: "nodes/s",
	}, nil
}

// pooling is a pooling with the table that it reads.
type pooling struct {
	engine.PathPooling
	engine  engine.Engine
	dtype   tensor.Dtype
	rows    int // of the table of scores
	filters int
}

// filtersOn returns the number of filters for the graphs of s.
func (t *table) filtersOn(s source) int {
	if s.batch.NumGraphs() == 1 {
		return t.sizes.columns
	}
	return t.sizes.filters
}

func newPooling(t *table, s source, size int, index []int32) *pooling {
	p := &pooling{
		PathPooling: engine.PathPooling{Graph: s.batch, Index: index, Size: size, AllLengths: true, Kernel: gramKernel()},
		engine:      t.engine, dtype: tensor.Float32, rows: s.batch.NumVertices(), filters: t.filtersOn(s),
	}
	if index != nil {
		p.rows = s.batch.NumLabels
	}
	return p
}

func (p *pooling) scoreBytes() float64 {
	return float64(p.dtype.Size()) * float64(p.rows*p.Size*p.filters)
}

func (p *pooling) outBytes() float64 {
	return float64(p.dtype.Size()) * float64(p.Graph.NumVertices()*len(p.Lengths())*p.filters)
}

// tensors makes random scores and the outputs.
func (p *pooling) tensors() (scores *tensor.Dense, out []*tensor.Dense, err error) {
	scores, err = newRandom("paths").matrix(p.engine, p.dtype, p.rows, p.Size*p.filters)
	out = make([]*tensor.Dense, len(p.Lengths()))
	for i := range out {
		out[i] = p.engine.New(p.dtype, p.Graph.NumVertices(), p.filters)
	}
	return scores, out, err
}

func (p *pooling) forward() (func(e engine.Engine) error, error) {
	scores, out, err := p.tensors()
	return func(e engine.Engine) error { return e.PathPool(out, scores, nil, &p.PathPooling) }, err
}

// pathsBySize returns the number of paths of 1 to size vertices.
func pathsBySize(s source, size int) []float64 {
	counts := make([]float64, size)
	for j := range counts {
		counts[j] = float64(s.batch.NewPathIndex(j+1, false, 1).Total())
	}
	return counts
}

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}
