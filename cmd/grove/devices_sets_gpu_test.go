//go:build gpu

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/internal/testfiles"
)

// GROVE_DEVICE_SETS names the shared data sets to compare all graphs of, with the options that a command has by
// default, separated by commas; "all" means every one. That takes a simulated GPU minutes for the large ones, so
// without it MUTAG is compared like that, and of the others some graphs with fewer filters.
func TestSharedDataSetsAreTheSameOnEveryDevice(t *testing.T) {
	wantGPU(t)
	folder := testfiles.Data(t)
	whole := strings.Split(os.Getenv("GROVE_DEVICE_SETS"), ",")
	if whole[0] == "" {
		whole = []string{"MUTAG"}
	}
	for _, pattern := range []string{"tu/*", "text/*"} {
		sets, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range sets {
			name := filepath.Base(set)
			t.Run(name, func(t *testing.T) {
				if slices.Contains(whole, name) || whole[0] == "all" {
					checkFeatures(t, open(t, set), set)
					return
				}
				some, folder := someGraphs(open(t, set)), t.TempDir()
				if err := dataset.Write(folder, some); err != nil {
					t.Fatal(err)
				}
				checkFeatures(t, some, folder, "--filters", "16")
			})
		}
	}
}

// checkFeatures is checkDevices for models of one and of two layers, from all that the vertices have.
func checkFeatures(t *testing.T, d *dataset.Dataset, folder string, more ...string) {
	features := []string{"degrees"}
	if d.LabelNames != nil {
		features[0] = "labels"
	}
	if d.Batch.AttributeDim > 0 {
		features = append(features, "attributes")
	}
	for _, f := range features {
		for _, variant := range []string{"gckn-path", "gckn-subtree"} {
			t.Run(variant+" "+f, func(t *testing.T) {
				checkDevices(t, variant, folder, append(more, "--features", f)...)
			})
		}
	}
}

func open(t *testing.T, folder string) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// someGraphs returns 10 graphs from all parts of a data set, of those with few paths.
func someGraphs(d *dataset.Dataset) *dataset.Dataset {
	const fewPaths = 30000
	walks := d.Batch.WalkCounts(4)
	var small []int
	for g := range d.NumGraphs() {
		total := 0.0
		for _, n := range walks[4*d.Batch.Offsets[g] : 4*d.Batch.Offsets[g+1]] {
			total += n
		}
		if total <= fewPaths {
			small = append(small, g)
		}
	}
	some := make([]int, 10)
	for i := range some {
		some[i] = small[i*len(small)/len(some)]
	}
	return d.Select(some)
}
