package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// splitHistogramCases are columns of nodes so large that thresholds lie between groups of cells, where cells tell the
// values apart.
func splitHistogramCases() []Case {
	const empty = -1.5
	columns := map[string]func(rng *rand.Rand) float64{
		"normal":        func(rng *rand.Rand) float64 { return rng.NormFloat64() },
		"even":          func(rng *rand.Rand) float64 { return 1e-3*rng.Float64() - 1000 },
		"heavy tails":   func(rng *rand.Rand) float64 { return math.Exp(5 * rng.NormFloat64()) },
		"tails":         func(rng *rand.Rand) float64 { return math.Exp(rng.NormFloat64()) },
		"two clusters":  func(rng *rand.Rand) float64 { return rng.NormFloat64() + 1e6*float64(rng.IntN(2)) },
		"few values":    func(rng *rand.Rand) float64 { return math.Sqrt(float64(1 + rng.IntN(12))) },
		"whole numbers": func(rng *rand.Rand) float64 { return float64(rng.IntN(60) - 20) },
		"far wholes":    func(rng *rand.Rand) float64 { return math.Round(1000 * rng.NormFloat64()) },
		"one value":     func(*rand.Rand) float64 { return 0.25 },
		"mostly zero": func(rng *rand.Rand) float64 {
			return max(rng.NormFloat64()-1, 0) * []float64{1, math.Copysign(1, -1)}[rng.IntN(2)]
		},
		"hardly ever":   func(rng *rand.Rand) float64 { return max(rng.NormFloat64()-2.5, 0) },
		"infinite ends": func(rng *rand.Rand) float64 { return 1e300 * math.Exp(20*rng.NormFloat64()) },
		"on the edge":   func(rng *rand.Rand) float64 { return empty + float64(rng.IntN(3)-1)*rng.Float64()/8 },
	}
	var all []Case
	add := func(name string, sizes []int, bins, missing int, impurity engine.Impurity, classes int, graphs bool) {
		of := columns[name]
		name = fmt.Sprintf("histogram of %s examples=%v bins=%d missing=%d impurity=%d classes=%d graphs=%v",
			name, sizes, bins, missing, impurity, classes, graphs)
		all = append(all, Case{"BestSplits", name, 0, func(c *call) error {
			rng := rand.New(rand.NewPCG(57, uint64(bins)))
			s := &engine.SplitSearch{Nodes: []int32{0}, Impurity: impurity, Number: classes, MinLeaf: 3, Bins: bins,
				Unit: 1. / 16}
			if graphs {
				s.Offsets, s.Aggregations = []int32{0}, []engine.Aggregation{engine.SumOf, engine.MaxOf}
			}
			const q = 2
			for node, size := range sizes {
				for range size {
					w := float64(1 + rng.IntN(3))
					s.Examples, s.Weights = append(s.Examples, 0), append(s.Weights, w)
					if impurity == engine.Variance {
						s.Targets = append(s.Targets, w*float64(rng.IntN(65)-32)/16)
					} else {
						s.Classes = append(s.Classes, int32(rng.IntN(classes)))
					}
				}
				s.Nodes = append(s.Nodes, int32(len(s.Examples)))
				for i := range 2 {
					s.Searches = append(s.Searches, engine.Search{Node: int32(node), Subset: -1, Factor: -1, Mask: int32(node),
						Empty: []float64{empty, 0}[i]})
				}
				s.Features = append(s.Features, node != 1, true)
			}
			columns := make([]float64, s.Places(q)[len(s.Searches)])
			for i := range columns {
				columns[i] = of(rng)
				switch {
				case missing > 0 && rng.IntN(missing) == 0:
					columns[i] = math.NaN()
				case graphs && rng.IntN(12) == 0:
					columns[i] = empty
				case rng.IntN(8) == 0:
					columns[i] = 0
				}
			}
			best := c.outputOf(tensor.Float64, len(sizes), 4)
			return c.e.BestSplits(best, c.upload(tensor.Float64, columns, len(columns)), s, q)
		}})
	}
	for name := range columns {
		add(name, []int{400, 161, 160}, 40, 0, engine.Variance, 0, true)
		add(name, []int{300}, 16, 9, engine.Variance, 0, false)
		add(name, []int{200, 90}, 20, 30, engine.Gini, 3, true)
		add(name, []int{257}, 9, 0, engine.Entropy, 2, false)
	}
	add("normal", []int{1100}, 255, 0, engine.Variance, 0, false)
	add("tails", []int{500}, 1200, 0, engine.Variance, 0, false) // more bins than cells: exact
	for name, wrong := range map[string]func(s *engine.SplitSearch){
		"targets between multiples of the unit":             func(s *engine.SplitSearch) { s.Targets[1] = 0.75 },
		"a unit that is no power of two":                    func(s *engine.SplitSearch) { s.Unit = 3 },
		"no unit":                                           func(s *engine.SplitSearch) { s.Unit = 0 },
		"targets too large for the unit":                    func(s *engine.SplitSearch) { s.Targets[0] = 1 << 60 },
		"histograms with weights that are no whole numbers": func(s *engine.SplitSearch) { s.Weights[0] = 0.5 },
		"a negative number of bins":                         func(s *engine.SplitSearch) { s.Bins = -1 },
	} {
		all = append(all, Case{"BestSplits", name, 0, func(c *call) error {
			s := &engine.SplitSearch{Examples: []int32{0, 1}, Nodes: []int32{0, 2},
				Searches: []engine.Search{{Subset: -1, Factor: -1}}, Weights: []float64{1, 1},
				Targets: []float64{1, -1}, Bins: 1, Unit: 0.5}
			wrong(s)
			return c.e.BestSplits(c.e.New(tensor.Float64, 1, 4), c.e.New(tensor.Float64, 2), s, 1)
		}})
	}
	return all
}
