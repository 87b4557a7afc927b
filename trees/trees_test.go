package trees_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/trees"
)

// random returns a table of few and of many different values, some of them missing, and targets that follow from it.
func random(rows, columns int, seed uint64) (*trees.Table, []int, []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	t := trees.NewTable(rows, columns)
	classes, values := make([]int, rows), make([]float64, rows)
	for i := range rows {
		row := t.Row(i)
		for c := range row {
			switch {
			case rng.IntN(11) == 0:
				row[c] = float32(math.NaN())
			case c%2 == 0:
				row[c] = float32(rng.IntN(4))
			default:
				row[c] = float32(rng.NormFloat64())
			}
		}
		x := float64(row[0])
		if x != x {
			x = 5
		}
		values[i] = x + rng.NormFloat64()/4
		if row[1] > 0 {
			values[i] += 2
		}
		classes[i] = min(int(max(values[i], 0)), 2)
	}
	return t, classes, values
}

// reference is a tree that is grown by the definition, in float64: all thresholds of all columns are tried.
type reference struct {
	t      *trees.Table
	o      trees.Options
	g, h   []float64
	scores []float64 // of this output
}

func (r *reference) score(examples []int) float64 {
	g, h := 0.0, r.o.Lambda
	for _, i := range examples {
		g, h = g+r.g[i], h+r.h[i]
	}
	return g * g / h
}

// grow adds to the scores and returns the number of nodes and the sum of the gains.
func (r *reference) grow(examples []int, depth int) (nodes int, gains float64) {
	best, bestNo, bestYes := 0.0, []int(nil), []int(nil)
	if depth < r.o.Depth {
		whole := r.score(examples)
		for c := range r.t.Columns {
			for _, at := range examples {
				// A threshold at a value: what is not above it, or missing, goes one way. A missing one parts those that are.
				threshold := r.t.Row(at)[c]
				if threshold != threshold {
					threshold = float32(math.Inf(-1))
				}
				var no, yes []int
				for _, i := range examples {
					if r.t.Row(i)[c] > threshold {
						yes = append(yes, i)
					} else {
						no = append(no, i)
					}
				}
				if min(len(no), len(yes)) < r.o.MinLeaf {
					continue
				}
				if gain := (r.score(no) + r.score(yes) - whole) / 2; gain > best+1e-9 {
					best, bestNo, bestYes = gain, no, yes
				}
			}
		}
	}
	if best == 0 {
		g, h := 0.0, r.o.Lambda
		for _, i := range examples {
			g, h = g+r.g[i], h+r.h[i]
		}
		for _, i := range examples {
			r.scores[i] -= r.o.Rate * g / h
		}
		return 1, 0
	}
	n, a := r.grow(bestNo, depth+1)
	m, b := r.grow(bestYes, depth+1)
	return 1 + n + m, best + a + b
}

