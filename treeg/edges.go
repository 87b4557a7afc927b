package treeg

// uses marks the edges that a split uses: those that are a step of a walk of length d which its mask keeps. Splits
// without a step use none.
func (e *explainer) uses(r *rule, subset []int32) []bool {
	used := make([]bool, e.count)
	if r.Length == 0 {
		return used
	}
	op := e.d.operators[r.op]
	n := e.d.batch.NumVertices()
	inside, everywhere := make([]bool, n), make([]bool, n)
	for v := range everywhere {
		everywhere[v] = true
	}
	for _, v := range subset {
		inside[v] = true
	}
	switch r.Walk {
	case Source:
		e.steps(used, r, op.reached(inside, r.Length, true), op.reached(everywhere, r.Length, false))
	case Target:
		e.steps(used, r, op.reached(everywhere, r.Length, true), op.reached(inside, r.Length, false))
	case TargetSource:
		e.steps(used, r, op.reached(inside, r.Length, true), op.reached(inside, r.Length, false))
	case Cycle:
		for _, v := range subset {
			one := make([]bool, n)
			one[v] = true
			e.steps(used, r, op.reached(one, r.Length, true), op.reached(one, r.Length, false))
		}
	}
	return used
}

// reached returns, for 0 to length-1 steps, the vertices that walks of exactly so many steps from the given ones
// reach, or, backwards, from which they reach the given ones.
func (o *operator) reached(from []bool, length int, forward bool) [][]bool {
	steps := &o.out
	if !forward {
		steps = &o.in
	}
	all := [][]bool{from}
	for len(all) < length {
		last, next := all[len(all)-1], make([]bool, len(from))
		for u, there := range last {
			if there {
				for _, v := range steps.col[steps.ptr[u]:steps.ptr[u+1]] {
					next[v] = true
				}
			}
		}
		all = append(all, next)
	}
	return all
}

// steps marks the edges of walks whose first part is among begin and whose rest is among end.
func (e *explainer) steps(used []bool, r *rule, begin, end [][]bool) {
	b := e.d.batch
	for u := range int32(b.NumVertices()) {
		for p := b.RowPtr[u]; p < b.RowPtr[u+1]; p++ {
			kind := 0
			if b.ArcTypes != nil {
				kind = int(b.ArcTypes[p])
			}
			if r.Arcs.Type != AllArcs && r.Arcs.Type != kind {
				continue
			}
			tail, head := u, b.Col[p]
			if r.Arcs.Against {
				tail, head = head, tail
			}
			for t := range r.Length {
				if begin[t][tail] && end[r.Length-1-t][head] {
					used[e.edges[p]] = true
				}
			}
		}
	}
}
