//go:build gpu

package main

import (
	"cmp"
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
// without it some graphs of each are compared, with fewer filters but in MUTAG.
func TestSharedDataSetsAreTheSameOnEveryDevice(t *testing.T) {
	wantGPU(t)
	folder := testfiles.Data(t)
	whole := strings.Split(os.Getenv("GROVE_DEVICE_SETS"), ",")
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
				if name == "MUTAG" {
					checkFeatures(t, some, folder)
					return
				}
				checkFeatures(t, some, folder, "--filters", "16")
			})
		}
	}
}

// checkFeatures is checkDevices for models of two layers, the first of which is that of paths, from all that the
// vertices have.
func checkFeatures(t *testing.T, d *dataset.Dataset, folder string, more ...string) {
	features := []string{"degrees"}
	if d.LabelNames != nil {
		features[0] = "labels"
	}
	if d.Batch.AttributeDim > 0 {
		features = append(features, "attributes")
	}
	for _, f := range features {
		t.Run(f, func(t *testing.T) { checkDevices(t, "gckn-subtree", folder, append(more, "--features", f)...) })
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

// someGraphs returns 8 graphs from all parts of a data set, of the tenth with the fewest paths.
func someGraphs(d *dataset.Dataset) *dataset.Dataset {
	walks := d.Batch.WalkCounts(4)
	total := make([]float64, d.NumGraphs())
	small := make([]int, d.NumGraphs())
	for g := range total {
		small[g] = g
		for _, n := range walks[4*d.Batch.Offsets[g] : 4*d.Batch.Offsets[g+1]] {
			total[g] += n
		}
	}
	slices.SortStableFunc(small, func(a, b int) int { return cmp.Compare(total[a], total[b]) })
	small = small[:max(len(small)/10, 8)]
	slices.Sort(small)
	some := make([]int, 8)
	for i := range some {
		some[i] = small[i*len(small)/len(some)]
	}
	return d.Select(some)
}
