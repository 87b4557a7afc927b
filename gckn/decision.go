package gckn

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
)

// decision is a choice between classes that is linear in what a network makes of a graph.
type decision struct {
	model   model.Model
	network *network
	classes []int // that the model tells apart, ascending

	// linear acts on the representation as it is. With two classes its output speaks for the second one where it
	// is positive, with more it has an output for each.
	linear *svm.Linear
}

// methods are those that a decision is explained by.
func methods() []model.Method { return []model.Method{model.Contributions, model.Masks} }

// Methods implements [model.Explainer].
func (m *classifierModel) Methods() []model.Method { return methods() }

// Explain implements [model.Explainer]. Contributions split the decision over the vertices, see [Contributions]; masks
// find the paths that it rests on, see [Model.Explain]. A model of a single class decides nothing, which is an error.
func (m *classifierModel) Explain(
	ctx context.Context, d *dataset.Dataset, examples []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	c := m.classifier.Linear
	if len(c.Weights) == 0 {
		return nil, onlyClass(m.Classes[c.Classes[0]])
	}
	linear := &svm.Linear{}
	for problem := range c.Weights {
		weights, constant := c.Raw(problem)
		linear.Weight, linear.Bias = append(linear.Weight, weights), append(linear.Bias, constant)
	}
	return (&decision{m, &m.network, c.Classes, linear}).explain(ctx, d, examples, opt)
}

func onlyClass(name string) error {
	return fmt.Errorf("the model knows only class %s: there is no decision to explain", name)
}

// Methods implements [model.Explainer]. It is nil where vertices or numbers are predicted.
func (m *supervisedModel) Methods() []model.Method {
	if m.trained.Regression || m.trained.Vertices {
		return nil
	}
	return methods()
}

// Explain implements [model.Explainer], as with a classifier on top. Predictions of vertices or numbers are refused.
func (m *supervisedModel) Explain(
	ctx context.Context, d *dataset.Dataset, examples []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	if m.Methods() == nil {
		return nil, fmt.Errorf("%s predicts something of a %s; classes of graphs are explained", m.Model, m.Task.Noun())
	}
	linear := m.trained.Classifier
	if len(m.Classes) == 2 {
		if k := slices.Index(linear.Bias, model.NeverSeen); k >= 0 {
			return nil, onlyClass(m.Classes[1-k])
		}
		linear = margin(linear)
	}
	return (&decision{m, &m.network, split.All(len(m.Classes)), linear}).explain(ctx, d, examples, opt)
}

// margin returns the second of two outputs less the first.
func margin(l *svm.Linear) *svm.Linear {
	weights := slices.Clone(l.Weight[1])
	for j, w := range l.Weight[0] {
		weights[j] -= w
	}
	return &svm.Linear{Weight: [][]float64{weights}, Bias: []float64{l.Bias[1] - l.Bias[0]}}
}

// explain explains the decision on some graphs of d.
func (p *decision) explain(
	ctx context.Context, d *dataset.Dataset, graphs []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	if d.Task.PerVertex() {
		return nil, fmt.Errorf("the model explains whole graphs; data set %s has a task for every vertex", d.Name)
	}
	d = d.Select(graphs)
	said, err := p.model.Predict(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	out := make([]model.Explanation, len(graphs))
	for i, g := range graphs {
		out[i] = model.Explanation{Graph: g, Predicted: said.Classes[i], Toward: said.Classes[i], Against: -1}
	}
	switch opt.Method {
	case model.Contributions, "":
		return out, p.contributions(ctx, d, out)
	case model.Masks:
		return out, p.masks(ctx, d, out, opt)
	}
	return nil, fmt.Errorf("%s is not explained by %s", p.model.About().Model, opt.Method)
}

// contributions splits the decision on every graph of d over its vertices.
func (p *decision) contributions(ctx context.Context, d *dataset.Dataset, out []model.Explanation) error {
	b, err := p.network.encoding.Apply(d)
	if err != nil {
		return err
	}
	features, err := p.network.fitted.VertexFeatures(ctx, b)
	if err != nil {
		return err
	}
	pool := p.network.fitted.opt.GlobalPooling
	for g := range out {
		x := &out[g]
		output := slices.Index(p.classes, x.Predicted)
		if len(p.classes) == 2 {
			x.Toward, x.Against, output = p.classes[1], p.classes[0], 0
		}
		from, to := b.Vertices(g)
		x.Contributions = []float64{}
		if from < to {
			of := rows(features, int(from), int(to-from))
			if x.Contributions, err = Contributions(of, p.linear.Weight[output], pool); err != nil {
				return err
			}
		}
		x.AddConstant(p.linear.Bias[output])
	}
	return nil
}

// masks finds the paths that the decision on every graph of d rests on, for the class it was predicted to have.
func (p *decision) masks(
	ctx context.Context, d *dataset.Dataset, out []model.Explanation, opt model.ExplainOptions,
) error {
	b, err := p.network.encoding.Apply(d)
	if err != nil {
		return err
	}
	classes := make([]int, len(out))
	for g := range out {
		classes[g] = slices.Index(p.classes, out[g].Predicted)
	}
	found, err := p.network.fitted.Explain(ctx, b, classes, p.linear, opt.Lambda, opt.Progress)
	if err != nil {
		return err
	}
	for g, x := range found {
		out[g].Mask = x
	}
	return nil
}
