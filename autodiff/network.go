package autodiff

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Options describe a network and its loss.
type Options struct {
	Layers          []Layer
	Rule            engine.InvSqrtRule
	Epsilon         float64 // of the inverse square roots
	InvSqrtGradient InvSqrtGradient
	GlobalPooling   engine.Pooling
	Norms           AnchorNorms
	Loss            Loss
	Precision       engine.Precision // of the scores and their gradients in steps; Forward is in full precision
	// Decay/2 |W|^2 of the classifier is part of the loss; usually the optimiser's Decay is used instead.
	Decay float64
}

// AnchorNorms says how anchors keep unit rows while they are trained.
type AnchorNorms int

const (
	// InPlace divides the rows of the anchors by their norms at the start of every run, in their own memory
	// and outside of differentiation: the gradient is the plain one at unit rows (published GCKN code).
	InPlace AnchorNorms = iota
	// Differentiated takes the division as part of the network: the gradient is that of the loss as a
	// function of the anchors as they are, and the anchors are not written to.
	Differentiated
	// AsGiven does not divide.
	AsGiven
)

// Parameters are the tensors of a network that are trained, or their gradients.
type Parameters struct {
	Anchors []*tensor.Dense // of each layer: Size x filters x d
	Weight  *tensor.Dense   // of the classifier: outputs x representation
	Bias    *tensor.Dense   // of the classifier: 1 x outputs
}

// List returns the tensors: the anchors of the layers, the weight, the bias.
func (p Parameters) List() []*tensor.Dense {
	return append(append([]*tensor.Dense(nil), p.Anchors...), p.Weight, p.Bias)
}

// Network is a graph convolutional kernel network with a linear classifier on top, differentiated by
// gorgonia. Its parameters are the tensors that it was made with: whoever writes to them, as
// [engine.Engine.Adam] does, changes the network. A network serves one goroutine, but for Prepare.
type Network struct {
	engine     engine.Engine
	dtype      tensor.Dtype
	opt        Options
	parameters Parameters
	train      *program // loss and gradients; nil until it is needed
	predict    *program // logits alone; nil until it is needed
	last       *program // that ran last
}

// New returns a network on an engine with parameters that lie there, all of one dtype.
func New(e engine.Engine, opt Options, p Parameters) (*Network, error) {
	n := &Network{engine: e, opt: opt, parameters: p}
	if len(opt.Layers) == 0 || len(p.Anchors) != len(opt.Layers) {
		return nil, fmt.Errorf("anchors of %d layers for %d layers", len(p.Anchors), len(opt.Layers))
	}
	if p.Weight == nil || p.Bias == nil {
		return nil, errors.New("a network needs the weight and the bias of its classifier")
	}
	n.dtype = p.Weight.Dtype()
	for _, t := range p.List() {
		if t.Dtype() != n.dtype || n.dtype != tensor.Float32 && n.dtype != tensor.Float64 {
			return nil, fmt.Errorf("parameters of %v and %v: want all float32 or all float64", n.dtype, t.Dtype())
		}
	}
	for l, z := range p.Anchors {
		if z.Dims() != 3 {
			return nil, fmt.Errorf("layer %d: anchors of shape %v, want three dimensions", l+1, z.Shape())
		}
		want := tensor.Shape{opt.Layers[l].Size, z.Shape()[1], opt.dim(p.Anchors, l)}
		if !z.Shape().Eq(want) {
			return nil, fmt.Errorf("layer %d: anchors of shape %v, want %v", l+1, z.Shape(), want)
		}
	}
	want := tensor.Shape{p.Weight.Shape()[0], opt.width(p.Anchors)}
	if !p.Weight.Shape().Eq(want) {
		return nil, fmt.Errorf("classifier weight of shape %v, want %v", p.Weight.Shape(), want)
	}
	if _, err := ParseLoss(string(opt.Loss)); err != nil {
		return nil, err
	}
	return n, nil
}

// dim returns the width of the vectors that enter layer l.
func (o *Options) dim(anchors []*tensor.Dense, l int) int {
	if l == 0 {
		return anchors[0].Shape()[2]
	}
	return anchors[l-1].Shape()[1]
}

// channels returns the number of channels that leave the last layer.
func (o *Options) channels() int {
	c := 1
	for i := range o.Layers {
		c *= o.Layers[i].lengths()
	}
	return c
}

// width returns the length of an item's representation.
func (o *Options) width(anchors []*tensor.Dense) int {
	return o.channels() * anchors[len(anchors)-1].Shape()[1]
}

// Step computes the loss of a batch and all gradients.
func (n *Network) Step(b *Batch) error {
	if n.train == nil {
		p, err := n.compile(true)
		if err != nil {
			return err
		}
		n.train = p
	}
	return n.run(n.train, b)
}

// Forward computes the representation and the logits of a batch, without its targets.
func (n *Network) Forward(b *Batch) error {
	if n.predict == nil {
		p, err := n.compile(false)
		if err != nil {
			return err
		}
		n.predict = p
	}
	return n.run(n.predict, b)
}

func (n *Network) run(p *program, b *Batch) error {
	n.last = nil
	if n.opt.Norms == InPlace {
		for l, rows := range p.anchorRows {
			if err := n.engine.NormalizeRows(rows, nil, rows, NormEps); err != nil {
				return fmt.Errorf("layer %d: %w", l+1, err)
			}
		}
	}
	if err := p.run(b); err != nil {
		return err
	}
	n.last = p
	return nil
}

// Loss returns the loss of the last Step. On a device it waits for it.
func (n *Network) Loss() (float64, error) {
	if n.last == nil || n.last.loss == nil {
		return 0, errors.New("no loss: the last run was no step")
	}
	loss, err := engine.ToHost(n.last.value(n.last.loss))
	if err != nil {
		return 0, err
	}
	if n.dtype == tensor.Float32 {
		return float64(loss.Float32s()[0]), nil
	}
	return loss.Float64s()[0], nil
}

// Logits returns the logits of the last Step or Forward, items x outputs, on the engine. They are good until
// the next run, as are representation and gradients; nil if the last run failed.
func (n *Network) Logits() *tensor.Dense {
	if n.last == nil {
		return nil
	}
	return n.last.value(n.last.logits)
}

// Representation returns what the classifier saw of the items in the last Step or Forward: items x width, column =
// filter * channels + channel.
func (n *Network) Representation() *tensor.Dense {
	if n.last == nil {
		return nil
	}
	return n.last.value(n.last.representation)
}

// Gradients returns the gradients of the last Step, in the shapes of the parameters.
func (n *Network) Gradients() (Parameters, error) {
	if n.last == nil || n.last.loss == nil {
		return Parameters{}, errors.New("no gradients: the last run was no step")
	}
	var p Parameters
	for _, g := range n.last.gradients {
		p.Anchors = append(p.Anchors, n.last.value(g))
	}
	last := len(p.Anchors) - 2
	p.Anchors, p.Weight, p.Bias = p.Anchors[:last], p.Anchors[last], p.Anchors[last+1]
	return p, nil
}

// Parameters returns the tensors that the network was made with.
func (n *Network) Parameters() Parameters { return n.parameters }

// Release gives back the memory that runs keep. The parameters stay.
func (n *Network) Release() {
	for _, p := range []*program{n.train, n.predict} {
		if p != nil {
			p.release()
		}
	}
	n.train, n.predict, n.last = nil, nil, nil
}
