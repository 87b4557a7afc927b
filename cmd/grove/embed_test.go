package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/sbinet/npyio/npy"
	"gorgonia.org/tensor"
)

func TestRowsWrittenInPartsAreOneMatrix(t *testing.T) {
	var file bytes.Buffer
	w, err := newNPY(&file, tensor.Float64, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for _, rows := range []int{2, 0, 3} {
		some := make([]float64, 3*rows)
		for i := range some {
			some[i] = float64(len(want) + i)
		}
		want = append(want, some...)
		x := tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(max(rows, 1), 3))
		if rows == 0 {
			continue
		}
		copy(x.Float64s(), some)
		if err := w.write(nil, x); err != nil {
			t.Fatal(err)
		}
	}
	var got []float64
	if err := npy.Read(&file, &got); err != nil || len(got) != 15 {
		t.Fatalf("%d numbers, %v", len(got), err)
	}
	for i, v := range got {
		if v != want[i] {
			t.Fatalf("number %d is %g, want %g", i, v, want[i])
		}
	}
	if w.left != 0 {
		t.Errorf("%d numbers are left", w.left)
	}
}

// short hands over fewer rows than there are graphs, or fails.
type short struct{ err error }

func (short) Width() (int, tensor.Dtype) { return 2, tensor.Float32 }

func (s short) Embed(
	_ context.Context, _ *dataset.Dataset, _ bool, _ model.Progress, visit func(*tensor.Dense) error,
) error {
	if err := visit(tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(1, 2))); err != nil {
		return err
	}
	return s.err
}

func TestAMatrixIsWholeOrAnError(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 3})
	if err != nil {
		t.Fatal(err)
	}
	a := &app{progress: newProgress(&bytes.Buffer{})}
	var file bytes.Buffer
	if _, err := a.stream(t.Context(), &file, short{}, model.NewWork(d, nil), &embedding{}, &rowIDs{}); err == nil ||
		!strings.Contains(err.Error(), "4 numbers are missing") {
		t.Errorf("one of three rows: error %v", err)
	}
	lost := errors.New("lost")
	_, err = a.stream(t.Context(), &file, short{lost}, model.NewWork(d, nil), &embedding{}, &rowIDs{})
	if !errors.Is(err, lost) {
		t.Errorf("error %v, want that of the model", err)
	}
}

// With little memory the same graphs are cut into many runs. Sums may then differ in their last bits.
func TestEmbeddingInManyRunsIsThatInOne(t *testing.T) {
	data := molecules(t, "molecules")
	model, out := trained(t, data), filepath.Join(t.TempDir(), "X.npy")
	embed := func() []float32 {
		r := mustJSON(t, "embed", "--model", model, "--data", data, "-o", out)
		if r["peak_memory_bytes"] == 0.0 {
			t.Error("the peak of memory is missing")
		}
		var x []float32
		if err := npy.Read(bytes.NewReader(readFile(t, out)), &x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	want := embed()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 20)) // less than the program has already
	got := embed()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i, v := range got {
		if d := v - want[i]; d > 1e-4*max(want[i], 1) || d < -1e-4*max(want[i], 1) {
			t.Fatalf("number %d is %g, want %g", i, v, want[i])
		}
	}
}
