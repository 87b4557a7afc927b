package simd

// AddMoments adds the differences of a vector from a pivot, and their squares, to two sums:
//
//	sum[i] += x[i] - pivot[i]
//	squares[i] += (x[i] - pivot[i])^2
func AddMoments[T Float](sum, squares, x, pivot []T) {
	checkLength("AddMoments", len(sum), len(squares))
	checkLength("AddMoments", len(sum), len(x))
	checkLength("AddMoments", len(sum), len(pivot))
	addMoments(active, sum, squares, x, pivot)
}

// AddSlopes adds slopes, and their products with centred elements, to two sums:
//
//	sum[i] += g[i]
//	products[i] += g[i]*(x[i] - mean[i])
func AddSlopes[T Float](sum, products, g, x, mean []T) {
	checkLength("AddSlopes", len(sum), len(products))
	checkLength("AddSlopes", len(sum), len(g))
	checkLength("AddSlopes", len(sum), len(x))
	checkLength("AddSlopes", len(sum), len(mean))
	addSlopes(active, sum, products, g, x, mean)
}

// Normalize centres and scales: dst[i] = max(least, (x[i] - mean[i])*factor[i] + shift[i]), where NaN stays. dst may
// be x.
func Normalize[T Float](dst, x, mean, factor, shift []T, least T) {
	checkLength("Normalize", len(dst), len(x))
	checkLength("Normalize", len(dst), len(mean))
	checkLength("Normalize", len(dst), len(factor))
	checkLength("Normalize", len(dst), len(shift))
	normalize(active, dst, x, mean, factor, shift, least)
}

// NormalizeGrad combines centred slopes and elements:
// dst[i] = (g[i] - average[i])*factor[i] + (x[i] - mean[i])*slope[i]. dst may be g.
func NormalizeGrad[T Float](dst, g, x, mean, average, factor, slope []T) {
	checkLength("NormalizeGrad", len(dst), len(g))
	checkLength("NormalizeGrad", len(dst), len(x))
	checkLength("NormalizeGrad", len(dst), len(mean))
	checkLength("NormalizeGrad", len(dst), len(average))
	checkLength("NormalizeGrad", len(dst), len(factor))
	checkLength("NormalizeGrad", len(dst), len(slope))
	normalizeGrad(active, dst, g, x, mean, average, factor, slope)
}

// Rectify shifts and rectifies: dst[i] = max(0, x[i] + shift[i]), where NaN stays. dst may be x.
func Rectify[T Float](dst, x, shift []T) {
	checkLength("Rectify", len(dst), len(x))
	checkLength("Rectify", len(dst), len(shift))
	rectify(active, dst, x, shift)
}

// RectifyGrad keeps the slopes of what was not rectified: dst[i] = g[i] where y[i] > 0, else 0. dst may be g.
func RectifyGrad[T Float](dst, g, y []T) {
	checkLength("RectifyGrad", len(dst), len(g))
	checkLength("RectifyGrad", len(dst), len(y))
	rectifyGrad(active, dst, g, y)
}

func portableAddMoments[T Float](sum, squares, x, pivot []T) {
	sum, squares, pivot = sum[:len(x)], squares[:len(x)], pivot[:len(x)]
	for i, v := range x {
		d := v - pivot[i]
		sum[i] += d
		squares[i] += d * d
	}
}

func portableAddSlopes[T Float](sum, products, g, x, mean []T) {
	sum, products, g, mean = sum[:len(x)], products[:len(x)], g[:len(x)], mean[:len(x)]
	for i, v := range x {
		sum[i] += g[i]
		products[i] += g[i] * (v - mean[i])
	}
}

func portableNormalize[T Float](dst, x, mean, factor, shift []T, least T) {
	x, mean, factor, shift = x[:len(dst)], mean[:len(dst)], factor[:len(dst)], shift[:len(dst)]
	for i, v := range x {
		dst[i] = max(least, (v-mean[i])*factor[i]+shift[i])
	}
}

func portableNormalizeGrad[T Float](dst, g, x, mean, average, factor, slope []T) {
	g, x, mean, average = g[:len(dst)], x[:len(dst)], mean[:len(dst)], average[:len(dst)]
	factor, slope = factor[:len(dst)], slope[:len(dst)]
	for i, v := range x {
		dst[i] = (g[i]-average[i])*factor[i] + (v-mean[i])*slope[i]
	}
}

func portableRectify[T Float](dst, x, shift []T) {
	x, shift = x[:len(dst)], shift[:len(dst)]
	for i, v := range x {
		dst[i] = max(0, v+shift[i])
	}
}

func portableRectifyGrad[T Float](dst, g, y []T) {
	g, y = g[:len(dst)], y[:len(dst)]
	for i, v := range y {
		if v > 0 {
			dst[i] = g[i]
		} else {
			dst[i] = 0
		}
	}
}
