package mpgk

import (
	"math"

	"github.com/grove-graph/grove/svm"
)

// rows returns the graphs as rows whose products are their kernel after t iterations, within the rounding of entries to
// float32. What no other graph has in a column of counts is left out, but for its length.
func (g *Graphs) rows(t int) *svm.Sparse {
	x := &svm.Sparse{RowPtr: make([]int, 1, g.n+1), Column: []int32{}, Value: []float32{}, Alone: make([]float64, g.n)}
	var levels []expansion
	for s := range g.levels[:t+1] {
		if g.counts(s, t) {
			levels = append(levels, g.levels[s].expand())
		}
	}
	for i := range g.n {
		first := 0
		for _, l := range levels {
			x.Alone[i] += l.each(i, func(column int, value float64) {
				x.Column, x.Value = append(x.Column, int32(first+column)), append(x.Value, float32(value))
			})
			first += l.columns()
		}
		x.RowPtr, x.Columns = append(x.RowPtr, len(x.Column)), first
	}
	if g.opt.Normalise {
		x.Scale = inverseRoots(g.self(t))
		for i, r := range x.Scale {
			x.Alone[i] *= r * r
		}
	}
	return x
}

// expansion has the graphs of a level as vectors.
type expansion interface {
	columns() int
	// each calls visit with the entries of a graph and returns the squared length of what no other graph has.
	each(graph int, visit func(column int, value float64)) (alone float64)
}

// unary expands omega min(m, n) = sum_i omega [m >= i] [n >= i]: a node has a column for every count that two graphs
// reach.
type unary struct {
	histogramLevel
	first []int   // column of each node
	reach []int32 // the second largest count of each
}

func (l histogramLevel) expand() expansion {
	u := &unary{histogramLevel: l, first: make([]int, l.Cols+1), reach: make([]int32, l.Cols)}
	most := make([]int32, l.Cols)
	for e, node := range l.Col {
		switch count := l.count(e); {
		case count > most[node]:
			most[node], u.reach[node] = count, most[node]
		case count > u.reach[node]:
			u.reach[node] = count
		}
	}
	for node, reach := range u.reach {
		u.first[node+1] = u.first[node] + int(reach)
	}
	return u
}

func (u *unary) columns() int { return u.first[u.Cols] }

func (u *unary) each(graph int, visit func(column int, value float64)) (alone float64) {
	for e := u.RowPtr[graph]; e < u.RowPtr[graph+1]; e++ {
		node, count := u.Col[e], u.count(int(e))
		root := math.Sqrt(u.omega[node])
		for i := range min(count, u.reach[node]) {
			visit(u.first[node]+int(i), root)
		}
		alone += u.omega[node] * float64(max(count-u.reach[node], 0))
	}
	return alone
}

// sums are the rows of a level that is a product already.
type sums struct {
	*sumLevel
	first []int32 // column of the first count of a column of sparse rows
}

func (l *sumLevel) expand() expansion { return &sums{l, firstColumns(l)} }

func (l *sums) columns() int { return l.width + int(l.first[len(l.first)-1]) }

func (l *sums) each(graph int, visit func(column int, value float64)) (alone float64) {
	for c, v := range l.dense[graph*l.width : (graph+1)*l.width] {
		if v != 0 {
			visit(c, v)
		}
	}
	for e := l.start[graph]; e < l.start[graph+1]; e++ {
		visit(l.width+int(l.first[l.column[e]]+l.reach[e]-1), l.value[e])
	}
	return 0
}
