package autodiff

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Options describe a network of kernels and its loss.
type Options struct {
	Layers          []Layer
	Rule            engine.InvSqrtRule
	Epsilon         float64 // of the inverse square roots
	InvSqrtGradient InvSqrtGradient
	GlobalPooling   engine.Pooling
	Concat          bool    // the representations of all layers one after another, in place of that of the last
	Ridge           float64 // unless 0, of generalised max pooling in place of GlobalPooling

	// Beside are more ways of global pooling, for networks without a classifier and a ridge: the representations by these
	// follow that by GlobalPooling, and cost little beside it.
	Beside []engine.Pooling

	Loss      Loss
	Precision engine.Precision // of the scores and their gradients in steps; Forward is in full precision

	// Kept is the number of layers, from the bottom, whose anchors are unit vectors that stay as they are, to the bit.
	Kept int

	asGiven bool // rows of the anchors are taken as they are, for derivatives by differences
}

// Parameters are the tensors of a network of kernels that are trained, or their gradients.
type Parameters struct {
	Anchors []*tensor.Dense // of each layer: Size x filters x d
	Weight  *tensor.Dense   // of the classifier: outputs x representation; nil without one
	Bias    *tensor.Dense   // of the classifier: 1 x outputs

	// Roots, of each layer J x filters x filters and Float64, are the inverse square roots of the kernel matrices of
	// anchors that stay as they are; nil where anchors are trained.
	Roots []*tensor.Dense

	// Standard, unless nil, is how the representation is standardised before the classifier sees it. Steps leave it
	// alone, and checkpoints hold it.
	Standard *Standard

	// Chosen, unless nil, is what the start of a training chose, which checkpoints hold too.
	Chosen *tensor.Dense
}

// AnchorsName is the name of the anchors of layer l, counted from 0, among the parameters of a [KernelNetwork].
func AnchorsName(l int) string { return fmt.Sprintf("anchors %d", l+1) }

// name gives a network its parameters: the classifier has a penalty.
func (p Parameters) name(n *Network) {
	n.parameters = nil
	for l, z := range p.Anchors {
		n.parameters = append(n.parameters, Parameter{Name: AnchorsName(l), Value: z})
	}
	n.parameters = append(n.parameters, Parameter{"weight", p.Weight, true}, Parameter{"bias", p.Bias, true})
	if n.state = nil; p.Standard != nil {
		n.state = []*tensor.Dense{p.Standard.mean, p.Standard.variance}
	}
	if p.Chosen != nil {
		n.state = append(n.state, p.Chosen)
	}
}

// List returns the tensors that are trained: the anchors of the layers, the weight, the bias.
func (p Parameters) List() []*tensor.Dense {
	return append(append([]*tensor.Dense(nil), p.Anchors...), p.Weight, p.Bias)
}

// KernelNetwork is a graph convolutional kernel network with a linear classifier on top. Where anchors are trained,
// their rows are divided by their norms at the start of every run, in their own memory and outside of differentiation:
// the gradient is the plain one at unit rows (published GCKN code). Anchors of whole paths ([Layer].PathNorms) are
// left as they are, and have the gradient of their directions.
type KernelNetwork struct {
	*Network
	opt        Options
	parameters Parameters
}

