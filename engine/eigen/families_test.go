package eigen

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine/simd"
)

// symmetric returns the n x n matrix with entry(i, j) at j <= i, mirrored.
func symmetric(n int, entry func(i, j int) float64) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = entry(i, j)
		}
	}
	mirror(n, a)
	return a
}

func randomSymmetric(n int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	return symmetric(n, func(int, int) float64 { return rng.NormFloat64() })
}

// tridiagonal returns the matrix with the given diagonal and off-diagonal.
func tridiagonal(n int, diagonal, offDiagonal func(i int) float64) []float64 {
	return symmetric(n, func(i, j int) float64 {
		switch i - j {
		case 0:
			return diagonal(i)
		case 1:
			return offDiagonal(j)
		}
		return 0
	})
}

// duplicatedGram returns the Gaussian Gram matrix of n points of which at most distinct differ.
func duplicatedGram(n, distinct int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), 2))
	const dim = 8
	points := make([]float64, distinct*dim)
	for i := range points {
		points[i] = rng.NormFloat64() / 2
	}
	return symmetric(n, func(i, j int) float64 {
		i, j = i%distinct, j%distinct
		sum := 0.0
		for c := range dim {
			d := points[i*dim+c] - points[j*dim+c]
			sum += d * d
		}
		return math.Exp(-sum / 2)
	})
}

// withEigenvalues returns Q diag(e) Q^T for a random orthogonal Q.
func withEigenvalues(e []float64) []float64 {
	n := len(e)
	if n == 0 {
		return nil
	}
	_, q, err := Symmetric(1, n, randomSymmetric(n), n)
	if err != nil {
		panic(err)
	}
	scaled := slices.Clone(q)
	for j, x := range e {
		simd.Scale(x, scaled[j*n:(j+1)*n])
	}
	a := make([]float64, n*n)
	simd.Gemm(1, true, false, n, n, n, 1, q, n, scaled, n, 0, a, n)
	mirror(n, a)
	return a
}

// sequence returns n numbers of the given function of i/(n-1).
func sequence(n int, f func(t float64) float64) []float64 {
	e := make([]float64, n)
	for i := range e {
		e[i] = f(float64(i) / float64(max(n-1, 1)))
	}
	return e
}

// families are the matrices of every order that the decomposition must master.
var families = []struct {
	name  string
	build func(n int) []float64
}{
	{"random", randomSymmetric},
	{"zero", func(n int) []float64 { return make([]float64, n*n) }},
	{"identity", identity},
	{"ones", func(n int) []float64 { return symmetric(n, func(int, int) float64 { return 1 }) }},
	{"diagonal", func(n int) []float64 {
		return symmetric(n, func(i, j int) float64 {
			if i != j {
				return 0
			}
			return math.Cos(float64(7 * i))
		})
	}},
	{"gram of duplicated points", func(n int) []float64 { return duplicatedGram(n, max(1, n/3)) }},
	{"gram of few points", func(n int) []float64 { return duplicatedGram(n, min(max(n, 1), 5)) }},
	{"two eigenvalues", func(n int) []float64 {
		return withEigenvalues(sequence(n, func(t float64) float64 { return math.Round(t) - 0.5 }))
	}},
	{"clusters", func(n int) []float64 {
		return withEigenvalues(sequence(n, func(t float64) float64 { return math.Floor(5*t) + 1e-13*t }))
	}},
	{"geometric", func(n int) []float64 {
		return withEigenvalues(sequence(n, func(t float64) float64 { return math.Pow(10, -18*t) }))
	}},
	{"graded", func(n int) []float64 {
		return symmetric(n, func(i, j int) float64 { return math.Pow(10, -float64(i+j)/2) * math.Cos(float64(i*j)) })
	}},
	{"graded upwards", func(n int) []float64 {
		return symmetric(n, func(i, j int) float64 { return math.Pow(10, -float64(2*n-i-j)/2) * math.Cos(float64(i*j)) })
	}},
	{"Wilkinson", func(n int) []float64 {
		return tridiagonal(n, func(i int) float64 { return math.Abs(float64(i) - float64(n-1)/2) },
			func(int) float64 { return 1 })
	}},
	{"glued Wilkinson", func(n int) []float64 {
		return tridiagonal(n,
			func(i int) float64 { return math.Abs(float64(i%21 - 10)) },
			func(i int) float64 {
				if i%21 == 20 {
					return 1e-9
				}
				return 1
			})
	}},
	{"second difference", func(n int) []float64 {
		return tridiagonal(n, func(int) float64 { return 2 }, func(int) float64 { return -1 })
	}},
	{"arrow", func(n int) []float64 {
		return symmetric(n, func(i, j int) float64 {
			if i == j || j == 0 {
				return 1 / float64(1+i)
			}
			return 0
		})
	}},
	{"tiny tridiagonal tail", func(n int) []float64 {
		return tridiagonal(n, func(i int) float64 { return math.Pow(2, -float64(4*i)) },
			func(i int) float64 { return math.Pow(2, -float64(4*i+1)) })
	}},
	{"scaled by 1e300", func(n int) []float64 {
		a := randomSymmetric(n)
		simd.Scale(1e300, a)
		return a
	}},
	{"scaled by 1e-300", func(n int) []float64 {
		a := randomSymmetric(n)
		simd.Scale(1e-300, a)
		return a
	}},
	{"entries of both 1e-300 and 1", func(n int) []float64 {
		a := randomSymmetric(n)
		for i := range n {
			for j := range n {
				if i > 0 && j > 0 {
					a[i*n+j] *= 1e-300
				}
			}
		}
		return a
	}},
}
