package autodiff

import (
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// program is a network as a compiled expression graph.
type program struct {
	graph                  *Graph
	machine                *Machine
	anchorRows             []*tensor.Dense // of each layer: the anchors as a matrix
	rows                   []*G.Node       // of the vertices, of each layer that is read
	representation, logits *G.Node         // nil without
	loss                   *G.Node         // nil without gradients
	gradients              []*G.Node       // of anchors of the layers, weight and bias, or of the masks of the layers
	masks                  []*G.Node       // of each layer; nil for those without
	views                  memory          // of rows
}

// salts is the number of ways to number the operations that are tried, see Graph.unique.
const salts = 8

// compiled builds the network for runs of a kind.
func (n *KernelNetwork) compiled(k kind) (*program, error) {
	p, err := newProgram(n.engine, n.dtype, func(p *program) error {
		if k == training {
			p.graph.precise = n.opt.Precision
		}
		return n.build(p, k)
	})
	if err == nil && n.parameters.Roots != nil && k != masked {
		p.machine.Frugal(p.outputs()...)
	}
	return p, err
}

// newProgram compiles what build adds to a graph.
func newProgram(e engine.Engine, dtype tensor.Dtype, build func(p *program) error) (*program, error) {
	for salt := range salts {
		p := &program{graph: NewGraph(e, dtype)}
		p.graph.salt = salt
		if err := build(p); err != nil {
			return nil, err
		}
		if p.graph.unique() {
			var err error
			p.machine, err = p.graph.Machine(p.outputs()...)
			return p, err
		}
	}
	return nil, fmt.Errorf("%d numberings of the operations have equal hashes", salts)
}

// outputs returns the nodes that are looked at after a run.
func (p *program) outputs() []*G.Node {
	all := append(slices.Clone(p.rows), p.gradients...)
	for _, node := range []*G.Node{p.representation, p.logits, p.loss} {
		if node != nil {
			all = append(all, node)
		}
	}
	return all
}

// unique reports whether all nodes have hashes of their own: gorgonia takes nodes with one
// 32-bit hash for one node, whatever they compute.
func (g *Graph) unique() bool {
	seen := map[uint32]*G.Node{}
	for _, n := range g.AllNodes() {
		if other := seen[n.Hashcode()]; other != nil && other != n {
			return false
		}
		seen[n.Hashcode()] = n
	}
	return true
}

// build adds the nodes of the network to a program.
func (n *KernelNetwork) build(p *program, k kind) error {
	o, g := &n.opt, p.graph
	g.apart = n.parameters.Roots != nil
	var anchors []*G.Node // filters and landmarks of each layer
	poolings := o.poolings()
	blocks := make([][]*G.Node, len(poolings)) // representations of the layers that are read
	p.masks = make([]*G.Node, len(o.Layers))
	var x *G.Node
	linear := !slices.Contains(poolings, engine.Max) && o.Ridge == 0
	for l, layer := range o.Layers {
		filters, root := n.layer(g, p, l, &anchors)
		rows, projected := x, false
		if l == 0 {
			rows = g.Input(n.parameters.Anchors[0].Shape()[2])
		}
		var scores *G.Node
		if whole := layer.whole(); !whole {
			if l > 0 {
				rows = g.Normalize(x, NormEps)
			}
			scores = g.Scores(rows, filters, l == 0)
		} else if layer.Ridge > 0 || k == masked {
			return errors.New("norms of whole paths go neither with generalised max pooling of paths nor with masks")
		}
		switch {
		case layer.whole():
			x = g.WholePathPool(l, layer, rows, filters, l == 0)
		case layer.Ridge > 0:
			x, projected = g.EqualizePaths(l, layer, scores, root), true
		case k == masked && layer.Size > 1:
			p.masks[l] = g.Variable(fmt.Sprintf("masks %d", l+1), 1)
			x = g.MaskedPathPool(l, layer, scores, p.masks[l], l == 0)
		default:
			x = g.PathPool(l, layer, scores)
		}
		unprojected := x
		if !projected && (l < len(o.Layers)-1 || k == vertexRows || !linear) {
			x = g.project(x, root, leaving(l), 0)
		}
		switch {
		case !o.reads(l):
		case k == vertexRows:
			p.rows = append(p.rows, x)
		default:
			for i, pool := range poolings {
				var block *G.Node
				if pool != engine.Max && o.Ridge == 0 && layer.Ridge == 0 { // linear
					block = g.project(g.Readout(l, unprojected, pool, 0), root, pooled(l), o.channels(l))
				} else {
					block = g.Interleave(g.Readout(l, x, pool, o.Ridge), o.channels(l))
				}
				blocks[i] = append(blocks[i], block)
			}
		}
	}
	if k == vertexRows || g.err != nil {
		return g.err
	}
	p.representation = g.Concat(slices.Concat(blocks...)...)
	if n.parameters.Weight == nil {
		return g.err
	}
	weight, bias := g.Parameter("weight", n.parameters.Weight), g.Parameter("bias", n.parameters.Bias)
	seen := p.representation
	if n.parameters.Standard != nil {
		seen = g.Standardise(seen, n.parameters.Standard)
	}
	p.logits = g.Linear(seen, weight, bias)
	if k == forward || g.err != nil {
		return g.err
	}
	p.loss = g.Loss(p.logits, n.opt.Loss)
	if k == masked {
		wrt := slices.DeleteFunc(slices.Clone(p.masks), func(n *G.Node) bool { return n == nil })
		var err error
		p.gradients, err = g.gradients(p.loss, wrt)
		return err
	}
	return n.differentiate(p, append(anchors, weight, bias))
}

// layer adds the anchors of layer l, as filters, and the inverse square roots of their kernel matrices, in Float64. It
// appends the nodes that have gradients to anchors.
func (n *KernelNetwork) layer(g *Graph, p *program, l int, anchors *[]*G.Node) (filters, root *G.Node) {
	o, z := &n.opt, n.parameters.Anchors[l]
	s := z.Shape()
	filters = g.Parameter(fmt.Sprintf("filters %d", l+1), z)
	if n.parameters.Roots != nil {
		return filters, g.Parameter(fmt.Sprintf("inverse square roots %d", l+1), n.parameters.Roots[l])
	}
	p.anchorRows = append(p.anchorRows, engine.View(z, 0, s[0]*s[1], s[2]))
	landmarks := g.Parameter(fmt.Sprintf("landmarks %d", l+1), z)
	*anchors = append(*anchors, filters, landmarks)
	gram := (*G.Node)(nil)
	if o.Layers[l].whole() {
		gram = g.WholeGram(landmarks, o.Layers[l])
	} else {
		gram = g.Gram(landmarks, o.Layers[l].Kernel, o.Layers[l].lengths() > 1)
	}
	return filters, g.InvSqrt(gram, o.Epsilon, o.Rule, o.InvSqrtGradient)
}

// gradients adds the gradients of the loss.
func (g *Graph) gradients(loss *G.Node, wrt []*G.Node) (G.Nodes, error) {
	if g.err != nil {
		return nil, g.err
	}
	grads, err := G.Grad(loss, wrt...)
	if err != nil && g.err == nil {
		g.err = fmt.Errorf("differentiating the network: %w", err)
	}
	return grads, g.err
}

// differentiate adds the gradients of the loss. wrt are filters and landmarks of each layer, weight and bias.
func (n *KernelNetwork) differentiate(p *program, wrt []*G.Node) error {
	g := p.graph
	grads, err := g.gradients(p.loss, wrt)
	if err != nil {
		return err
	}
	layers := len(n.opt.Layers)
	for l := range layers {
		p.gradients = append(p.gradients, g.plus(grads[2*l+1], grads[2*l]))
	}
	p.gradients = append(p.gradients, grads[2*layers], grads[2*layers+1])
	return g.err
}

// run runs the program on a batch.
func (p *program) run(b *Batch) error {
	p.graph.SetBatch(b)
	defer p.graph.SetBatch(nil)
	return p.machine.Run()
}

// value returns the value of a node from the last run.
func (p *program) value(node *G.Node) *tensor.Dense { return dense(p.machine.Value(node)) }

func (p *program) release() {
	p.graph.Release()
	p.anchorRows = nil
}
