package train

import (
	"fmt"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Training is a supervised training: what to learn from, and who is told. Items are counted as [Examples] does.
type Training struct {
	Examples Examples

	Train      []int // items to learn from; nil: all that are labelled and not in the validation part
	Validation []int // items that choose the epoch whose parameters are taken; nil: the last epoch's are

	Unseen    []int                                  // items, labelled or not, that are predicted after every epoch
	Predicted func(epoch int, outputs *tensor.Dense) // told of them: a row of logits, or targets, for each

	Checkpoint autodiff.Checkpoint   // its Of is filled in
	Watch      func(autodiff.Record) // told of the start (epoch 0) and of every epoch; scored is the validation part
	Progress   model.Progress        // stages of the family's start, then train, in steps
}

// check fills in the training part and reports parts that do not fit.
func (t *Training) check() error {
	seen := map[int]string{}
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
