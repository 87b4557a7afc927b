package autodiff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// Checkpoint says where a training keeps its state: parameters, the state of Adam, where in which epoch
// it stands, the records and the best parameters. The file is there as a whole or not at all. A training
// that finds it there goes on from it, to the same bits as if it had not been stopped.
type Checkpoint struct {
	Path  string            // "" for none
	Every int               // steps from one to the next, default 1000; there is one at the start and at the end
	Of    map[string]string // what the training depends on, by name: a checkpoint of anything else is refused
}

const (
	checkpointKind  = "training"
	checkpointEvery = 1000
)

// storedState is the description of a checkpoint. Its tensors are called parameter1, first1, second1 (the
// moments of Adam) and best1, and so on.
type storedState struct {
	Of    map[string]string `json:"of"`
	State state             `json:"state"`
}

// saveSometimes stores the state if it is time to, or if ctx has ended, whose error it then returns.
func (t *Trainer) saveSometimes(ctx context.Context) error {
	every := t.Checkpoint.Every
	if every == 0 {
		every = checkpointEvery
	}
	ended := ctx.Err()
	if ended != nil || t.adam.steps-t.state.Steps >= every {
		if err := t.save(); err != nil {
			return err
		}
	}
	return ended
}

// save stores the state.
func (t *Trainer) save() error {
	if t.Checkpoint.Path == "" {
		return nil
	}
	if err := t.look(); err != nil {
		return err
	}
	if finite, err := t.finite(); err != nil {
		return err
	} else if !finite { // the gradient of a loss that still was a number
		return &Diverged{t.state.Epoch, max(t.state.Batch, 1), math.NaN(), t.Checkpoint.Path}
	}
	t.state.Steps = t.adam.steps
	tensors := map[string]*tensor.Dense{}
	for name, x := range t.tensors() {
		var err error
		if tensors[name], err = engine.ToHost(x); err != nil {
			return err
		}
	}
	return modelfile.Write(t.Checkpoint.Path, checkpointKind, storedState{t.Checkpoint.Of, t.state}, tensors)
}

// tensors returns the tensors of the state, on the engine, by the names that they are stored under.
func (t *Trainer) tensors() map[string]*tensor.Dense {
	all := map[string]*tensor.Dense{}
	for name, list := range map[string][]*tensor.Dense{
		"parameter": t.Network.tensors(), "first": t.adam.moments[0], "second": t.adam.moments[1],
		"best": t.best,
	} {
		for i, x := range list {
			all[fmt.Sprint(name, i+1)] = x
		}
	}
	return all
}

// restore takes the state from the checkpoint, if there is one.
func (t *Trainer) restore() (bool, error) {
	path := t.Checkpoint.Path
	if path == "" {
		return false, nil
	}
	if err := atomicfile.Clean(path); err != nil { // after a training that was killed while it wrote
		return false, fmt.Errorf("checkpoint %w", err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	f, err := modelfile.Read(path)
	if err != nil {
		return false, fmt.Errorf("checkpoint %w: remove it to start anew", err)
	}
	if f.Kind != checkpointKind {
		return false, fmt.Errorf("checkpoint %s: a file of kind %q is no checkpoint: give another path", path, f.Kind)
	}
	var stored storedState
	if err := json.Unmarshal(f.Model, &stored); err != nil {
		return false, fmt.Errorf("checkpoint %s: damaged: %w", path, err)
	}
	if name := firstDifference(stored.Of, t.Checkpoint.Of); name != "" {
		return false, fmt.Errorf("checkpoint %s is of a training with other %s: remove it or give another path",
			path, name)
	}
	t.state = stored.State
	if err := t.checkState(); err != nil {
		return false, fmt.Errorf("checkpoint %s: %w", path, err)
	}
	if t.Choose {
		if err := t.keepBest(); err != nil { // makes the tensors
			return false, err
		}
	}
	t.adam.steps = t.state.Steps
	for name, x := range t.tensors() {
		from, err := f.Tensor(name, x.Dims())
		if err != nil || !from.Shape().Eq(x.Shape()) || from.Dtype() != x.Dtype() {
			return false, fmt.Errorf("checkpoint %s: damaged: tensor %s does not fit the network", path, name)
		}
		if err := t.Network.engine.Convert(x, from); err != nil {
			return false, err
		}
	}
	return true, nil
}

// firstDifference returns the first name, in the order of the names, whose values differ.
func firstDifference(a, b map[string]string) string {
	for _, of := range []map[string]string{a, b} {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if a[name] != b[name] {
				return name
			}
		}
	}
	return ""
}

// checkState reports a state in which this training cannot be.
func (t *Trainer) checkState() error {
	s := &t.state
	switch {
	case s.Epoch < 1 || s.Batch < 0 || s.Batch > t.batches() || s.Steps < 0 || s.Best < 0 || s.Best >= s.Epoch ||
		len(s.Records) != s.Epoch:
		return errors.New("damaged: a state that no training comes to")
	case s.Epoch-1 > t.Options.Epochs:
		return fmt.Errorf("it has %d epochs behind it, more than the %d asked for: ask for more or give another path",
			s.Epoch-1, t.Options.Epochs)
	case t.Choose && len(s.Records[s.Best].Scores) == 0:
		return errors.New("damaged: epochs without a score")
	}
	return nil
}
