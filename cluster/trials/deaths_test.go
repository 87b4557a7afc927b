package trials

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Two workers of one machine make the bytes of one process, and leave nothing.
func TestLocalMakesTheBytesOfOneProcess(t *testing.T) {
	for _, job := range []string{"embed", "predict"} {
		p := plan(t, job)
		must(t, cluster, "local", "--workers", "2", "--grove", grove, p)
		whole(t, p)
	}
}

// A worker may be killed in the middle, as often as you like.
func TestWorkersAreKilled(t *testing.T) {
	for _, job := range []string{"embed", "predict"} {
		p := plan(t, job)
		victim := worker(t)
		worker(t)
		s := submit(t, p)
		for kill := range 3 {
			wait(t, p, 4+4*kill)
			victim.kill()
			victim = worker(t)
		}
		s.succeeds(t)
		whole(t, p)
	}
}

// A training has rounds, in each of which a worker may be killed.
func TestWorkersOfATrainingAreKilled(t *testing.T) {
	p := filepath.Join(t.TempDir(), "plan.json")
	line := append([]string{"plan"}, training...)
	must(t, grove, append(line, "--data", store, "--part-graphs", fmt.Sprint(4*perPart),
		"--out", beside(p, "trained.grove"), "-o", p)...)
	victim := worker(t)
	worker(t)
	s := submit(t, p)
	for round := 1; !isThere(beside(p, "trained.grove")); {
		if isThere(beside(p, fmt.Sprintf("plan.parts/round-%d", round))) {
			victim.kill()
			victim = worker(t)
			round++
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case err := <-s.ended:
			if err != nil {
				t.Fatal(s.said.String())
			}
			s.ended <- nil // for who waits for it below
		}
	}
	if said := s.succeeds(t); !strings.Contains(said, "trained.grove") {
		t.Error(said)
	}
	whole(t, p)
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Who submits may be killed; the work goes on, and who submits again looks at it, also when it is over.
func TestTheSubmitterIsKilled(t *testing.T) {
	p := plan(t, "embed")
	worker(t)
	first := submit(t, p)
	wait(t, p, 5)
	first.kill()
	wait(t, p, 8)
	said := submit(t, p).succeeds(t)
	whole(t, p)
	if again := submit(t, p).succeeds(t); !strings.Contains(said, again) || !strings.Contains(again, "SHA-256") {
		t.Errorf("%q after %q", again, said)
	}
	if err := os.Remove(beside(p, "rows.npy")); err != nil {
		t.Fatal(err)
	}
	submit(t, p).succeeds(t)
	whole(t, p)
}

// All of it may be killed, server and workers: the same line goes on.
func TestEverythingIsKilled(t *testing.T) {
	p := plan(t, "embed")
	for kill := range 2 {
		all := start(t, cluster, "local", "--workers", "2", "--heartbeat", "2s", "--grove", grove, p)
		wait(t, p, 5+5*kill)
		all.kill()
		<-all.ended
	}
	must(t, cluster, "local", "--workers", "2", "--heartbeat", "2s", "--grove", grove, p)
	whole(t, p)
}

// To stop by Ctrl-C is no loss either.
func TestLocalIsInterrupted(t *testing.T) {
	p := plan(t, "predict")
	all := start(t, cluster, "local", "--workers", "2", "--grove", grove, p)
	wait(t, p, 8)
	if err := all.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	all.fails(t, "stopped", "goes on")
	must(t, cluster, "local", "--workers", "2", "--grove", grove, p)
	whole(t, p)
}

// The same plan is worked on by one process of a machine at a time.
func TestBooksHaveOneKeeper(t *testing.T) {
	p := plan(t, "predict")
	first := start(t, cluster, "local", "--workers", "1", "--grove", grove, p)
	wait(t, p, 1)
	start(t, cluster, "local", "--workers", "1", "--grove", grove, p).fails(t, "another process keeps these books")
	first.succeeds(t)
	whole(t, p)
}

// Cancelling reaches the process that computes a part, and submitting again goes on.
func TestWorkIsCancelled(t *testing.T) {
	p := plan(t, "embed", "--part-graphs", fmt.Sprint(graphs))
	w := worker(t)
	s := submit(t, p)
	for len(children(w.Process.Pid)) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	must(t, cluster, "cancel", p, "--address", address)
	s.fails(t, "cancelled", "what is done is kept")
	if left := children(w.Process.Pid); len(left) > 0 {
		t.Errorf("processes go on: %v", left)
	}
	if receipts(p) > 0 {
		t.Error("the part was done")
	}
	submit(t, p).succeeds(t)
	whole(t, p)
}

// A worker that hangs, with the process of its part, loses the part to another one; that it wakes up later is no harm.
func TestAWorkerHangs(t *testing.T) {
	p := plan(t, "embed")
	slow := worker(t)
	s := submit(t, p)
	wait(t, p, 3)
	var stopped []int
	for len(stopped) < 2 {
		stopped = append([]int{slow.Process.Pid}, children(slow.Process.Pid)...)
	}
	for _, pid := range stopped {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	worker(t)
	wait(t, p, graphs/perPart)
	for _, pid := range stopped {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	s.succeeds(t)
	time.Sleep(time.Second) // what woke up
	whole(t, p)
}

// children returns the processes that compute a part for a worker.
func children(pid int) (found []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			n, _ := strconv.Atoi(field)
			if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", n)); strings.Contains(string(line), "run-part") {
				found = append(found, n)
			}
		}
	}
	return found
}
