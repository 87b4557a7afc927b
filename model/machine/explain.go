package machine

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
)

// Splitter is a kernel whose values are sums over vertices.
type Splitter interface {
	// Contributions splits sum_j coef_j k(x, x_j) over the vertices of every graph x of b.
	Contributions(ctx context.Context, b *graph.Batch, coef []float64) ([]float64, error)
}

// Methods implements [model.Explainer]: contributions, where the kernel is a sum over vertices; of vertices importance.
func (p *KernelMachine) Methods() []model.Method {
	if p.Task == model.NodeTask {
		return []model.Method{model.Importance}
	}
	if _, ok := p.Kernel.(Splitter); !ok || p.Classifier == nil {
		return nil
	}
	return []model.Method{model.Contributions}
}

// Explain implements [model.Explainer]. It splits the decision over the vertices: of two classes the value that speaks
// for the second where it is positive, of more the sum of the predicted class's values against each other class. The
// constant of the decision is shared between the vertices in equal parts.
//
// The prediction of a vertex is explained by leaving vertices out, one at a time.
func (p *KernelMachine) Explain(
	ctx context.Context, d *dataset.Dataset, examples []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	if p.Task == model.NodeTask {
		return p.explainVertices(ctx, d, examples, opt)
	}
	kernel, ok := p.Kernel.(Splitter)
	if !ok || p.Classifier == nil {
		return nil, fmt.Errorf("%s cannot be explained", p.Model)
	}
	d = d.Select(examples)
	said, err := p.Predict(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	b, err := p.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	classes := p.Classifier.Classes
	favoured := split.All(len(classes)) // positions in the classifier's classes
	if len(classes) == 2 {
		favoured = []int{slices.Index(classes, slices.Max(classes))}
	}
	shares, constants := map[int][]float64{}, map[int]float64{}
	for _, k := range favoured {
		coef, constant := speakingFor(p.Classifier, k, p.Kernel.NumGraphs())
		if shares[k], err = kernel.Contributions(ctx, b, coef); err != nil {
			return nil, err
		}
		constants[k] = constant
	}
	explained := make([]model.Explanation, len(examples))
	for i := range explained {
		x, k := &explained[i], favoured[0]
		x.Graph, x.Predicted = examples[i], said.Classes[i]
		if x.Toward, x.Against = classes[k], slices.Min(classes); len(favoured) > 1 {
			k = slices.Index(classes, x.Predicted)
			x.Toward, x.Against = x.Predicted, -1
		}
		from, to := b.Vertices(i)
		x.Contributions = slices.Clone(shares[k][from:to])
		x.AddConstant(constants[k])
	}
	return explained, nil
}

// Reacher is a kernel between vertices that says how many arcs away a vertex sees.
type Reacher interface{ Reach() int }

// explainVertices explains predictions of vertices.
func (p *KernelMachine) explainVertices(
	ctx context.Context, d *dataset.Dataset, examples []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	kernel, ok := p.Kernel.(Reacher)
	if !ok {
		return nil, fmt.Errorf("%s cannot be explained", p.Model)
	}
	decide := func(ctx context.Context, d *dataset.Dataset, class int) ([]float64, error) {
		b, err := p.encoding.Apply(d)
		if err != nil {
			return nil, err
		}
		k, err := p.Kernel.Cross(ctx, b, nil)
		if err != nil {
			return nil, err
		}
		return p.speaksFor(k, class)
	}
	return (&leavingOut{p, kernel.Reach(), decide}).explain(ctx, d, examples, opt)
}

// speakingFor adds up the machines of all pairs with class k: the coefficients of the fitted graphs and the constant of
// a sum that is positive where they speak for it.
func speakingFor(c *svm.KernelClassifier, k, graphs int) (coef []float64, constant float64) {
	coef = make([]float64, graphs)
	for _, pair := range c.Pairs {
		sign := 0.0
		switch k {
		case pair.First:
			sign = 1
		case pair.Second:
			sign = -1
		}
		for s, g := range pair.Objects {
			coef[g] += sign * pair.Coefficients[s]
		}
		constant += sign * pair.Bias
	}
	return coef, constant
}
