package train

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/autodiff"
	"gorgonia.org/tensor"
)

// Run is a training that was checked, for a network to come.
type Run struct {
	Training         // with the part to learn from
	Options  Options // with the loss; a family whose batches have a size of their own sets it before [Run.Run]
	Outputs  Outputs // of the network

	standard []float64 // targets as the network is to put them out; nil for classes
}

// New checks a training and its options.
func New(t Training, o Options) (*Run, error) {
	if err := t.Examples.check(); err != nil {
		return nil, err
	}
	if err := o.settle(&t.Examples); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	r := &Run{Training: t, Options: o, Outputs: outputsOf(t.Examples.Targets, t.Train)}
	r.standard = r.Outputs.standardise(t.Examples.Targets)
	return r, nil
}

// WholeBatch is the largest number of vertices that make one step of an epoch where no size of batches is given.
const WholeBatch = 4096

// SettleBatch gives batches without a size so many graphs, or all vertices up to [WholeBatch]: their surroundings
// overlap, and what lies in several of them is computed once.
func (r *Run) SettleBatch(graphs int) {
	switch {
	case r.Options.BatchSize > 0:
	case r.Examples.Vertices():
		r.Options.BatchSize = min(len(r.Train), WholeBatch)
	default:
		r.Options.BatchSize = graphs
	}
}

// FreeBatch says in a help what [Run.SettleBatch] does.
func FreeBatch(graphs int) string {
	return fmt.Sprintf("%d graphs, or all vertices up to %d", graphs, WholeBatch)
}

// Targets returns what the network is to put out for some items, with their weights in the loss; nothing unless all of
// them are labelled.
func (r *Run) Targets(items []int) autodiff.Targets {
	var t autodiff.Targets
	targets := r.Examples.Targets
	for _, i := range items {
		if !targets.Has(i) {
			return t
		}
	}
	if targets.Regression() {
		t.Values = tensor.New(tensor.WithShape(len(items), r.Examples.Outputs()), tensor.WithBacking(r.Values(items)))
		return t
	}
	for _, i := range items {
		class := targets.Classes[i]
		t.Classes = append(t.Classes, int32(class))
		if w := r.Options.ClassWeights; w != nil {
			t.Weights = append(t.Weights, w[class])
		}
	}
	return t
}

// Values returns the standardised targets of some items, one after another; nil for classes.
func (r *Run) Values(items []int) []float64 {
	if r.standard == nil {
		return nil
	}
	outputs := r.Examples.Outputs()
	values := make([]float64, 0, len(items)*outputs)
	for _, i := range items {
		values = append(values, r.standard[i*outputs:(i+1)*outputs]...)
	}
	return values
}

// Run trains the network of t, which has the parameters of its best epoch then, or those of its last without a
// validation part ([autodiff.Trainer.Run]). The family sets network, source, start, what comes after an epoch, and of
// the options the seed and what stays as it is; all else is filled in. With a checkpoint that is there already the
// training goes on from it: what is learned from and described, the JSON of the family's options with
// [Options.Lasting] ones, must be the same then. The same training gives the same bits on the same device, interrupted
// or not.
func (r *Run) Run(ctx context.Context, t *autodiff.Trainer, described any) error {
	t.Items, t.Options, t.Choose, t.Watch = r.Train, r.Options.steps(t.Options), r.Validation != nil, r.Watch
	t.Step = func(done, total int) { r.Progress.Report("train", done, total) }
	if t.Checkpoint = r.Checkpoint; t.Checkpoint.Path != "" {
		t.Checkpoint.Of = r.identity(described)
	}
	scorer := r.scorer(t.Network, t.Source)
	defer scorer.release()
	if !scorer.idle() {
		t.Score = scorer.score
	}
	return t.Run(ctx)
}
