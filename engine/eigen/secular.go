package eigen

import (
	"fmt"
	"math"
)

// secular is the eigenproblem of diag(d) + rho z z^T with d strictly ascending, every z_i other than
// zero and rho > 0. Its eigenvalues are the k roots of the secular equation
//
//	f(x) = 1/rho + sum_i z_i^2 / (d_i - x) = 0,
//
// one in each interval (d_j, d_(j+1)) and the last in (d_(k-1), d_(k-1) + rho |z|^2).
type secular struct {
	rho     float64
	d, z    []float64
	squared float64 // |z|^2
}

// secularGrain is the least number of roots worth a goroutine.
const secularGrain = 32

func newSecular(rho float64, d, z []float64) *secular {
	s := &secular{rho: rho, d: d, z: z}
	for _, x := range z {
		s.squared += x * x
	}
	return s
}

// solve writes the ascending roots to values and eigenvector j to row j of vectors (k x k), where
// entry i of the eigenvector goes to column position[i]. It overwrites z.
//
// The differences d_i - x_j are computed to full relative accuracy. The vector z^ for which the
// computed roots are exact (Loewner's formula)
//
//	z^_i^2 = prod_j (x_j - d_i) / prod_(j != i) (d_j - d_i) / rho
//
// then gives eigenvectors z^_i / (d_i - x_j) that are orthogonal however close the roots are (Gu and
// Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995; LAPACK dlaed3).
func (s *secular) solve(workers int, vectors, values []float64, position []int) error {
	k := len(s.d)
	failed := make([]bool, k)
	overRows(workers, k, secularGrain, func(from, to int) {
		for j := from; j < to; j++ {
			var ok bool
			values[j], ok = s.root(j, vectors[j*k:(j+1)*k])
			failed[j] = !ok
		}
	})
	for j, bad := range failed {
		if bad {
			return fmt.Errorf("root %d of %d of the secular equation: %w", j, k, ErrNoConvergence)
		}
	}

	overRows(workers, k, secularGrain, func(from, to int) {
		s.reconstruct(from, to, vectors)
	})

	overRows(workers, k, secularGrain, func(from, to int) {
		unordered := make([]float64, k)
		for j := from; j < to; j++ {
			row := vectors[j*k : (j+1)*k]
			sum := 0.0
			for i, z := range s.z {
				x := z / row[i]
				unordered[i] = x
				sum += x * x
			}
			scale := 1 / math.Sqrt(sum)
			for i, at := range position {
				row[at] = unordered[i] * scale
			}
		}
	})
	return nil
}

// reconstruct replaces z_i for from <= i < to by z^_i up to a common factor. Row j of differences
// holds d_i - x_j.
func (s *secular) reconstruct(from, to int, differences []float64) {
	k := len(s.d)
	d := s.d[from:to]
	product := make([]float64, to-from)
	for i := range product {
		product[i] = differences[(from+i)*k+from+i]
	}
	for j, dj := range s.d {
		row := differences[j*k+from : j*k+to]
		if j >= from && j < to {
			own := j - from
			multiplyRatios(product[:own], row[:own], d[:own], dj)
			multiplyRatios(product[own+1:], row[own+1:], d[own+1:], dj)
			continue
		}
		multiplyRatios(product, row, d, dj)
	}
	for i, x := range product {
		s.z[from+i] = math.Copysign(math.Sqrt(math.Abs(x)), s.z[from+i])
	}
}

// multiplyRatios does product_i *= row_i / (d_i - dj).
func multiplyRatios(product, row, d []float64, dj float64) {
	row, d = row[:len(product)], d[:len(product)]
	for i := range product {
		product[i] *= row[i] / (d[i] - dj)
	}
}

