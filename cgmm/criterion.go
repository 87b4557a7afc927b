package cgmm

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// Accuracy is the criterion of the paper (section 3.4): how well a linear support vector machine on the
// fingerprints classifies graphs that were held out of its training. The score is the mean accuracy over
// five stratified parts, each held out once, for the best of some values of C, as a fraction.
type Accuracy struct {
	Classes []int  // class of every training graph, in their order
	Seed    uint64 // decides the parts
	Workers int    // goroutines, default 1
}

const heldOutParts = 5

// constants are the values of C that the score is the best of.
func (Accuracy) constants() []float64 { return []float64{0.001, 0.01, 0.1, 1} }

// String implements [Criterion].
func (a Accuracy) String() string {
	hash := fnv.New128a()
	for _, c := range a.Classes {
		_ = binary.Write(hash, binary.LittleEndian, int64(c))
	}
	return fmt.Sprintf("accuracy on each of %d parts, C %v, seed %d, classes %s", heldOutParts, a.constants(), a.Seed,
		hex.EncodeToString(hash.Sum(nil)))
}

// Score implements [Criterion]. Fewer graphs than parts are an error.
func (a Accuracy) Score(ctx context.Context, x *tensor.Dense) (float64, error) {
	if n := x.Shape()[0]; len(a.Classes) != n || n < heldOutParts {
		return 0, fmt.Errorf("accuracy on %d parts of %d graphs with %d classes: want 2 parts or more, none empty",
			heldOutParts, n, len(a.Classes))
	}
	correct, tested := make([]int, len(a.constants())), 0
	for _, test := range a.deal() {
		var train []int
		for g := range a.Classes {
			if !slices.Contains(test, g) {
				train = append(train, g)
			}
		}
		classifier, err := svm.FitClassifier(ctx, x, train, a.Classes, a.constants(),
			svm.Options{Workers: max(a.Workers, 1), Tolerance: 1e-4})
		if err != nil {
			return 0, err
		}
		predicted, err := classifier.Predict(x, test)
		if err != nil {
			return 0, err
		}
		for c := range predicted {
			for i, g := range test {
				if predicted[c][i] == a.Classes[g] {
					correct[c]++
				}
			}
		}
		tested += len(test)
	}
	return float64(slices.Max(correct)) / float64(tested), nil
}

// deal cuts the graphs into parts with their share of every class.
func (a Accuracy) deal() [][]int {
	parts := make([][]int, heldOutParts)
	byClass := map[int][]int{}
	for g, c := range a.Classes {
		byClass[c] = append(byClass[c], g)
	}
	rng := rand.New(rand.NewPCG(a.Seed, 0xdea1))
	next := 0
	for _, c := range slices.Sorted(maps.Keys(byClass)) {
		graphs := byClass[c]
		rng.Shuffle(len(graphs), func(i, j int) { graphs[i], graphs[j] = graphs[j], graphs[i] })
		for _, g := range graphs {
			parts[next%len(parts)] = append(parts[next%len(parts)], g)
			next++
		}
	}
	return parts
}
