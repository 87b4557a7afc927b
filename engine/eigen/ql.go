package eigen

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine/simd"
)

// sweepsPerValue bounds the QL sweeps for one eigenvalue; two suffice on average (LAPACK dsteqr
// allows 30).
const sweepsPerValue = 60

// negligible reports whether the off-diagonal entry e between the diagonal entries d1 and d2 of a
// tridiagonal matrix of norm about 1 can be set to zero: it is small against its neighbours (LAPACK
// dsteqr) or far below the rounding error of the whole matrix.
func negligible(e, d1, d2 float64) bool {
	const floor = 0x1p-60
	return math.Abs(e) <= floor || e*e <= unitRoundoff*unitRoundoff*math.Abs(d1*d2)
}

// implicitQL computes the eigendecomposition of a small tridiagonal matrix of norm about 1 by QL
// steps with implicit Wilkinson shifts (Golub and Van Loan, algorithm 8.3.3, from the bottom up;
// EISPACK imtql2; LAPACK dsteqr). On entry diagonal has m numbers and offDiagonal m-1, with room for
// one more; on return diagonal holds the eigenvalues, not sorted, and row i of the m x m matrix u,
// leading dimension n, the eigenvector of diagonal[i].
func implicitQL(diagonal, offDiagonal, u []float64, n int) error {
	d, e := diagonal, offDiagonal[:len(diagonal)]
	m := len(d)
	for i := range m {
		row := u[i*n : i*n+m]
		clear(row)
		row[i] = 1
	}
	// QL converges faster, and loses less, where entries grow downwards (LAPACK dsteqr turns to QR
	// otherwise). Eigenvectors of the reversed matrix are the reversed eigenvectors.
	if math.Abs(d[0]) > math.Abs(d[m-1]) {
		slices.Reverse(d)
		slices.Reverse(e[:m-1])
		defer func() {
			for i := range m {
				slices.Reverse(u[i*n : i*n+m])
			}
		}()
	}
	e[m-1] = 0
	space := borrow(2 * m)
	defer space.release()
	c, s := space.take(m), space.take(m)
	for first := range m {
		for sweep := 0; ; sweep++ {
			last := first
			for last < m-1 && !negligible(e[last], d[last], d[last+1]) {
				last++
			}
			if last == first {
				break
			}
			if sweep == sweepsPerValue {
				return ErrNoConvergence
			}
			from := sweepQL(d, e, c, s, first, last)
			simd.Rotate(u[from*n:], n, m, c[from:last], s[from:last])
		}
	}
	return nil
}

// sweepQL does one implicit QL step on the unreduced rows first to last, chasing the bulge upwards. It leaves the
// rotations of rows i and i+1 of the eigenvectors in cosines[i] and sines[i], for i from the returned one to last-1.
func sweepQL(d, e, cosines, sines []float64, first, last int) (from int) {
	e[last] = 0
	g := (d[first+1] - d[first]) / (2 * e[first])
	g = d[last] - d[first] + e[first]/(g+math.Copysign(math.Hypot(g, 1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := last - 1; i >= first; i-- {
		f, b := s*e[i], c*e[i]
		r := length(f, g)
		e[i+1] = r
		if r == 0 {
			d[i+1] -= p
			e[last] = 0
			return i + 1
		}
		inverse := 1 / r
		s, c = f*inverse, g*inverse
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		cosines[i], sines[i] = c, s
	}
	d[first] -= p
	e[first] = g
	e[last] = 0
	return first
}

// length returns sqrt(x^2 + y^2), by the formula where that is safe: it is faster and more accurate
// than math.Hypot.
func length(x, y float64) float64 {
	if square := x*x + y*y; square > 0x1p-900 && square < 0x1p900 {
		return math.Sqrt(square)
	}
	return math.Hypot(x, y)
}
