package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

func anchorOperations() []operation {
	return []operation{
		{"assign", "nearest anchor of 300 000 points of 128 numbers among 1024 anchors", assign, everywhere},
		{"assign-paths", "nearest anchor of 300 000 paths of 3 rows of a table among 1024 anchors", assignPaths, everywhere},
		{"kmeans", "spherical k-means of 300 000 points of 128 numbers, 128 anchors: start and 5 iterations", kMeans, onHost},
		{"distinct", "merging 300 000 sequences of 4 labels", distinct, onHost},
		{"sample", "drawing 300 000 of a million paths without replacement", sample, onHost},
	}
}

// fewerWhenPortable returns n, or less where portable code takes long: the rate of a large product does not
// depend on its number of rows.
func (t *table) fewerWhenPortable(n int) int {
	if t.portable {
		return max(n/20, 1)
	}
	return n
}

func assign(t *table) (*task, error) {
	n, d := t.fewerWhenPortable(t.sizes.points), t.sizes.filters
	table, err := newRandom("assign").unit(t.engine, tensor.Float32, 1, n, d)
	if err != nil {
		return nil, err
	}
	task, err := assignment(t, engine.Points{Table: engine.View(table, 0, n, d), Size: 1})
	if err == nil {
		task.device = deviceTarget{share: 0.5}
	}
	return task, err
}

func assignPaths(t *table) (*task, error) {
	const size, rows = 3, 10000
	table, err := newRandom("assign-paths").unit(t.engine, tensor.Float32, 1, rows, t.sizes.filters)
	if err != nil {
		return nil, err
	}
	n := t.fewerWhenPortable(t.sizes.points)
	return assignment(t, engine.Points{
		Table: engine.View(table, 0, rows, t.sizes.filters), Rows: newRandom("paths").indices(size*n, rows), Size: size,
	})
}

// assignment finds the nearest of random anchors. The floor multiplies every row of the table, or every
// point, with every anchor, and adds up the products of a point.
func assignment(t *table, points engine.Points) (*task, error) {
	n, q, d := points.Len(), t.sizes.anchors, t.sizes.filters
	z, err := newRandom("anchors").unit(t.engine, tensor.Float32, points.Size, q, d)
	if err != nil {
		return nil, err
	}
	index, best := make([]int32, n), t.engine.New(tensor.Float32, n)
	rows := float64(min(n, points.Table.Shape()[0]))
	flops := float64(q) * float64(points.Size) * (2*rows*float64(d) + float64(n))
	if points.Size == 1 {
		flops = 2 * rows * float64(q) * float64(d)
	}
	return &task{
		shape: fmt.Sprintf("%d x %d x %d, %d anchors", n, points.Size, d, q),
		run:   func(e engine.Engine) error { return e.Assign(index, best, points, z) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops32: flops, bytes: 4 * float64(points.Table.Size()+len(points.Rows)+points.Size*q*d+2*n)},
	}, nil
}

// kMeans clusters points around as many directions as there are anchors in assign, which is how the
// output of a layer lies. Points are counted once for every iteration.
func kMeans(t *table) (*task, error) {
	const iterations = 5
	n, d, directions, r := t.fewerWhenPortable(t.sizes.points), t.sizes.filters, t.sizes.anchors, newRandom("kmeans")
	centres := r.slice(directions * d)
	host := t.engine.Host()
	points, err := r.matrix(host, tensor.Float32, n, d)
	if err != nil {
		return nil, err
	}
	x := points.Float32s()
	for i := range n {
		at := r.IntN(directions) * d
		for j := range d {
			x[i*d+j] = centres[at+j] + 0.3*x[i*d+j]
		}
	}
	if err := host.NormalizeRows(points, nil, points, 1e-4); err != nil {
		return nil, err
	}
	opt := nystrom.KMeansOptions{Seed: 1, MaxIterations: iterations, Tolerance: -1}
	return &task{
		shape: fmt.Sprintf("%d x %d, %d anchors, %d iterations", n, d, t.sizes.filters, iterations),
		run: func(e engine.Engine) error {
			_, err := nystrom.KMeans(context.Background(), e, nystrom.Points{Points: engine.Points{Table: points, Size: 1}},
				t.sizes.filters, opt)
			return err
		},
		units: float64(n) * iterations, unit: "points/s",
	}, nil
}

func distinct(t *table) (*task, error) {
	const size, labels = 4, 8
	rows := newRandom("distinct").indices(size*t.sizes.points, labels)
	return &task{
		shape: fmt.Sprintf("%d sequences of %d among %d labels", t.sizes.points, size, labels),
		run: func(engine.Engine) error {
			nystrom.Distinct(rows, size, nil)
			return nil
		},
		units: float64(t.sizes.points), unit: "sequences/s",
		floor: floor{bytes: 4 * float64(len(rows))},
	}, nil
}

func sample(t *table) (*task, error) {
	want := t.sizes.samples
	total := int64(want) * 10 / 3
	return &task{
		shape: fmt.Sprintf("%d of %d", want, total),
		run: func(engine.Engine) error {
			nystrom.SampleSorted(total, want, rand.New(rand.NewPCG(1, 1)))
			return nil
		},
		units: float64(want), unit: "samples/s",
	}, nil
}
