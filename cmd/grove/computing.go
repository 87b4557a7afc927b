package main

import (
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
	annotateWords(fs, "device", []string{"auto", "cpu"})
	fs.IntVar(&c.workers, "workers", 0, "`N` goroutines that compute, 0: one for every CPU; results do not depend on it")
}

// open returns the engine that the flags ask for.
func (c *computing) open() (engine.Engine, error) {
	if c.workers < 0 {
		return nil, usagef("--workers %d: want 0 or a number of goroutines", c.workers)
	}
	e, err := engine.Open(c.device, c.workers)
	if err != nil {
		return nil, usagef("--device: %v", err)
	}
	return e, nil
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
