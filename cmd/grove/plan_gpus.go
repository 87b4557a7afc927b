package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/grove-graph/grove/engine"
	"golang.org/x/sync/errgroup"
)

// everyGPU stands for all GPUs of a machine: parts run on each, one after another.
const everyGPU = "cuda:all"

// runOnEveryGPU has parts computed by a process for each GPU, which is handed the next one when it is done with one.
// Where one fails all end.
func (w *partWorker) runOnEveryGPU(ctx context.Context, indices []int) ([]partReport, error) {
	gpus := engine.Count("cuda")
	if gpus == 0 {
		return nil, usagef("--device %s: there is no GPU here (see grove devices)", everyGPU)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	reports := make([]partReport, len(indices))
	next := make(chan int, len(indices)) // places in the list
	for k, i := range indices {
		reports[k] = partReport{Plan: w.path, Receipt: w.plan.Receipt(i)}
		if reports[k].Done = reports[k].Receipt != nil; !reports[k].Done {
			next <- k
		}
	}
	close(next)
	all, working := errgroup.WithContext(ctx)
	for gpu := range min(gpus, len(next)) {
		all.Go(func() error {
			worker, err := startPartProcess(working, self, w.path, fmt.Sprintf("cuda:%d", gpu), w.where.workers)
			if err != nil {
				return err
			}
			for k := range next {
				if err = worker.compute(indices[k]); err != nil {
					break
				}
				reports[k].Receipt = w.plan.Receipt(indices[k])
				w.progress.report("parts", len(indices)-len(next), len(indices))
			}
			if failed := worker.end(); failed != nil {
				return fmt.Errorf("cuda:%d: %w", gpu, failed)
			}
			return err
		})
	}
	err = all.Wait()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return reports, err
}

// partProcess is grove run-part, which is handed parts.
type partProcess struct {
	*exec.Cmd
	in     *bufio.Writer
	hangUp func() error
	out    *bufio.Reader
	said   strings.Builder // on standard error
}

func startPartProcess(ctx context.Context, self, plan, device string, workers int) (*partProcess, error) {
	p := &partProcess{Cmd: exec.CommandContext(ctx, self, "run-part", plan, "--index", "-", "--quiet",
		"--device", device, "--workers", strconv.Itoa(workers))}
	p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
	p.WaitDelay = 5 * time.Second
	p.Stderr = &p.said
	in, err := p.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.hangUp, p.out = bufio.NewWriter(in), in.Close, bufio.NewReader(out)
	return p, p.Start()
}

// compute has a part computed. What is wrong where that fails [partProcess.end] says.
func (p *partProcess) compute(part int) error {
	fmt.Fprintln(p.in, part)
	if err := p.in.Flush(); err != nil {
		return err
	}
	_, err := p.out.ReadString('\n')
	return err
}

// end ends the process, and returns what it said where it failed.
func (p *partProcess) end() error {
	_ = p.hangUp()
	err := p.Wait()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(p.said.String()), "\n")
	said := errors.New(strings.TrimPrefix(lines[len(lines)-1], "grove: "))
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == exitRefused {
		return &refusal{said}
	}
	if said.Error() == "" {
		return err
	}
	return said
}
