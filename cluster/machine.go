package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/grove-graph/grove/parts"
	"go.temporal.io/sdk/activity"
)

// exitRefused is the exit status of grove run-part for a part whose bits could differ.
const exitRefused = 3

// grace is how long a process may take to end after it was asked to.
const grace = 5 * time.Second

// Machine runs grove on behalf of a worker. Its methods are the activities.
type Machine struct {
	grove   string // path of the program
	program string // its build, as plans name it
	threads int    // of a part
	device  string // that computes, "" for any of the kind of the plan
}

// newMachine finds the program grove, and asks which build it is.
func newMachine(grove string) (*Machine, error) {
	if grove == "" {
		grove = beside("grove")
	}
	path, err := exec.LookPath(grove)
	if err != nil {
		return nil, fmt.Errorf("--grove %s: no such program; name the command of grove, or put it on the PATH", grove)
	}
	said, err := exec.Command(path, "--version").Output()
	program, ok := strings.CutPrefix(strings.TrimSpace(string(said)), "grove ")
	if err != nil || !ok {
		return nil, fmt.Errorf("--grove %s: this is not the command of grove, which answers to --version", grove)
	}
	return &Machine{grove: path, program: program}, nil
}

// beside returns the path of the program of that name that lies beside this one, or else the name.
func beside(name string) string {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path
		}
	}
	return name
}

// Part computes a part.
func (m *Machine) Part(ctx context.Context, job Job, part int) error {
	if err := job.same(); err != nil {
		return err
	}
	args := []string{"run-part", job.Plan, "--index", strconv.Itoa(part), "--workers", strconv.Itoa(m.threads)}
	if m.device != "" {
		args = append(args, "--device", m.device)
	}
	_, err := m.run(ctx, job, args...)
	return err
}

// Merge puts the parts together and leaves them, so that it can be run again. It returns what grove said.
func (m *Machine) Merge(ctx context.Context, job Job) (string, error) {
	if err := job.same(); err != nil {
		return "", err
	}
	return m.run(ctx, job, "merge", job.Plan, "--keep")
}

// Discard removes the results of the parts, which are merged.
func (m *Machine) Discard(_ context.Context, job Job) error {
	if err := job.same(); err != nil {
		return err
	}
	plan, err := parts.Open(job.Plan)
	if err != nil {
		return err
	}
	return plan.Discard()
}

// run runs grove and returns what it writes. While the process lives the server hears of it. It is interrupted when
// the activity is cancelled, or taken from this worker, or the worker stops.
func (m *Machine) run(ctx context.Context, job Job, args ...string) (string, error) {
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	c := exec.CommandContext(working, m.grove, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = grace
	c.Env = append(os.Environ(), "GROVE_SIMD="+job.Instructions)
	c.SysProcAttr = ofThisProcess()
	var out bytes.Buffer
	c.Stdout = &out
	stderr, err := c.StderrPipe()
	if err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	var said atomic.Value // the last line
	said.Store("")
	go func() {
		runtime.LockOSThread() // which the process is bound to
		defer runtime.UnlockOSThread()
		if err := c.Start(); err != nil {
			ended <- err
			return
		}
		remember(&said, stderr)
		ended <- c.Wait()
	}()
	ticks := time.NewTicker(job.Heartbeat / 4)
	defer ticks.Stop()
	stopped := activity.GetWorkerStopChannel(ctx)
	for {
		select {
		case <-ticks.C:
			activity.RecordHeartbeat(ctx, said.Load())
		case <-stopped:
			stopped = nil
			cancel()
		case err := <-ended:
			return out.String(), verdict(ctx, working, err, said.Load().(string))
		}
	}
}

// remember keeps the last line.
func remember(said *atomic.Value, from io.Reader) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			said.Store(line)
		}
	}
	_, _ = io.Copy(io.Discard, from) // after a line that is too long
}

// verdict says what the end of a process means.
func verdict(asked, working context.Context, err error, said string) error {
	said = strings.TrimPrefix(said, "grove: ")
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case asked.Err() != nil:
		return asked.Err()
	case working.Err() != nil:
		return errors.New("its worker was stopped")
	case !errors.As(err, &exit):
		return fmt.Errorf("grove does not run: %w", err)
	case exit.ExitCode() == exitRefused:
		return refused(said)
	case said == "" || exit.ExitCode() < 0:
		return fmt.Errorf("grove ended by itself: %s", exit.ProcessState)
	}
	return errors.New(said)
}
