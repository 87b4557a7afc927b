package dataset

import (
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
)

func TestAlignArcLabels(t *testing.T) {
	d := &Dataset{Batch: &graph.Batch{ArcLabels: []int32{0, 1, 2, 1}}, ArcLabelNames: []string{"1", "2", "3"}}
	aligned, unknown := d.AlignArcLabels([]string{"3", "9", "2", "1"})
	if !slices.Equal(aligned.Batch.ArcLabels, []int32{3, 2, 0, 2}) || unknown != nil ||
		!slices.Equal(aligned.ArcLabelNames, []string{"3", "9", "2", "1"}) {
		t.Errorf("labels %v of %v, unknown %v", aligned.Batch.ArcLabels, aligned.ArcLabelNames, unknown)
	}
	aligned, unknown = d.AlignArcLabels([]string{"2"})
	if !slices.Equal(aligned.Batch.ArcLabels, []int32{1, 0, 1, 0}) || !slices.Equal(unknown, []string{"1", "3"}) ||
		len(aligned.ArcLabelNames) != 2 {
		t.Errorf("labels %v of %v, unknown %v", aligned.Batch.ArcLabels, aligned.ArcLabelNames, unknown)
	}
	if !slices.Equal(d.Batch.ArcLabels, []int32{0, 1, 2, 1}) {
		t.Error("the data set itself was changed")
	}
	bare := &Dataset{Batch: &graph.Batch{}}
	if aligned, unknown := bare.AlignArcLabels([]string{"2"}); aligned != bare || unknown != nil {
		t.Error("arcs without labels were changed")
	}
}
