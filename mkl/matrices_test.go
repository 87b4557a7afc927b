package mkl

// matrices is the family of kernel matrices that are written down, each n x n by rows.
type matrices [][]float64

// matricesOf returns the family of some square matrices.
func matricesOf(kernels ...[][]float64) matrices {
	var f matrices
	for _, rows := range kernels {
		var k []float64
		for _, row := range rows {
			k = append(k, row...)
		}
		f = append(f, k)
	}
	return f
}

func (f matrices) Objects() int {
	n := 0
	for n*n < len(f[0]) {
		n++
	}
	return n
}

func (f matrices) Kernels() int { return len(f) }

func (f matrices) Sum(weights []float64) func(dst, z []float64) {
	return func(dst, z []float64) {
		clear(dst)
		for m, k := range f {
			w := 1.0
			if weights != nil {
				w = weights[m]
			}
			for i := range dst {
				dst[i] += w * dot(k[i*len(z):(i+1)*len(z)], z)
			}
		}
	}
}

func (f matrices) QuadraticForms(dst, z []float64) {
	for m := range f {
		image := make([]float64, len(z))
		f[m:m+1].Sum(nil)(image, z)
		dst[m] = dot(z, image)
	}
}

func (f matrices) MeanDiagonals(dst []float64) {
	n := f.Objects()
	for m, k := range f {
		dst[m] = 0
		for i := range n {
			dst[m] += k[i*n+i] / float64(n)
		}
	}
}
