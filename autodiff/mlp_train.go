package autodiff

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// perceptron holds the parameters of an MLP: W1 (h x d), b1 (1 x h), W2 (k x h), b2 (1 x k), all Float32.
type perceptron [4]*tensor.Dense

// newPerceptron draws weights of variance 2/d and 1/h, which keep the variance of standardised inputs; biases are zero
// (He et al., 2015).
func newPerceptron(e engine.Engine, d, h, k int, rng *rand.Rand) perceptron {
	p := perceptron{
		engine.New(e, tensor.Float32, h, d), engine.New(e, tensor.Float32, 1, h),
		engine.New(e, tensor.Float32, k, h), engine.New(e, tensor.Float32, 1, k),
	}
	draw := func(w []float32, variance float64) {
		for j := range w {
			w[j] = float32(math.Sqrt(variance) * rng.NormFloat64())
		}
	}
	draw(p[0].Float32s(), 2/float64(d))
	draw(p[2].Float32s(), 1/float64(h))
	return p
}

// mlpPass is the memory of a forward and backward pass of n rows.
type mlpPass struct {
	engine engine.Engine
	perceptron
	x, hidden, out *tensor.Dense // n x d, n x h, n x k

	y, slope, back *tensor.Dense // n x k, n x k, n x h
	grad           perceptron
	zeros          []int32 // the row of a bias for every row
	all            engine.Segments
}

// pass returns memory for n rows without what the backward pass needs.
func (p perceptron) pass(e engine.Engine, n int) *mlpPass {
	h, d, k := p[0].Shape()[0], p[0].Shape()[1], p[2].Shape()[0]
	return &mlpPass{
		engine: e, perceptron: p, zeros: make([]int32, n), all: engine.Segments{Offsets: []int32{0, int32(n)}},
		x:      engine.New(e, tensor.Float32, n, d),
		hidden: engine.New(e, tensor.Float32, n, h),
		out:    engine.New(e, tensor.Float32, n, k),
	}
}

// forBackward adds what the backward pass needs.
func (p *mlpPass) forBackward() *mlpPass {
	p.y = engine.New(p.engine, tensor.Float32, p.out.Shape()...)
	p.slope = engine.New(p.engine, tensor.Float32, p.out.Shape()...)
	p.back = engine.New(p.engine, tensor.Float32, p.hidden.Shape()...)
	for i, w := range p.perceptron {
		p.grad[i] = engine.New(p.engine, tensor.Float32, w.Shape()...)
	}
	return p
}

// forward computes out from x.
func (p *mlpPass) forward() error {
	if err := p.layer(p.hidden, p.x, p.perceptron[0], p.perceptron[1]); err != nil {
		return err
	}
	hidden := p.hidden.Float32s()
	for i, v := range hidden {
		hidden[i] = max(v, 0)
	}
	return p.layer(p.out, p.hidden, p.perceptron[2], p.perceptron[3])
}

// layer computes out = in W' + b.
func (p *mlpPass) layer(out, in, weight, bias *tensor.Dense) error {
	if err := p.engine.Place(out, bias, p.zeros, engine.Placement{Stride: 1}); err != nil {
		return err
	}
	return p.engine.MatMul(out, in, weight, engine.MatMul{TransB: true, Alpha: 1, Beta: 1})
}

// backward returns the sum of the losses of the rows after forward, half the squared errors, and computes the
// gradients of their mean.
func (p *mlpPass) backward() (loss float64, err error) {
	slope, y, rows := p.slope.Float32s(), p.y.Float32s(), float32(p.x.Shape()[0])
	for i, out := range p.out.Float32s() {
		difference := out - y[i]
		loss += float64(difference) * float64(difference) / 2
		slope[i] = difference / rows
	}
	if err := p.engine.MatMul(p.back, p.slope, p.perceptron[2], engine.MatMul{Alpha: 1}); err != nil {
		return 0, err
	}
	back := p.back.Float32s()
	for i, v := range p.hidden.Float32s() {
		if v <= 0 {
			back[i] = 0
		}
	}
	if err := p.toParameters(2, p.slope, p.hidden); err != nil {
		return 0, err
	}
	return loss, p.toParameters(0, p.back, p.x)
}

// toParameters computes the gradients of a layer's weight, parameter number w, and of its bias from those of its
// outputs.
func (p *mlpPass) toParameters(w int, grad, in *tensor.Dense) error {
	if err := p.engine.MatMul(p.grad[w], grad, in, engine.MatMul{TransA: true, Alpha: 1}); err != nil {
		return err
	}
	return p.engine.SegmentReduce(p.grad[w+1], grad, p.all, engine.Sum)
}

// mlpTraining is the training of an MLP on n standardised rows.
type mlpTraining struct {
	*MLP
	x, y    []float32
	n, d, k int

	passes  map[int]*mlpPass // by number of rows
	moments [2]perceptron
}

// run makes all steps.
func (t *mlpTraining) run(ctx context.Context, progress func(epoch, epochs int, loss float64)) error {
	t.passes = map[int]*mlpPass{}
	for i, w := range t.net {
		for m := range t.moments {
			t.moments[m][i] = engine.New(t.engine, tensor.Float32, w.Shape()...)
		}
	}
	o := &t.opt
	batches := (t.n + o.BatchSize - 1) / o.BatchSize
	for epoch := range o.Epochs {
		order := rand.New(rand.NewPCG(o.Seed, rowOrder^uint64(epoch))).Perm(t.n)
		total := 0.0
		for b := range batches {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows := order[b*o.BatchSize : min((b+1)*o.BatchSize, t.n)]
			loss, err := t.step(rows, epoch*batches+b, o.Epochs*batches)
			if err != nil {
				return err
			}
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				return &Diverged{Epoch: epoch + 1, Batch: b + 1, Loss: loss}
			}
			total += loss
		}
		if progress != nil {
			progress(epoch+1, o.Epochs, total/float64(t.n))
		}
	}
	return nil
}

// step makes a step of Adam on some rows and returns the sum of their losses before it.
func (t *mlpTraining) step(rows []int, step, steps int) (float64, error) {
	p := t.passes[len(rows)]
	if p == nil {
		p = t.net.pass(t.engine, len(rows)).forBackward()
		t.passes[len(rows)] = p
	}
	x, y := p.x.Float32s(), p.y.Float32s()
	for i, r := range rows {
		copy(x[i*t.d:(i+1)*t.d], t.x[r*t.d:(r+1)*t.d])
		copy(y[i*t.k:(i+1)*t.k], t.y[r*t.k:(r+1)*t.k])
	}
	if err := p.forward(); err != nil {
		return 0, err
	}
	loss, err := p.backward()
	if err != nil {
		return 0, err
	}
	adam := engine.Adam{
		Rate: t.opt.rate(step, steps), Beta1: adamBeta1, Beta2: adamBeta2, Epsilon: adamEpsilon,
		Decay: t.opt.Decay, Step: step + 1,
	}
	for i, w := range t.net {
		if err := t.engine.Adam(w, t.moments[0][i], t.moments[1][i], p.grad[i], adam); err != nil {
			return 0, fmt.Errorf("step of Adam: %w", err)
		}
	}
	return loss, nil
}
