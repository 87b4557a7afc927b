package simd

// Exp is the exponential of an affine function: dst[i] = exp(scale*src[i] + shift). The argument is
// rounded to T (once, where the level has fused multiply-add), and the exponential of the rounded
// argument is within a relative error of 3e-7 for float32 and 5e-16 for float64. Results below the
// smallest normal number may be flushed to 0; results above the largest number are +Inf; NaN stays
// NaN. dst may be src.
func Exp[T Float](dst, src []T, scale, shift T) {
	checkLength("Exp", len(dst), len(src))
	exp(active, dst, src, scale, shift)
}

// PathStepSum is one step of sum pooling over paths (Chen, Jacob and Mairal 2020, eq. 12 and 13).
// With one element per filter, prefix is the sum of the products of the filters with the vertices
// of a path so far and s the products with the vertex that extends it:
//
//	next[i] = prefix[i] + s[i]
//	acc[i] += exp(scale*next[i] + shift)
//
// The exponential is that of Exp. next may be prefix or s; acc must not overlap the others.
func PathStepSum[T Float](acc, next, prefix, s []T, scale, shift T) {
	checkPathStep("PathStepSum", len(acc), len(next), len(prefix), len(s))
	pathStepSum(active, acc, next, prefix, s, scale, shift)
}

// PathStepMax is one step of max pooling over paths: PathStepSum with
//
//	acc[i] = max(acc[i], exp(scale*next[i] + shift))
//
// where, as in Max, a NaN is passed over.
func PathStepMax[T Float](acc, next, prefix, s []T, scale, shift T) {
	checkPathStep("PathStepMax", len(acc), len(next), len(prefix), len(s))
	pathStepMax(active, acc, next, prefix, s, scale, shift)
}

// PathGradStep is one step of the way back through sum pooling over paths: PathStepSum that also leaves what the
// path adds to the gradient of its sum,
//
//	next[i] = prefix[i] + s[i]
//	acc[i] += exp(scale*next[i] + shift)
//	sum[i] = weight[i] * exp(scale*next[i] + shift)
//
// next may be prefix or s, sum may be weight; acc must not overlap the others.
func PathGradStep[T Float](acc, next, sum, prefix, s, weight []T, scale, shift T) {
	checkPathStep("PathGradStep", len(acc), len(next), len(prefix), len(s))
	checkLength("PathGradStep", len(acc), len(sum))
	checkLength("PathGradStep", len(acc), len(weight))
	pathGradStep(active, acc, next, sum, prefix, s, weight, scale, shift)
}

// PathGradLeaf is PathGradStep for a path that is not extended. What it adds to the gradient of its sum goes to the
// gradient of the scores of its last vertex, dst, and to that of the sum of the path before it, parent:
//
//	acc[i] += exp(scale*(prefix[i] + s[i]) + shift)
//	dst[i] += weight[i] * exp(scale*(prefix[i] + s[i]) + shift),  parent[i] likewise
//
// acc, dst and parent must not overlap each other or the rest.
func PathGradLeaf[T Float](acc, dst, parent, prefix, s, weight []T, scale, shift T) {
	checkPathStep("PathGradLeaf", len(acc), len(dst), len(prefix), len(s))
	checkLength("PathGradLeaf", len(acc), len(parent))
	checkLength("PathGradLeaf", len(acc), len(weight))
	pathGradLeaf(active, acc, dst, parent, prefix, s, weight, scale, shift)
}

func checkPathStep(function string, acc, next, prefix, s int) {
	if next != acc || prefix != acc || s != acc {
		checkLength(function, acc, next)
		checkLength(function, acc, prefix)
		checkLength(function, acc, s)
	}
}
