package eval

import (
	"context"
	"fmt"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/svm"
)

// Nested evaluates by nested cross-validation. In every fold setting and C are those with the best mean
// accuracy over inner folds of the training part (of equal ones the earlier setting, then the smaller
// C); the classifier is then trained on the whole training part and tested once on the test part.
// Features are standardised on the graphs that each classifier is trained on.
//
// With FromTrain no step before the final test reads a row of the test part. The inner folds share the
// representation of their fold, so that anchors, which know no classes, have seen the graphs that the
// choice is made by. Without FromTrain anchors have seen the test part too.
//
// Errors name the fold and the setting; a cancelled context is an error.
func Nested(ctx context.Context, p Problem) (*Outcome, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	inner := make([][]Split, len(p.Folds))
	for f := range p.Folds {
		var err error
		if inner[f], err = p.innerFolds(f); err != nil {
			return nil, fmt.Errorf("fold %d: %w", f+1, err)
		}
	}
	best := make([]candidate, len(p.Folds))
	var r run
	err := p.forFolds(ctx, &r, func(ctx context.Context, setting, fold int, x *tensor.Dense) error {
		return p.improve(ctx, &best[fold], x, setting, fold, inner[fold])
	})
	if err != nil {
		return nil, err
	}
	folds, chosen := make([]float64, len(p.Folds)), make([]Choice, len(p.Folds))
	for f := range best {
		predicted, err := best[f].model.Predict(best[f].test, nil)
		if err != nil {
			return nil, fmt.Errorf("fold %d, %s: %w", f+1, best[f].Name, err)
		}
		folds[f] = Accuracy(predicted, p.classesOf(p.Folds[f].Test))
		chosen[f] = best[f].Choice
	}
	return p.outcome("nested: settings chosen inside each training fold", folds, chosen, &r), nil
}

// candidate is the best choice of a fold so far: the classifier, trained on the whole training part,
// and the rows that it will be tested on.
type candidate struct {
	Choice
	model *svm.Model
	test  *tensor.Dense
}

// improve replaces the candidate of a fold if some C does better with another setting.
func (p *Problem) improve(ctx context.Context, best *candidate, x *tensor.Dense, setting, fold int, inner []Split) error {
	means := make([]float64, len(p.C))
	for i := range inner {
		values, err := p.accuracies(ctx, x, &inner[i])
		if err != nil {
			return fmt.Errorf("inner fold %d: %w", i+1, err)
		}
		for k, v := range values {
			means[k] += v / float64(len(inner))
		}
	}
	k := firstBest(means)
	if best.model != nil && means[k] <= best.Accuracy+tie {
		return nil
	}
	classifier, err := p.fit(ctx, x, p.Folds[fold].Train, p.C[k:k+1])
	if err != nil {
		return err
	}
	test, err := copyRows(x, p.Folds[fold].Test)
	if err != nil {
		return err
	}
	*best = candidate{
		Choice: Choice{Setting: setting, Name: p.Settings[setting].String(), C: p.C[k], Accuracy: means[k]},
		model:  classifier.Model(0), test: test,
	}
	return nil
}

// innerFolds returns the given inner folds of a fold, checked, or makes them.
func (p *Problem) innerFolds(fold int) ([]Split, error) {
	outer := p.Folds[fold]
	if p.InnerFolds != nil {
		return p.InnerFolds[fold], checkInner(p.InnerFolds[fold], outer, len(p.Classes))
	}
	k := min(p.Inner, len(outer.Train))
	if k < 2 {
		return nil, fmt.Errorf("a training part of one graph has no inner folds: want larger folds")
	}
	return stratified(outer.Train, p.Classes, k, p.Seed, innerFolds.stream(fold))
}

// copyRows returns a matrix of the given rows.
func copyRows(x *tensor.Dense, rows []int) (*tensor.Dense, error) {
	d := x.Shape()[1]
	shape := tensor.WithShape(len(rows), d)
	switch data := x.Data().(type) {
	case []float32:
		return tensor.New(shape, tensor.WithBacking(gather(data, d, rows))), nil
	case []float64:
		return tensor.New(shape, tensor.WithBacking(gather(data, d, rows))), nil
	}
	return nil, fmt.Errorf("the representation is %v: want Float32 or Float64", x.Dtype())
}

func gather[T float32 | float64](data []T, d int, rows []int) []T {
	out := make([]T, 0, len(rows)*d)
	for _, r := range rows {
		out = append(out, data[r*d:(r+1)*d]...)
	}
	return out
}
