package autodiff

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// perceptron holds the parameters of an MLP: W1 (h x d), b1 (1 x h), W2 (k x h), b2 (1 x k), all Float32.
type perceptron [4]*tensor.Dense

// newPerceptron draws weights of variance 2/d and 1/h, which keep the variance of standardised inputs; biases are zero
// (He et al., 2015).
func newPerceptron(e engine.Engine, d, h, k int, rng *rand.Rand) perceptron {
	p := perceptron{
		e.New(tensor.Float32, h, d), e.New(tensor.Float32, 1, h),
		e.New(tensor.Float32, k, h), e.New(tensor.Float32, 1, k),
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

// parameters names the tensors; all have the penalty.
func (net perceptron) parameters() []Parameter {
	all := make([]Parameter, len(net))
	for i, t := range net {
		all[i] = Parameter{mlpTensors[i], t, true}
	}
	return all
}

// program returns the network as a program, with loss and gradients for training.
func (net perceptron) program(e engine.Engine, training bool) (*program, error) {
	return newProgram(e, tensor.Float32, func(p *program) (err error) {
		g, nodes := p.graph, make([]*G.Node, len(net))
		for i, w := range net {
			nodes[i] = g.Parameter(mlpTensors[i], w)
		}
		hidden := g.ReLU(g.Linear(g.Input(net[0].Shape()[1]), nodes[0], nodes[1]), nil)
		if p.logits = g.Linear(hidden, nodes[2], nodes[3]); !training {
			return g.Err()
		}
		p.loss = g.Loss(p.logits, Squared)
		p.gradients, err = g.gradients(p.loss, nodes)
		return err
	})
}

// newBatch returns room for n rows of inputs and targets.
func (net perceptron) newBatch(e engine.Engine, n int) *Batch {
	share := 1 / float64(n)
	return &Batch{
		input: Table{Rows: e.New(tensor.Float32, n, net[0].Shape()[1])},
		targets: targets{
			loss: Squared, values: e.New(tensor.Float32, n, net[2].Shape()[0]),
			weights: slices.Repeat([]float64{share}, n),
		},
	}
}

// mlpTraining is the training of an MLP on n standardised rows.
type mlpTraining struct {
	*MLP
	x, y    []float32
	n, d, k int

	program *program
	batches map[int]*Batch // by number of rows
	adam    *adam
}

// run makes all steps.
func (t *mlpTraining) run(ctx context.Context, progress func(epoch, epochs int, loss float64)) (err error) {
	o := &t.opt
	t.batches, t.adam = map[int]*Batch{}, newAdam(t.engine, t.net.parameters(), &TrainOptions{Decay: o.Decay})
	defer t.adam.release()
	if t.program, err = t.net.program(t.engine, true); err != nil {
		return err
	}
	defer t.program.release()
	batches := (t.n + o.BatchSize - 1) / o.BatchSize
	for epoch := range o.Epochs {
		order := rand.New(rand.NewPCG(o.Seed, rowOrder^uint64(epoch))).Perm(t.n)
		total := 0.0
		for b := range batches {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows := order[b*o.BatchSize : min((b+1)*o.BatchSize, t.n)]
			loss, err := t.step(rows, o.rate(epoch*batches+b, o.Epochs*batches))
			if err != nil {
				return err
			}
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				return &Diverged{Epoch: epoch + 1, Batch: b + 1, Loss: loss}
			}
			total += loss * float64(len(rows))
		}
		if progress != nil {
			progress(epoch+1, o.Epochs, total/float64(t.n))
		}
	}
	return nil
}

// step makes a step of Adam on some rows and returns their mean loss before it.
func (t *mlpTraining) step(rows []int, rate float64) (float64, error) {
	b := t.batches[len(rows)]
	if b == nil {
		b = t.net.newBatch(t.engine, len(rows))
		t.batches[len(rows)] = b
	}
	x, y := b.input.Rows.Float32s(), b.targets.values.Float32s()
	for i, r := range rows {
		copy(x[i*t.d:(i+1)*t.d], t.x[r*t.d:(r+1)*t.d])
		copy(y[i*t.k:(i+1)*t.k], t.y[r*t.k:(r+1)*t.k])
	}
	p := t.program
	if err := p.run(b); err != nil {
		return 0, err
	}
	gradients := make([]*tensor.Dense, len(p.gradients))
	for i, node := range p.gradients {
		gradients[i] = p.value(node)
	}
	return float64(p.value(p.loss).Float32s()[0]), t.adam.step(gradients, rate)
}
