package mpgk

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// sumLevel compares graphs by R-convolution: its rows are the sums of the features of the vertices (Eq. 8), with the
// roots of their weights. A count is the features [x_c >= i] for i = 1, 2, ...; their sum is the number of
// vertices whose count reaches i.
type sumLevel struct {
	n     int
	width int       // of the dense part
	dense []float64 // n x width

	start  []int32 // of the sparse rows
	column []int32 // c
	reach  []int32 // i
	value  []float64
}

func newSumLevel(e engine.Engine, s *state) (*sumLevel, error) {
	l := &sumLevel{n: s.batch.NumGraphs(), width: len(s.scale)}
	l.dense = make([]float64, l.n*l.width)
	classes := s.classesByGraph()
	if len(l.dense) > 0 && s.len() > 0 {
		features := matrix(e, s.dense, s.len(), l.width)
		err := e.SparseMatMul(matrix(e, l.dense, l.n, l.width), classes.multiplicities(s.len()), features)
		if err != nil {
			return nil, err
		}
		for i := range l.dense {
			l.dense[i] *= math.Sqrt(s.scale[i%l.width])
		}
	}
	l.start = make([]int32, 1, l.n+1)
	// By column and i-1: the vertices with just this count, then those that reach it.
	reached := make([][]float64, len(s.counts.weight))
	for g := range l.n {
		var touched []int32
		for _, c := range classes.at(g) {
			column, count := s.counts.row(c)
			for e, c := range column {
				if len(reached[c]) == 0 {
					touched = append(touched, c)
				}
				for len(reached[c]) < int(count[e]) {
					reached[c] = append(reached[c], 0)
				}
				reached[c][count[e]-1]++
			}
		}
		slices.Sort(touched)
		for _, c := range touched {
			r := reached[c]
			for i := len(r) - 2; i >= 0; i-- {
				r[i] += r[i+1]
			}
			for i, n := range r {
				l.column, l.reach = append(l.column, c), append(l.reach, int32(i+1))
				l.value = append(l.value, n*math.Sqrt(s.counts.weight[c]))
			}
			reached[c] = r[:0]
		}
		l.start = append(l.start, int32(len(l.column)))
	}
	return l, nil
}

func (l *sumLevel) self() []float64 {
	sums := make([]float64, l.n)
	for i := range sums {
		for _, v := range l.dense[i*l.width : (i+1)*l.width] {
			sums[i] += v * v
		}
		for _, v := range l.value[l.start[i]:l.start[i+1]] {
			sums[i] += v * v
		}
	}
	return sums
}

func (l *sumLevel) some(graphs []int) level {
	out := &sumLevel{n: len(graphs), width: l.width, start: make([]int32, 1, len(graphs)+1)}
	for _, g := range graphs {
		out.dense = append(out.dense, l.dense[g*l.width:(g+1)*l.width]...)
		from, to := l.start[g], l.start[g+1]
		out.column, out.reach = append(out.column, l.column[from:to]...), append(out.reach, l.reach[from:to]...)
		out.value = append(out.value, l.value[from:to]...)
		out.start = append(out.start, int32(len(out.column)))
	}
	return out
}

func (l *sumLevel) cross(e engine.Engine, other level) (*tensor.Dense, error) {
	o := other.(*sumLevel)
	host := e.Host()
	var out *tensor.Dense
	if l.n == 0 || o.n == 0 || l.width == 0 {
		out = host.New(tensor.Float64, l.n, o.n)
	} else {
		var err error
		dense, n := l.dense, l.n
		if l != o {
			dense, n = padded(dense, n, l.width)
		}
		if out, err = denseProduct(e, dense, o.dense, n, o.n, l.width); err != nil {
			return nil, err
		}
		if n > l.n {
			out = matrix(host, out.Float64s()[:l.n*o.n], l.n, o.n)
		}
	}
	if len(l.value) > 0 && len(o.value) > 0 {
		addSparseProduct(e.Workers(), out.Float64s(), l, o)
	}
	if l == o {
		engine.MirrorUpper(e.Workers(), l.n, out.Float64s())
	}
	return out, nil
}

// rowsTogether is a multiple of the rows that a product computes together on any processor. The sums of the rows that
// are left over may be taken in another order.
const rowsTogether = 24

// padded returns a matrix of n rows with rows of zeros added, so that the products of a row do not depend on how many
// rows there are, and its number of rows.
func padded(x []float64, n, width int) ([]float64, int) {
	rows := (n + rowsTogether - 1) / rowsTogether * rowsTogether
	if rows == n {
		return x, n
	}
	return append(x[:n*width:n*width], make([]float64, (rows-n)*width)...), rows
}

// denseProduct returns A B' for matrices of n and m rows, in host memory.
func denseProduct(e engine.Engine, a, b []float64, n, m, width int) (*tensor.Dense, error) {
	host := e.Host()
	var on [2]*tensor.Dense
	for i, t := range []*tensor.Dense{matrix(host, a, n, width), matrix(host, b, m, width)} {
		var err error
		if on[i], err = engine.FromHost(e, t); err != nil {
			return nil, err
		}
		if on[i] != t {
			defer e.Release(on[i])
		}
	}
	out := e.Scratch(tensor.Float64, n, m)
	if err := e.Gemm(out, on[0], on[1], engine.Gemm{TransB: true, Alpha: 1}); err != nil {
		return nil, err
	}
	return takeHome(e, out)
}

// addSparseProduct adds the inner products of the sparse rows of a and b to out, by an inverted index of b.
func addSparseProduct(workers int, out []float64, a, b *sumLevel) {
	first := firstColumns(a, b)
	index := b.sparse(first).Transpose()
	rows := a.sparse(first)
	parallel.Chunks(workers, a.n, 16, func(from, to int) {
		for i := from; i < to; i++ {
			sums := out[i*b.n : (i+1)*b.n]
			for e := rows.RowPtr[i]; e < rows.RowPtr[i+1]; e++ {
				x, c := rows.Values[e], rows.Col[e]
				for f := index.RowPtr[c]; f < index.RowPtr[c+1]; f++ {
					sums[index.Col[f]] += x * index.Values[f]
				}
			}
		}
	})
}

// firstColumns numbers the features of the sparse rows of some levels: feature i of column c is first[c]+i-1.
func firstColumns(levels ...*sumLevel) []int32 {
	var reach []int32
	for _, l := range levels {
		for e, c := range l.column {
			for len(reach) <= int(c) {
				reach = append(reach, 0)
			}
			reach[c] = max(reach[c], l.reach[e])
		}
	}
	first := make([]int32, 1, len(reach)+1)
	for _, r := range reach {
		first = append(first, first[len(first)-1]+r)
	}
	return first
}

func (l *sumLevel) sparse(first []int32) *engine.Sparse {
	s := &engine.Sparse{Cols: int(first[len(first)-1]), RowPtr: l.start, Values: l.value}
	s.Col = make([]int32, len(l.column))
	for e, c := range l.column {
		s.Col[e] = first[c] + l.reach[e] - 1
	}
	return s
}
