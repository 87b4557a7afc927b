package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// computing is where the work is done.
type computing struct {
	device  string
	workers int
}

// auto is the device that is chosen by what there is to compute.
const auto = "auto"

func (c *computing) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&c.device, "device", auto,
		"device that computes (see grove devices); auto: a GPU where there is one and enough to compute")
	annotateWords(fs, "device", []string{auto, "cpu", "cuda"})
	fs.IntVar(&c.workers, "workers", 0, "`N` goroutines that compute, 0: one for every CPU; results do not depend on it")
	bound(fs, "workers", 0, 1<<12)
}

// open returns the engine that the flags ask for, for work that takes one core of a CPU about the given time. It is
// closed when the command ends.
func (a *app) open(c *computing, cost time.Duration) (engine.Engine, error) {
	e, err := engine.OpenFor(c.device, c.workers, cost)
	if err != nil {
		return nil, usagef("--device: %v", err)
	}
	a.engines = append(a.engines, e)
	return e, nil
}

// load reads the model file that --model names and a data set, as some work for the engine that the model
// is to be applied with. Graphs of a store stay on disk. Close the work when it is done.
func (a *app) load(c *computing, path string, data *source) (model.Model, *model.Work, error) {
	e, err := a.open(c, 0)
	if err != nil {
		return nil, nil, err
	}
	m, err := loadModel(path, e)
	if err != nil {
		return nil, nil, err
	}
	if err := data.as(m.About()); err != nil {
		return nil, nil, err
	}
	w, err := openWork(data, e, dataset.StoreFormat, dataset.ParquetFormat, dataset.ArrowFormat)
	if err == nil {
		err = w.HasVertices()
	}
	if err != nil {
		return nil, nil, err
	}
	costed, ok := m.(model.Costed)
	if !ok || c.device != auto || !engine.Has("cuda") {
		return m, w, nil
	}
	cost, err := costOf(w, costed.Cost)
	if err != nil {
		return nil, nil, err
	}
	if w.Engine, err = a.open(c, cost); err != nil || w.Engine.String() == e.String() {
		w.Engine = e
		return m, w, err
	}
	m, err = loadModel(path, w.Engine)
	return m, w, err
}

// costOf returns how long one core of a CPU takes for some work, as cost says of a data set; of graphs on disk by those
// that come first.
func costOf(w *model.Work, cost func(d *dataset.Dataset) time.Duration) (time.Duration, error) {
	if w.Store == nil {
		return cost(w.Data), nil
	}
	some, err := w.Store.Select(split.All(min(w.Store.NumGraphs(), 1<<10)))
	if err != nil || some.NumGraphs() == 0 {
		return 0, err
	}
	return model.Seconds(cost(some).Seconds() * float64(w.Store.NumGraphs()) / float64(some.NumGraphs())), nil
}

// openWork reads a data set. Graphs in one of the formats stay on disk, where they can.
func openWork(from *source, e engine.Engine, stay ...dataset.Format) (*model.Work, error) {
	if slices.Contains(stay, from.reading.FormatOf(from.data)) {
		if err := from.check(); err != nil {
			return nil, err
		}
		store, err := from.reading.OpenStore(from.data)
		if err != nil {
			return nil, err
		}
		if store != nil {
			return model.NewStoredWork(store, e), nil
		}
	}
	d, err := from.open()
	if err != nil {
		return nil, err
	}
	return model.NewWork(d, e), nil
}

// loadModel reads the model file that --model names.
func loadModel(path string, e engine.Engine) (model.Model, error) {
	m, err := model.Load(path, e)
	if err != nil {
		return nil, fmt.Errorf("--model %w (grove train writes model files)", err)
	}
	return m, nil
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

// wantsOut refuses a command that makes a file of a data set without --data or --out, or where it cannot be written.
func wantsOut(c *cobra.Command, out string) error {
	if err := requireFlags(c, "data", "out"); err != nil {
		return err
	}
	return writable("--out", out)
}
