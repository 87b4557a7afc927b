package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

func assign(t *table) (*task, error) {
	n, q, d := t.sizes.points, t.sizes.anchors, t.sizes.filters
	if t.portable {
		n = max(n/20, 1) // the rate of a large product does not depend on its number of rows
	}
	r := newRandom("assign")
	points, err := r.unit(t.engine, tensor.Float32, n, d)
	if err != nil {
		return nil, err
	}
	z, err := r.unit(t.engine, tensor.Float32, q, d)
	if err != nil {
		return nil, err
	}
	if err := z.Reshape(1, q, d); err != nil {
		return nil, err
	}
	index, best := make([]int32, n), engine.New(t.engine, tensor.Float32, n)
	flops := 2 * float64(n) * float64(q) * float64(d)
	return &task{
		shape: fmt.Sprintf("%d x %d, %d anchors", n, d, q),
		run: func(e engine.Engine) error {
			return e.Assign(index, best, engine.Points{Table: points, Size: 1}, z)
		},
		units: flops, unit: "FLOP/s",
		floor: floor{flops32: flops, bytes: 4 * float64(n*d+q*d+2*n)},
	}, nil
}

// kMeans clusters points around as many directions as there are anchors in assign, which is how the
// output of a layer lies. Points are counted once for every iteration.
func kMeans(t *table) (*task, error) {
	const iterations = 5
	n, d, directions, r := t.sizes.points, t.sizes.filters, t.sizes.anchors, newRandom("kmeans")
	if t.portable {
		n = max(n/20, 1)
	}
	centres := r.matrix(t.engine, tensor.Float32, directions, d).Float32s()
	points := r.matrix(t.engine, tensor.Float32, n, d)
	x := points.Float32s()
	for i := range n {
		at := r.IntN(directions) * d
		for j := range d {
			x[i*d+j] = centres[at+j] + 0.3*x[i*d+j]
		}
	}
	if err := t.engine.NormalizeRows(points, nil, points, 1e-4); err != nil {
		return nil, err
	}
	opt := nystrom.KMeansOptions{Seed: 1, MaxIterations: iterations, Tolerance: -1}
	return &task{
		shape: fmt.Sprintf("%d x %d, %d anchors, %d iterations", n, d, t.sizes.filters, iterations),
		run: func(e engine.Engine) error {
			_, err := nystrom.KMeans(context.Background(), e, nystrom.Points{Points: engine.Points{Table: points, Size: 1}}, t.sizes.filters, opt)
			return err
		},
		units: float64(n) * iterations, unit: "points/s",
	}, nil
}

func distinct(t *table) (*task, error) {
	const size, labels = 4, 8
	r := newRandom("distinct")
	rows := make([]int32, size*t.sizes.points)
	for i := range rows {
		rows[i] = r.Int32N(labels)
	}
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