// root returns root j and fills difference with d_i - root. It iterates on the distance x of the
// root from the nearer end of its interval, so that differences suffer no cancellation (LAPACK
// dlaed4). Each step interpolates the sums of the poles on either side by a rational function with
// one pole (the middle way of R.-C. Li, LAPACK Working Note 89); a bracket of the root guards it.
func (s *secular) root(j int, difference []float64) (value float64, ok bool) {
	k := len(s.d)
	if k == 1 {
		shift := s.rho * s.squared
		difference[0] = -shift
		return s.d[0] + shift, true
	}
	// The poles on either side of the root; for the last root both lie below it.
	left, right := j, j+1
	last := right == k
	if last {
		left, right = k-2, k-1
	}

	origin := left
	lower, upper := 0.0, (s.d[right]-s.d[left])/2
	x := upper
	if last {
		origin = right
		upper = s.rho * s.squared * (1 + 8*unitRoundoff)
		x = upper / 2
	}
	s.shift(difference, origin)
	f := s.evaluate(difference, left, x)
	switch {
	case last && f.value < 0:
		lower = x
	case last || f.value >= 0:
		upper = x
	default:
		origin = right
		lower, upper = -upper, 0
		x = lower
		s.shift(difference, origin)
		f = s.evaluate(difference, left, x)
	}

	// The first step takes the two nearest poles exactly and the others as constant.
	poleL, poleR := difference[left]-x, difference[right]-x
	termL, termR := s.z[left]/poleL, s.z[right]/poleR
	constant := f.value - s.z[left]*termL - s.z[right]*termR
	step := rationalStep(poleL, poleR, f.value, termL*termL+termR*termR, constant, last)

	const evaluations = 100
	slow := 0
	for range evaluations {
		next := x + step
		if !(next > lower && next < upper) || slow > 2 {
			next = within(lower, upper)
			slow = 0
		}
		if next == x || next <= lower || next >= upper {
			// The bracket has no number left inside.
			s.subtract(difference, x)
			return s.d[origin] + x, true
		}
		previous := math.Abs(f.value)
		x = next
		f = s.evaluate(difference, left, x)
		if math.Abs(f.value) <= f.tolerance {
			s.subtract(difference, x)
			return s.d[origin] + x, true
		}
		if f.value < 0 {
			lower = x
		} else {
			upper = x
		}
		if math.Abs(f.value) > previous/4 {
			slow++
		}
		poleL, poleR = difference[left]-x, difference[right]-x
		constant = f.value - poleL*f.slopeL - poleR*f.slopeR
		step = rationalStep(poleL, poleR, f.value, f.slopeL+f.slopeR, constant, last)
	}
	return 0, false
}

// shift sets difference_i = d_i - d_origin.
func (s *secular) shift(difference []float64, origin int) {
	center := s.d[origin]
	for i, d := range s.d {
		difference[i] = d - center
	}
}

// subtract does difference_i -= x.
func (s *secular) subtract(difference []float64, x float64) {
	for i := range difference {
		difference[i] -= x
	}
}

// secularValue is the secular function at one point.
type secularValue struct {
	value, tolerance float64 // f and a bound of its rounding error
	slopeL, slopeR   float64 // derivatives of the sums over the poles up to left, and over the others
}

// evaluate computes the secular function at x from the origin of difference.
func (s *secular) evaluate(difference []float64, left int, x float64) secularValue {
	z := s.z[:len(difference)]
	var sumL, sumR, slopeL, slopeR float64
	for i, delta := range difference[:left+1] {
		t := z[i] / (delta - x)
		sumL += z[i] * t
		slopeL += t * t
	}
	z = z[left+1:]
	for i, delta := range difference[left+1:] {
		t := z[i] / (delta - x)
		sumR += z[i] * t
		slopeR += t * t
	}
	constant := 1 / s.rho
	return secularValue{
		value:     constant + sumL + sumR,
		tolerance: unitRoundoff * (8*(math.Abs(sumL)+math.Abs(sumR)) + constant + math.Abs(x)*(slopeL+slopeR)),
		slopeL:    slopeL,
		slopeR:    slopeR,
	}
}

// rationalStep solves c + s/(poleL - step) + q/(poleR - step) = 0, where the left side has the given
// value and slope at step 0. The poles are relative to the current point. Between the poles there
// is one root; for the last interval the root above both poles is meant, and NaN is returned where
// there is none.
func rationalStep(poleL, poleR, value, slope, c float64, last bool) float64 {
	a := (poleL+poleR)*value - poleL*poleR*slope
	b := poleL * poleR * value
	root := math.Sqrt(math.Abs(a*a - 4*b*c))
	switch {
	case last && c <= 0:
		return math.NaN()
	case last && a >= 0:
		return (a + root) / (2 * c)
	case last:
		return 2 * b / (a - root)
	case a <= 0:
		return (a - root) / (2 * c)
	default:
		return 2 * b / (a + root)
	}
}

// within returns a number between the ends of a bracket on one side of zero: their mean, or the
// geometric mean where they differ by a large factor.
func within(lower, upper float64) float64 {
	near, far := lower, upper
	if upper <= 0 {
		near, far = upper, lower
	}
	switch {
	case near == 0:
		return far / 64
	case far/near > 4:
		return near * math.Sqrt(far/near)
	}
	return near + (far-near)/2
}
