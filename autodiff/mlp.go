package autodiff

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// MLPOptions describe a network of one hidden layer for regression and how it is trained.
type MLPOptions struct {
	Hidden    int     `json:"hidden"`     // hidden units
	Epochs    int     `json:"epochs"`     // passes over the training rows
	BatchSize int     `json:"batch_size"` // rows of one step of Adam
	Rate      float64 `json:"rate"`       // of the first step
	MinRate   float64 `json:"min_rate"`   // of the last step; the rates between lie on a line
	Decay     float64 `json:"decay"`      // L2 penalty inside Adam
	Seed      uint64  `json:"seed"`       // of the first weights and the order of the rows
}

// DefaultMLP returns the settings of the message passing graph kernels on QM9 (Nikolentzos and Vazirgiannis, 2018,
// section 4.3): 512 hidden units, 200 epochs, a rate that falls from 1e-3 to 1e-6. The paper does not say how many
// rows make a step; here they are 64.
func DefaultMLP() MLPOptions {
	return MLPOptions{Hidden: 512, Epochs: 200, BatchSize: 64, Rate: 1e-3, MinRate: 1e-6}
}

// Check reports the first option that makes no sense.
func (o *MLPOptions) Check() error {
	switch {
	case o.Hidden < 1 || o.Hidden > 1<<16:
		return fmt.Errorf("%d hidden units, want 1 to %d", o.Hidden, 1<<16)
	case o.Epochs < 1:
		return fmt.Errorf("%d epochs, want at least 1", o.Epochs)
	case o.BatchSize < 1:
		return fmt.Errorf("batches of %d, want at least 1", o.BatchSize)
	case !(o.Rate > 0) || math.IsInf(o.Rate, 0):
		return fmt.Errorf("rate %g, want a positive number", o.Rate)
	case !(o.MinRate >= 0 && o.MinRate <= o.Rate):
		return fmt.Errorf("least rate %g, want 0 to the first rate %g", o.MinRate, o.Rate)
	case !(o.Decay >= 0) || math.IsInf(o.Decay, 0):
		return fmt.Errorf("decay %g, want a number from 0 on", o.Decay)
	}
	return nil
}

// rate returns the learning rate of a step, counted from 0.
func (o *MLPOptions) rate(step, steps int) float64 {
	if steps < 2 {
		return o.Rate
	}
	return o.Rate + (o.MinRate-o.Rate)*float64(step)/float64(steps-1)
}

// MLP is a trained network with one hidden layer, o = W2 max(0, W1 x + b1) + b2, on standardised inputs x (d of them)
// and targets (k). It computes in float32 in host memory and is safe for concurrent use.
type MLP struct {
	engine engine.Engine
	opt    MLPOptions
	input  Affine
	output Affine
	net    perceptron
}

// Affine standardises columns: (x - Mean) / Scale, with the population standard deviation as the scale, 1 for a
// constant column.
type Affine struct {
	Mean  []float64 `json:"mean"`
	Scale []float64 `json:"scale"`
}

// FitMLP trains a network on some rows of x (N x d, Float32 or Float64) to predict the rows of y (N x k, Float64) by
// Adam, minimising the mean over the rows of half the squared error of standardised targets. rows selects the rows to
// learn from, nil meaning all. progress, if not nil, is told of every epoch with its mean loss. The result is the
// same for any number of workers.
//
// Errors are those of MLPOptions.Check, shapes that do not fit, rows that do not exist, no rows, numbers that are not
// finite, a [Diverged] training and a context that is done.
func FitMLP(
	ctx context.Context, e engine.Engine, x, y *tensor.Dense, rows []int, opt MLPOptions,
	progress func(epoch, epochs int, loss float64),
) (*MLP, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if y.Dims() != 2 || y.Dtype() != tensor.Float64 || x.Dims() != 2 || x.Shape()[0] != y.Shape()[0] {
		return nil, fmt.Errorf("targets of shape %v and type %v for inputs of shape %v: want a row of float64 for each row",
			y.Shape(), y.Dtype(), x.Shape())
	}
	n := &MLP{engine: e.Host(), opt: opt}
	inputs, err := takeRows(x, rows, "input")
	if err != nil {
		return nil, err
	}
	targets, err := takeRows(y, rows, "target")
	if err != nil {
		return nil, err
	}
	d, k := x.Shape()[1], y.Shape()[1]
	if len(inputs) == 0 || len(targets) == 0 {
		return nil, fmt.Errorf("a network cannot learn from %d rows of %d inputs and %d targets: want some of each",
			len(inputs)/max(d, 1), d, k)
	}
	n.input, n.output = Standardise(inputs, d), Standardise(targets, k)
	t := &mlpTraining{MLP: n, x: n.input.apply(inputs), y: n.output.apply(targets), n: len(inputs) / d, d: d, k: k}
	n.net = newPerceptron(n.engine, d, opt.Hidden, k, rand.New(rand.NewPCG(opt.Seed, firstWeights)))
	return n, t.run(ctx, progress)
}

