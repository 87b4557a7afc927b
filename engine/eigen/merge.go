package eigen

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine/simd"
)

// rowSide says in which half of a subproblem an eigenvector has entries other than zero.
type rowSide uint8

const (
	firstHalf  rowSide = iota // in the columns of T1
	bothHalves                // in all columns: a rotation mixed eigenvectors of T1 and T2
	secondHalf                // in the columns of T2
	deflated                  // eigenvector of the merged matrix already, left out of the products
	sides      = iota
)

// merge joins the solved halves from..cut-1 and cut..to-1 across the off-diagonal entry b. In the
// basis of the eigenvectors of the halves the matrix is
//
//	diag(d) + rho z z^T
//
// with z the last entries of the first half's eigenvectors and then the first entries of the second's, times
// sign(b), scaled to |z| = 1. Deflation removes the entries that need no change, the secular equation gives
// the rest, and one matrix product a half turns the coefficients into eigenvectors (LAPACK dlaed1).
func (c *conquest) merge(workers, from, cut, to int, b float64) error {
	m, half := to-from, cut-from
	d, z := c.diagonal[from:to], c.z[from:to]
	for i := range m {
		row := c.vectors[(from+i)*c.n : (from+i+1)*c.n]
		if i < half {
			z[i] = row[cut-1] * math.Sqrt2 / 2
		} else {
			z[i] = math.Copysign(1, b) * row[cut] * math.Sqrt2 / 2
		}
	}
	rho := 2 * math.Abs(b)

	remaining := c.deflate(from, cut, to, rho)
	k := len(remaining)
	if k == 0 {
		return nil
	}
	values, weights := c.values[from:from+k], c.weights[from:from+k]
	for i, row := range remaining {
		values[i], weights[i] = d[row], z[row]
	}
	position, count := c.pack(from, cut, to, remaining)

	equation := newSecular(rho, values, weights)
	coefficients := c.coefficients[from*c.n : from*c.n+k*k]
	if err := equation.solve(workers, coefficients, d[:k], position); err != nil {
		return err
	}

	// Rows of the product: first the roots, ascending; then the deflated eigenvectors.
	first, second := count[firstHalf]+count[bothHalves], count[bothHalves]+count[secondHalf]
	packed := c.packed[from*c.n:]
	corner := c.vectors[from*c.n+from:]
	simd.Gemm(workers, false, false, k, half, first, 1, coefficients, k, packed, half, 0, corner, c.n)
	packed = packed[first*half:]
	simd.Gemm(workers, false, false, k, m-half, second, 1, coefficients[count[firstHalf]:], k, packed, m-half, 0,
		corner[half:], c.n)
	packed = packed[second*(m-half):]
	for i := k; i < m; i++ {
		copy(corner[i*c.n:i*c.n+m], packed[(i-k)*m:])
	}

	// The roots ascend; the deflated values are sorted and merged with them.
	ascending := c.ascending[from:to]
	for i := range ascending {
		ascending[i] = i
	}
	slices.SortStableFunc(ascending, func(i, j int) int { return compare(d[i], d[j]) })
	return nil
}

