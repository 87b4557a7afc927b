package eval

import (
	"context"

	"gorgonia.org/tensor"
)

// Published evaluates every setting with every C on every fold and reports the pair with the best mean
// TEST accuracy over all folds; of equal ones the earlier setting, then the smaller C. This is the
// protocol of the published experiments (docs/conventions.md, 15). It is OPTIMISTIC: the test folds
// take part in the choice, and Outcome.Protocol says so. Features are standardised on the training part
// of each fold.
//
// Errors name the fold and the setting; a cancelled context is an error.
func Published(ctx context.Context, p Problem) (*Outcome, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	accuracy := make([][][]float64, len(p.Settings)) // setting, fold, C
	for s := range accuracy {
		accuracy[s] = make([][]float64, len(p.Folds))
	}
	var r run
	err := p.forFolds(ctx, &r, func(ctx context.Context, setting, fold int, x *tensor.Dense) (err error) {
		accuracy[setting][fold], err = p.accuracies(ctx, x, &p.Folds[fold])
		return err
	})
	if err != nil {
		return nil, err
	}
	curves := make([]Curve, len(p.Settings))
	var means []float64
	for s, setting := range p.Settings {
		curves[s] = Curve{Name: setting.String(), C: p.C, Mean: make([]float64, len(p.C)), Std: make([]float64, len(p.C))}
		for k := range p.C {
			curves[s].Mean[k], curves[s].Std[k] = MeanStd(column(accuracy[s], k))
		}
		means = append(means, curves[s].Mean...)
	}
	best := firstBest(means)
	s, k := best/len(p.C), best%len(p.C)
	choice := Choice{Setting: s, Name: curves[s].Name, C: p.C[k], Accuracy: means[best]}
	o := p.outcome("published: best mean over the test folds (optimistic)", column(accuracy[s], k), []Choice{choice}, &r)
	o.Curves = curves
	return o, nil
}

// column returns the accuracies of all folds at one C.
func column(accuracy [][]float64, k int) []float64 {
	out := make([]float64, len(accuracy))
	for f, values := range accuracy {
		out[f] = values[k]
	}
	return out
}
