package treeg

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/search"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Data is a batch prepared for fitting and prediction: its features along walks from all vertices, which
// do not depend on a tree. It is safe for concurrent use.
type Data struct {
	data     *walks.Data
	resident search.Resident // what a device holds of it while fits go on
	method   search.Method   // of the search
	large    int             // examples of a tree from which histograms replace sorting
}

// Prepare makes a batch ready for fits with the options' level, features, arcs and walks of at most
// MaxLength and of the options' types. Errors say what in the batch is not fit.
func Prepare(ctx context.Context, e engine.Engine, b *graph.Batch, opt Options) (*Data, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	in, err := inputOf(b, &opt)
	if err != nil {
		return nil, err
	}
	return dataOf(walks.Prepare(ctx, e, b, in,
		walks.Demand{Fit: true, Length: opt.MaxLength, Cycles: slices.Contains(opt.Walks, Cycle)}))
}

// dataOf returns a batch that was made ready.
func dataOf(d *walks.Data, err error) (*Data, error) {
	if err != nil {
		return nil, err
	}
	return &Data{data: d, large: histogramFrom}, nil
}

// Examples returns the number of graphs or vertices.
func (d *Data) Examples() int { return d.data.Examples() }

// fits reports why options cannot be used with the data.
func (d *Data) fits(opt *Options) error {
	in, err := inputOf(d.data.Batch, opt)
	have, want := &d.data.Input, &d.data.Demand
	switch {
	case err != nil:
		return err
	case !want.Fit:
		return errors.New("the data were prepared for predictions only")
	case opt.Level != have.Level || in.Constant != have.Constant || in.MeanSteps != have.MeanSteps ||
		len(in.Arcs) != len(have.Arcs):
		return fmt.Errorf("the data were prepared for another level, other features or arcs: prepare them with these options")
	case slices.Contains(opt.Walks, Cycle) && !want.Cycles:
		return fmt.Errorf("the data were prepared without cycle walks, the options ask for them")
	case opt.MaxLength > want.Length:
		return fmt.Errorf("the data were prepared for walks of length %d, the options ask for %d", want.Length, opt.MaxLength)
	}
	return nil
}

// grower returns what grows trees on some goroutines.
func (d *Data) grower(o *Options, workers int) *search.Grower {
	opt := searchOptions(o, &d.data.Input, d.large)
	opt.Method = d.method
	return search.NewGrower(d.data, &d.resident, opt, workers)
}

// searchOptions returns the options of searches on what an input says. large is that of Data.
func searchOptions(o *Options, in *Input, large int) *search.Options {
	return &search.Options{
		LevelWise: o.Growth == LevelWise, MaxLeaves: o.MaxLeaves, MaxDepth: o.MaxDepth,
		MinSplit: o.MinSplit, MinLeaf: o.MinLeaf, MinGain: o.MinGain,
		MaxLength: o.MaxLength, MaxDistance: o.MaxDistance, Walks: o.Walks, Aggregations: o.Aggregations, Empty: o.Empty,
		Keep: o.Keep, Features: o.featuresOf(in.Features()), Randomised: o.Ensemble == ExtraTrees,
		Bins: o.Bins, Large: large,
	}
}
