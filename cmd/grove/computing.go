package main

import (
	"errors"
	"runtime"

	"github.com/grove-graph/grove/engine"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// computing is where the work is done.
type computing struct {
	device  string
	workers int
}

func (c *computing) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&c.device, "device", "auto", "device that computes (see grove devices)")
	annotateWords(fs, "device", []string{"auto", "cpu", "cuda"})
	fs.IntVar(&c.workers, "workers", 0, "`N` goroutines that compute, 0: one for every CPU; results do not depend on it")
	bound(fs, "workers", 0, 1<<12)
}

// open returns the engine that the flags ask for. It is closed when the command ends.
func (a *app) open(c *computing) (engine.Engine, error) {
	e, err := engine.Open(c.device, c.workers)
	if err != nil {
		return nil, usagef("--device: %v", err)
	}
	a.engines = append(a.engines, e)
	return e, nil
}

// openFor is open for a command that makes a file of a data set: --out from --data.
func (a *app) openFor(c *cobra.Command, where *computing, out string) (engine.Engine, error) {
	if err := requireFlags(c, "data", "out"); err != nil {
		return nil, err
	}
	if err := writable("--out", out); err != nil {
		return nil, err
	}
	return a.open(where)
}

// close gives back what the engines hold.
func (a *app) close() error {
	var errs []error
	for _, e := range a.engines {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}

// goroutines returns the number of goroutines that --workers stands for.
func (c *computing) goroutines() int {
	if c.workers > 0 {
		return c.workers
	}
	return runtime.GOMAXPROCS(0)
}