// The trees are those of the definition, of all losses.
func TestTreesOfTheDefinition(t *testing.T) {
	table, classes, values := random(90, 4, 3)
	o := trees.Default()
	o.Rounds, o.Rate, o.MinLeaf, o.Depth = 5, 0.3, 3, 3
	two := slices.Clone(classes)
	for i, c := range two {
		two[i] = min(c, 1)
	}
	var train []int
	for i := range table.Rows {
		if i%7 > 0 {
			train = append(train, i)
		}
	}
	for name, targets := range map[string]trees.Targets{
		"squared":  {Values: values, Outputs: 1},
		"logistic": {Classes: two, NumClasses: 2},
		"softmax":  {Classes: classes, NumClasses: 3},
	} {
		targets.Train = train
		m, err := trees.Fit(context.Background(), table, targets, o, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if string(m.Loss) != name {
			t.Fatalf("loss %s, want %s", m.Loss, name)
		}
		outputs := len(m.Start)
		scores := make([][]float64, outputs)
		for k := range scores {
			scores[k] = slices.Repeat([]float64{m.Start[k]}, table.Rows)
		}
		for round := range o.Rounds {
			r := make([]*reference, outputs)
			for k := range r {
				r[k] = &reference{t: table, o: o, scores: slices.Clone(scores[k])}
				for i := range table.Rows {
					g, h := derivatives(name, scores, k, i, &targets)
					r[k].g, r[k].h = append(r[k].g, g), append(r[k].h, h)
				}
			}
			for k := range r {
				nodes, gains := r[k].grow(train, 0)
				tree, got := m.Trees[round][k], 0.0
				for _, n := range tree {
					got += n.Gain
				}
				if len(tree) != nodes || math.Abs(got-gains) > 1e-6*max(1, gains) {
					t.Fatalf("%s, round %d, output %d: %d nodes that gain %g, want %d and %g", name, round, k, len(tree), got, nodes,
						gains)
				}
				scores[k] = r[k].scores
			}
		}
		got := m.Scores(table, train, m.Rounds(), 2)
		for at, i := range train {
			for k := range outputs {
				if math.Abs(got[at*outputs+k]-scores[k][i]) > 1e-6 {
					t.Errorf("%s: score %g of example %d, want %g", name, got[at*outputs+k], i, scores[k][i])
				}
			}
		}
	}
}

// derivatives are those of the loss of example i by the score of output k.
func derivatives(loss string, scores [][]float64, k, i int, t *trees.Targets) (g, h float64) {
	switch loss {
	case "squared":
		return scores[0][i] - t.Values[i], 1
	case "logistic":
		p := 1 / (1 + math.Exp(-scores[0][i]))
		return p - float64(t.Classes[i]), p * (1 - p)
	}
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(s[i])
	}
	p := math.Exp(scores[k][i]) / sum
	if g = p; t.Classes[i] == k {
		g--
	}
	return g, p * (1 - p)
}

