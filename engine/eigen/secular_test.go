package eigen

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// secularProblems are hard cases within the promises of deflation: gaps, weights and rho no smaller
// than a few rounding errors.
var secularProblems = []struct {
	name string
	gap  func(rng *rand.Rand, i int) float64
	z    func(rng *rand.Rand, i int) float64
	rho  float64
}{
	{"even", one, one, 1},
	{"random", random, random, 1},
	{"tiny weights", random, func(rng *rand.Rand, _ int) float64 { return math.Pow(2, -50*rng.Float64()) }, 1},
	{"alternating weights", one, func(_ *rand.Rand, i int) float64 { return []float64{1, 0x1p-45}[i%2] }, 1},
	{"tiny gaps", func(rng *rand.Rand, _ int) float64 { return math.Pow(2, -45*rng.Float64()) }, random, 1},
	{"pairs", func(_ *rand.Rand, i int) float64 { return []float64{0x1p-45, 1}[i%2] }, random, 1},
	{"one heavy weight", one, func(_ *rand.Rand, i int) float64 {
		if i == 1 {
			return 1
		}
		return 0x1p-40
	}, 1},
	{"tiny rho", random, random, 0x1p-45},
	{"weights and gaps tiny", func(rng *rand.Rand, _ int) float64 { return math.Pow(2, -45*rng.Float64()) },
		func(rng *rand.Rand, _ int) float64 { return math.Pow(2, -45*rng.Float64()) }, 0x1p-3},
}

func one(*rand.Rand, int) float64          { return 1 }
func random(rng *rand.Rand, _ int) float64 { return 0x1p-20 + rng.Float64() }

func TestSecularRootsAreExactAndVectorsOrthogonal(t *testing.T) {
	for _, problem := range secularProblems {
		for _, k := range []int{1, 2, 3, 4, 17, 90} {
			t.Run(fmt.Sprintf("%s/%d", problem.name, k), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(k), 3))
				d, z := make([]float64, k), make([]float64, k)
				at, norm := -1.0, 0.0
				for i := range d {
					d[i] = at
					at += problem.gap(rng, i)
					z[i] = problem.z(rng, i) * float64(1-2*rng.IntN(2))
					norm = math.Hypot(norm, z[i])
				}
				position := make([]int, k)
				for i := range z {
					z[i] /= norm
					position[i] = i
				}
				original := append([]float64(nil), z...)
				values, vectors := make([]float64, k), make([]float64, k*k)
				if err := newSecular(problem.rho, d, z).solve(1, vectors, values, position); err != nil {
					t.Fatal(err)
				}
				checkInterlacing(t, problem.rho, d, original, values)
				checkSecularVectors(t, problem.rho, d, original, values, vectors)
			})
		}
	}
}

// checkInterlacing checks that each root lies between its poles and that the secular function, in
// 200 bits, has different signs a few rounding errors below and above it.
func checkInterlacing(t *testing.T, rho float64, d, z, values []float64) {
	t.Helper()
	k := len(d)
	scale := max(math.Abs(d[0]), math.Abs(d[k-1]), rho)
	for j, x := range values {
		above := d[k-1] + rho*(1+1e-12)
		if j+1 < k {
			above = d[j+1]
		}
		if !(d[j] <= x && x <= above) {
			t.Errorf("root %d is %v, outside its interval %v, %v", j, x, d[j], above)
		}
		const errors = 32 * unitRoundoff
		low, high := x-errors*scale, x+errors*scale
		if low > d[j] && secularSign(rho, d, z, low) > 0 {
			t.Errorf("root %d lies more than %v below %v", j, errors*scale, x)
		}
		if (j+1 == k || high < d[j+1]) && secularSign(rho, d, z, high) < 0 {
			t.Errorf("root %d lies more than %v above %v", j, errors*scale, x)
		}
	}
}

func secularSign(rho float64, d, z []float64, x float64) int {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	sum := number(1)
	sum.Quo(sum, number(rho))
	for i := range d {
		term := number(z[i])
		term.Mul(term, term)
		sum.Add(sum, term.Quo(term, new(big.Float).SetPrec(200).Sub(number(d[i]), number(x))))
	}
	return sum.Sign()
}

func checkSecularVectors(t *testing.T, rho float64, d, z, values, vectors []float64) {
	t.Helper()
	k := len(d)
	scale := max(math.Abs(d[0]), math.Abs(d[k-1]), rho)
	limit := (30 + float64(k)) * unitRoundoff
	for j := range k {
		u := vectors[j*k : (j+1)*k]
		for l := range j + 1 {
			v := vectors[l*k : (l+1)*k]
			dot := 0.0
			for i := range u {
				dot += u[i] * v[i]
			}
			if l == j {
				dot--
			}
			if !(math.Abs(dot) <= limit) {
				t.Errorf("vectors %d and %d: product off by %.3g, want at most %.3g", j, l, dot, limit)
			}
		}
		along := 0.0
		for i := range u {
			along += z[i] * u[i]
		}
		for i := range u {
			r := (d[i]-values[j])*u[i] + rho*z[i]*along
			if !(math.Abs(r) <= limit*scale) {
				t.Errorf("residual of vector %d at %d is %.3g, want at most %.3g", j, i, r, limit*scale)
			}
		}
	}
}
