package cgmm

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
)

var errKilled = errors.New("killed")

// A training that is killed in any candidate goes on from its last layer and ends with the same bits.
func TestTrainingGoesOnAfterAKill(t *testing.T) {
	b, in, opt := randomBatch(t, 6, false), Input{Labels: 4, ArcLabels: 3}, smallOptions(2)
	opt.Patience = 3
	for _, soft := range []bool{false, true} {
		opt.Soft = soft
		whole := contents(t, trained(t, engine.NewCPU(1), b, in, opt, Training{Criterion: &score{of: byOccupied}}))
		for kill := 1; kill <= 8; kill++ {
			file := filepath.Join(t.TempDir(), "checkpoint")
			s := &score{of: byOccupied, stop: func(call int) error {
				if call == kill {
					return errKilled
				}
				return nil
			}}
			if _, err := Fit(context.Background(), engine.NewCPU(1), b, in, opt,
				Training{Criterion: s, Checkpoint: file}); !errors.Is(err, errKilled) {
				t.Fatalf("killed in candidate %d: %v", kill, err)
			}
			again := &score{of: byOccupied}
			m := trained(t, engine.NewCPU(2), b, in, opt, Training{Criterion: again, Checkpoint: file})
			if contents(t, m) != whole {
				t.Errorf("soft %v: other bits after a kill in candidate %d", soft, kill)
			}
			if done := (kill - 1) / 2 * 2; again.calls > 8-done {
				t.Errorf("killed in candidate %d: %d candidates trained anew", kill, again.calls)
			}
			// A finished training starts no candidate.
			idle := &score{of: byOccupied}
			if m := trained(t, engine.NewCPU(1), b, in, opt, Training{Criterion: idle,
				Checkpoint: file}); idle.calls > 0 || contents(t, m) != whole {
				t.Errorf("a finished training trains %d candidates again", idle.calls)
			}
		}
	}
}

func TestForeignCheckpointIsRefused(t *testing.T) {
	b, in, opt := randomBatch(t, 6, false), Input{Labels: 4}, smallOptions(2)
	file := filepath.Join(t.TempDir(), "checkpoint")
	trained(t, engine.NewCPU(1), b, in, opt, Training{Checkpoint: file})
	other := opt
	other.Seed++
	for name, fit := range map[string]func() error{
		"options": func() error {
			_, err := Fit(context.Background(), engine.NewCPU(1), b, in, other, Training{Checkpoint: file})
			return err
		},
		"graphs": func() error {
			_, err := Fit(context.Background(), engine.NewCPU(1), randomBatch(t, 7, false), in, opt, Training{Checkpoint: file})
			return err
		},
		"criterion": func() error {
			_, err := Fit(context.Background(), engine.NewCPU(1), b, in, opt,
				Training{Checkpoint: file, Criterion: &score{of: byOccupied}})
			return err
		},
	} {
		if err := fit(); err == nil || !strings.Contains(err.Error(), "another one") {
			t.Errorf("other %s: %v", name, err)
		}
	}
}