// Purposes that the seed of an MLP is used for.
const (
	firstWeights uint64 = 0x11e1 << 32
	rowOrder     uint64 = 0x12e1 << 32
)

// takeRows returns rows of a matrix as float64; nil is all.
func takeRows(x *tensor.Dense, rows []int, what string) ([]float64, error) {
	of, err := engine.Float64s(x)
	if err != nil {
		return nil, err
	}
	n, d := x.Shape()[0], x.Shape()[1]
	count := len(rows)
	if rows == nil {
		count = n
	}
	out := make([]float64, 0, count*d)
	for i := range count {
		r := i
		if rows != nil {
			r = rows[i]
		}
		if r < 0 || r >= n {
			return nil, fmt.Errorf("row %d of %d rows", r, n)
		}
		for j := range d {
			v := of[r*d+j]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("%s %d of row %d is %g: leave the row out or replace it by a finite number", what, j, r, v)
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// Standardise returns the means and scales of the d columns of x.
func Standardise(x []float64, d int) Affine {
	a := Affine{Mean: make([]float64, d), Scale: make([]float64, d)}
	n := float64(len(x) / d)
	for i, v := range x {
		a.Mean[i%d] += v / n
	}
	for i, v := range x {
		a.Scale[i%d] += (v - a.Mean[i%d]) * (v - a.Mean[i%d]) / n
	}
	for j, v := range a.Scale {
		a.Scale[j] = math.Sqrt(v)
		if a.Scale[j] <= 1e-12*math.Abs(a.Mean[j]) {
			a.Scale[j] = 1
		}
	}
	return a
}

// apply returns standardised columns in float32.
func (a Affine) apply(x []float64) []float32 {
	out, d := make([]float32, len(x)), len(a.Mean)
	for i, v := range x {
		out[i] = float32((v - a.Mean[i%d]) / a.Scale[i%d])
	}
	return out
}

// Inputs returns the number of columns that the network takes.
func (n *MLP) Inputs() int { return len(n.input.Mean) }

// Outputs returns the number of targets that the network predicts.
func (n *MLP) Outputs() int { return len(n.output.Mean) }

// Predict returns the predicted targets, in their own units, of some rows of x (N x d, nil meaning all rows): a Float64
// matrix of a row for each. Errors are shapes that do not fit, rows that do not exist and numbers that are not finite.
func (n *MLP) Predict(x *tensor.Dense, rows []int) (*tensor.Dense, error) {
	d, k := n.Inputs(), n.Outputs()
	if x.Dims() != 2 || x.Shape()[1] != d {
		return nil, fmt.Errorf("inputs of shape %v: the network takes %d columns", x.Shape(), d)
	}
	in, err := takeRows(x, rows, "input")
	if err != nil {
		return nil, err
	}
	count := len(in) / d
	out := n.engine.New(tensor.Float64, count, k)
	z, y := n.input.apply(in), out.Float64s()
	p, err := n.net.program(n.engine, false)
	if err != nil {
		return nil, err
	}
	defer p.release()
	const piece = 4096 // rows at a time, to bound memory
	for from := 0; from < count; from += piece {
		to := min(from+piece, count)
		b := n.net.newBatch(n.engine, to-from)
		copy(b.input.Rows.Float32s(), z[from*d:to*d])
		if err := p.run(b); err != nil {
			return nil, err
		}
		for i, v := range p.value(p.logits).Float32s() {
			y[from*k+i] = float64(v)*n.output.Scale[i%k] + n.output.Mean[i%k]
		}
	}
	return out, nil
}
