package mkl

// Family is a set of kernels K_1, ..., K_M on the same n objects, given by what EasyMKL asks of them. The
// matrices need not exist.
type Family interface {
	Objects() int // n
	Kernels() int // M

	// Sum returns the function that computes dst = sum_m weights_m K_m z; nil weights are ones. dst and z have n
	// entries. The function may keep scratch space: one call at a time.
	Sum(weights []float64) func(dst, z []float64)

	// QuadraticForms computes dst_m = z' K_m z for all m.
	QuadraticForms(dst, z []float64)

	// MeanDiagonals computes dst_m = trace(K_m) / n for all m.
	MeanDiagonals(dst []float64)
}

func dot(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}
