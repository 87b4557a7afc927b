package treeg

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/grove-graph/grove/dataset"
)

func dataDir() string {
	if dir := os.Getenv("GROVE_DATA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "shared", "data")
}

// openReal reads a public data set.
func openReal(t testing.TB, name string) *dataset.Dataset {
	t.Helper()
	path := filepath.Join(dataDir(), "tu", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no data set %s in %s; set GROVE_DATA to the folder that holds tu/%s", name, dataDir(), name)
	}
	d, err := dataset.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func BenchmarkFit(b *testing.B) {
	for _, name := range []string{"MUTAG", "PTC_MR", "PROTEINS"} {
		b.Run(name, func(b *testing.B) {
			d := openReal(b, name)
			d.Batch.Attributes, d.Batch.AttributeDim = nil, 0
			opt := Defaults(Graphs, Boosting)
			opt.Constant = false
			e := openCPU(b, 1)
			for b.Loop() {
				m, err := Fit(context.Background(), e, d.Batch, Targets{Classes: d.Classes}, opt, nil)
				if err != nil {
					b.Fatal(err)
				}
				_ = m
			}
		})
	}
}

func BenchmarkPredict(b *testing.B) {
	d := openReal(b, "MUTAG")
	opt := Defaults(Graphs, Boosting)
	opt.Constant = false
	e := openCPU(b, 1)
	m, err := Fit(context.Background(), e, d.Batch, Targets{Classes: d.Classes}, opt, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := m.Scores(context.Background(), d.Batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*188/b.Elapsed().Seconds(), "graphs/s")
}
