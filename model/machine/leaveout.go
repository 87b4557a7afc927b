package machine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// leavingOut explains predictions of vertices by what becomes of them without others. The importance of another vertex
// is the change of the decision for the predicted class when that vertex loses its arcs; of the vertex itself when it
// shows nothing: the mean of every attribute and a label of its own. Importances have sum 1.
type leavingOut struct {
	model model.Model
	reach int // arcs that a vertex sees
	// decide returns how much every vertex of d speaks for a class of the head, or its value in a regression.
	decide func(ctx context.Context, d *dataset.Dataset, class int) ([]float64, error)
}

const (
	mostLeftOut  = 100     // vertices around an example, the nearest
	leaveOutSize = 1 << 22 // numbers in the copies of its surroundings that are decided at a time
)

func (l *leavingOut) explain(
	ctx context.Context, d *dataset.Dataset, examples []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	if opt.Method != "" && opt.Method != model.Importance {
		return nil, fmt.Errorf("vertices are explained by their importance, not by %s", opt.Method)
	}
	said, err := l.model.Predict(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	near, cutter := newSurroundings(d.Batch), d.Batch.Neighbourhoods()
	mean, out := means(d.Batch), make([]model.Explanation, len(examples))
	for i, v := range examples {
		opt.Progress.Report("explain", i, len(examples))
		g := sort.Search(d.NumGraphs(), func(g int) bool { return int(d.Batch.Offsets[g+1]) > v })
		x := &out[i]
		*x = model.Explanation{Graph: g, Predicted: -1}
		if said.Classes == nil {
			x.Value = &said.Values.Float64s()[v]
		} else {
			x.Predicted = said.Classes[v]
		}
		// One arc more than the vertex sees: what is at the border has its degree.
		all, inner := near.of(int32(v), l.reach+1)
		sub, at, _ := cutter.Of(all, 0)
		inner = min(inner, mostLeftOut)
		changes, err := l.changes(ctx, d, &copies{of: sub, mean: mean}, at[:inner], x.Predicted)
		if err != nil {
			return nil, err
		}
		first, past := d.Batch.Vertices(g)
		x.Vertices = make([]float64, past-first)
		for k, change := range changes {
			x.Vertices[all[k]-first] = change
		}
		x.Seen = x.Vertices
	}
	opt.Progress.Report("explain", len(examples), len(examples))
	return out, nil
}

// changes returns the importance of some vertices of a graph for the first of them.
func (l *leavingOut) changes(
	ctx context.Context, d *dataset.Dataset, around *copies, vertices []int32, class int,
) ([]float64, error) {
	n := around.of.NumVertices()
	run := max(leaveOutSize/(n*(around.of.AttributeDim+1)), 1)
	said := make([]float64, 0, len(vertices)+1) // of the first vertex: as it is, then without each
	for len(said) <= len(vertices) {
		some := &copies{of: around.of, mean: around.mean}
		for k := len(said); k <= len(vertices) && some.count < run; k++ {
			switch k {
			case 0:
				some.add(-1, -1)
			case 1:
				some.add(-1, vertices[0])
			default:
				some.add(vertices[k-1], -1)
			}
		}
		decided, err := l.decide(ctx, some.dataset(d), class)
		if err != nil {
			return nil, err
		}
		for k := range some.count {
			said = append(said, decided[k*n+int(vertices[0])])
		}
	}
	changes, total := said[1:], 0.0
	for k := range changes {
		changes[k] = math.Abs(changes[k] - said[0])
		total += changes[k]
	}
	for k := range changes {
		if changes[k] /= total; !(total > 0) {
			changes[k] = 1 / float64(len(changes))
		}
	}
	return changes, ctx.Err()
}

// surroundings finds the vertices near others, along arcs in either direction.
type surroundings struct {
	batch    *graph.Batch
	entering [][]int32 // of a directed batch
}

func newSurroundings(b *graph.Batch) *surroundings {
	s := &surroundings{batch: b}
	if b.Directed {
		s.entering = make([][]int32, b.NumVertices())
		for u := range int32(b.NumVertices()) {
			for _, w := range b.Neighbors(u) {
				s.entering[w] = append(s.entering[w], u)
			}
		}
	}
	return s
}

// of returns the vertices within some arcs of v, nearest first, and how many of them are within one arc less.
func (s *surroundings) of(v int32, hops int) (found []int32, inner int) {
	found, distance := []int32{v}, map[int32]int{v: 0}
	visit := func(u int32, from int) {
		if _, seen := distance[u]; !seen {
			distance[u] = from + 1
			found = append(found, u)
		}
	}
	for at := 0; at < len(found) && distance[found[at]] < hops; at++ {
		inner++
		u := found[at]
		for _, w := range s.batch.Neighbors(u) {
			visit(w, distance[u])
		}
		if s.entering != nil {
			for _, w := range s.entering[u] {
				visit(w, distance[u])
			}
		}
	}
	return found, inner
}

// means returns the mean of every column of the attributes.
func means(b *graph.Batch) []float64 {
	mean, n := make([]float64, b.AttributeDim), float64(b.NumVertices())
	for u := range int32(b.NumVertices()) {
		for j, v := range b.Attribute(u) {
			mean[j] += v / n
		}
	}
	return mean
}

// copies are copies of one graph, changed a little.
type copies struct {
	of    *graph.Batch
	mean  []float64
	count int
	batch graph.Batch
}

// add adds a copy in which the vertex lone has no arcs and the vertex blank shows nothing; -1 stands for none.
func (c *copies) add(lone, blank int32) {
	b, to := c.of, &c.batch
	n, shift := int32(b.NumVertices()), int32(c.count*b.NumVertices())
	if c.count == 0 {
		to.Directed, to.Offsets, to.RowPtr = b.Directed, []int32{0}, []int32{0}
		to.NumLabels, to.AttributeDim = b.NumLabels+1, b.AttributeDim
		if b.Labels == nil {
			to.NumLabels = 0
		}
	}
	c.count++
	to.Labels = append(to.Labels, b.Labels...)
	to.Attributes = append(to.Attributes, b.Attributes...)
	if blank >= 0 {
		if b.Labels != nil {
			to.Labels[shift+blank] = int32(b.NumLabels)
		}
		copy(to.Attributes[int(shift+blank)*b.AttributeDim:], c.mean)
	}
	for u := range n {
		for e := b.RowPtr[u]; e < b.RowPtr[u+1]; e++ {
			w := b.Col[e]
			if u == lone || w == lone {
				continue
			}
			to.Col = append(to.Col, w+shift)
			if b.ArcLabels != nil {
				to.ArcLabels = append(to.ArcLabels, b.ArcLabels[e])
			}
			if b.ArcWeights != nil {
				to.ArcWeights = append(to.ArcWeights, b.ArcWeights[e])
			}
			if b.ArcTypes != nil {
				to.ArcTypes = append(to.ArcTypes, b.ArcTypes[e])
			}
		}
		to.RowPtr = append(to.RowPtr, int32(len(to.Col)))
	}
	to.Offsets = append(to.Offsets, shift+n)
}

// dataset returns the copies as a data set like d. The label of vertices that show nothing has a code that none has.
func (c *copies) dataset(d *dataset.Dataset) *dataset.Dataset {
	like := &dataset.Dataset{Name: d.Name, Task: d.Task, Batch: &c.batch, ClassNames: d.ClassNames,
		TargetNames: d.TargetNames, ArcLabelNames: d.ArcLabelNames}
	if c.batch.Labels != nil {
		like.LabelCodes = append(slices.Clone(d.LabelCodes), "")
		like.LabelNames = append(slices.Clone(d.LabelNames), "")
	}
	if c.of.ArcLabels != nil && c.batch.ArcLabels == nil {
		c.batch.ArcLabels = []int32{}
	}
	return like
}

// towards returns how much the decisions speak for a class.
func towards(said *model.Predictions, class int) []float64 {
	decisions, columns := said.Decisions.Float64s(), said.Decisions.Shape()[1]
	out := make([]float64, len(decisions)/columns)
	for i := range out {
		switch {
		case columns > 1:
			out[i] = decisions[i*columns+class]
		case class == 1:
			out[i] = decisions[i]
		default:
			out[i] = -decisions[i]
		}
	}
	return out
}

// speaksFor returns how much the rows of a kernel matrix with the training speak for a class: the sum of its machines
// against each other class. In a regression it is the value.
func (m onKernel) speaksFor(k *tensor.Dense, class int) ([]float64, error) {
	if m.Regressor != nil {
		return m.Regressor.Predict(k)
	}
	columns := k.Shape()[1]
	coef, constant := speakingFor(m.Classifier, slices.Index(m.Classifier.Classes, class), columns)
	out := make([]float64, k.Shape()[0])
	for i := range out {
		out[i] = constant
		for j, v := range k.Float64s()[i*columns : (i+1)*columns] {
			out[i] += coef[j] * v
		}
	}
	return out, nil
}
