package train_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/train"
)

// killFolder names the variable that turns the test binary into a training that is to be killed: it holds
// the folder of checkpoint and model. killData names the one that holds what is learned from.
const (
	killFolder = "GROVE_TEST_KILL_FOLDER"
	killData   = "GROVE_TEST_KILL_DATA"
)

// TestKilled kills a training at random moments. Every one that is started again goes on, and
// the last one writes the model that an undisturbed training writes: on graphs, and on vertices whose paths are drawn.
// GROVE_TEST_KILLS=50 kills more often than the default of 6.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(killFolder); dir != "" {
		if err := trainIn(dir, os.Getenv(killData)); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, kind := range []string{"molecules", "communities"} {
		t.Run(kind, func(t *testing.T) { killed(t, kind) })
	}
}

// killed is the test for one kind of data.
func killed(t *testing.T, kind string) {
	kills := 6
	if text := os.Getenv("GROVE_TEST_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	calm := t.TempDir()
	start := time.Now()
	if err := trainIn(calm, kind); err != nil {
		t.Fatal(err)
	}
	undisturbed := time.Since(start)
	want, err := os.ReadFile(filepath.Join(calm, "model"))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	killed, resumed, models := 0, 0, 0
	for killed < kills {
		dir := t.TempDir()
		for done := false; !done; {
			if _, err := os.Stat(filepath.Join(dir, "checkpoint")); err == nil {
				resumed++
			}
			delay := time.Duration(rng.Float64() * float64(undisturbed))
			if killed >= kills {
				delay = time.Minute // let it come to its end
			}
			if done = runFor(t, dir, kind, delay); !done {
				killed++
			}
		}
		got, err := os.ReadFile(filepath.Join(dir, "model"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Fatalf("after %d kills: another model", killed)
		}
		models++
	}
	t.Logf("%d kills, %d trainings went on from a checkpoint, %d models", killed, resumed, models)
	if resumed == 0 {
		t.Error("no training was killed late enough to go on from a checkpoint")
	}
}

// runFor runs the training in a process of its own, kills it some time after it has begun, and reports
// whether it came to its end before.
func runFor(t *testing.T, dir, kind string, delay time.Duration) bool {
	t.Helper()
	begun := filepath.Join(dir, "begun")
	if err := os.Remove(begun); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), killFolder+"="+dir, killData+"="+kind)
	var output = make(chan error, 1)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { output <- cmd.Wait() }()
	for waited := time.Duration(0); ; waited += time.Millisecond {
		if _, err := os.Stat(begun); err == nil || waited > time.Minute {
			break
		}
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-output:
		if err != nil {
			t.Fatalf("the training failed: %v", err)
		}
		return true
	case <-time.After(delay):
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	return <-output == nil
}

// trainIn trains on data of a kind with a checkpoint after every step and writes the model.
func trainIn(dir, kind string) error {
	if err := os.WriteFile(filepath.Join(dir, "begun"), nil, 0o600); err != nil {
		return err
	}
	sizes := map[string]dataset.SynthOptions{"molecules": {Graphs: 60}, "communities": {Vertices: 300, Communities: 4}}
	d, err := dataset.Synth(kind, sizes[kind])
	if err != nil {
		return err
	}
	network, err := gckn.Preset("gckn-subtree", 3, 8, 0.6)
	if err != nil {
		return err
	}
	network.Samples = 5000
	input, err := train.InputOf(d.Batch)
	if err != nil {
		return err
	}
	examples := train.Examples{Graphs: train.InMemory(d.Batch), Input: input, Targets: model.TargetsOf(d)}
	training := &gckn.Training{Training: train.Training{Examples: examples}, Options: gckn.DefaultSupervised(network)}
	training.Options.Epochs, training.Options.BatchSize = 12, 16
	if kind == "communities" {
		training.Options.FanOut, training.Options.PredictFanOut = []int{3, 2}, []int{4, 4}
		training.Options.BatchSize = 64
	}
	for i := range examples.Targets.Len() {
		if i%4 == 0 {
			training.Validation = append(training.Validation, i)
		}
	}
	training.Checkpoint = autodiff.Checkpoint{Path: filepath.Join(dir, "checkpoint"), Every: 1}
	m, err := gckn.Supervise(context.Background(), engine.NewCPU(1), training)
	if err != nil {
		return err
	}
	return modelfile.Write(filepath.Join(dir, "model"), "test", m, m.Tensors())
}
