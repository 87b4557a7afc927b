package train

import (
	"cmp"
	"context"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// Keys of what estimators with the same features share.
type (
	sharedEncoding struct{ features dataset.Features }
	sharedBatch    struct{ features dataset.Features }
)

// Encoding returns the encoding of the vertices of the graphs that w shows; "" is [dataset.AutoFeatures].
func Encoding(w *model.Work, features dataset.Features) (*dataset.Encoding, error) {
	features = cmp.Or(features, dataset.AutoFeatures)
	return model.Shared(w, sharedEncoding{features}, func() (*dataset.Encoding, error) {
		encoding, err := w.FitEncoding(features)
		if err != nil && features != dataset.AutoFeatures {
			return nil, param.Errorf("features", features, "%w", err)
		}
		return encoding, err
	})
}

// Encode returns the encoding of the graphs that w shows with all of its graphs, those in memory, and what a network
// gets to see of them.
func Encode(w *model.Work, features dataset.Features) (*dataset.Encoding, *graph.Batch, Input, error) {
	encoding, err := Encoding(w, features)
	if err != nil {
		return nil, nil, Input{}, err
	}
	b, err := model.Shared(w, sharedBatch{cmp.Or(features, dataset.AutoFeatures)}, func() (*graph.Batch, error) {
		return encoding.Apply(w.Data)
	})
	if err != nil {
		return nil, nil, Input{}, err
	}
	input, err := InputOf(b)
	return encoding, b, input, err
}

// Data are the graphs of some work as a network gets to see them.
type Data struct {
	Work     *model.Work
	Encoding *dataset.Encoding
	Graphs   Graphs
	Input    Input
}

// Open encodes the graphs of some work. All else that there is to learn is part of every training. Graphs on disk stay
// there where all are learned from; a part of them is learned from in memory.
func Open(ctx context.Context, w *model.Work, features dataset.Features) (*Data, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer w.Spent.Fitting(time.Now())
	if w.Data.Task.PerVertex() {
		w = w.Whole() // the graphs belong to every part
	}
	if w.Seen != nil {
		var err error
		if w, err = w.InMemory(); err != nil {
			return nil, err
		}
	}
	encoding, b, input, err := Encode(w, features)
	if err != nil {
		return nil, err
	}
	d := &Data{Work: w, Encoding: encoding, Graphs: InMemory(b), Input: input}
	if w.Store != nil {
		d.Graphs = Streamed(w.Store, encoding)
	}
	return d, nil
}

// Recode encodes the graphs anew, by an encoding that fits them.
func (d *Data) Recode(encoding *dataset.Encoding) error {
	b, err := encoding.Apply(d.Work.Data)
	if err != nil {
		return err
	}
	if d.Input, err = InputOf(b); err != nil {
		return err
	}
	d.Encoding, d.Graphs = encoding, InMemory(b)
	if d.Work.Store != nil {
		d.Graphs = Streamed(d.Work.Store, encoding)
	}
	return nil
}
