package splits

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/engine"
)

// What is gathered of the parts of a column, joined in any order, has the threshold of the whole column, to the last
// bit: for whole numbers, few values, many, columns that are mostly 0, and cells that hold too much.
func TestGatheredPartsHaveTheThresholdOfTheWhole(t *testing.T) {
	kinds := map[string]func(r *rand.Rand) float64{
		"whole numbers":      func(r *rand.Rand) float64 { return float64(r.IntN(60)) },
		"far whole numbers":  func(r *rand.Rand) float64 { return float64(r.IntN(6000)) },
		"shares":             func(r *rand.Rand) float64 { return float64(r.IntN(5)) / float64(1+r.IntN(30)) },
		"many values":        func(r *rand.Rand) float64 { return r.NormFloat64() },
		"one value":          func(*rand.Rand) float64 { return 0.5 },
		"mostly 0":           func(r *rand.Rand) float64 { return r.NormFloat64() * float64(r.IntN(20)/19) },
		"a crowded cell":     func(r *rand.Rand) float64 { return math.Exp(12 * r.NormFloat64()) },
		"at empty, some":     func(r *rand.Rand) float64 { return []float64{-1000, r.NormFloat64()}[r.IntN(2)] },
		"whole and at empty": func(r *rand.Rand) float64 { return []float64{-1000, float64(r.IntN(9))}[r.IntN(2)] },
	}
	byValues, byCells, again := 0, 0, 0
	for name, value := range kinds {
		t.Run(name, func(t *testing.T) {
			for i := range 60 {
				r := rand.New(rand.NewPCG(uint64(i), 7))
				classes := []int{0, 3}[i%2]
				c, total := randomColumn(r, 300+r.IntN(1500), classes, func() float64 { return value(r) })
				c.Size = len(c.Values)
				criterion := []Criterion{Variance, Gini}[i%2]
				s := NewScanner(criterion, max(classes, 1), 1+r.IntN(5), 64)
				want := s.Scan(&c, &total)
				s.drawn = s.drawn[:0]
				for _, at := range c.Sampled {
					if v := c.Values[at]; v != 0 && v != c.AtEmpty {
						s.drawn = append(s.drawn, v)
					}
				}
				even, _ := engine.SampleCells(s.drawn, c.AtEmpty)
				g := gatherParts(s, &c, &even, r)
				if g.Cells == nil {
					byValues++
				} else {
					byCells++
				}
				got, ok := s.ScanGathered(&g, &even, c.AtEmpty, &total)
				if !ok {
					again++
					even = engine.Cells{}
					g = gatherParts(s, &c, &even, r)
					if got, ok = s.ScanGathered(&g, &even, c.AtEmpty, &total); !ok {
						t.Fatal("values do not tell")
					}
				}
				if got != want {
					t.Fatalf("case %d: %v of parts, %v of the whole", i, got, want)
				}
			}
		})
	}
	if byValues == 0 || byCells == 0 || again == 0 {
		t.Errorf("%d columns by values, %d by cells, %d of them gathered again: want some of each", byValues, byCells, again)
	}
}

// gatherParts cuts a column into parts and joins what is known of them in an order that is drawn.
func gatherParts(s *Scanner, c *Column, even *engine.Cells, r *rand.Rand) Gathered {
	width := s.groups.width
	var known []Gathered
	for from := 0; from < len(c.Values); {
		to := min(from+1+r.IntN(400), len(c.Values))
		part := Column{Values: c.Values[from:to], Of: &Sample{}, Size: to - from, AtEmpty: c.AtEmpty,
			Zero: NewStatistic(width), Empty: NewStatistic(width)}
		if from == 0 {
			part.Zero, part.Empty = c.Zero, c.Empty
		}
		for i := from; i < to; i++ {
			part.Of.Take(c.Of, i)
		}
		known = append(known, s.Gather(&part, even))
		from = to
	}
	for len(known) > 1 {
		i := r.IntN(len(known) - 1)
		joined := s.Join(&known[i], &known[i+1], even)
		known = append(append(known[:i:i], joined), known[i+2:]...)
	}
	return known[0]
}
