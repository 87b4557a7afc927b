package gckn

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Training is a supervised training: what to learn from, and how. Items are counted as [Examples] does.
type Training struct {
	Examples Examples
	Input    Input
	Options  SupervisedOptions

	Train      []int // items to learn from; nil: all that are labelled and not in the validation part
	Validation []int // items that choose the epoch whose parameters are taken; nil: the last epoch's are

	Unseen    []int                                  // items, labelled or not, that are predicted after every epoch
	Predicted func(epoch int, outputs *tensor.Dense) // told of them: a row of logits, or targets, for each

	Checkpoint autodiff.Checkpoint   // its Of is filled in
	Watch      func(autodiff.Record) // told of the start (epoch 0) and of every epoch; scored is the validation part
	Progress   model.Progress        // stages sample, anchors, encode and classifier of the start, then train, in steps
}

// scoreBatch is the number of items that are scored at a time.
const scoreBatch = 256

// Supervise trains anchors and linear classifier together (section 3.5) from the unsupervised model:
// anchors by k-means on the training graphs, then the classifier alone, by L-BFGS on the sum of losses plus
// Decay/2 |W|^2 (docs/conventions.md, 18), then steps of Adam with the anchors' rows brought back to norm 1
// after each. In a task on vertices k-means sees the vertices of all graphs, whose classes it does not know.
//
// With a checkpoint that is there already the training goes on from it. The same training gives the same
// bits on the same device, interrupted or not.
func Supervise(ctx context.Context, e engine.Engine, t *Training) (*Supervised, error) {
	r, err := newSupervision(e, t)
	if err != nil {
		return nil, err
	}
	defer r.release()
	if err := r.trainer.Run(ctx); err != nil {
		return nil, err
	}
	return r.result()
}

// supervision is a training that runs.
type supervision struct {
	*Training
	engine  engine.Engine
	source  *source
	network *autodiff.Network
	trainer *autodiff.Trainer

	all        *autodiff.Evaluator // of the training items, for an exact classifier
	validation *autodiff.Evaluator // nil without
	unseen     *autodiff.Evaluator // nil without
	shift      []float64           // of the targets
	scale      []float64
}

// newSupervision checks a training and makes its network, with parameters of zero.
func newSupervision(e engine.Engine, training *Training) (*supervision, error) {
	t := *training
	r := &supervision{Training: &t, engine: e}
	if err := r.check(); err != nil {
		return nil, err
	}
	var err error
	if r.source, err = newSource(e, &t.Examples, t.Input, &t.Options); err != nil {
		return nil, err
	}
	if t.Examples.Targets.Regression() {
		r.standardise()
	}
	var p autodiff.Parameters
	dtype, opt, width := t.Options.Network.dtype(), &t.Options.Network, t.Input.dim()
	for _, l := range opt.Layers {
		p.Anchors = append(p.Anchors, e.New(dtype, l.PathSize, l.Filters, width))
		width = l.Filters
	}
	p.Weight = e.New(dtype, t.Examples.outputs(), opt.Dim())
	p.Bias = e.New(dtype, 1, t.Examples.outputs())
	if r.network, err = autodiff.New(e, t.Options.autodiff(), p); err != nil {
		return nil, err
	}
	if err := r.source.serve(r.network); err != nil {
		return nil, err
	}
	_, whole := t.Examples.Graphs.(inMemory)
	r.all = r.network.NewEvaluator(r.source, t.Train, scoreBatch, whole && t.Options.Alternate)
	if t.Validation != nil {
		r.validation = r.network.NewEvaluator(r.source, t.Validation, scoreBatch, whole)
	}
	if len(t.Unseen) > 0 && t.Predicted != nil {
		r.unseen = r.network.NewEvaluator(r.source, t.Unseen, scoreBatch, whole)
	}
	r.trainer = r.newTrainer()
	return r, nil
}

// check fills in the loss and the training part and reports what does not fit.
func (r *supervision) check() error {
	t := r.Training
	if err := t.Examples.check(); err != nil {
		return err
	}
	classes := !t.Examples.Targets.Regression()
	if t.Options.Loss == "" {
		t.Options.Loss = autodiff.Squared
		if classes {
			t.Options.Loss = autodiff.CrossEntropy
		}
	}
	if err := t.Options.Check(); err != nil {
		return err
	}
	if classes == (t.Options.Loss == autodiff.Squared) {
		return fmt.Errorf("the %s loss does not fit: the squared loss is for targets, the others for classes",
			t.Options.Loss)
	}
	if w := t.Options.ClassWeights; w != nil && (!classes || len(w) != t.Examples.outputs()) {
		return fmt.Errorf("weights of %d classes for %d outputs", len(w), t.Examples.outputs())
	}
	if t.Input.dim() < 1 {
		return fmt.Errorf("input %+v: want labels or attributes", t.Input)
	}
	return r.checkParts()
}

func (r *supervision) checkParts() error {
	t, seen := r.Training, map[int]string{}
	if t.Validation != nil {
		if err := t.Examples.checkPart("validation", t.Validation, seen); err != nil {
			return err
		}
	}
	for _, i := range t.Unseen {
		if i < 0 || i >= t.Examples.Targets.Len() {
			return fmt.Errorf("item %d of %d is to be predicted", i, t.Examples.Targets.Len())
		}
	}
	if t.Train == nil {
		t.Train = slices.DeleteFunc(t.Examples.Targets.Known(), func(i int) bool { return seen[i] != "" })
	}
	return t.Examples.checkPart("training", t.Train, seen)
}

// standardise gives the targets of the training part mean 0 and standard deviation 1.
func (r *supervision) standardise() {
	values, outputs := r.Examples.Targets.Values, r.Examples.outputs()
	a := autodiff.Standardise(r.Examples.Targets.Of(r.Train).Values, outputs)
	r.shift, r.scale = a.Mean, a.Scale
	r.source.targets = make([]float64, len(values))
	for i, y := range values {
		k := i % outputs
		r.source.targets[i] = (y - r.shift[k]) / r.scale[k]
	}
}
