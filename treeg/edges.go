package treeg

import "slices"

// uses marks the edges that a split uses: those that are a step of a walk of length d which its mask keeps. Splits
// without a step use none.
func (e *explainer) uses(r *rule, subset []int32) []bool {
	used := make([]bool, e.count)
	if r.Length == 0 {
		return used
	}
	op, everyone := e.d.operators[r.op], e.d.numbers[:e.d.batch.NumVertices()]
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
func (e *explainer) steps(used []bool, r *rule, op *operator, begin, end []int32) {
	e.ahead.follow(&op.out, begin, r.Length)
	e.behind.follow(&op.in, end, r.Length)
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
func (e *explainer) arcs(used []bool, r *rule, u int32, heads *reach, after int) {
	b := e.d.batch
	for p := b.RowPtr[u]; p < b.RowPtr[u+1]; p++ {
		kind := 0
		if b.ArcTypes != nil {
			kind = int(b.ArcTypes[p])
		}
		if (r.Arcs.Type == AllArcs || r.Arcs.Type == kind) && heads.steps[b.Col[p]]>>after&1 == 1 {
			used[e.edges[p]] = true
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
