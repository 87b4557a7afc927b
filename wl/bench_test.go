package wl

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
)

func BenchmarkKernels(b *testing.B) {
	root := os.Getenv("GROVE_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	ctx := context.Background()
	for _, name := range []string{"MUTAG", "PROTEINS", "NCI1"} {
		d, err := dataset.Open(filepath.Join(root, "tu", name))
		if err != nil {
			b.Skip(err)
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
