package dataset

import (
	"slices"
	"testing"
)

func TestEncodingChoosesLabelsThenAttributesThenDegrees(t *testing.T) {
	full := twoGraphs.with("X_edge_labels.txt", "-")
	tests := []struct {
		files      files
		want       Features
		labels     int
		attributes int
	}{
		{full, LabelFeatures, 3, 0},
		{full.with("X_node_labels.txt", "-"), AttributeFeatures, 0, 2},
		{full.with("X_node_labels.txt", "-", "X_node_attributes.txt", "-"), DegreeFeatures, 2, 0},
	}
	for _, test := range tests {
		d, err := openTU(test.files.folder())
		if err != nil {
			t.Fatal(err)
		}
		e, err := FitEncoding(d, AutoFeatures, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.Apply(d)
		if err != nil {
			t.Fatal(err)
		}
		if e.Features != test.want || b.NumLabels != test.labels || b.AttributeDim != test.attributes {
			t.Errorf("%s of %d labels and %d attributes, want %s of %d and %d",
				e.Features, b.NumLabels, b.AttributeDim, test.want, test.labels, test.attributes)
		}
	}
}

func TestEncodingMeansTheSameInAnotherDataSet(t *testing.T) {
	d, err := openTU(twoGraphs.folder())
	if err != nil {
		t.Fatal(err)
	}
	e, err := FitEncoding(d, AttributesAndLabels, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	other, err := openTU(twoGraphs.with("X_node_labels.txt", "20\n5\n7\n7\n7\n").folder())
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.Apply(other)
	if err != nil {
		t.Fatal(err)
	}
	// Two attributes, the labels -3, 7 and 20, and a column for labels that were never seen.
	if b.AttributeDim != 6 || !slices.Equal(b.Attribute(0)[2:], []float64{0, 0, 1, 0}) ||
		!slices.Equal(b.Attribute(1)[2:], []float64{0, 0, 0, 1}) {
		t.Errorf("%v", b.Attributes)
	}
	bare, err := openTU(twoGraphs.with("X_node_labels.txt", "-", "X_node_attributes.txt", "-").folder())
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Apply(bare)
	wantError(t, err, "data set X: the model wants labelled vertices")
	_, err = FitEncoding(bare, LabelFeatures, nil)
	wantError(t, err, "data set X: its vertices have no labels")
	_, err = FitEncoding(bare, AttributeFeatures, nil)
	wantError(t, err, "data set X: its vertices have no attributes")
	_, err = ParseFeatures("colours")
	wantError(t, err,
		`features "colours": want one of auto, labels, degrees, attributes, standardised, attributes+labels, raw, `+
			`raw+labels, none`)
}

func TestEncodingOfRawAttributesAndOfNothing(t *testing.T) {
	d, err := openTU(twoGraphs.folder())
	if err != nil {
		t.Fatal(err)
	}
	for features, width := range map[Features]int{RawAttributes: 2, RawAttributesAndLabels: 6, NoFeatures: 0} {
		e, err := FitEncoding(d, features, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.Apply(d)
		if err != nil {
			t.Fatal(err)
		}
		if b.AttributeDim != width || (b.Labels == nil) == (features == RawAttributesAndLabels) {
			t.Errorf("%s: %d attributes, labels %v", features, b.AttributeDim, b.Labels)
		}
		if width > 0 && !slices.Equal(b.Attribute(0)[:2], d.Batch.Attribute(0)) {
			t.Errorf("%s: attributes %v, want those of the file, %v", features, b.Attribute(0), d.Batch.Attribute(0))
		}
	}
	bare, err := openTU(twoGraphs.with("X_node_attributes.txt", "-").folder())
	if err != nil {
		t.Fatal(err)
	}
	e, err := FitEncoding(d, RawAttributes, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Apply(bare)
	wantError(t, err, "data set X: its vertices have 0 attributes, the model wants 2")
}

// What the names file says of a label, and whether there is one, changes nothing about what a model sees.
func TestEncodingKnowsLabelsByTheirCodes(t *testing.T) {
	const names = "X_node_label_names.txt"
	base := twoGraphs.with("X_node_labels.txt", "0\n1\n2\n2\n0\n")
	variants := []files{base, base.with(names, "0 C\n1 C\n2 C\n"), base.with(names, "0 1\n1 2\n2 0\n"),
		base.with(names, "1 N\n")}
	for i, fitted := range variants {
		d, err := openTU(fitted.folder())
		if err != nil {
			t.Fatal(err)
		}
		e, err := FitEncoding(d, LabelFeatures, nil)
		if err != nil {
			t.Fatal(err)
		}
		for j, met := range variants {
			other, err := openTU(met.folder())
			if err != nil {
				t.Fatal(err)
			}
			b, err := e.Apply(other)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(b.Labels, []int32{0, 1, 2, 2, 0}) || b.NumLabels != 3 {
				t.Errorf("fitted on %d, met %d: labels %v of %d", i, j, b.Labels, b.NumLabels)
			}
		}
	}
}

func TestEncodingNamesTheLabelsOfDataWithoutNames(t *testing.T) {
	named, err := openTU(twoGraphs.with("X_node_labels.txt", "0\n1\n2\n2\n0\n",
		"X_node_label_names.txt", "0 C\n1 N\n").folder())
	if err != nil {
		t.Fatal(err)
	}
	e, err := FitEncoding(named, LabelFeatures, nil)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := openTU(twoGraphs.with("X_node_labels.txt", "1\n1\n2\n9\n0\n").folder())
	if err != nil {
		t.Fatal(err)
	}
	if got := e.DisplayNames(bare); !slices.Equal(got, []string{"C", "N", "2", "9"}) ||
		!slices.Equal(bare.LabelNames, []string{"0", "1", "2", "9"}) {
		t.Errorf("names %v of labels %v", got, bare.LabelNames)
	}
	own, err := openTU(twoGraphs.with("X_node_labels.txt", "1\n1\n2\n9\n0\n", "X_node_label_names.txt",
		"1 nitrogen\n").folder())
	if err != nil {
		t.Fatal(err)
	}
	if got := e.DisplayNames(own); !slices.Equal(got, []string{"C", "nitrogen", "2", "9"}) {
		t.Errorf("names %v", got)
	}
}

// An encoding that is numbered by the graphs gives the same label ids whatever labels are called, in its own data and
// in others, and keeps the names of labels at their codes.
func TestRenumberedEncodings(t *testing.T) {
	d, err := Synth("molecules", SynthOptions{Graphs: 20, Vertices: 9, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	b := *d.Batch
	last := int32(b.NumLabels) - 1
	b.Labels = slices.Clone(b.Labels)
	for v, l := range b.Labels {
		b.Labels[v] = last - l
	}
	other := d.WithBatch(&b)
	other.LabelNames = slices.Clone(d.LabelNames)
	slices.Reverse(other.LabelNames)
	for _, train := range [][]int{nil, {0, 3, 5, 7, 11}} {
		var ids [2][]int32
		var names [2][]string
		for i, set := range []*Dataset{d, other} {
			e, err := FitEncoding(set, LabelFeatures, train)
			if err != nil {
				t.Fatal(err)
			}
			e.KeepArcLabels(set)
			e.Renumber(set, train)
			if err := e.Check(); err != nil {
				t.Fatal(err)
			}
			batch, err := e.Apply(set)
			if err != nil {
				t.Fatal(err)
			}
			ids[i], names[i] = batch.Labels, e.Names
		}
		if !slices.Equal(ids[0], ids[1]) || !slices.Equal(names[0], names[1]) || names[0] == nil {
			t.Errorf("seen %v: labels %v and %v", train, names[0], names[1])
		}
	}
	e, err := FitEncoding(d, DegreeFeatures, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(e.Labels)
	if e.Renumber(d, nil); !slices.Equal(e.Labels, before) {
		t.Errorf("degrees %v became %v", before, e.Labels)
	}
}
