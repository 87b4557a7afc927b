package engine

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// ulps returns how many units in the last place of want lie between two numbers.
func ulps(got, want float64) float64 {
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

// exactExp sums the series of e^x in 200 bits, after 2^-k of the argument and before as many squares.
func exactExp(x float64) *big.Float {
	const halvings = 20
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(250).SetFloat64(x) }
	r := number(math.Ldexp(x, -halvings))
	sum, term := number(1), number(1)
	for i := 1; i < 40; i++ {
		term.Quo(term.Mul(term, r), number(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExpIsWithinAUnitInTheLastPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 41))
	worst := 0.0
	for i := range 20000 {
		x := []float64{r.NormFloat64(), 40 * r.NormFloat64(), 1e-9 * r.NormFloat64(), 1400*r.Float64() - 700}[i%4]
		if x < leastExponent || x > mostExponent {
			continue
		}
		want := exactExp(x)
		near, _ := want.Float64()
		unit := math.Nextafter(near, math.Inf(1)) - near
		apart := new(big.Float).SetPrec(250).SetFloat64(exp(x))
		off, _ := apart.Sub(apart, want).Float64()
		worst = max(worst, math.Abs(off)/unit)
	}
	if worst >= 1 {
		t.Errorf("exp is off by %g units in the last place", worst)
	}
}

func TestExpAtTheEnds(t *testing.T) {
	for _, c := range [][2]float64{
		{0, 1}, {math.Copysign(0, -1), 1}, {math.Inf(1), math.Inf(1)}, {math.Inf(-1), 0}, {1e300, math.Inf(1)}, {-1e300, 0},
		{710, math.Inf(1)}, {-709, 0}, {5e-324, 1}, {709, math.Exp(709)}, {leastExponent, math.Exp(leastExponent)},
	} {
		if got := exp(c[0]); got != c[1] && !(ulps(got, c[1]) <= 1) {
			t.Errorf("exp(%g) = %g, want %g", c[0], got, c[1])
		}
	}
	if x := exp(math.NaN()); x == x {
		t.Errorf("exp(NaN) = %g", x)
	}
}

// math.Log is within a unit in the last place itself.
func TestLogIsThatOfMath(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 41))
	for i := range 200000 {
		x := []float64{1 + r.Float64(), math.Exp(300 * r.NormFloat64()), 1 + 1e-9*r.NormFloat64(), 1000 * r.Float64()}[i%4]
		if x < 0x1p-1022 || math.IsInf(x, 0) {
			continue
		}
		if want := math.Log(x); log(x) != want && ulps(log(x), want) > 2 {
			t.Fatalf("log(%g) = %g, want %g", x, log(x), want)
		}
	}
}

func BenchmarkExp(b *testing.B) {
	sum := 0.0
	for i := range b.N {
		sum += exp(float64(i%64)/8 - 4)
	}
	_ = sum
}

func BenchmarkMathExp(b *testing.B) {
	sum := 0.0
	for i := range b.N {
		sum += math.Exp(float64(i%64)/8 - 4)
	}
	_ = sum
}
