package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// WritePart evaluates the settings [from, before) of a problem and writes what comes of them, with the head of the file
// in front of the first: the parts of all settings, one after another, are the checkpoint of the whole; by and
// published are as in [OpenCheckpoint]. An evaluation that finds it measures nothing, to the outcome of one that
// measured everything itself; only repeats of the published protocol are left to it, for they have what the first one
// chose. The bytes say nothing of time.
//
// Halving drops settings by what all others reach: with it a problem is not cut.
func (p Problem) WritePart(ctx context.Context, to io.Writer, by string, published bool, from, before int) error {
	if err := p.check(); err != nil {
		return err
	}
	if from < 0 || before <= from || before > len(p.Estimators) {
		return fmt.Errorf("settings %d to %d of %d", from, before-1, len(p.Estimators))
	}
	if p.Halving {
		return errors.New("settings that are dropped by what others reach cannot be measured in parts")
	}
	out := json.NewEncoder(to)
	if from == 0 {
		if err := out.Encode(p.checkpointHead(by, published)); err != nil {
			return err
		}
	}
	some, protocol := p, Nested
	some.Checkpoint = &Checkpoint{pieces: map[place]*piece{}}
	some.Estimators, some.part = p.Estimators[from:before], before-from < len(p.Estimators)
	some.Redrawn = nil
	for _, estimators := range p.Redrawn {
		some.Redrawn = append(some.Redrawn, estimators[from:before])
	}
	if published {
		protocol = Published
		some.Repeats, some.Folds = 1, p.Folds[:len(p.Folds)/p.Repeats]
	}
	if _, err := protocol(ctx, some); err != nil {
		return err
	}
	found := slices.SortedFunc(maps.Values(some.Checkpoint.pieces), func(a, b *piece) int {
		return cmp.Or(a.Setting-b.Setting, a.Fold-b.Fold)
	})
	for _, k := range found {
		k.Setting, k.Seconds = k.Setting+from, 0
		if err := out.Encode(k); err != nil {
			return err
		}
	}
	return nil
}
