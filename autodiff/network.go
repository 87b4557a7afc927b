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
	Concat          bool    // the representations of all layers one after another, in place of that of the last
	Ridge           float64 // unless 0, of generalised max pooling in place of GlobalPooling, which has no gradient
	Loss            Loss
	Precision       engine.Precision // of the scores and their gradients in steps; Forward is in full precision

	asGiven bool // rows of the anchors are taken as they are, for derivatives by differences
}

// Parameters are the tensors of a network that are trained, or their gradients.
type Parameters struct {
	Anchors []*tensor.Dense // of each layer: Size x filters x d
	Weight  *tensor.Dense   // of the classifier: outputs x representation; nil without one
	Bias    *tensor.Dense   // of the classifier: 1 x outputs

	// Roots, of each layer J x filters x filters and Float64, are the inverse square roots of the kernel matrices of
	// anchors that stay as they are; nil where anchors are trained.
	Roots []*tensor.Dense
}

// List returns the tensors that are trained: the anchors of the layers, the weight, the bias.
func (p Parameters) List() []*tensor.Dense {
	return append(append([]*tensor.Dense(nil), p.Anchors...), p.Weight, p.Bias)
}

// Network is a graph convolutional kernel network with a linear classifier on top, differentiated by
// gorgonia. Its parameters are the tensors that it was made with: whoever writes to them, as
// [engine.Engine.Adam] does, changes the network. Where anchors are trained, their rows are divided by their norms at
// the start of every run, in their own memory and outside of differentiation: the gradient is the plain one at unit
// rows (published GCKN code). A network serves one goroutine, but for Prepare.
type Network struct {
	engine     engine.Engine
	dtype      tensor.Dtype
	opt        Options
	parameters Parameters
	programs   [kinds]*program // nil until they are needed
	last       *program        // that ran last
	batch      *Batch          // that it ran on
}

// New returns a network on an engine with parameters that lie there, all of one dtype.
func New(e engine.Engine, opt Options, p Parameters) (*Network, error) {
	n := &Network{engine: e, opt: opt, parameters: p}
	if len(opt.Layers) == 0 || len(p.Anchors) != len(opt.Layers) {
		return nil, fmt.Errorf("anchors of %d layers for %d layers", len(p.Anchors), len(opt.Layers))
	}
	if (p.Weight == nil) != (p.Bias == nil) || p.Weight == nil && p.Roots == nil {
		return nil, errors.New("a network needs the weight and the bias of its classifier")
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
	if p.Weight == nil {
		return n, nil
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
	return width
}

// kind says what a program computes.
type kind int

const (
	training   kind = iota // loss and gradients
	forward                // representation and logits
	vertexRows             // rows of vertices
	masked                 // loss and gradients of masks
	kinds
)

// Step computes the loss of a batch and all gradients.
func (n *Network) Step(b *Batch) error {
	if n.parameters.Roots != nil {
		return errors.New("anchors with given inverse square roots cannot be trained")
	}
	return n.use(training, b)
}

// Forward computes the representation of a batch and, where there is a classifier, the logits, without its targets.
func (n *Network) Forward(b *Batch) error { return n.use(forward, b) }

// ForwardVertices computes the rows of the vertices of a batch that leave the layers, see [Network.Channels].
func (n *Network) ForwardVertices(b *Batch) error { return n.use(vertexRows, b) }

// program returns the program of a kind, compiled where it is asked for the first time.
func (n *Network) program(k kind) (p *program, err error) {
	if n.programs[k] == nil {
		n.programs[k], err = n.compile(k)
	}
	return n.programs[k], err
}

// use runs the program of a kind, as one piece of work.
func (n *Network) use(k kind, b *Batch) error {
	n.last = nil
	p, err := n.program(k)
	if err != nil {
		return err
	}
	return engine.Record(n.engine, func() error { return n.run(p, b) })
}

func (n *Network) run(p *program, b *Batch) error {
	if err := b.arrive(); err != nil {
		return err
	}
	if !n.opt.asGiven && n.parameters.Roots == nil {
		for l, rows := range p.anchorRows {
			if err := n.engine.NormalizeRows(rows, nil, rows, NormEps); err != nil {
				return fmt.Errorf("layer %d: %w", l+1, err)
			}
		}
	}
	if err := p.run(b); err != nil {
		return err
	}
	n.last, n.batch = p, b
	return nil
}

// Channels returns the projected rows of the vertices after the last ForwardVertices, channel by channel: those of the
// last layer, with Concat of every layer. The channel of length j of channel c is the one of number c * lengths + j.
func (n *Network) Channels() [][]Features {
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

// Loss returns the loss of the last Step. On a device it waits for it.
func (n *Network) Loss() (float64, error) {
	if n.last == nil || n.last.loss == nil {
		return 0, errors.New("no loss: the last run was no step")
	}
	loss, err := engine.Float64s(n.last.value(n.last.loss))
	if err != nil {
		return 0, err
	}
	return loss[0], nil
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
	n.Free()
	for _, p := range n.programs {
		if p != nil {
			p.release()
		}
	}
	n.programs = [kinds]*program{}
}

// Free gives back the memory of the results of the last run, which must not be used again.
func (n *Network) Free() {
	for _, p := range n.programs {
		if p != nil {
			p.views.drop()
			p.graph.free()
		}
	}
	n.last, n.batch = nil, nil
}