// A model has the same bits for any number of workers and any order of the examples, with fewer bins than values too.
func TestSameBits(t *testing.T) {
	table, classes, _ := random(700, 40, 5)
	o := trees.Default()
	o.Rounds, o.Bins = 6, 16
	fit := func(workers int, order []int) *trees.Model {
		of := trees.NewTable(table.Rows, table.Columns)
		mixed := make([]int, table.Rows)
		for i, at := range order {
			copy(of.Row(i), table.Row(at))
			mixed[i] = classes[at]
		}
		m, err := trees.Fit(context.Background(), of, trees.Targets{Classes: mixed, NumClasses: 3,
			Train: rand.New(rand.NewPCG(1, 1)).Perm(table.Rows)}, o, workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	order := make([]int, table.Rows)
	for i := range order {
		order[i] = i
	}
	want := fit(1, order)
	rand.New(rand.NewPCG(2, 2)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, workers := range []int{1, 3, 8} {
		if got := fit(workers, order); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers and another order give another model", workers)
		}
	}
	if err := want.Check(); err != nil {
		t.Error(err)
	}
}

// Trees learn what examples follow from, and a round draws its share of them by the seed.
func TestLearns(t *testing.T) {
	table, classes, values := random(600, 6, 7)
	o := trees.Default()
	o.Subsample = 0.5
	var train, test []int
	for i := range table.Rows {
		if i%3 == 0 {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	ofClasses := trees.Targets{Classes: classes, NumClasses: 3, Train: train}
	m, err := trees.Fit(context.Background(), table, ofClasses, o, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, right := m.Scores(table, test, m.Rounds(), 1), 0
	for at, i := range test {
		p := m.Loss.Probabilities(scores[at*3:at*3+3], 3)
		if slices.Max(p) == p[classes[i]] {
			right++
		}
	}
	if right < len(test)*8/10 {
		t.Errorf("%d of %d right", right, len(test))
	}
	if gains := m.Gains(); gains[0] < 0.3 || gains[1] < 0.1 || math.Abs(sum(gains)-1) > 1e-9 {
		t.Errorf("gains %v, want most of columns 0 and 1", gains)
	}
	o.Seed = 1
	if other, err := trees.Fit(context.Background(), table, ofClasses, o, 2, nil); err != nil ||
		reflect.DeepEqual(m, other) {
		t.Errorf("another seed draws the same examples (%v)", err)
	}
	r, err := trees.Fit(context.Background(), table, trees.Targets{Values: values, Outputs: 1, Train: train}, o, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	said, squares, total := r.Scores(table, test, r.Rounds(), 1), 0.0, 0.0
	for at, i := range test {
		squares += (said[at] - values[i]) * (said[at] - values[i])
		total += (values[i] - r.Start[0]) * (values[i] - r.Start[0])
	}
	if squares > total/4 {
		t.Errorf("the squared error is %g of that of the mean", squares/total)
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// What makes no sense is refused in one line, and a cancelled context ends the fit.
func TestRefused(t *testing.T) {
	table, classes, values := random(20, 3, 1)
	train := []int{0, 1, 2, 3, 4, 5}
	for want, change := range map[string]func(*trees.Table, *trees.Targets, *trees.Options){
		"learning rate 0":  func(_ *trees.Table, _ *trees.Targets, o *trees.Options) { o.Rate = 0 },
		"depth 31":         func(_ *trees.Table, _ *trees.Targets, o *trees.Options) { o.Depth = 31 },
		"1 bins":           func(_ *trees.Table, _ *trees.Targets, o *trees.Options) { o.Bins = 1 },
		"subsample 2":      func(_ *trees.Table, _ *trees.Targets, o *trees.Options) { o.Subsample = 2 },
		"0 examples":       func(_ *trees.Table, _ *trees.Targets, o *trees.Options) { o.MinLeaf = 0 },
		"lambda -1":        func(_ *trees.Table, _ *trees.Targets, o *trees.Options) { o.Lambda = -1 },
		"-1 rounds":        func(_ *trees.Table, _ *trees.Targets, o *trees.Options) { o.Rounds = -1 },
		"either classes":   func(_ *trees.Table, p *trees.Targets, _ *trees.Options) { p.Values = values },
		"no example":       func(_ *trees.Table, p *trees.Targets, _ *trees.Options) { p.Train = nil },
		"example 20 of 20": func(_ *trees.Table, p *trees.Targets, _ *trees.Options) { p.Train = []int{20} },
		"is of class":      func(_ *trees.Table, p *trees.Targets, _ *trees.Options) { p.NumClasses = 1 },
		"+Inf in column 2": func(x *trees.Table, _ *trees.Targets, _ *trees.Options) {
			x.Values[5] = float32(math.Inf(1))
		},
		"59 values in a tabl": func(x *trees.Table, _ *trees.Targets, _ *trees.Options) { x.Values = x.Values[:59] },
	} {
		x := &trees.Table{Rows: 20, Columns: 3, Values: slices.Clone(table.Values)}
		p, o := trees.Targets{Classes: classes, NumClasses: 3, Train: train}, trees.Default()
		change(x, &p, &o)
		_, err := trees.Fit(context.Background(), x, p, o, 1, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want one line with %q", err, want)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	p := trees.Targets{Classes: classes, NumClasses: 3, Train: train}
	if _, err := trees.Fit(ctx, table, p, trees.Default(), 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A file may hold anything.
func TestCheck(t *testing.T) {
	good := func() *trees.Model {
		return &trees.Model{Loss: trees.Squared, Columns: 2, Start: []float64{1},
			Trees: [][]trees.Tree{{{{Split: trees.Split{Feature: 1}, No: 1, Yes: 2}, {}, {}}}}}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*trees.Model){
		"loss":           func(m *trees.Model) { m.Loss = "hinge" },
		"starts at NaN":  func(m *trees.Model) { m.Start[0] = math.NaN() },
		"trees for":      func(m *trees.Model) { m.Trees[0] = nil },
		"without a root": func(m *trees.Model) { m.Trees[0][0] = nil },
		"below the root": func(m *trees.Model) { m.Trees[0][0][0] = trees.Node{} },
		"children":       func(m *trees.Model) { m.Trees[0][0][0].No = 0 },
		"column 2":       func(m *trees.Model) { m.Trees[0][0][0].Split.Feature = 2 },
		"not finite":     func(m *trees.Model) { m.Trees[0][0][1].Value = math.Inf(1) },
	} {
		m := good()
		if change(m); m.Check() == nil || !strings.Contains(m.Check().Error(), want) {
			t.Errorf("%v, want %q", m.Check(), want)
		}
	}
}
