package main

import (
	"errors"
	"runtime"

	"github.com/grove-graph/grove/engine"
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
	if c.workers < 0 {
		return nil, usagef("--workers %d: want 0 or a number of goroutines", c.workers)
	}
	e, err := engine.Open(c.device, c.workers)
	if err != nil {
		return nil, usagef("--device: %v", err)
	}
	if d, ok := e.(engine.Device); ok {
		a.devices = append(a.devices, d)
	}
	return e, nil
}

// close gives the devices back.
func (a *app) close() error {
	var errs []error
	for _, d := range a.devices {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}

// narrow returns an engine like e for one of several pieces of work that run beside each other, with the
// given number of goroutines. They share a device.
func narrow(e engine.Engine, workers int) engine.Engine {
	if _, device := e.(engine.Device); device {
		return e
	}
	return engine.NewCPU(max(workers, 1))
}

// goroutines returns the number of goroutines that --workers stands for.
func (c *computing) goroutines() int {
	if c.workers > 0 {
		return c.workers
	}
	return runtime.GOMAXPROCS(0)
}

// describe names the device with its instruction set.
func describe(e engine.Engine) string {
	if d, ok := e.(interface{ Describe() string }); ok {
		return d.Describe()
	}
	return e.String()
}
