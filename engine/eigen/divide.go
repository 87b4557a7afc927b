package eigen

import (
	"math"
	"slices"
	"sync"
)

const (
	// leafOrder is the largest block that implicit QL solves.
	leafOrder = 32
	// parallelOrder is the smallest block whose halves are solved at the same time.
	parallelOrder = 256
)

// conquest is the state of divide and conquer on one tridiagonal matrix of order n. A subproblem
// owns the indices from..to-1 of every slice and the square block of those rows and columns of
// vectors, so that subproblems share nothing.
type conquest struct {
	n           int
	diagonal    []float64 // on return of a subproblem its eigenvalues, in the order of the rows of vectors
	offDiagonal []float64
	vectors     []float64 // n x n, row i is the eigenvector of diagonal[i]
	ascending   []int     // ascending order of a solved subproblem: row numbers less its first one

	// Workspace: two n x n matrices, of which a subproblem of order m uses the first m*m numbers of its
	// rows, and vectors of n numbers.
	packed, coefficients []float64
	z, values, weights   []float64
	order, rows          []int
	side                 []rowSide
}

// solveTridiagonal computes the eigendecomposition of the symmetric tridiagonal matrix with the
// given diagonal (n numbers) and off-diagonal (n-1 numbers, and room for one). On return diagonal
// holds the eigenvalues in ascending order and row j of the n x n result the eigenvector of the
// j-th; offDiagonal is undefined.
//
// The matrix is cut into unreduced blocks, each is scaled to norm about 1 (as in LAPACK dstedc), and
// divide and conquer solves it.
func solveTridiagonal(workers int, diagonal, offDiagonal []float64) ([]float64, error) {
	n := len(diagonal)
	space := borrow(n * n)
	defer space.release()
	c := &conquest{
		n: n, diagonal: diagonal, offDiagonal: offDiagonal,
		vectors: space.take(n * n), ascending: make([]int, n),
	}
	clear(c.vectors)
	if n > leafOrder {
		c.packed, c.coefficients = make([]float64, n*n), make([]float64, n*n)
		c.z, c.values, c.weights = make([]float64, n), make([]float64, n), make([]float64, n)
		c.order, c.rows, c.side = make([]int, n), make([]int, n), make([]rowSide, n)
	}
	for from := 0; from < n; {
		to := from + 1
		for to < n && !negligible(offDiagonal[to-1], diagonal[to-1], diagonal[to]) {
			to++
		}
		if err := c.solveBlock(workers, from, to); err != nil {
			return nil, err
		}
		from = to
	}
	return c.sorted(), nil
}

// solveBlock scales the unreduced block from..to-1 and solves it.
func (c *conquest) solveBlock(workers, from, to int) error {
	if to-from == 1 {
		c.vectors[from*c.n+from] = 1
		return nil
	}
	norm := 0.0
	for i := from; i < to; i++ {
		norm = max(norm, math.Abs(c.diagonal[i]))
		if i+1 < to {
			norm = max(norm, math.Abs(c.offDiagonal[i]))
		}
	}
	_, exponent := math.Frexp(norm)
	multiplyByPowerOfTwo(c.diagonal[from:to], -exponent)
	multiplyByPowerOfTwo(c.offDiagonal[from:to-1], -exponent)
	err := c.solve(workers, from, to)
	multiplyByPowerOfTwo(c.diagonal[from:to], exponent)
	return err
}

// solve computes the eigendecomposition of the block from..to-1 by Cuppen's method: with b the
// off-diagonal entry at the cut,
//
//	T = diag(T1, T2) + |b| v v^T,  v = (0, ..., 0, 1, sign(b), 0, ..., 0)^T,
//
// where |b| is taken off the last diagonal entry of T1 and the first of T2. Both halves are solved,
// and merge finds the eigendecomposition of a diagonal matrix plus one of rank one.
func (c *conquest) solve(workers, from, to int) error {
	if to-from <= leafOrder {
		corner := c.vectors[from*c.n+from:]
		if err := implicitQL(c.diagonal[from:to], c.offDiagonal[from:to], corner, c.n); err != nil {
			return err
		}
		ascending, d := c.ascending[from:to], c.diagonal[from:to]
		for i := range ascending {
			ascending[i] = i
		}
		slices.SortStableFunc(ascending, func(i, j int) int { return compare(d[i], d[j]) })
		return nil
	}

	cut := from + (to-from)/2
	b := c.offDiagonal[cut-1]
	c.diagonal[cut-1] -= math.Abs(b)
	c.diagonal[cut] -= math.Abs(b)
	var first, second error
	if workers > 1 && to-from >= parallelOrder {
		var wait sync.WaitGroup
		wait.Add(1)
		go func() {
			defer wait.Done()
			first = c.solve(workers-workers/2, from, cut)
		}()
		second = c.solve(workers/2, cut, to)
		wait.Wait()
	} else {
		first = c.solve(workers, from, cut)
		second = c.solve(workers, cut, to)
	}
	if first != nil {
		return first
	}
	if second != nil {
		return second
	}
	return c.merge(workers, from, cut, to, b)
}

// sorted brings the eigenvalues of all blocks into ascending order and returns their eigenvectors in
// the same order.
func (c *conquest) sorted() []float64 {
	order := c.ascending
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return compare(c.diagonal[i], c.diagonal[j]) })
	values := make([]float64, c.n)
	vectors := c.packed
	if vectors == nil {
		vectors = make([]float64, c.n*c.n)
	}
	for j, row := range order {
		values[j] = c.diagonal[row]
		copy(vectors[j*c.n:(j+1)*c.n], c.vectors[row*c.n:(row+1)*c.n])
	}
	copy(c.diagonal, values)
	return vectors
}

// compare orders finite numbers for the slices package.
func compare(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
