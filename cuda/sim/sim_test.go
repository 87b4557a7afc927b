//go:build gpu

package sim_test

import (
	"testing"

	"github.com/grove-graph/grove/cuda/sim"
)

func TestSettingsLastUntilReset(t *testing.T) {
	if !sim.Loaded() {
		t.Skip("the driver's library is not the simulator: run with cuda/sim/with.sh")
	}
	sim.Reset()
	before := sim.Count("memory")
	sim.Set(sim.Memory, 1<<20)
	if got := sim.Count("memory"); got != 1<<20 {
		t.Errorf("memory is %d after setting it to %d", got, 1<<20)
	}
	sim.SetOrder(sim.Shuffled, 7)
	if got := sim.Count("seed"); got != 7 {
		t.Errorf("the seed is %d, want 7", got)
	}
	sim.Reset()
	if got := sim.Count("memory"); got != before {
		t.Errorf("memory is %d after Reset, was %d", got, before)
	}
}

func TestEveryNameIsKnown(t *testing.T) {
	if !sim.Loaded() {
		t.Skip("the driver's library is not the simulator: run with cuda/sim/with.sh")
	}
	sim.Reset()
	sim.Set(sim.Quiet, 1)
	defer sim.Reset()
	for _, s := range []sim.Setting{sim.Devices, sim.Memory, sim.Driver, sim.Capability, sim.Multiprocessors,
		sim.InitError, sim.Busy,
		sim.DamagedImage, sim.Graphs, sim.Lazy, sim.Seed, sim.Protect, sim.GuardEachLaunch, sim.Quiet, sim.Abort,
		sim.FailAlloc, sim.FailHostAlloc, sim.FailLaunch, sim.FailCopy, sim.FailSynchronise, sim.LaunchError} {
		sim.Set(s, sim.Count(sim.Counter(s))) // panics where there is none
	}
	for _, c := range []sim.Counter{sim.Launches, sim.GraphLaunches,
		sim.Allocations, sim.HostAllocations, sim.Copies, sim.HostToDevice,
		sim.DeviceToHost,
		sim.DeviceToDevice, sim.Memsets, sim.Synchronisations, sim.Injected, sim.Findings, sim.SingleExponentials,
		sim.DoubleExponentials, sim.LiveAllocations, sim.LiveBytes,
		sim.LiveHostAllocations, sim.LiveContexts, sim.LiveModules, sim.LiveStreams, sim.LiveEvents, sim.LiveGraphs,
		sim.Leaks, sim.Queued} {
		if sim.Count(c) != 0 {
			t.Errorf("%s is %d at the start", c, sim.Count(c))
		}
	}
	if sim.LaunchesOf("none") != 0 || sim.Check() != 0 || sim.LastFinding() != "" || sim.DescribeLeaks() != "" {
		t.Errorf("findings or leaks at the start: %q, %q", sim.LastFinding(), sim.DescribeLeaks())
	}
}
