package dataset

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// Labels are the same where their names are; new ones come last, and codes that mean something else are given up.
func TestEncodingIsExtended(t *testing.T) {
	e := &Encoding{Features: LabelFeatures, Labels: []string{"0", "1", "2"}, Names: []string{"C", "H", "O"}}
	by := &Encoding{Features: LabelFeatures, Labels: []string{"0", "1", "7"}, Names: []string{"O", "N", "C"}}
	x, err := e.Extended(by)
	if err != nil {
		t.Fatal(err)
	}
	want := &Encoding{Features: LabelFeatures, Labels: []string{"7", "H", "0", "1"}, Names: []string{"C", "H", "O", "N"}}
	if !reflect.DeepEqual(x, want) {
		t.Errorf("extended to %+v, want %+v", x, want)
	}
	if err := x.Check(); err != nil {
		t.Error(err)
	}
	b := &graph.Batch{Offsets: []int32{0, 3}, RowPtr: make([]int32, 4), Labels: []int32{0, 1, 2}, NumLabels: 3}
	d := &Dataset{Name: "new", Batch: b, LabelCodes: by.Labels, LabelNames: by.Names}
	applied, err := x.Apply(d)
	if err != nil {
		t.Fatal(err)
	}
	if got := []int32{2, 3, 0}; !slices.Equal(applied.Labels, got) {
		t.Errorf("labels %v, want %v", applied.Labels, got)
	}
	if same, err := e.Extended(e); err != nil || !reflect.DeepEqual(same, e) {
		t.Errorf("its own extension is %+v, %v", same, err)
	}
}

// What cannot be extended is refused, and the scale of attributes stays.
func TestEncodingRefusesToBeExtended(t *testing.T) {
	labels := &Encoding{Features: LabelFeatures, Labels: []string{"0"}, Names: []string{"C"}}
	scaled := func(mean ...float64) *Encoding {
		scale := slices.Repeat([]float64{3}, len(mean))
		return &Encoding{Features: AttributeFeatures, Standardisation: &Standardisation{Mean: mean, Scale: scale}}
	}
	two := scaled(1, 2)
	for want, pair := range map[string][2]*Encoding{
		"none of the vertex labels": {labels, {Features: LabelFeatures, Labels: []string{"0"}}},
		"features are degrees":      {labels, {Features: DegreeFeatures, Labels: []string{"0"}}},
		"1 attributes, want 2":      {two, scaled(1)},
	} {
		if _, err := pair[0].Extended(pair[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with: %s", err, want)
		}
	}
	x, err := two.Extended(scaled(5, 5))
	if err != nil || !slices.Equal(x.Standardisation.Mean, two.Standardisation.Mean) {
		t.Errorf("extended to %+v, %v", x, err)
	}
}
