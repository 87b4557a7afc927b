package walks

import (
	"slices"

	"github.com/grove-graph/grove/graph"
)

// Edges tells which edges of a batch splits use. It is for one goroutine.
type Edges struct {
	d     *Data
	Of    []int32 // of each arc, the number of its edge
	Count int     // of edges

	ahead, behind reach // of the walks of a split
}

// NewEdges numbers the edges of a batch.
func NewEdges(d *Data) *Edges {
	e := &Edges{d: d}
	e.Of, e.Count = edgesOf(d.Batch)
	e.ahead.steps, e.behind.steps = make([]uint32, d.Batch.NumVertices()), make([]uint32, d.Batch.NumVertices())
	return e
}

// edgesOf numbers the edges of a batch: an arc each where it is directed, else an arc and its reverse together.
func edgesOf(b *graph.Batch) (edge []int32, count int) {
	edge = make([]int32, b.NumArcs())
	typeOf := func(p int32) int32 {
		if b.ArcTypes == nil {
			return 0
		}
		return b.ArcTypes[p]
	}
	type key struct{ u, v, kind int32 }
	known := map[key]int32{}
	for u := range int32(b.NumVertices()) {
		for p := b.RowPtr[u]; p < b.RowPtr[u+1]; p++ {
			k := key{u, b.Col[p], typeOf(p)}
			if !b.Directed && k.u > k.v {
				k.u, k.v = k.v, k.u
			}
			number, there := known[k]
			if !there {
				number = int32(count)
				known[k] = number
				count++
			}
			edge[p] = number
		}
	}
	return edge, count
}

// Uses marks the edges that a split uses: those that are a step of a walk of length d which its mask keeps. Splits
// without a step use none.
func (e *Edges) Uses(r *Rule, subset []int32) []bool {
	used := make([]bool, e.Count)
	if r.Length == 0 {
		return used
	}
	op, everyone := e.d.Operators[r.Op], e.d.numbers[:e.d.Batch.NumVertices()]
	begin, end := everyone, everyone
	switch r.Walk {
	case Source:
		begin = subset
	case Target:
		end = subset
	case TargetSource:
		begin, end = subset, subset
	case Cycle:
		for i := range subset {
			e.steps(used, r, op, subset[i:i+1], subset[i:i+1])
		}
		return used
	}
	e.steps(used, r, op, begin, end)
	return used
}

// steps marks the edges of all walks that begin and end in the given vertices.
func (e *Edges) steps(used []bool, r *Rule, op *operator, begin, end []int32) {
	e.ahead.follow(&op.Out, begin, r.Length)
	e.behind.follow(&op.In, end, r.Length)
	tails, heads := &e.ahead, &e.behind // of the arcs that the steps go over
	if r.Arcs.Against {
		tails, heads = heads, tails
	}
	for t := range r.Length {
		for _, u := range tails.after[t] {
			e.arcs(used, r, u, heads, r.Length-1-t)
		}
	}
}

// arcs marks the edges of those arcs that leave u whose head is among what was reached after so many steps.
func (e *Edges) arcs(used []bool, r *Rule, u int32, heads *reach, after int) {
	b := e.d.Batch
	for p := b.RowPtr[u]; p < b.RowPtr[u+1]; p++ {
		kind := 0
		if b.ArcTypes != nil {
			kind = int(b.ArcTypes[p])
		}
		if (r.Arcs.Type == AllArcs || r.Arcs.Type == kind) && heads.steps[b.Col[p]]>>after&1 == 1 {
			used[e.Of[p]] = true
		}
	}
}

// reach holds the vertices that walks from some vertices come to.
type reach struct {
	after [][]int32 // for 0, 1, ... steps
	steps []uint32  // by vertex: bit t for walks of exactly t steps
}

// follow finds where walks of 0 to length-1 steps from the given vertices end.
func (r *reach) follow(arcs *rows, from []int32, length int) {
	for _, vertices := range r.after {
		for _, v := range vertices {
			r.steps[v] = 0
		}
	}
	r.after = append(r.after[:0], slices.Clone(from))
	for _, v := range from {
		r.steps[v] = 1
	}
	for t := 1; t < length; t++ {
		var next []int32
		for _, u := range r.after[t-1] {
			for _, v := range arcs.col[arcs.ptr[u]:arcs.ptr[u+1]] {
				if r.steps[v]>>t&1 == 0 {
					r.steps[v] |= 1 << t
					next = append(next, v)
				}
			}
		}
		r.after = append(r.after, next)
	}
}