// NewKernelNetwork returns a network on an engine with parameters that lie there, all of one dtype.
func NewKernelNetwork(e engine.Engine, opt Options, p Parameters) (*KernelNetwork, error) {
	n := &KernelNetwork{Network: &Network{engine: e, loss: opt.Loss}, opt: opt, parameters: p}
	n.compile, n.before = n.compiled, n.normalizeAnchors
	if len(opt.Layers) == 0 || len(p.Anchors) != len(opt.Layers) {
		return nil, fmt.Errorf("anchors of %d layers for %d layers", len(p.Anchors), len(opt.Layers))
	}
	if (p.Weight == nil) != (p.Bias == nil) || p.Weight == nil && p.Roots == nil {
		return nil, errors.New("a network needs the weight and the bias of its classifier")
	}
	if len(opt.Beside) > 0 && (p.Weight != nil || opt.Ridge > 0) {
		return nil, errors.New("several global poolings go neither with a classifier nor with generalised max pooling")
	}
	n.dtype = p.Anchors[0].Dtype()
	for _, t := range p.List() {
		if t == nil {
			continue
		}
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
	n.width = opt.width(p.Anchors)
	if p.Weight == nil {
		return n, nil
	}
	want := tensor.Shape{p.Weight.Shape()[0], n.width}
	if !p.Weight.Shape().Eq(want) {
		return nil, fmt.Errorf("classifier weight of shape %v, want %v", p.Weight.Shape(), want)
	}
	if s := p.Standard; s != nil && (s.mean.Shape()[1] != n.width || s.mean.Dtype() != n.dtype) {
		return nil, fmt.Errorf("a standard for %d columns of %v, the representation has %d of %v", s.mean.Shape()[1],
			s.mean.Dtype(), n.width, n.dtype)
	}
	if _, err := ParseLoss(string(opt.Loss)); err != nil {
		return nil, err
	}
	n.outputs = p.Weight.Shape()[0]
	n.parameters.name(n.Network)
	return n, nil
}

// dim returns the width of the vectors that enter layer l.
func (o *Options) dim(anchors []*tensor.Dense, l int) int {
	if l == 0 {
		return anchors[0].Shape()[2]
	}
	return anchors[l-1].Shape()[1]
}

// channels returns the number of channels that leave layer l.
func (o *Options) channels(l int) int {
	c := 1
	for i := range o.Layers[:l+1] {
		c *= o.Layers[i].lengths()
	}
	return c
}

// reads reports whether layer l is part of the representation.
func (o *Options) reads(l int) bool { return o.Concat || l == len(o.Layers)-1 }

// width returns the length of an item's representation.
func (o *Options) width(anchors []*tensor.Dense) int {
	width := 0
	for l, z := range anchors {
		if o.reads(l) {
			width += o.channels(l) * z.Shape()[1]
		}
	}
	return width * (1 + len(o.Beside))
}

// poolings returns all ways of global pooling.
func (o *Options) poolings() []engine.Pooling {
	return append([]engine.Pooling{o.GlobalPooling}, o.Beside...)
}

// Step computes the loss of a batch and all gradients.
func (n *KernelNetwork) Step(b *Batch) error {
	if n.parameters.Roots != nil {
		return errors.New("anchors with given inverse square roots cannot be trained")
	}
	return n.Network.Step(b)
}

// ForwardVertices computes the rows of the vertices of a batch that leave the layers, see [KernelNetwork.Channels].
func (n *KernelNetwork) ForwardVertices(b *Batch) error { return n.use(vertexRows, b) }

// normalizeAnchors divides the rows of anchors that are trained by their norms.
func (n *KernelNetwork) normalizeAnchors(p *program) error {
	if n.opt.asGiven || n.parameters.Roots != nil {
		return nil
	}
	for l, rows := range p.anchorRows {
		if l < n.opt.Kept || n.opt.Layers[l].whole() { // whole anchors are divided by their norms where they are used
			continue
		}
		if err := n.engine.NormalizeRows(rows, nil, rows, NormEps); err != nil {
			return fmt.Errorf("layer %d: %w", l+1, err)
		}
	}
	return nil
}

// Channels returns the projected rows of the vertices after the last ForwardVertices, channel by channel: those of the
// last layer, with Concat of every layer. The channel of length j of channel c is the one of number c * lengths + j.
func (n *KernelNetwork) Channels() [][]Features {
	var out [][]Features
	for l := range n.opt.Layers {
		if !n.opt.reads(l) {
			continue
		}
		blocks, m := n.batch.stages[l].out, &n.last.views
		rows, channels := n.last.value(n.last.rows[len(out)]), []Features(nil)
		for i, view := range viewsOf(m, rows, blocks) {
			channels = append(channels, Features{Rows: view, Index: blocks[i].index})
		}
		out = append(out, channels)
	}
	return out
}

// Gradients returns the gradients of the last Step, in the shapes of the parameters.
func (n *KernelNetwork) Gradients() (Parameters, error) {
	all, err := n.Network.Gradients()
	if err != nil {
		return Parameters{}, err
	}
	last := len(all) - 2
	return Parameters{Anchors: all[:last], Weight: all[last], Bias: all[last+1]}, nil
}

// Parameters returns the tensors that the network was made with.
func (n *KernelNetwork) Parameters() Parameters { return n.parameters }
