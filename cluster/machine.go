package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/parts"
)

// exitRefused is the exit status of grove run-part for a part whose bits could differ.
const exitRefused = 3

// Machine runs grove on behalf of a worker. Its methods are the activities.
type Machine struct {
	grove   string // path of the program
	program string // its build, as plans name it
	threads int    // of a part
	device  string // that computes, "" for any of the kind of the plan

	idle *process // waits for a part of a job, may be nil
	of   Job
}

// start starts grove for a job.
func (m *Machine) start(job Job, args ...string) (*process, error) {
	return start(m.grove, append(os.Environ(), "GROVE_SIMD="+job.Instructions), args...)
}

// close ends what waits.
func (m *Machine) close() {
	if m.idle != nil {
		m.idle.end()
	}
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

// Part computes a part, by the process that computed the one before where that was of the same plan.
func (m *Machine) Part(ctx context.Context, job Job, part int) error {
	if err := job.same(); err != nil {
		return err
	}
	p, err := m.parts(job)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.in, part) // where it has ended, follow says so
	if _, err = p.follow(ctx, job.Heartbeat, false); err != nil {
		return err
	}
	if p.asked {
		p.end()
		return nil
	}
	m.idle, m.of = p, job
	p.sleep()
	return nil
}

// parts returns the process that computes parts of a plan: the one that waits, or a new one.
func (m *Machine) parts(job Job) (*process, error) {
	p := m.idle
	m.idle = nil
	if p != nil {
		if m.of == job && p.wake() {
			return p, nil
		}
		p.end()
	}
	args := []string{"run-part", job.Plan, "--index", "-", "--workers", strconv.Itoa(m.threads)}
	if m.device != "" {
		args = append(args, "--device", m.device)
	}
	return m.start(job, args...)
}

// Merge puts the parts together and leaves them, so that it can be run again. It returns what grove said.
func (m *Machine) Merge(ctx context.Context, job Job) (string, error) {
	if err := job.same(); err != nil {
		return "", err
	}
	p, err := m.start(job, "merge", job.Plan, "--keep")
	if err != nil {
		return "", err
	}
	return p.follow(ctx, job.Heartbeat, true)
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
