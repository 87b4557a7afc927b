//go:build gpu

package treeg

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/cuda/sim"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
)

// openSimulated returns a simulated GPU.
func openSimulated(t *testing.T) engine.Engine {
	t.Helper()
	e := enginetest.Open(t, 2)
	if !e.Capabilities().Deferred || !sim.Loaded() {
		t.Skipf("set %s=cuda and run on the simulated GPU: only it counts launches", enginetest.DeviceVariable)
	}
	return e
}

func leveled(t *testing.T, e engine.Engine) (*Data, Targets, Options) {
	t.Helper()
	set, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 60, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults(Graphs, Single)
	opt.Growth, opt.MaxDepth, opt.Keep, opt.MinLeaf = LevelWise, 4, 1, 2
	d, err := Prepare(context.Background(), e, set.Batch, opt)
	if err != nil {
		t.Fatal(err)
	}
	return d, Targets{Values: normals(rand.New(rand.NewPCG(1, 33)), d.Examples())}, opt
}

// All candidates of a level take a few launches, whatever the number of its nodes: a walk for each step, and columns,
// thresholds and the best of them once for what all trees share and once for walks from subsets.
func TestEnginesFitALevelInAFewLaunches(t *testing.T) {
	d, targets, opt := leveled(t, openSimulated(t))
	before := sim.Count(sim.Launches)
	m, err := d.Fit(context.Background(), targets, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	launches, tree := int(sim.Count(sim.Launches)-before), m.Trees(0)[0]
	most := opt.MaxLength + tree.Depth()*(opt.MaxLength+2*3)
	if launches > most || launches == 0 {
		t.Errorf("%d launches for %d levels of a tree with %d leaves, want at most %d",
			launches, tree.Depth(), leavesOf(tree), most)
	}
	if leavesOf(tree) < 6 {
		t.Errorf("a tree of %d leaves says little", leavesOf(tree))
	}
}

// Features, walks, arcs and diagonals go to the device once for all trees; a root then asks for little more than a list
// of its examples, with their targets and weights, and gets back what is known of it, four numbers for its split, and
// what is known of the children.
func TestEnginesSendWhatStaysOnce(t *testing.T) {
	d, targets, opt := leveled(t, openSimulated(t))
	opt.MaxDepth = 1
	d.resident.Hold()
	defer d.resident.Release(d.data.Engine)
	var sent [2]int64
	for i := range sent {
		up, down := sim.Count(sim.HostToDevice), sim.Count(sim.DeviceToHost)
		if _, err := d.Fit(context.Background(), targets, opt, nil); err != nil {
			t.Fatal(err)
		}
		sent[i] = sim.Count(sim.HostToDevice) - up
		if down = sim.Count(sim.DeviceToHost) - down; down != 8*(1+7)+8*(4+2*7) {
			t.Errorf("the search for one split brings %d bytes to the host", down)
		}
	}
	if diagonals := int64(8 * d.data.Batch.NumVertices()); sent[0] < diagonals || sent[1] >= diagonals {
		t.Errorf("%d bytes for the first tree and %d for the next, with %d for a diagonal", sent[0], sent[1], diagonals)
	}
}

// A round of boosting gets no more back for more examples: scores, residuals and the examples of nodes stay on the
// device, and what a subsample changes are its positions.
func TestEnginesKeepWhatBoostingChanges(t *testing.T) {
	for _, subsample := range []float64{1, 0.5} {
		set, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 60, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		opt := Defaults(Graphs, Boosting)
		opt.Keep, opt.Subsample, opt.MaxLeaves = 1, subsample, 2
		d, err := Prepare(context.Background(), openSimulated(t), set.Batch, opt)
		if err != nil {
			t.Fatal(err)
		}
		fit := func(rounds int) (up, down int64) {
			opt.Estimators = rounds
			up, down = sim.Count(sim.HostToDevice), sim.Count(sim.DeviceToHost)
			if _, err := d.Fit(context.Background(), Targets{Classes: set.Classes}, opt, nil); err != nil {
				t.Fatal(err)
			}
			return sim.Count(sim.HostToDevice) - up, sim.Count(sim.DeviceToHost) - down
		}
		up, down := fit(4)
		moreUp, moreDown := fit(12)
		if each := (moreDown - down) / 8; each != 8*(1+7)+8*(4+2*7) {
			t.Errorf("subsample %g: a round of one split brings %d bytes to the host", subsample, each)
		}
		if each := (moreUp - up) / 8; each > 4000 {
			t.Errorf("subsample %g: a round of one split sends %d bytes", subsample, each)
		}
	}
}

// A failure of the device ends a fit with an error, and nothing is left there.
func TestEnginesFitNothingAfterAFailure(t *testing.T) {
	for _, at := range []int64{1, 2, 4, 7, 12} {
		for _, what := range []sim.Setting{sim.FailLaunch, sim.FailCopy} {
			d, targets, opt := leveled(t, openSimulated(t))
			sim.Set(what, at)
			if _, err := d.Fit(context.Background(), targets, opt, nil); err == nil {
				t.Errorf("%s %d: the fit goes on", what, at)
			}
			sim.Reset()
		}
	}
}
