//go:build gpu

package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
)

// Nothing asks more of a GPU than it does today: who makes it less lowers the limit. Handovers are some more or less,
// as the collection of garbage gives memory back sooner or later.
func TestNothingAsksMoreOfAGPUThanToday(t *testing.T) {
	e, err := engine.Open("cuda", 1)
	if err != nil {
		t.Skip(err)
	}
	defer e.Close()
	r := newRunner(e, t.TempDir(), settings{Workers: 1, Repeat: 2, Quick: true, Device: "cuda"}, true, &bytes.Buffer{})
	r.sizes.graphs = 160
	r.inputs = newInputs(t.TempDir(), r.sizes)
	for _, limit := range []struct {
		workload                                             string
		launches, submissions, uploads, downloads, handovers float64
	}{
		{"train-nci1-path", 22, 1, 1, 0.4, 1.6},     // the mean of five steps, whose results are looked at after the last
		{"train-nci1-path-folds", 120, 5, 4, 4, 16}, // of ten; who comes late is not waited for, which takes launches
		{"train-nci1-subtree", 40, 1, 1, 0.4, 1.8},
		{"train-nci1-gin", 64, 1, 1, 1.5, 3},
		{"encode-nci1-path", 5, 1, 1, 1, 4},
		{"treeg-mutag", 6.2, 1.2, 1.2, 1.2, 1.3},   // of which 0.4 launches and a tenth of the others are planting trees
		{"treeg-planted", 6.8, 1.9, 1.6, 1.2, 2.3}, // of two trees, whose features go up among 12 searches
	} {
		if err := r.count(context.Background(), []string{limit.workload}); err != nil {
			t.Fatal(err)
		}
		c := r.report.Counts[limit.workload]
		t.Logf("%s, a %s: %g launches, %g submissions, %g uploads, %g downloads, %g handovers, %g exponentials",
			limit.workload, c.Per, c.Launches, c.Submissions, c.Uploads, c.Downloads, c.Handovers, c.Exponentials)
		if c.Launches > limit.launches || c.Submissions > limit.submissions || c.Uploads > limit.uploads ||
			c.Downloads > limit.downloads || c.Handovers > limit.handovers || c.Launches == 0 ||
			c.Exponentials == 0 && !strings.HasPrefix(limit.workload, "treeg-") {
			t.Errorf("%s: want at most %+v", limit.workload, limit)
		}
	}
}
