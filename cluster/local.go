package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
)

// localFlags are the flags of grove-cluster local.
type localFlags struct {
	workers, threads int
	grove, cache     string
	bucketFlags
	Patience
}

func newLocal() *cobra.Command {
	f := &localFlags{}
	c := &cobra.Command{
		Use:   "local plan.json",
		Short: "Run a plan on this machine, whatever dies in between",
		Long: `Run a plan on this machine: a server, some workers, each a process, and the merge. A worker that dies is
replaced. Where all of it dies, or is stopped by Ctrl-C, the same line goes on: the books lie beside the plan, in a
folder with its name and the ending .cluster, until the work is over.`,
		Example: `  grove-cluster local --workers 2 plan.json
  grove-cluster local --workers 4 --threads 8 plan.json
  grove-cluster local --bucket s3://molecules/tries plan.json     # where its inputs and results are kept`,
		Args: onePlan,
		RunE: func(c *cobra.Command, args []string) error { return local(c.Context(), args[0], f) },
	}
	fs := c.Flags()
	fs.IntVar(&f.workers, "workers", 2, "`N` processes that run parts")
	fs.IntVar(&f.threads, "threads", 0, "`N` threads of each, 0: the CPUs shared among them; results do not depend on it")
	fs.StringVar(&f.grove, "grove", "", "`FILE` command of grove (default: the one beside this program, or on the PATH)")
	f.Patience.addFlags(fs, 10*time.Second)
	f.bucketFlags.addFlags(fs)
	addCache(fs, &f.cache)
	return c
}

func local(ctx context.Context, path string, f *localFlags) error {
	if f.workers < 1 {
		return usagef("--workers %d: want 1 or more", f.workers)
	}
	if f.threads == 0 {
		f.threads = max(runtime.NumCPU()/f.workers, 1)
	}
	plan, job, err := open(path, f.Patience)
	if err != nil {
		return err
	}
	m, err := newMachine(f.grove)
	if err != nil {
		return err
	}
	if m.program != plan.Program {
		return fmt.Errorf("%s: planned by grove %s, and %s is grove %s: their bits may differ; use that one, or plan again",
			path, plan.Program, m.grove, m.program)
	}
	return submitted(ctx, plan, job, &f.bucketFlags, func(job Job) error {
		return localServer(ctx, path, func(server client.Client) error {
			return submit(ctx, server, plan, job)
		}, f.workers, "worker", "--queue", plan.Device, "--grove", m.grove, "--threads", strconv.Itoa(f.threads),
			"--endpoint", f.endpoint, "--cache", f.cache)
	})
}

// localServer does something by a server whose books lie beside a plan, and so many workers with the given arguments.
func localServer(
	ctx context.Context, plan string, do func(server client.Client) error, workers int, args ...string,
) error {
	books := strings.TrimSuffix(plan, filepath.Ext(plan)) + ".cluster"
	if err := os.MkdirAll(books, 0o777); err != nil {
		return err
	}
	s, err := startServer("127.0.0.1:0", filepath.Join(books, "books.db"))
	if err != nil {
		return err
	}
	err = localWork(ctx, s.address, func(ctx context.Context) error {
		server, err := dial(ctx, s.address)
		if err != nil {
			return err
		}
		defer server.Close()
		return do(server)
	}, workers, append(args, "--address", s.address)...)
	interrupted := ctx.Err() != nil
	_ = s.stop()
	if interrupted {
		return fmt.Errorf("stopped; grove-cluster local %s goes on", plan)
	}
	if e := os.RemoveAll(books); err == nil {
		err = e
	}
	return err
}

// localWork does something while so many workers run by this program with the given arguments.
func localWork(ctx context.Context, address string, do func(context.Context) error, workers int, args ...string) error {
	if err := ready(ctx, address); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	working, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() { keep(working, self, args) })
	}
	err = do(ctx)
	stop()
	all.Wait()
	return err
}

// keep runs a worker, and a new one where it dies, until the context ends.
func keep(ctx context.Context, self string, args []string) {
	runtime.LockOSThread() // which the process is bound to
	defer runtime.UnlockOSThread()
	for ctx.Err() == nil {
		c := exec.CommandContext(ctx, self, args...)
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
		c.WaitDelay = 3 * grace
		c.SysProcAttr = ofThisProcess()
		said, err := c.CombinedOutput()
		if ctx.Err() != nil {
			return
		}
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		fmt.Fprintf(os.Stderr, "grove-cluster: a worker died, another one starts (%v; it said %q)\n",
			err, lines[len(lines)-1])
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
