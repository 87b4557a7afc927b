// Command votes compares rules by which models decide together where a metric judges scores (docs/results/votes.md):
// who takes part, and what the mean is taken of. It reads comparisons that grove compare --metric roc-auc --choose -o
// has kept, of two classes, each with the data set that it is of, and computes nothing anew.
//
//	go run ./docs/results/votes BZR.json $GROVE_DATA/tu/BZR COX2.json $GROVE_DATA/tu/COX2
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
)

// withins are how many standard errors of the best a model may be off it.
var withins = []float64{0, 1, 2, 3, math.Inf(1)}

// means are what the mean is taken of, made of the log odds that a model gives the examples of a test part.
var means = []struct {
	name string
	of   func(odds []float64) []float64
}{
	{"probabilities", func(odds []float64) []float64 {
		return each(odds, func(z float64) float64 { return 1 / (1 + math.Exp(-z)) })
	}},
	{"log odds", slices.Clone[[]float64]},
	{"ranks", ranks},
}

func main() {
	if len(os.Args) < 3 || len(os.Args)%2 == 0 {
		log.Fatal("want COMPARISON.json DATA ...")
	}
	fmt.Print("| mean of | standard errors |")
	var all []*comparison
	for i := 1; i < len(os.Args); i += 2 {
		c, err := read(os.Args[i], os.Args[i+1])
		if err != nil {
			log.Fatal(err)
		}
		all = append(all, c)
		fmt.Printf(" %s |", c.Dataset)
	}
	fmt.Println(" mean |")
	for _, m := range means {
		for _, within := range withins {
			fmt.Printf("| %s | %g |", m.name, within)
			sum := 0.0
			for _, c := range all {
				area := 100 * c.area(within, m.of)
				fmt.Printf(" %.1f |", area)
				sum += area
			}
			fmt.Printf(" %.2f |\n", sum/float64(len(all)))
		}
	}
}

// comparison is a kept comparison with the classes of its data set.
type comparison struct {
	eval.Kept
	truth *model.Targets
}

func read(path, data string) (*comparison, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := new(comparison)
	if err := json.Unmarshal(raw, &c.Kept); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d, err := dataset.Open(data)
	if err != nil {
		return nil, err
	}
	c.truth = model.TargetsOf(d)
	return c, nil
}

// area returns the mean area under the ROC curve over the folds, of models within some standard errors of the best on
// the inner folds.
func (c *comparison) area(within float64, of func(odds []float64) []float64) float64 {
	var areas []float64
	for f, test := range c.Folds {
		best := &c.Models[0].Tested[f]
		for i := range c.Models {
			if t := &c.Models[i].Tested[f]; *t.Score > *best.Score {
				best = t
			}
		}
		sum, positive := make([]float64, len(test)), make([]bool, len(test))
		for i, g := range test {
			positive[i] = c.truth.Classes[g] == 1
		}
		for i := range c.Models {
			t := &c.Models[i].Tested[f]
			if *t.Score < *best.Score-within*best.Voice.Error || within == 0 && t != best {
				continue
			}
			for k, v := range of(odds(t)) {
				sum[k] += v
			}
		}
		areas = append(areas, eval.AUC(sum, positive))
	}
	mean, _ := eval.MeanStd(areas)
	return mean
}

// odds returns the log odds that the sigmoid of a model gives the examples of a test part.
func odds(t *eval.KeptFold) []float64 {
	s := t.Voice.Sigmoids[0]
	var scores []float64
	for _, row := range t.Decisions {
		scores = append(scores, row[0])
	}
	if t.Probabilities != nil {
		scores = nil
		for _, row := range t.Probabilities {
			scores = append(scores, row[1])
		}
	}
	return each(scores, func(score float64) float64 { return -(s.Slope*score + s.Offset) })
}

func each(x []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

// ranks returns of every number how many are smaller, equal ones counted half.
func ranks(x []float64) []float64 {
	return each(x, func(a float64) float64 {
		n := 0.0
		for _, b := range x {
			switch {
			case b < a:
				n++
			case b == a:
				n += 0.5
			}
		}
		return n
	})
}
