package simd

// The kernels of this file are the definition of the assembly ones: plain loops in the order of the
// elements.

func portableDot[T Float](x, y []T) T {
	var sum T
	y = y[:len(x)]
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

func portableDotWide(x, y []float32) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64(v) * float64(y[i])
	}
	return sum
}

func portableAxpy[T Float](a T, x, y []T) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

func portableAxpyWide(a float64, x []float32, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * float64(v)
	}
}

func portableAdd[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func portableAddToBoth[T Float](dst, parent, x []T) {
	dst, parent = dst[:len(x)], parent[:len(x)]
	for i, v := range x {
		dst[i] += v
		parent[i] += v
	}
}

func portableMul[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func portableMulAdd[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] += x[i] * y[i]
	}
}

func portableScale[T Float](a T, x []T) {
	for i := range x {
		x[i] *= a
	}
}

func portableMaximum[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i, v := range x {
		if v > dst[i] {
			dst[i] = v
		}
	}
}

func portableArgMax[T Float](x []T) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
