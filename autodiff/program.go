package autodiff

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// program is a network as a compiled expression graph.
type program struct {
	graph                  *Graph
	machine                *Machine
	anchorRows             []*tensor.Dense // of each layer: the anchors as a matrix
	representation, logits *G.Node
	loss                   *G.Node   // nil without gradients
	gradients              []*G.Node // anchors of the layers, weight, bias
}

// salts is the number of ways to number the operations that are tried, see Graph.unique.
const salts = 8

// compile builds the network for runs with or without gradients.
func (n *Network) compile(gradients bool) (*program, error) {
	for salt := range salts {
		g := NewGraph(n.engine, n.dtype)
		g.salt = salt
		if gradients {
			g.precise = n.opt.Precision
		}
		p, err := n.build(g, gradients)
		if err != nil {
			return nil, err
		}
		if g.unique() {
			p.machine, err = g.Machine()
			return p, err
		}
	}
	return nil, fmt.Errorf("%d numberings of the operations have equal hashes", salts)
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

// build adds the nodes of the network to a graph.
func (n *Network) build(g *Graph, gradients bool) (*program, error) {
	o, p := &n.opt, &program{graph: g}
	last := len(o.Layers) - 1
	var anchors []*G.Node // filters and landmarks of each layer
	x, linear := (*G.Node)(nil), o.GlobalPooling != engine.Max
	var pooledNode *G.Node
	for l, layer := range o.Layers {
		z := n.parameters.Anchors[l]
		s := z.Shape()
		p.anchorRows = append(p.anchorRows, engine.View(z, 0, s[0]*s[1], s[2]))
		filters, landmarks := g.Parameter(fmt.Sprintf("filters %d", l+1), z), g.Parameter(fmt.Sprintf("landmarks %d", l+1), z)
		anchors = append(anchors, filters, landmarks)
		if o.Norms == Differentiated {
			filters, landmarks = g.UnitRows(filters, NormEps), g.UnitRows(landmarks, NormEps)
		}
		root := g.Convert(g.InvSqrt(g.Gram(landmarks, layer.Kernel, layer.lengths() > 1), o.Epsilon, o.Rule,
			o.InvSqrtGradient), n.dtype)
		var rows *G.Node
		if l == 0 {
			rows = g.Input(s[2])
		} else {
			rows = g.Normalize(x, NormEps)
		}
		x = g.PathPool(l, layer, g.Scores(rows, filters, l == 0))
		switch {
		case l < last:
			x = g.ProjectLocal(l, x, root)
		case linear:
			pooledNode = g.ProjectPooled(g.Readout(x, o.GlobalPooling), root)
		default:
			pooledNode = g.Readout(g.ProjectLocal(l, x, root), o.GlobalPooling)
		}
	}
	p.representation = g.Interleave(pooledNode, o.channels())
	weight, bias := g.Parameter("weight", n.parameters.Weight), g.Parameter("bias", n.parameters.Bias)
	p.logits = g.Linear(p.representation, weight, bias)
	if g.err != nil || !gradients {
		return p, g.err
	}
	return p, n.differentiate(p, append(anchors, weight, bias))
}

// differentiate adds the loss, with the penalty of the weight where there is one, and its gradients. wrt are filters
// and landmarks of each layer, weight and bias.
func (n *Network) differentiate(p *program, wrt []*G.Node) error {
	g := p.graph
	p.loss = g.Loss(p.logits, n.opt.Loss)
	if n.opt.Decay != 0 {
		penalised := g.Parameter("penalised weight", n.parameters.Weight)
		wrt = append(wrt, penalised)
		p.loss = g.Sum(p.loss, g.Decay(penalised, n.opt.Decay))
	}
	if g.err != nil {
		return g.err
	}
	grads, err := G.Grad(p.loss, wrt...)
	if g.err != nil {
		return g.err
	}
	if err != nil {
		return fmt.Errorf("differentiating the network: %w", err)
	}
	layers := len(n.opt.Layers)
	for l := range layers {
		p.gradients = append(p.gradients, g.Sum(grads[2*l], grads[2*l+1]))
	}
	weight, bias := grads[2*layers], grads[2*layers+1]
	if n.opt.Decay != 0 {
		weight = g.Sum(weight, grads[2*layers+2])
	}
	p.gradients = append(p.gradients, weight, bias)
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
