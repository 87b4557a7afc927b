package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Trainee is a network that is about to be trained.
type Trainee interface {
	// Train trains the network, by [Run.Run].
	Train(ctx context.Context) error
	// Model returns the model of the trained network, which does not depend on the trainee.
	Model() (model.Model, error)
	// Release gives the memory of the trainee back.
	Release()
}

// Learner learns by training networks end to end. It implements [model.Learner]. Several of its trainings may run at
// once; on a CPU those of [Learner.Learn] take one worker each, on a GPU they share launches ([engine.Beside]).
type Learner struct {
	Data    *Data
	Plan    Plan
	Options Options
	Seed    uint64 // of the part that is held out

	// New returns the network of a training with the given options, on an engine.
	New func(e engine.Engine, t *Training, o Options) (Trainee, error)
}

// Learn implements [model.Learner].
func (l *Learner) Learn(ctx context.Context, t model.Trial) (said []*model.Predictions, err error) {
	e, done, err := engine.Beside(l.Data.Work.Engine.WithWorkers(1))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	training, o, err := l.training(&t)
	if err != nil {
		return nil, err
	}
	if t.Progress != nil {
		training.Watch = func(r autodiff.Record) { t.Progress(r.Epoch, o.Epochs) }
	}
	if len(t.Grid) > 0 {
		return l.eachEpoch(ctx, e, training, o, &t)
	}
	m, err := l.fit(ctx, e, training, o)
	if err != nil {
		return nil, err
	}
	all, err := m.Predict(ctx, l.Data.Work.Data, nil)
	if err != nil {
		return nil, err
	}
	return []*model.Predictions{all.Of(t.Test)}, nil
}

// eachEpoch returns the predictions after the epochs of a grid.
func (l *Learner) eachEpoch(
	ctx context.Context, e engine.Engine, training *Training, o Options, t *model.Trial,
) ([]*model.Predictions, error) {
	after := make([]*model.Predictions, o.Epochs+1)
	training.Unseen, training.Predicted = t.Test, func(epoch int, outputs *tensor.Dense) {
		after[epoch] = o.Predictions(outputs, t.Known.Regression())
	}
	n, err := l.New(e, training, o)
	if err != nil {
		return nil, err
	}
	defer n.Release()
	if err := n.Train(ctx); err != nil {
		return nil, err
	}
	said := make([]*model.Predictions, len(t.Grid))
	for k, epoch := range t.Grid {
		said[k] = after[int(epoch)]
	}
	return said, nil
}

// fit returns the model of a training.
func (l *Learner) fit(ctx context.Context, e engine.Engine, t *Training, o Options) (model.Model, error) {
	n, err := l.New(e, t, o)
	if err != nil {
		return nil, err
	}
	defer n.Release()
	if err := n.Train(ctx); err != nil {
		return nil, err
	}
	return n.Model()
}

// Model implements [model.Learner].
func (l *Learner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	work := l.Data.Work
	defer work.Spent.Fitting(time.Now())
	training, o, err := l.training(&t)
	if err != nil {
		return nil, err
	}
	training.Checkpoint = l.Plan.Checkpoint
	current := "train"
	training.Watch = func(r autodiff.Record) { current = stage(r, o.Epochs) }
	if report := work.Progress; report != nil {
		training.Progress = func(stage string, done, total int) {
			if stage == "train" {
				stage = current
			}
			report(stage, done, total)
		}
	}
	return l.fit(ctx, work.Engine, training, o)
}

// stage names a training by what its last epoch achieved.
func stage(r autodiff.Record, epochs int) string {
	text := fmt.Sprintf("train, epoch %d of %d: loss %.4f, accuracy %.1f %%", r.Epoch, epochs, r.Loss, 100*r.Accuracy)
	if len(r.Scores) > 0 {
		text += fmt.Sprintf(", on the part held out %.1f %%", 100*r.Scores[0])
	}
	return text
}