// deflate finds the eigenpairs that the change of rank one leaves alone: those with a negligible
// entry of z, and one of each pair of nearly equal values, after a rotation that makes its entry of
// z zero (LAPACK dlaed2). It returns the other rows of the subproblem with strictly ascending
// values, and sets side of every row. The error it commits is at most a few rounding errors of the
// matrix.
func (c *conquest) deflate(from, cut, to int, rho float64) (remaining []int) {
	d, z := c.diagonal[from:to], c.z[from:to]
	side := c.side[from:to]
	half := cut - from
	for i := range side {
		side[i] = firstHalf
		if i >= half {
			side[i] = secondHalf
		}
	}
	order := c.mergedOrder(from, cut, to)
	largest, largestZ := 0.0, 0.0
	for i := range d {
		largest, largestZ = max(largest, math.Abs(d[i])), max(largestZ, math.Abs(z[i]))
	}
	tolerance := 8 * unitRoundoff * max(largest, largestZ)
	remaining = c.rows[from:from]
	if rho*largestZ <= tolerance {
		copy(c.ascending[from:to], order)
		return remaining
	}
	for _, row := range order {
		if rho*math.Abs(z[row]) <= tolerance {
			side[row] = deflated
			continue
		}
		if len(remaining) == 0 {
			remaining = append(remaining, row)
			continue
		}
		previous := remaining[len(remaining)-1]
		both := length(z[row], z[previous])
		cos, sin := z[row]/both, z[previous]/both
		if math.Abs((d[row]-d[previous])*cos*sin) > tolerance {
			remaining = append(remaining, row)
			continue
		}
		z[row], z[previous] = both, 0
		lower, upper := d[previous], d[row]
		d[previous] = lower*(cos*cos) + upper*(sin*sin)
		d[row] = lower*(sin*sin) + upper*(cos*cos)
		x := c.vectors[(from+previous)*c.n+from : (from+previous)*c.n+to]
		y := c.vectors[(from+row)*c.n+from : (from+row)*c.n+to]
		rotate(x, y, cos, sin)
		if side[row] != side[previous] {
			side[row] = bothHalves
		}
		side[previous] = deflated
		remaining[len(remaining)-1] = row
	}
	return remaining
}

// mergedOrder returns the ascending order of the values of both halves, as rows of the subproblem.
func (c *conquest) mergedOrder(from, cut, to int) []int {
	d, order := c.diagonal[from:to], c.order[from:from]
	first, second, half := c.ascending[from:cut], c.ascending[cut:to], cut-from
	for len(first) > 0 || len(second) > 0 {
		if len(second) == 0 || len(first) > 0 && d[first[0]] <= d[half+second[0]] {
			order = append(order, first[0])
			first = first[1:]
		} else {
			order = append(order, half+second[0])
			second = second[1:]
		}
	}
	return order
}

// pack copies the eigenvectors of the halves out of the way of the product: those of remaining with
// entries in the first half, those with entries in the second half, and the deflated ones, whose
// values move to d[len(remaining):] as well. It returns how many rows are on each side, and the position
// of each row of remaining among the coefficients: first half, both, second half.
func (c *conquest) pack(from, cut, to int, remaining []int) (position []int, count [sides]int) {
	m, half, k := to-from, cut-from, len(remaining)
	d, side := c.diagonal[from:to], c.side[from:to]
	var next [sides]int
	for _, row := range remaining {
		count[side[row]]++
	}
	next[bothHalves] = count[firstHalf]
	next[secondHalf] = count[firstHalf] + count[bothHalves]
	first, second := count[firstHalf]+count[bothHalves], count[bothHalves]+count[secondHalf]

	forFirst := c.packed[from*c.n:]
	forSecond := forFirst[first*half:]
	forDeflated := forSecond[second*(m-half):]
	position = make([]int, k)
	for i, row := range remaining {
		at := next[side[row]]
		next[side[row]]++
		position[i] = at
		vector := c.vectors[(from+row)*c.n+from : (from+row)*c.n+to]
		if side[row] != secondHalf {
			copy(forFirst[at*half:(at+1)*half], vector)
		}
		if side[row] != firstHalf {
			at -= count[firstHalf]
			copy(forSecond[at*(m-half):(at+1)*(m-half)], vector[half:])
		}
	}
	moved := c.weights[from+k : to]
	at := 0
	for row := range m {
		if side[row] == deflated {
			vector := c.vectors[(from+row)*c.n+from : (from+row)*c.n+to]
			copy(forDeflated[at*m:(at+1)*m], vector)
			moved[at] = d[row]
			at++
		}
	}
	copy(d[k:], moved)
	return position, count
}

// rotate does (x, y) = (c x - s y, s x + c y).
func rotate(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, xi := range x {
		yi := y[i]
		x[i] = c*xi - s*yi
		y[i] = s*xi + c*yi
	}
}
