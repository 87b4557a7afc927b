package gnn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/train"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The constants of batch normalisation that are never changed, those of the published networks.
const (
	momentum = 0.1
	epsilon  = 1e-5
)

// network lists the tensors of a network and says what it computes of them.
type network struct {
	engine engine.Engine
	opt    Options
	rng    *rand.Rand
	autodiff.Definition
	names []string // of the State
	norms []engine.BatchNorm
	err   error
}

// define returns a network for an input, with drawn weights.
func define(e engine.Engine, o Options, input train.Input, outputs int) (*network, error) {
	n := &network{engine: e, opt: o, rng: rand.New(rand.NewPCG(o.Seed, firstWeights))}
	n.Loss, n.Seed, n.Vertices, n.Shared = o.Loss, o.Seed, o.Samples(), input.Labels > 0
	if o.Kind == GCN {
		n.convolutional(input.Dim(), outputs)
	} else {
		n.isomorphism(input.Dim(), outputs)
	}
	return n, n.err
}

// firstWeights tells the draw of weights from other uses of the seed.
const firstWeights = 0x6e41 << 32

// convolutional lists the tensors of a graph convolutional network and builds it. The weights of the first layer have
// the penalty (Kipf and Welling, section 5.2); those of all are drawn as Glorot and Bengio (2010) say. Attributes are
// left out like the numbers of other layers; a label, the only one that a vertex has, is not. With batch normalisation
// its shift takes the place of the bias.
func (n *network) convolutional(dim, outputs int) {
	width, each := dim, 2 // parameters of a layer
	for l := 1; l < n.opt.Layers; l++ {
		n.add(fmt.Sprintf("weight %d", l), l == 1, n.glorot(n.opt.Width, width), n.opt.Width, width)
		if n.opt.Normalise {
			each = 3
			n.normalised(fmt.Sprint(l))
		} else {
			n.add(fmt.Sprintf("bias %d", l), false, nil, 1, n.opt.Width)
		}
		width = n.opt.Width
	}
	n.add("weight", n.opt.Layers == 1, n.glorot(outputs, width), outputs, width)
	n.add("bias", false, nil, 1, outputs)
	n.Build = func(g *autodiff.Graph, p []*G.Node) (logits, representation *G.Node) {
		x := g.Vertices(dim)
		if !n.Shared {
			x = g.Dropout(x, n.opt.Dropout)
		}
		for l := range n.opt.Layers - 1 {
			of := p[each*l : each*(l+1)]
			x = g.Neighbours(g.Linear(x, of[0], nil), autodiff.SymmetricWithSelf)
			if n.opt.Normalise {
				x = g.BatchNorm(x, of[1], of[2], n.norms[l])
			} else {
				x = g.ReLU(x, of[1])
			}
			x = g.Dropout(x, n.opt.Dropout)
		}
		x = g.Neighbours(x, autodiff.SymmetricWithSelf)
		x = g.Items(n.opt.Pooling, x)
		return g.Linear(x, p[len(p)-2], p[len(p)-1]), x
	}
}

// isomorphism lists the tensors of a graph isomorphism network and builds it: in every layer a linear layer, batch
// normalisation and ReLU, twice. Weights are uniform in 1/sqrt(inputs), as in the published code.
func (n *network) isomorphism(dim, outputs int) {
	width := dim
	for l := 1; l <= n.opt.Layers; l++ {
		for half := 1; half <= 2; half++ {
			at := fmt.Sprintf("%d.%d", l, half)
			n.add("weight "+at, false, n.uniform(n.opt.Width, width), n.opt.Width, width)
			n.normalised(at)
			width = n.opt.Width
		}
	}
	width = n.opt.Layers * n.opt.Width
	n.add("weight", true, n.uniform(outputs, width), outputs, width)
	n.add("bias", true, nil, 1, outputs)
	n.Build = func(g *autodiff.Graph, p []*G.Node) (logits, representation *G.Node) {
		x, layers := g.Vertices(dim), []*G.Node(nil)
		for i, norm := range n.norms {
			if i == 0 && n.Shared { // the same sums, of vectors that are no wider than the layer
				x = g.Neighbours(g.Linear(x, p[0], nil), autodiff.SumWithSelf)
			} else if i%2 == 0 {
				x = g.Linear(g.Neighbours(x, autodiff.SumWithSelf), p[3*i], nil)
			} else {
				x = g.Linear(x, p[3*i], nil)
			}
			x = g.BatchNorm(x, p[3*i+1], p[3*i+2], norm)
			if i%2 == 1 {
				layers = append(layers, x)
			}
		}
		items := g.Dropout(g.Items(n.opt.Pooling, layers...), n.opt.Dropout)
		return g.Linear(items, p[len(p)-2], p[len(p)-1]), items
	}
}

// normalised adds the tensors of a batch normalisation with ReLU.
func (n *network) normalised(at string) {
	n.add("scale "+at, false, ones(n.opt.Width), 1, n.opt.Width)
	n.add("shift "+at, false, nil, 1, n.opt.Width)
	norm := engine.BatchNorm{Momentum: momentum, Epsilon: epsilon, Rectify: true}
	norm.Mean, norm.Variance = n.tensor(nil, 1, n.opt.Width), n.tensor(ones(n.opt.Width), 1, n.opt.Width)
	n.State, n.names = append(n.State, norm.Mean, norm.Variance), append(n.names, "mean "+at, "variance "+at)
	n.norms = append(n.norms, norm)
}

// add adds a parameter with its first values, nil for zeros.
func (n *network) add(name string, decay bool, values []float64, shape ...int) {
	n.Parameters = append(n.Parameters, autodiff.Parameter{Name: name, Value: n.tensor(values, shape...), Decay: decay})
}

// tensor returns a tensor on the engine.
func (n *network) tensor(values []float64, shape ...int) *tensor.Dense {
	t := n.engine.New(n.opt.dtype(), shape...)
	if values != nil && n.err == nil {
		n.err = n.engine.Convert(t, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values)))
	}
	return t
}

// tensors returns parameters and state by name.
func (n *network) tensors() map[string]*tensor.Dense {
	all := map[string]*tensor.Dense{}
	for _, p := range n.Parameters {
		all[p.Name] = p.Value
	}
	for i, name := range n.names {
		all[name] = n.State[i]
	}
	return all
}

// release gives the tensors back.
func (n *network) release() {
	for _, t := range n.tensors() {
		n.engine.Release(t)
	}
}

// uniform draws weights in +-1/sqrt(inputs).
func (n *network) uniform(outputs, inputs int) []float64 {
	return n.draw(outputs*inputs, 1/math.Sqrt(float64(inputs)))
}

// glorot draws weights in +-sqrt(6 / (inputs + outputs)).
func (n *network) glorot(outputs, inputs int) []float64 {
	return n.draw(outputs*inputs, math.Sqrt(6/float64(inputs+outputs)))
}

func (n *network) draw(count int, bound float64) []float64 {
	out := make([]float64, count)
	for i := range out {
		out[i] = bound * (2*n.rng.Float64() - 1)
	}
	return out
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}
