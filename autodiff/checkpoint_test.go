package autodiff

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// A training that is stopped after any step goes on to the same bits, with the classifier trained or
// solved for.
func TestTrainingResumes(t *testing.T) {
	for _, alternate := range []bool{false, true} {
		make := func() *Trainer {
			trainer := trainee(t, 1)
			if alternate {
				trainer.Options.Frozen = []string{"weight", "bias"}
				trainer.After = func(context.Context) error { // some function of the parameters
					weight := trainer.Network.Parameter("weight")
					return trainer.Network.engine.NormalizeRows(weight, nil, weight, NormEps)
				}
			}
			return trainer
		}
		want := run(t, make())
		for stop := 0; stop <= 17; stop++ {
			path := filepath.Join(t.TempDir(), "checkpoint")
			trainer, seen, errs := make(), 0, 0
			for {
				ctx, cancel := context.WithCancel(context.Background())
				trainer.Checkpoint = Checkpoint{Path: path, Every: 5, Of: map[string]string{"data": "rings"}}
				trainer.Step = func(done, total int) {
					if seen++; seen == stop {
						cancel()
					}
				}
				err := trainer.Run(ctx)
				cancel()
				if err == nil {
					break
				}
				if !errors.Is(err, context.Canceled) || errs > 0 {
					t.Fatal(err)
				}
				errs++
				trainer = make() // with parameters of its own
			}
			if got := outcome(t, trainer); got != want {
				t.Errorf("stopped after step %d: %s\nwant %s", stop, got, want)
			}
			if wantSteps := 16; seen != wantSteps {
				t.Errorf("stopped after step %d: %d steps in all, want %d", stop, seen, wantSteps)
			}
		}
	}
}

// A training that was killed while it wrote its checkpoint leaves a temporary file, which the next one removes.
func TestTrainingRemovesWhatAKilledOneLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	left := filepath.Join(filepath.Dir(path), ".checkpoint.grove-01234567")
	for range 2 { // before the first checkpoint, and after it
		if err := os.WriteFile(left, []byte("half a check"), 0o666); err != nil {
			t.Fatal(err)
		}
		trainer := trainee(t, 1)
		trainer.Checkpoint.Path = path
		run(t, trainer)
		if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the temporary file is still there: %v", err)
		}
	}
}

// A finished training does nothing when it is run again, and may be asked for more epochs.
func TestTrainingGoesFurther(t *testing.T) {
	want := run(t, trainee(t, 1))
	path := filepath.Join(t.TempDir(), "checkpoint")
	for _, epochs := range []int{2, 2, 4, 4} {
		trainer := trainee(t, 1)
		trainer.Options.Epochs, trainer.Checkpoint.Path = epochs, path
		if got := run(t, trainer); epochs == 4 && got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	trainer := trainee(t, 1)
	trainer.Options.Epochs, trainer.Checkpoint.Path = 3, path
	if err := trainer.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "4 epochs behind it") {
		t.Errorf("fewer epochs: %v", err)
	}
}

// A checkpoint of something else, or one that is damaged, is refused in one line.
func TestCheckpointsRefused(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	trainer := trainee(t, 1)
	trainer.Checkpoint = Checkpoint{Path: good, Of: map[string]string{"data": "rings", "options": "these"}}
	run(t, trainer)
	raw, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Trainer, string){
		"a training with other data":    func(x *Trainer, _ string) { x.Checkpoint.Of["data"] = "chains" },
		"a training with other options": func(x *Trainer, _ string) { x.Checkpoint.Of["options"] = "those" },
		"a training with other parts":   func(x *Trainer, _ string) { x.Checkpoint.Of["parts"] = "all" },
		"does not fit the network": func(x *Trainer, _ string) {
			opt := x.Source.(*selected).net.opt
			opt.Layers = opt.Layers[:1]
			x.Network, x.Score, x.Choose = example(t, enginetest.Open(t, 1), tensor.Float32, opt, 2).Network, nil, false
		},
		"the checksum does not fit": func(_ *Trainer, path string) {
			write(t, path, append([]byte{}, raw[:len(raw)-1]...))
		},
		"not a Grove model file": func(_ *Trainer, path string) { write(t, path, []byte("text")) },
	} {
		path := filepath.Join(dir, "other")
		write(t, path, raw)
		trainer := trainee(t, 1)
		trainer.Checkpoint = Checkpoint{Path: path, Of: map[string]string{"data": "rings", "options": "these"}}
		change(trainer, path)
		err := trainer.Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with: %s", err, want)
		}
	}
}

func write(t *testing.T, path string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A loss that is not finite or too large stops the training, names the place, and the last good
// checkpoint stays.
func TestTrainingDiverges(t *testing.T) {
	for _, rate := range []float64{0.05, 1e6, 1e30} {
		trainer := trainee(t, 1)
		path := filepath.Join(t.TempDir(), "checkpoint")
		trainer.Checkpoint = Checkpoint{Path: path, Every: 1}
		trainer.Options.Rate = rate
		if rate < 1 { // a parameter becomes NaN in the second step of the second epoch
			steps := 0
			trainer.Step = func(int, int) {
				if steps++; steps == 6 {
					trainer.Network.Parameter("bias").Float32s()[0] = float32(math.NaN())
				}
			}
		}
		if rate < 1 && deferred(trainer) {
			continue // its memory is out of reach
		}
		err := trainer.Run(context.Background())
		var diverged *Diverged
		if !errors.As(err, &diverged) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
			t.Fatalf("rate %g: error %v", rate, err)
		}
		if rate < 1 && (diverged.Epoch != 2 || diverged.Batch != 2 || !math.IsNaN(diverged.Loss)) {
			t.Errorf("epoch %d, batch %d, loss %g; want epoch 2, batch 2, NaN", diverged.Epoch, diverged.Batch,
				diverged.Loss)
		}
		again := trainee(t, 1) // a lower rate may go on from the checkpoint
		again.Checkpoint = trainer.Checkpoint
		if rate < 1 {
			run(t, again)
		}
	}
}

func deferred(t *Trainer) bool { return t.Network.engine.Capabilities().Deferred }
