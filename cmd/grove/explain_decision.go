package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/svm"
)

// decision is a model of graphs whose decision is linear in what a network makes of them.
type decision struct {
	predictor
	network *network
	classes []int // that the model tells apart, ascending

	// linear acts on the representation as it is. With two classes its output speaks for the second one where it
	// is positive, with more it has an output for each.
	linear *svm.Linear
}

// decisionOf returns the decision of a trained model, or an error where it has none to explain.
func decisionOf(p predictor) (*decision, error) {
	head := p.about()
	switch m := p.(type) {
	case *pipeline:
		if len(m.classifier.Weights) == 0 {
			return nil, fmt.Errorf("the model knows only class %s: there is no decision to explain",
				m.Classes[m.classifier.Classes[0]])
		}
		d := &decision{predictor: p, network: m.network, classes: m.classifier.Classes, linear: &svm.Linear{}}
		for problem := range m.classifier.Weights {
			weights, constant := rawWeights(m.classifier, problem)
			d.linear.Weight, d.linear.Bias = append(d.linear.Weight, weights), append(d.linear.Bias, constant)
		}
		return d, nil
	case *supervisedModel:
		if m.model.Regression() || m.model.Vertices() {
			return nil, fmt.Errorf("--model: %s predicts %s; grove explain explains the classes of graphs", head.Model,
				head.Task)
		}
		d := &decision{predictor: p, network: &network{m.encoding, m.model.Model()}, classes: every(len(m.Classes))}
		d.linear = m.model.Classifier()
		if len(d.classes) == 2 {
			d.linear = margin(d.linear)
		}
		return d, nil
	}
	return nil, fmt.Errorf("--model: grove explain has nothing to say of %s", head.Model)
}

// margin returns the second of two outputs less the first.
func margin(l *svm.Linear) *svm.Linear {
	weights := slices.Clone(l.Weight[1])
	for j, w := range l.Weight[0] {
		weights[j] -= w
	}
	return &svm.Linear{Weight: [][]float64{weights}, Bias: []float64{l.Bias[1] - l.Bias[0]}}
}

// contributions splits the decision on every graph of d over its vertices.
func (p *decision) contributions(ctx context.Context, d *dataset.Dataset, said *predictions) ([]explanation, error) {
	all, err := p.network.vertices(ctx, d)
	if err != nil {
		return nil, err
	}
	out := make([]explanation, d.NumGraphs())
	for g := range out {
		x := &out[g]
		output := p.question(x, said.classes[g])
		from, to := d.Batch.Vertices(g)
		pool := p.network.model.Options().GlobalPooling
		if x.Contributions, err = contributions(all, int(from), int(to), p.linear.Weight[output], pool); err != nil {
			return nil, err
		}
		x.share(p.linear.Bias[output])
	}
	return out, nil
}

// question notes in x which class a graph was predicted to have and between which classes its decision
// is, and returns the output that decides it.
func (p *decision) question(x *explanation, predicted int) (output int) {
	names := p.about().Classes
	x.Predicted = names[predicted]
	if len(p.classes) == 2 {
		x.Toward, x.against = names[p.classes[1]], "class "+names[p.classes[0]]
		return 0
	}
	x.Toward, x.against = x.Predicted, otherClasses
	return slices.Index(p.classes, predicted)
}

// masks finds the paths that the decision on every graph of d rests on, for the class it was predicted to have.
func (p *decision) masks(
	ctx context.Context, d *dataset.Dataset, said *predictions, opt gckn.MaskOptions, report func(string, int, int),
) ([]explanation, error) {
	b, err := p.network.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	classes := make([]int, d.NumGraphs())
	for g, c := range said.classes {
		classes[g] = slices.Index(p.classes, c)
	}
	found, err := p.network.model.Explain(ctx, b, classes, p.linear, opt, report)
	if err != nil {
		return nil, err
	}
	out := make([]explanation, d.NumGraphs())
	for g := range out {
		p.question(&out[g], said.classes[g])
		out[g].Toward = out[g].Predicted
		out[g].Masks = newMaskReport(found[g])
	}
	return out, nil
}
