package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/tensor"
)

// gramOf returns X X' + ridge I for a random n x k matrix X.
func gramOf(n, k int, ridge float64, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	x := make([]float64, n*k)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = inner(x[i*k:(i+1)*k], x[j*k:(j+1)*k])
		}
		a[i*n+i] += ridge
	}
	return a
}

func symmetricProduct(a []float64, n int, x []float64) []float64 {
	y := make([]float64, n)
	for i := range n {
		y[i] = inner(a[i*n:(i+1)*n], x)
	}
	return y
}

func TestCholesky(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 33, 64, 100, 200, 333} {
		a := gramOf(n, n+5, 1, uint64(n))
		c := cholesky{workers: 1}
		c.resize(n)
		copy(c.l, a)
		for i := range c.floor {
			c.floor[i] = 0.5
		}
		c.factor()
		if c.raised {
			t.Errorf("order %d: a pivot of a well-conditioned matrix was raised", n)
		}
		for i := range n {
			for j := range i + 1 {
				if got := inner(c.l[i*n:i*n+j+1], c.l[j*n:j*n+j+1]); math.Abs(got-a[i*n+j]) > 1e-12*a[i*n+i] {
					t.Fatalf("order %d: L L'[%d,%d] = %g, want %g", n, i, j, got, a[i*n+j])
				}
			}
		}
		want := make([]float64, n)
		for i := range want {
			want[i] = math.Sin(float64(i))
		}
		got := symmetricProduct(a, n, want)
		c.forward(got)
		c.backward(got)
		closeTo(t, "solution", got, want, 1e-9)
	}
}

// A pivot that rounding destroyed is raised instead of stopping the factorisation.
func TestCholeskyRaisesPivots(t *testing.T) {
	n := 70
	a := gramOf(n, 3, 0, 9)
	c := cholesky{workers: 1}
	c.resize(n)
	copy(c.l, a)
	for i := range c.floor {
		c.floor[i] = 0.5
	}
	c.factor()
	if !c.raised {
		t.Error("a matrix of rank 3 and order 70 needs raised pivots")
	}
	if notFinite(c.l) >= 0 {
		t.Error("the factor is not finite")
	}
}

// The rows that entered and left one by one leave the sum of the rows that are in.
func TestActiveGram(t *testing.T) {
	x, _ := sample(400, 210, tensor.Float64, 4)
	d, err := newDesign(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newSpace(d, Options{}.withDefaults())
	g := newActiveGram(s)
	r := rand.New(rand.NewPCG(1, 1))
	active := make([]bool, s.n)
	for i := range active {
		active[i] = true
	}
	for round := range 5 {
		g.update(active, s.n)
		for _, place := range [][2]int{{0, 0}, {5, 2}, {209, 100}, {210, 0}, {210, 210}} {
			want := 0.0
			for i, in := range active {
				if in {
					want += s.row(i)[place[0]] * s.row(i)[place[1]]
				}
			}
			if got := g.sum[place[0]*s.p+place[1]]; math.Abs(got-want) > 1e-9 {
				t.Errorf("round %d: entry %v is %g, want %g", round, place, got, want)
			}
		}
		for range 30 {
			i := r.IntN(len(active))
			active[i] = !active[i]
		}
	}
}

func TestPivotedCholesky(t *testing.T) {
	for _, c := range []struct{ n, rank int }{{1, 1}, {20, 20}, {90, 7}, {150, 100}, {200, 64}, {5, 0}} {
		a := make([]float64, c.n*c.n)
		if c.rank > 0 {
			a = gramOf(c.n, c.rank, 0, 2)
		}
		r, pivots := pivotedCholesky(1, append([]float64(nil), a...), c.n)
		if len(pivots) != c.rank {
			t.Errorf("order %d: rank %d, want %d", c.n, len(pivots), c.rank)
		}
		for i := range c.n {
			for j := range c.n {
				got := inner(r[i*c.n:i*c.n+len(pivots)], r[j*c.n:j*c.n+len(pivots)])
				if math.Abs(got-a[i*c.n+j]) > 1e-11*float64(c.rank) {
					t.Fatalf("order %d, rank %d: R R'[%d,%d] = %g, want %g", c.n, c.rank, i, j, got, a[i*c.n+j])
				}
			}
		}
	}
}

// A bordered system is solved as the whole one is.
func TestBordered(t *testing.T) {
	n, k := 200, 4
	whole := gramOf(n+k, n+k, 1, 3)
	for j := range k {
		whole[(n+j)*(n+k)+n+j] -= 900 // the corner need not be positive definite
	}
	b := bordered{root: cholesky{workers: 1}}
	b.root.resize(n)
	for i := range n {
		copy(b.root.l[i*n:(i+1)*n], whole[i*(n+k):])
	}
	b.root.factor()
	b.reset()
	keys := []int{7, 1, 5, 3}
	at := map[int]int{7: 0, 1: 1, 5: 2, 3: 3}
	ok := b.attach(keys, func(key int, out []float64) {
		for i := range out {
			out[i] = whole[i*(n+k)+n+at[key]]
		}
	}, func(i, j int) float64 { return whole[(n+i)*(n+k)+n+j] })
	if !ok {
		t.Fatal("a border of four is refused")
	}
	want := make([]float64, n+k)
	for i := range want {
		want[i] = math.Cos(float64(i))
	}
	got := symmetricProduct(whole, n+k, want)
	b.solve(got[:n], got[n:])
	closeTo(t, "solution", got, want, 1e-8)
	if b.attach([]int{1, 2, 3, 4, 5}, nil, nil) {
		t.Error("a border of more than n/48 is accepted")
	}
}
