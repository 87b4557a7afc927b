//go:build !amd64

package simd

// Machines without assembly kernels run the portable ones.

func dot[T Float](_ level, x, y []T) T       { return portableDot(x, y) }
func axpy[T Float](_ level, a T, x, y []T)   { portableAxpy(a, x, y) }
func add[T Float](_ level, dst, x, y []T)    { portableAdd(dst, x, y) }
func mul[T Float](_ level, dst, x, y []T)    { portableMul(dst, x, y) }
func mulAdd[T Float](_ level, dst, x, y []T) { portableMulAdd(dst, x, y) }
func scale[T Float](_ level, a T, x []T)     { portableScale(a, x) }
func maximum[T Float](_ level, dst, x []T)   { portableMaximum(dst, x) }
func argMax[T Float](_ level, x []T) int     { return portableArgMax(x) }

func rotate(_ level, u []float64, ld, cols int, c, s []float64) { portableRotate(u, ld, cols, c, s) }

func dotWide(_ level, x, y []float32) float64 { return portableDotWide(x, y) }

func axpyWide(_ level, a float64, x []float32, y []float64) { portableAxpyWide(a, x, y) }

func combine[T Float](_ level, y []T, index []int32, factor []float64, x []T) {
	portableCombine(y, index, factor, x)
}

func exp[T Float](_ level, dst, src []T, scale, shift T) {
	portableExp(dst, src, scale, shift)
}

func pathStepSum[T Float](_ level, acc, next, prefix, s []T, scale, shift T) {
	portablePathStepSum(acc, next, prefix, s, scale, shift)
}

func pathStepMax[T Float](_ level, acc, next, prefix, s []T, scale, shift T) {
	portablePathStepMax(acc, next, prefix, s, scale, shift)
}

func pathGradStep[T Float](_ level, acc, next, sum, prefix, s, weight []T, scale, shift T) {
	portablePathGradStep(acc, next, sum, prefix, s, weight, scale, shift)
}

func pathGradLeaf[T Float](_ level, acc, dst, parent, prefix, s, weight []T, scale, shift T) {
	portablePathGradLeaf(acc, dst, parent, prefix, s, weight, scale, shift)
}

func addToBoth[T Float](_ level, dst, parent, x []T) { portableAddToBoth(dst, parent, x) }

func addMoments[T Float](_ level, sum, squares, x, pivot []T) {
	portableAddMoments(sum, squares, x, pivot)
}

func addSlopes[T Float](_ level, sum, products, g, x, mean []T) {
	portableAddSlopes(sum, products, g, x, mean)
}

func normalize[T Float](_ level, dst, x, mean, factor, shift []T, least T) {
	portableNormalize(dst, x, mean, factor, shift, least)
}

func normalizeGrad[T Float](_ level, dst, g, x, mean, average, factor, slope []T) {
	portableNormalizeGrad(dst, g, x, mean, average, factor, slope)
}

func rectify[T Float](_ level, dst, x, shift []T) { portableRectify(dst, x, shift) }
func rectifyGrad[T Float](_ level, dst, g, y []T) { portableRectifyGrad(dst, g, y) }

func philoxWords(_ level, words []uint32, counter [4]uint32, key [2]uint32) {
	portablePhiloxWords(words, counter, key)
}

func keep[T Float](_ level, y, x []T, words []uint32, least uint32, factor T) {
	portableKeep(y, x, words, least, factor)
}
