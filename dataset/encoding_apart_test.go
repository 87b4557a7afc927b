package dataset

import (
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// twoVertices is an edge between vertices with labels and attributes.
func twoVertices() *Dataset {
	b := &graph.Batch{
		Offsets: []int32{0, 2}, RowPtr: []int32{0, 1, 2}, Col: []int32{1, 0}, Labels: []int32{0, 1}, NumLabels: 2,
		Attributes: []float64{1, 3}, AttributeDim: 1, ArcLabels: []int32{0, 1},
	}
	return &Dataset{Batch: b, LabelCodes: []string{"5", "7"}, LabelNames: []string{"5", "7"},
		ArcLabelNames: []string{"1", "2"}}
}

func TestApartLeavesLabelsBesideAttributes(t *testing.T) {
	d := twoVertices()
	for _, features := range []Features{AttributesAndLabels, RawAttributesAndLabels} {
		e, err := FitEncoding(d, features, nil)
		if err != nil {
			t.Fatal(err)
		}
		apart, err := e.Apart(d)
		if err != nil {
			t.Fatal(err)
		}
		if apart.AttributeDim != 1 || !slices.Equal(apart.Labels, []int32{0, 1}) || apart.NumLabels != 2 {
			t.Errorf("%s: %d attributes, labels %v of %d", features, apart.AttributeDim, apart.Labels, apart.NumLabels)
		}
		joined, err := e.Apply(d)
		if err != nil || joined.AttributeDim != 4 {
			t.Errorf("%s: %d attributes with labels appended, %v", features, joined.AttributeDim, err)
		}
	}
}

func TestEncodingNumbersArcLabels(t *testing.T) {
	d := twoVertices()
	e, err := FitEncoding(d, LabelFeatures, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := twoVertices()
	other.ArcLabelNames = []string{"0", "1"}
	if b, err := e.Apply(other); err != nil || !slices.Equal(b.ArcLabels, []int32{0, 1}) {
		t.Errorf("arc labels %v, %v: want them as they are", b.ArcLabels, err)
	}
	e.KeepArcLabels(d)
	if b, err := e.Apply(other); err != nil || !slices.Equal(b.ArcLabels, []int32{2, 0}) {
		t.Errorf("arc labels %v, %v: want the unknown one last", b.ArcLabels, err)
	}
	other.Batch.ArcLabels = nil
	if _, err := e.Apply(other); err == nil || !strings.Contains(err.Error(), "wants labelled arcs") {
		t.Errorf("arcs without labels: %v", err)
	}
	bare, err := FitEncoding(other, LabelFeatures, nil)
	if err != nil {
		t.Fatal(err)
	}
	bare.KeepArcLabels(other)
	if bare.ArcLabels != nil {
		t.Errorf("codes %v of arcs without labels", bare.ArcLabels)
	}
}
