package autodiff

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Definition says what a network computes.
type Definition struct {
	Parameters []Parameter     // all of one dtype
	State      []*tensor.Dense // on the engine: what steps write to beside the parameters, such as moving averages
	Loss       Loss
	Seed       uint64 // of dropout
	Vertices   bool   // items are vertices, always: their rows alone are pooled, as [Network.LayoutSampled] wants

	// Shared says that many vertices share a few rows of features, as those of labels: a linear layer of the features
	// without a bias is then computed of the rows and not of the vertices.
	Shared bool

	// Build adds the nodes of the network to a graph whose inputs are the parameters, and returns the logits
	// (items x outputs) and the representation (items x width) that they are a linear function of, or nil. It is
	// called for every kind of run: steps, predictions, explanations.
	Build func(g *Graph, parameters []*G.Node) (logits, representation *G.Node)
}

// Parameter is a tensor that training changes.
type Parameter struct {
	Name  string
	Value *tensor.Dense // on the engine
	Decay bool          // it is subject to the L2 penalty of the training
}

// Network is a function from graphs or vertices to logits, differentiated by gorgonia. Its parameters are the tensors
// that it was made with: whoever writes to them, as [engine.Engine.Adam] does, changes the network. A network serves
// one goroutine, but for the layout of batches.
type Network struct {
	engine     engine.Engine
	dtype      tensor.Dtype
	loss       Loss
	outputs    int
	width      int // of the representation; 0 without
	parameters []Parameter
	state      []*tensor.Dense
	steps      uint64 // of a training that are done: they number the random numbers of dropout

	compile func(k kind) (*program, error)
	before  func(p *program) error // what runs begin with; nil for nothing
	wants   wants                  // of batches

	programs [kinds]*program // nil until they are needed
	last     *program        // that ran last
	batch    *Batch          // that it ran on
}

// New returns a network on an engine. Errors are those of Build and parameters that do not fit.
func New(e engine.Engine, d Definition) (*Network, error) {
	n := &Network{engine: e, loss: d.Loss, parameters: d.Parameters, state: d.State}
	if _, err := ParseLoss(string(d.Loss)); err != nil {
		return nil, err
	}
	if len(d.Parameters) == 0 {
		return nil, errors.New("a network without parameters")
	}
	n.dtype = d.Parameters[0].Value.Dtype()
	for _, p := range d.Parameters {
		if p.Value.Dtype() != n.dtype || n.dtype != tensor.Float32 && n.dtype != tensor.Float64 {
			return nil, fmt.Errorf("parameters of %v and %v: want all float32 or all float64", n.dtype, p.Value.Dtype())
		}
	}
	n.compile = func(k kind) (*program, error) {
		return newProgram(e, n.dtype, func(p *program) error { return n.build(p, k, &d) })
	}
	for _, k := range []kind{training, forward} { // what they want of batches is known before the first is laid out
		if _, err := n.program(k); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// build adds the nodes of a network of one's own to a program.
func (n *Network) build(p *program, k kind, d *Definition) error {
	g := p.graph
	g.kind, g.seed, g.network, g.picks, g.shared = k, d.Seed, n, d.Vertices, d.Shared && k != explained
	inputs := make([]*G.Node, len(d.Parameters))
	for i, of := range d.Parameters {
		inputs[i] = g.Parameter(of.Name, of.Value)
	}
	p.logits, p.representation = d.Build(g, inputs)
	if g.err != nil {
		return g.err
	}
	if p.logits == nil || p.logits.Dims() != 2 {
		return errors.New("the logits of a network are a matrix of a row for each item")
	}
	var err error
	switch k {
	case training: // by New: later programs are compiled while batches are laid out
		if n.outputs = p.logits.Shape()[1]; p.representation != nil {
			n.width = p.representation.Shape()[1]
		}
		p.loss = g.Loss(p.logits, n.loss)
		p.gradients, err = g.gradients(p.loss, inputs)
	case explained:
		if g.features == nil {
			return errors.New("the network does not look at the features of vertices by Graph.Vertices")
		}
		p.gradients, err = g.gradients(g.weighted(p.logits), []*G.Node{g.features})
	}
	return err
}

// kind says what a program computes.
type kind int

const (
	training   kind = iota // loss and gradients
	forward                // representation and logits
	explained              // logits, and the gradient of a sum of them with respect to the features of vertices
	vertexRows             // rows of vertices, of a network of kernels
	masked                 // loss and gradients of masks, of a network of kernels
	kinds
)

// Step computes the loss of a batch and all gradients.
func (n *Network) Step(b *Batch) error { return n.use(training, b) }

// Forward computes the logits of a batch, and the representation that they come from, without its targets.
func (n *Network) Forward(b *Batch) error { return n.use(forward, b) }

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
	if n.before != nil {
		if err := n.before(p); err != nil {
			return err
		}
	}
	if err := p.run(b); err != nil {
		return err
	}
	n.last, n.batch = p, b
	return nil
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

// Logits returns the logits of the last run, items x outputs, on the engine. They are good until the next run, as are
// representation and gradients; nil if the last run failed.
func (n *Network) Logits() *tensor.Dense {
	if n.last == nil {
		return nil
	}
	return n.last.value(n.last.logits)
}

// Representation returns what the logits of the last run come from, items x width; of a network of kernels column =
// filter * channels + channel.
func (n *Network) Representation() *tensor.Dense {
	if n.last == nil || n.last.representation == nil {
		return nil
	}
	return n.last.value(n.last.representation)
}

// Gradients returns the gradients of the last Step, in the order of the parameters.
func (n *Network) Gradients() ([]*tensor.Dense, error) {
	if n.last == nil || n.last != n.programs[training] {
		return nil, errors.New("no gradients: the last run was no step")
	}
	all := make([]*tensor.Dense, len(n.last.gradients))
	for i, g := range n.last.gradients {
		all[i] = n.last.value(g)
	}
	return all, nil
}

// Parameters returns what training changes.
func (n *Network) Parameters() []Parameter { return n.parameters }

// Parameter returns the parameter of a name, nil without.
func (n *Network) Parameter(name string) *tensor.Dense {
	for _, p := range n.parameters {
		if p.Name == name {
			return p.Value
		}
	}
	return nil
}

// Outputs returns the number of logits of an item.
func (n *Network) Outputs() int { return n.outputs }

// tensors returns parameters and state.
func (n *Network) tensors() []*tensor.Dense {
	all := make([]*tensor.Dense, 0, len(n.parameters)+len(n.state))
	for _, p := range n.parameters {
		all = append(all, p.Value)
	}
	return append(all, n.state...)
}

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
