package wl

import (
	"context"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/internal/testfiles"
)

func BenchmarkKernels(b *testing.B) {
	ctx := context.Background()
	for _, name := range []string{"MUTAG", "PROTEINS", "NCI1"} {
		d, err := dataset.Open(testfiles.Data(b, "tu", name))
		if err != nil {
			b.Fatal(err)
		}
		for _, kernel := range []Kernel{Subtree, Assignment} {
			var m *Model
			b.Run(name+"/"+string(kernel)+"/fit", func(b *testing.B) {
				for b.Loop() {
					if m, err = Fit(ctx, engine.NewCPU(1), d.Batch, DefaultOptions(kernel), nil); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"/"+string(kernel)+"/gram", func(b *testing.B) {
				for b.Loop() {
					if _, err := m.Gram(ctx, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
