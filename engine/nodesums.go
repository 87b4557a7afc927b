package engine

import "math"

// sumLanes is the number of partial sums of [Total].
const sumLanes = 256

// Total adds up n numbers in the order that a block of 256 threads has on every device: partial sum j is of the numbers
// j, j+256, j+512 and so on; they are then added by halves, in each 32 of them and then the eight sums of those.
func Total(n int, of func(i int) float64) float64 {
	var lanes [sumLanes]float64
	for i := range n {
		lanes[i%sumLanes] += of(i)
	}
	var warps [sumLanes / 32]float64
	for w := range min(len(warps), (n+31)/32) {
		warps[w] = halved(lanes[32*w : 32*w+32])
	}
	return halved(warps[:])
}

// halved adds up 2^k numbers: the second half of them to the first half, again and again.
func halved(x []float64) float64 {
	for len(x) > 1 {
		half := x[:len(x)/2]
		for i, v := range x[len(half):] {
			half[i] += v
		}
		x = half
	}
	return x[0]
}

// TreeTargets are the targets of the examples of a tree.
type TreeTargets struct {
	Weights []float64
	Values  []float64 // what is to be predicted; nil where there are classes
	Targets []float64 // what splits look at: values less their mean, on a grid, times the weight
	Shift   float64   // of that grid, see [Shift]; 0: there is none
	Classes []int32
	Number  int // of classes
}

// Centre fills in targets and grid from values and weights. The grid is the finest on which all sums are exact.
func (t *TreeTargets) Centre() {
	n := len(t.Values)
	centre := Total(n, func(i int) float64 { return t.Values[i] }) / float64(n)
	bound := Total(n, func(i int) float64 { return float64(math.Abs(t.Values[i]-centre) * t.Weights[i]) })
	t.Shift = 0
	if g, ok := GridFor(bound); ok {
		t.Shift = Shift(g)
	}
	t.Targets = make([]float64, n)
	for i, v := range t.Values {
		t.Targets[i] = t.Weights[i] * round(v-centre, t.Shift)
	}
}

// Unit returns the power of two that the targets are multiples of; 0 where there is no grid.
func (t *TreeTargets) Unit() float64 { return math.Ldexp(t.Shift/1.5, -52) }

// exactBits is the number of bits that a sum of multiples of a grid may have: three less than float64 holds.
const exactBits = 50

// The exponents for which rounding works without overflow or underflow.
const (
	MinGrid = -1000
	MaxGrid = 900
)

// GridFor returns the exponent of the finest grid on which sums up to bound are exact, if there is one.
func GridFor(bound float64) (g int, ok bool) {
	if !(bound > 0) || math.IsInf(bound, 0) {
		return 0, false
	}
	_, e := math.Frexp(bound) // bound < 2^e
	g = e - exactBits
	return g, MinGrid <= g && g <= MaxGrid
}

// NodeSums are what is known of the examples of a node. Sums have the order of [Total].
type NodeSums struct {
	Count  int
	Weight float64
	Mixed  bool // targets, or classes, differ

	// Where there are values:
	Centre    float64 // mean of the targets, on their grid
	Impurity  float64 // sum of (target - weight Centre)^2 / weight
	Sum       float64 // of the values, times their weights
	Curvature float64 // sum of |v| (1 - |v|) of the values, the second derivative of a logistic loss

	Classes []float64 // weight of each
}

// Sums returns those of some examples.
func (t *TreeTargets) Sums(examples []int32) NodeSums {
	n := len(examples)
	weight := func(i int) float64 { return t.Weights[examples[i]] }
	s := NodeSums{Count: n, Weight: Total(n, weight)}
	if t.Values == nil {
		s.Classes = make([]float64, t.Number)
		for _, e := range examples {
			s.Classes[t.Classes[e]] += t.Weights[e]
			s.Mixed = s.Mixed || t.Classes[e] != t.Classes[examples[0]]
		}
		return s
	}
	target := func(i int) float64 { return t.Targets[examples[i]] }
	for i := range examples {
		s.Mixed = s.Mixed || target(i)*weight(0) != target(0)*weight(i)
	}
	s.Centre = round(Total(n, target)/s.Weight, t.Shift)
	s.Impurity = Total(n, func(i int) float64 {
		off := target(i) - float64(weight(i)*s.Centre)
		return float64(off*off) / weight(i)
	})
	value := func(i int) float64 { return t.Values[examples[i]] }
	s.Sum = Total(n, func(i int) float64 { return float64(weight(i) * value(i)) })
	s.Curvature = Total(n, func(i int) float64 { return float64(math.Abs(value(i)) * (1 - math.Abs(value(i)))) })
	return s
}
