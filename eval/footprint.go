package eval

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/grove-graph/grove/model"
)

// Footprint is what a model costs: one training on all examples, and one prediction of them, alone.
type Footprint struct {
	Train   float64 `json:"train_seconds"`
	Predict float64 `json:"predict_seconds"`
	Memory  uint64  `json:"memory_bytes"` // most that the training added to the heap, seen every few milliseconds
	Size    int64   `json:"file_bytes"`   // of the model
}

// MeasureFootprint trains a setting on all examples of some work, at a value of its grid, and applies the model to
// them.
func MeasureFootprint(ctx context.Context, w *model.Work, s model.Estimator, value []float64) (*Footprint, error) {
	runtime.GC()
	before, most, stop, done := heap(), uint64(0), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			most = max(most, heap())
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	start := time.Now()
	m, err := model.FitWork(ctx, w, s, value)
	f := &Footprint{Train: time.Since(start).Seconds()}
	close(stop)
	<-done
	if err != nil {
		return nil, err
	}
	f.Memory = max(most, before) - before
	start = time.Now()
	if _, err := m.Predict(ctx, w.Data, nil); err != nil {
		return nil, err
	}
	f.Predict = time.Since(start).Seconds()
	dir, err := os.MkdirTemp("", "grove-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "model.grove")
	if err := model.Save(file, m); err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	f.Size = info.Size()
	return f, nil
}

// heap returns the bytes of objects on the heap.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
