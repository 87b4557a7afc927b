package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
)

const (
	// grace is how long a process may take to end after it was asked to.
	grace = 5 * time.Second
	// patience is how long a process waits for the next part of its plan: what it has read, and the device that it
	// holds, are the dearest of a small part.
	patience = 20 * time.Second
)

// process is grove at work.
type process struct {
	in    io.WriteCloser
	lines chan string   // of its standard output; closed at its end
	said  atomic.Value  // the last line of its standard error
	ended chan struct{} // closed when it is over
	err   error         // how it ended
	ask   func()        // it to end, after grace by force
	asked bool          // to end
	timer *time.Timer   // ends it where nobody has work for it
}

// start starts grove. The process dies with this one.
func start(grove string, environment []string, args ...string) (*process, error) {
	ctx, cancel := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, grove, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = grace
	c.Env = environment
	c.SysProcAttr = ofThisProcess()
	p := &process{lines: make(chan string), ended: make(chan struct{}), ask: cancel}
	p.said.Store("")
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := c.StderrPipe()
	if err != nil {
		return nil, err
	}
	p.in = in
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // which the process is bound to
		defer runtime.UnlockOSThread()
		err := c.Start()
		started <- err
		if err != nil {
			return
		}
		heard := make(chan struct{})
		go func() {
			defer close(heard)
			each(stderr, func(line string) {
				if line = strings.TrimSpace(line); line != "" {
					p.said.Store(line)
				}
			})
		}()
		each(out, func(line string) { p.lines <- line })
		<-heard
		p.err = c.Wait()
		close(p.lines)
		close(p.ended)
		cancel()
	}()
	if err := <-started; err != nil {
		cancel()
		return nil, fmt.Errorf("grove does not run: %w", err)
	}
	return p, nil
}

// each gives the lines of a stream to its end.
func each(from io.Reader, line func(string)) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		line(lines.Text())
	}
	_, _ = io.Copy(io.Discard, from) // after a line that is too long
}

// follow returns what the process writes: one line, or all where it is to end. While it works the server hears of it.
// It is asked to end when the activity is cancelled, or taken from this worker, or the worker stops; where it ends when
// it should not that is an error.
func (p *process) follow(ctx context.Context, heartbeat time.Duration, all bool) (string, error) {
	ticks := time.NewTicker(heartbeat / 4)
	defer ticks.Stop()
	var text strings.Builder
	cancelled, stop, stopped := ctx.Done(), activity.GetWorkerStopChannel(ctx), false
	end := func() { p.ask(); p.asked = true }
	for {
		select {
		case <-ticks.C:
			activity.RecordHeartbeat(ctx, p.said.Load())
		case <-cancelled:
			cancelled = nil
			end()
		case <-stop:
			stop, stopped = nil, true
			end()
		case line, more := <-p.lines:
			if more {
				text.WriteString(line + "\n")
				if all {
					continue
				}
				return text.String(), nil
			}
			<-p.ended
			if all && p.err == nil {
				return text.String(), nil
			}
			return "", verdict(ctx, stopped, p.err, p.said.Load().(string))
		}
	}
}

// sleep has the process wait for more, for some time.
func (p *process) sleep() { p.timer = time.AfterFunc(patience, func() { _ = p.in.Close() }) }

// wake reports whether the process still waits.
func (p *process) wake() bool {
	select {
	case <-p.ended:
		return false
	default:
		return p.timer.Stop()
	}
}

// end ends the process, which waits for more, and waits for that.
func (p *process) end() {
	_ = p.in.Close()
	for range p.lines { // nothing
	}
	<-p.ended
}

// verdict says what the end of a process means, of which an activity asked for more while its context stood, and whose
// worker may have been stopped.
func verdict(asked context.Context, stopped bool, err error, said string) error {
	said = strings.TrimPrefix(said, "grove: ")
	var exit *exec.ExitError
	switch {
	case asked.Err() != nil:
		return asked.Err()
	case stopped:
		return errStopped
	case err == nil:
		return errors.New("grove ended before it was done")
	case !errors.As(err, &exit):
		return fmt.Errorf("grove does not run: %w", err)
	case exit.ExitCode() == exitRefused:
		return refused(said)
	case said == "" || exit.ExitCode() < 0:
		return fmt.Errorf("grove ended by itself: %s", exit.ProcessState)
	}
	return errors.New(said)
}

// transfer moves files while the server hears that this goes on. It ends when the activity is cancelled, or its worker
// stops.
func transfer(ctx context.Context, job Job, do func(ctx context.Context) error) error {
	moving, end := context.WithCancel(ctx)
	defer end()
	done := make(chan error, 1)
	go func() { done <- do(moving) }()
	ticks := time.NewTicker(job.Heartbeat / 4)
	defer ticks.Stop()
	stop, stopped := activity.GetWorkerStopChannel(ctx), false
	for {
		select {
		case <-ticks.C:
			activity.RecordHeartbeat(ctx, "moving files")
		case <-stop:
			stop, stopped = nil, true
			end()
		case err := <-done:
			if err != nil && stopped && ctx.Err() == nil {
				err = errStopped
			}
			return err
		}
	}
}

// errStopped says that an activity is for another worker.
var errStopped = errors.New("its worker was stopped")
