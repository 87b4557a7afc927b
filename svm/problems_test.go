package svm

import (
	"math"
	"math/rand/v2"

	"gorgonia.org/tensor"
)

func matrix(rows [][]float64) *tensor.Dense {
	d := 0
	var data []float64
	for _, r := range rows {
		d = len(r)
		data = append(data, r...)
	}
	return tensor.New(tensor.WithShape(len(rows), d), tensor.WithBacking(data))
}

type setting struct {
	name    string
	options Options
}

// solverSettings are the ways to solve Newton's equation: the cheaper one, or always the same.
func solverSettings() []setting {
	features, rows := defaultTuning, defaultTuning
	features.rows, rows.features = 1e9, 1e9
	return []setting{
		{"default", Options{}},
		{"features", Options{tuning: features}},
		{"rows", Options{tuning: rows}},
	}
}

// problem is a binary problem with a name.
type problem struct {
	name string
	rows [][]float64
	y    []float64
}

func (p problem) x() *tensor.Dense { return matrix(p.rows) }

// randomProblems covers more columns than rows and the reverse, noise and separable data, repeated
// rows and columns, constant columns and unequal scales.
func randomProblems(count int) []problem {
	var all []problem
	kinds := []string{"noisy", "separable", "wide", "repeated rows", "collinear columns", "unequal scales", "unbalanced"}
	for i := range count {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		kind := kinds[i%len(kinds)]
		n, d := 5+r.IntN(60), 1+r.IntN(12)
		if kind == "wide" {
			d = n + r.IntN(60)
		}
		p := problem{name: kind, rows: make([][]float64, n), y: make([]float64, n)}
		normal := make([]float64, d)
		for j := range normal {
			normal[j] = r.NormFloat64()
		}
		for a := range p.rows {
			x := make([]float64, d)
			f := 0.3
			for j := range x {
				x[j] = r.NormFloat64()
				f += x[j] * normal[j]
			}
			if kind != "separable" {
				f += 2 * r.NormFloat64()
			}
			if kind == "unbalanced" {
				f += 2 * math.Sqrt(float64(d))
			}
			p.rows[a], p.y[a] = x, math.Copysign(1, f)
		}
		p.y[0], p.y[1] = 1, -1
		for a, x := range p.rows {
			switch kind {
			case "repeated rows":
				copy(x, p.rows[a/3])
			case "collinear columns":
				for j := range x {
					x[j] = x[0] * float64(j+1)
				}
				x[d-1] = 3
			case "unequal scales":
				for j := range x {
					x[j] *= math.Pow(10, float64(j%5)-2)
				}
			}
		}
		all = append(all, p)
	}
	return all
}

// objective and gradient are written straight from the definition. The scale of the gradient is the
// sum of the magnitudes that cancel in it, rounding what float64 makes of the margins in them.
func objective(p problem, c float64, w []float64, b float64) float64 {
	sum := 0.0
	for i, x := range p.rows {
		m := max(0, 1-p.y[i]*(inner(w, x)+b))
		sum += m * m
	}
	return inner(w, w)/2 + c*sum
}

func gradient(p problem, c float64, w []float64, b float64) (g []float64, scale, rounding float64) {
	g = append(append([]float64(nil), w...), 0)
	for i, x := range p.rows {
		m := max(0, 1-p.y[i]*(inner(w, x)+b))
		for j, v := range x {
			g[j] -= 2 * c * m * p.y[i] * v
		}
		g[len(w)] -= 2 * c * m * p.y[i]
		length := math.Sqrt(inner(x, x) + 1)
		scale += 2 * c * m * length
		if m > 0 {
			rounding += 2 * c * length * 0x1p-50 * (1 + length*math.Sqrt(inner(w, w)+b*b))
		}
	}
	return g, scale + math.Sqrt(inner(w, w)), rounding
}

func inner(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		s += x[i] * y[i]
	}
	return s
}
