package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Exit statuses of grove: of run-part for a part whose bits could differ, of merge where the plan has another round.
const (
	exitRefused = 3
	exitAgain   = 4
)

// Machine runs grove on behalf of a worker. Its methods are the activities.
type Machine struct {
	grove   string // path of the program
	program string // its build, as plans name it
	threads int    // of a part
	device  string // that computes, "" for any of the kind of the plan

	idle *process // waits for a part of a job, may be nil
	of   Job
	desk *desk // for plans in buckets
}

// start starts grove for a job.
func (m *Machine) start(job Job, args ...string) (*process, error) {
	return start(m.grove, append(os.Environ(), "GROVE_SIMD="+job.Instructions), args...)
}

// close ends what waits, and leaves nothing.
func (m *Machine) close() {
	if m.idle != nil {
		m.idle.end()
	}
	m.desk.close()
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
	if !job.inBucket() {
		if _, over, err := job.open(); over || err != nil {
			return err
		}
		return m.compute(ctx, job, job.Plan, part)
	}
	done := false
	if err := transfer(ctx, job, func(ctx context.Context) (err error) {
		if done, err = m.place(ctx, job); done || err != nil {
			return err
		}
		if done, err = m.desk.done(ctx, part); done || err != nil {
			return err
		}
		from, to := m.desk.plan.Range(part)
		return m.desk.bring(ctx, from, to)
	}); done || err != nil {
		return err
	}
	if err := m.compute(ctx, job, m.desk.path(planName), part); err != nil {
		return err
	}
	return transfer(ctx, job, func(ctx context.Context) error { return m.desk.handIn(ctx, part) })
}

// place has the plan of a job on the desk, and reports whether its round is over.
func (m *Machine) place(ctx context.Context, job Job) (over bool, err error) {
	if m.idle != nil && m.of != job {
		m.idle.end()
		m.idle = nil
	}
	over, err = m.desk.place(ctx, job)
	return over || m.desk.said.Outputs != nil, err
}

// compute computes a part of a job, by the process that computed the one before where that was of the same job.
func (m *Machine) compute(ctx context.Context, job Job, plan string, part int) error {
	p, err := m.parts(job, plan)
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

// parts returns the process that computes parts of the plan of a job: the one that waits, or a new one.
func (m *Machine) parts(job Job, plan string) (*process, error) {
	p := m.idle
	m.idle = nil
	if p != nil {
		if m.of == job && p.wake() {
			return p, nil
		}
		p.end()
	}
	args := []string{"run-part", plan, "--index", "-", "--workers", strconv.Itoa(m.threads)}
	if m.device != "" {
		args = append(args, "--device", m.device)
	}
	return m.start(job, args...)
}

// Merged is what became of the parts.
type Merged struct {
	Said  string // by grove
	Again bool   // the plan has another round now
}

// Merge puts the parts together and leaves them, so that it can be run again. In a shared folder it waits for them; it
// touches nothing of the machine there, and may run beside a part.
func (m *Machine) Merge(ctx context.Context, job Job) (Merged, error) {
	if !job.inBucket() {
		if _, over, err := job.open(); over || err != nil {
			return Merged{Again: over}, err
		}
		return m.merge(ctx, job, job.Plan, "--wait")
	}
	over := false
	if err := transfer(ctx, job, func(ctx context.Context) (err error) {
		if over, err = m.place(ctx, job); over || err != nil {
			return err
		}
		if err = m.desk.gather(ctx); err == nil {
			err = m.desk.bring(ctx, 0, 0)
		}
		return err
	}); over || err != nil {
		return Merged{Again: m.desk.said.Outputs == nil}, err
	}
	merged, err := m.merge(ctx, job, m.desk.path(planName))
	if err == nil {
		err = transfer(ctx, job, func(ctx context.Context) error {
			if merged.Again {
				return m.desk.advance(ctx)
			}
			return m.desk.deliver(ctx)
		})
	}
	if err != nil { // the plan may be one of the next round
		m.desk.clear()
	}
	return merged, err
}

// merge puts the parts of a plan of this machine together.
func (m *Machine) merge(ctx context.Context, job Job, plan string, flags ...string) (Merged, error) {
	p, err := m.start(job, append([]string{"merge", plan, "--keep"}, flags...)...)
	if err != nil {
		return Merged{}, err
	}
	said, err := p.follow(ctx, job.Heartbeat, true)
	var exit *exec.ExitError
	if errors.As(p.err, &exit) && exit.ExitCode() == exitAgain {
		return Merged{Again: true}, nil
	}
	return Merged{Said: said}, err
}

// Discard removes the results of the parts, which are merged, and after the last round what all rounds gave.
func (m *Machine) Discard(ctx context.Context, job Job) error {
	if job.inBucket() {
		return transfer(ctx, job, func(ctx context.Context) error {
			if over, err := m.place(ctx, job); !over || err != nil {
				return err
			}
			return m.desk.discard(ctx, job.Round)
		})
	}
	plan, over, err := job.open()
	switch {
	case err != nil:
		return err
	case over:
		plan.Round = job.Round
	case plan.Round > 0:
		return plan.DiscardRounds()
	}
	return plan.Discard()
}
