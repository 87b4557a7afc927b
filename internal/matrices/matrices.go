// Package matrices is the plain reference of families of kernels, for tests: kernel matrices that are written down.
package matrices

// Family are kernel matrices, each n x n by rows. It is an mkl.Family.
type Family [][]float64

// Of returns the family of some square matrices.
func Of(kernels ...[][]float64) Family {
	var f Family
	for _, rows := range kernels {
		var k []float64
		for _, row := range rows {
			k = append(k, row...)
		}
		f = append(f, k)
	}
	return f
}

// Objects returns n.
func (f Family) Objects() int {
	n := 0
	for n*n < len(f[0]) {
		n++
	}
	return n
}

// Kernels returns how many matrices there are.
func (f Family) Kernels() int { return len(f) }

// Sum returns the product dst = sum of the matrices, weighted unless weights is nil, times z.
func (f Family) Sum(weights []float64) func(dst, z []float64) {
	return func(dst, z []float64) {
		clear(dst)
		for m, k := range f {
			w := 1.0
			if weights != nil {
				w = weights[m]
			}
			for i := range dst {
				dst[i] += w * inner(k[i*len(z):(i+1)*len(z)], z)
			}
		}
	}
}

// QuadraticForms writes z'Kz of every matrix.
func (f Family) QuadraticForms(dst, z []float64) {
	for m := range f {
		image := make([]float64, len(z))
		f[m:m+1].Sum(nil)(image, z)
		dst[m] = inner(z, image)
	}
}

// MeanDiagonals writes the mean of the diagonal of every matrix.
func (f Family) MeanDiagonals(dst []float64) {
	n := f.Objects()
	for m, k := range f {
		dst[m] = 0
		for i := range n {
			dst[m] += k[i*n+i] / float64(n)
		}
	}
}

func inner(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
