package simd

import "fmt"

// Rotate applies plane rotations to neighbouring rows of a matrix, from the last pair up to the first: for i from
// len(c)-1 down to 0 and every column k < cols, with x = u[i*ld+k] and y = u[(i+1)*ld+k],
//
//	u[i*ld+k] = c[i]*x - s[i]*y,  u[(i+1)*ld+k] = s[i]*x + c[i]*y
//
// It panics if c and s differ in length or u does not hold len(c)+1 rows.
func Rotate(u []float64, ld, cols int, c, s []float64) {
	checkLength("Rotate", len(c), len(s))
	if cols < 0 || ld < cols || len(c) > 0 && len(u) < len(c)*ld+cols {
		panic(fmt.Sprintf("simd: Rotate: %d elements for %d rows of %d, %d apart", len(u), len(c)+1, cols, ld))
	}
	if len(c) > 0 && cols > 0 {
		rotate(active, u, ld, cols, c, s)
	}
}

func portableRotate(u []float64, ld, cols int, c, s []float64) {
	for i := len(c) - 1; i >= 0; i-- {
		x, y := u[i*ld:i*ld+cols], u[(i+1)*ld:(i+1)*ld+cols]
		for k, v := range x {
			x[k], y[k] = c[i]*v-s[i]*y[k], s[i]*v+c[i]*y[k]
		}
	}
}
