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
// the held-out parts, for the best of some values of C, as a fraction.
type Accuracy struct {
	Classes []int     // class of every training graph, in their order
	Parts   int       // stratified parts, each held out once; default 5
	HoldOut bool      // only the first part is held out
	C       []float64 // values to choose from, ascending; nil: 0.001, 0.01, 0.1, 1
	Seed    uint64    // decides the parts
	Workers int       // goroutines, default 1
}

const defaultParts = 5

// String implements [Criterion].
func (a Accuracy) String() string {
	hash := fnv.New128a()
	for _, c := range a.Classes {
		_ = binary.Write(hash, binary.LittleEndian, int64(c))
	}
	held := "each"
	if a.HoldOut {
		held = "one"
	}
	return fmt.Sprintf("accuracy on %s of %d parts, C %v, seed %d, classes %s", held, a.parts(), a.grid(), a.Seed,
		hex.EncodeToString(hash.Sum(nil)))
}

func (a Accuracy) parts() int {
	if a.Parts == 0 {
		return defaultParts
	}
	return a.Parts
}

func (a Accuracy) grid() []float64 {
	if a.C == nil {
		return []float64{0.001, 0.01, 0.1, 1}
	}
	return a.C
}

// Score implements [Criterion]. Fewer than two parts, or more than graphs, are an error.
func (a Accuracy) Score(ctx context.Context, x *tensor.Dense) (float64, error) {
	if n := x.Shape()[0]; len(a.Classes) != n || a.parts() < 2 || a.parts() > n {
		return 0, fmt.Errorf("accuracy on %d parts of %d graphs with %d classes: want 2 parts or more, none empty",
			a.parts(), n, len(a.Classes))
	}
	correct, tested := make([]int, len(a.grid())), 0
	for k, part := range a.deal() {
		if a.HoldOut && k > 0 {
			break
		}
		var train []int
		for g := range a.Classes {
			if !slices.Contains(part, g) {
				train = append(train, g)
			}
		}
		classifier, err := svm.FitClassifier(ctx, x, train, a.Classes, a.grid(),
			svm.Options{Workers: max(a.Workers, 1), Tolerance: 1e-4})
		if err != nil {
			return 0, err
		}
		predicted, err := classifier.Predict(x, part)
		if err != nil {
			return 0, err
		}
		for c := range predicted {
			for i, g := range part {
				if predicted[c][i] == a.Classes[g] {
					correct[c]++
				}
			}
		}
		tested += len(part)
	}
	return float64(slices.Max(correct)) / float64(tested), nil
}

// deal cuts the graphs into parts with their share of every class.
func (a Accuracy) deal() [][]int {
	parts := make([][]int, a.parts())
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
