package engine

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

// factors turn the exponential of a sum into a product. Every row of the table of scores has, for each position i and
// each pooled length j from i on, the factor exp(scale_j s_i + shift_j / j), and the kernel value of a path of j
// vertices is the product of j factors. So the search takes products in place of exponentials, and adds up the factors
// of the vertices that end a path before it multiplies them by what these paths share.
//
// Scores of unit rows are at most 1. Their factors are too, and no product is zero unless the value of the path is;
// rows with larger factors are left to the exponentials.
type factors[T simd.Float] struct {
	*pathPool[T]
	table []T
	width int   // of a row of the table
	start []int // by position: of its factors in a row, length by length
}

// newFactors returns the factors of all rows, or nil where they do not pay or cannot be used. They do not pay in
// float32, whose exponentials take hardly longer than the loads and stores of a product, and for rows of single
// vertices, which need about as many exponentials as their paths, unless ranks tell to take products in any case.
func (p *pathPool[T]) newFactors(workers int) *factors[T] {
	rows := len(p.scores) / max(p.Size*p.q, 1)
	_, double := any(p.scores).([]float64)
	if !double || p.Pool == Max || p.Index == nil || p.Ranks == nil && rows*p.Size > p.Graph.NumVertices() {
		return nil
	}
	f := &factors[T]{pathPool: p, start: make([]int, p.Size+2)}
	for i := 1; i <= p.Size; i++ {
		f.start[i] = f.width
		for _, j := range p.Lengths() {
			if j >= i {
				f.width += p.q
			}
		}
	}
	f.start[p.Size+1] = f.width
	f.table = make([]T, rows*f.width)
	parallel.For(workers, rows, func(r int) {
		for i := 1; i <= p.Size; i++ {
			dst := f.at(r, i)
			score := p.scores[(r*p.Size+i-1)*p.q : (r*p.Size+i)*p.q]
			for _, j := range p.Lengths() {
				if j >= i {
					simd.Exp(dst[:p.q], score, p.scale[j], p.shift[j]/T(j))
					dst = dst[p.q:]
				}
			}
		}
	})
	limit := T(math.Exp(1 / float64(p.Size)))
	for _, x := range f.table {
		if x > limit {
			return nil
		}
	}
	return f
}

// at returns the factors of a row at position i.
func (f *factors[T]) at(row, i int) []T {
	return f.table[row*f.width+f.start[i] : row*f.width+f.start[i+1]]
}

// split divides what there is for each pooled length from j on into that for j, nil if it is not pooled, and the rest.
func (f *factors[T]) split(of []T, j int) (own, longer []T) {
	if f.out[j] == nil {
		return nil, of
	}
	return of[:f.q], of[f.q:]
}

// products is the state of a search that multiplies factors.
type products[T simd.Float] struct {
	*pathPool[T]
	factors *factors[T]
	path    []int32 // current path
	product [][]T   // by size: of the factors of the current path, for each pooled length above it
	ends    [][]T   // by size: factors of the last vertices of paths that share all but these
	acc     [][]T   // by size: pooled kernel values
	count   []float64
	limit   int
}

func newProducts[T simd.Float](f *factors[T]) *products[T] {
	n := f.Size + 1
	return &products[T]{
		pathPool: f.pathPool, factors: f, path: make([]int32, f.Size), count: make([]float64, n),
		product: vectors[T](n, len(f.Lengths())*f.q), ends: vectors[T](n, f.q), acc: vectors[T](n, f.q),
	}
}

func (t *products[T]) result(j int) ([]T, float64) { return t.acc[j], t.count[j] }

func (t *products[T]) pool(root int32, limit int) {
	t.limit = limit
	clear(t.count)
	for j := 2; j <= limit; j++ {
		clear(t.acc[j])
	}
	own, longer := t.factors.split(t.factors.at(t.row(root), 1), 1)
	copy(t.acc[1], own)
	t.count[1] = 1
	t.step(root, 1, longer)
}

// step appends v as the j-th vertex and pools the paths that go on from there. product is that of the factors of the
// path, for each pooled length above j.
func (t *products[T]) step(v int32, j int, product []T) {
	if j == t.limit {
		return
	}
	t.path[j-1] = v
	j++
	shared, product := t.factors.split(product, j)
	var ends []T
	path := t.path[:j-1]
next:
	for _, w := range t.Graph.Neighbors(v) {
		for _, u := range path {
			if u == w {
				continue next
			}
		}
		t.count[j]++
		own, longer := t.factors.split(t.factors.at(t.row(w), j), j)
		switch {
		case own == nil:
		case ends == nil:
			ends = own
		default:
			simd.Add(t.ends[j], ends, own)
			ends = t.ends[j]
		}
		if j < t.limit {
			extended := t.product[j][:len(longer)]
			simd.Mul(extended, product, longer)
			t.step(w, j, extended)
		}
	}
	if ends != nil {
		simd.MulAdd(t.acc[j], shared, ends)
	}
}
