package simd

import "fmt"

// Dot returns the inner product sum_i x[i]*y[i], and 0 for empty vectors. The order of summation is
// fixed by the length.
func Dot[T Float](x, y []T) T {
	checkLength("Dot", len(x), len(y))
	return dot(active, x, y)
}

// DotWide is [Dot] of float32 in float64.
func DotWide(x, y []float32) float64 {
	checkLength("DotWide", len(x), len(y))
	return dotWide(active, x, y)
}

// Axpy adds a multiple of a vector: y[i] += a*x[i].
func Axpy[T Float](a T, x, y []T) {
	checkLength("Axpy", len(x), len(y))
	axpy(active, a, x, y)
}

// AxpyWide adds a multiple of a vector of float32 in float64: y[i] += a*x[i].
func AxpyWide(a float64, x []float32, y []float64) {
	checkLength("AxpyWide", len(x), len(y))
	axpyWide(active, a, x, y)
}

// Add sums two vectors: dst[i] = x[i] + y[i]. dst may be x or y.
func Add[T Float](dst, x, y []T) {
	checkLength("Add", len(dst), len(x))
	checkLength("Add", len(dst), len(y))
	add(active, dst, x, y)
}

// AddToBoth adds a vector to two others: dst[i] += x[i] and parent[i] += x[i]. None may overlap another.
func AddToBoth[T Float](dst, parent, x []T) {
	checkLength("AddToBoth", len(dst), len(x))
	checkLength("AddToBoth", len(parent), len(x))
	addToBoth(active, dst, parent, x)
}

// Mul multiplies two vectors element by element: dst[i] = x[i]*y[i]. dst may be x or y.
func Mul[T Float](dst, x, y []T) {
	checkLength("Mul", len(dst), len(x))
	checkLength("Mul", len(dst), len(y))
	mul(active, dst, x, y)
}

// MulAdd accumulates an element by element product: dst[i] += x[i]*y[i].
func MulAdd[T Float](dst, x, y []T) {
	checkLength("MulAdd", len(dst), len(x))
	checkLength("MulAdd", len(dst), len(y))
	mulAdd(active, dst, x, y)
}

// Scale multiplies a vector by a number: x[i] *= a.
func Scale[T Float](a T, x []T) { scale(active, a, x) }

// Max keeps the larger of two elements: dst[i] = x[i] if x[i] > dst[i]. A NaN in x is passed over.
func Max[T Float](dst, x []T) {
	checkLength("Max", len(dst), len(x))
	maximum(active, dst, x)
}

// ArgMax returns the first index at which x is largest, and the value there. NaN is passed over
// unless x[0] is NaN, in which case the answer is 0. It panics if x is empty.
func ArgMax[T Float](x []T) (index int, value T) {
	if len(x) == 0 {
		panic("simd: ArgMax of an empty vector")
	}
	index = argMax(active, x)
	return index, x[index]
}

// checkLength panics unless two vectors that a function combines have equal lengths.
func checkLength(function string, n, m int) {
	if n != m {
		badLength(function, n, m)
	}
}

// badLength stands apart so that checkLength can be inlined.
func badLength(function string, n, m int) {
	panic(fmt.Sprintf("simd: %s: vectors of %d and %d elements", function, n, m))
}
