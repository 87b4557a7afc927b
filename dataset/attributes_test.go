package dataset

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// measured returns a data set of two graphs whose attributes have names.
func measured(t *testing.T, names ...string) *Dataset {
	t.Helper()
	arcs := graph.ArcList{From: []int32{0, 1, 3}, To: []int32{1, 2, 4}}
	b, err := graph.FromArcs([]int32{0, 3, 5}, arcs, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.AttributeDim = len(names)
	for i := range 5 * len(names) {
		b.Attributes = append(b.Attributes, float64(i*i%17)/4)
	}
	return &Dataset{Name: "measured", Batch: b, AttributeNames: names, Classes: []int{0, 1},
		ClassNames: []string{"a", "b"}}
}

func TestFormatsKeepTheNamesOfAttributes(t *testing.T) {
	for _, names := range [][]string{
		{"charge", "mass"}, {"x 1", "x 2", "x 3"},
		{"Label", "node", "graph", "class of it", "y", "ä, \"ö\"", "attribute x"}, // another role by their name
	} {
		d := measured(t, names...)
		for _, format := range []Format{EdgeFormat, LinkFormat, StoreFormat, ParquetFormat, ArrowFormat} {
			dir := filepath.Join(t.TempDir(), "kept")
			if err := writeAs(dir, format, d); err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			back, err := Open(dir)
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			if !reflect.DeepEqual(back.AttributeNames, names) || !reflect.DeepEqual(back.Batch, d.Batch) {
				t.Errorf("%s: attributes %q, want %q, of\n%+v, want\n%+v", format, back.AttributeNames, names, back.Batch,
					d.Batch)
			}
		}
	}
}

func TestVertexTasksKeepTheNamesOfAttributes(t *testing.T) {
	d, err := openNode(files{
		"edges.csv": "src,dst\n0,1\n", "labels.csv": "node,label\n0,0\n1,1\n",
		"features.csv": "node,width,type\n0,12,1\n1,3,4\n",
	}.folder(), DetectDirection)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"width", "type"}; !reflect.DeepEqual(d.AttributeNames, want) {
		t.Fatalf("attributes %q, want %q", d.AttributeNames, want)
	}
	dir := filepath.Join(t.TempDir(), "again")
	if err := WriteNode(dir, d); err != nil {
		t.Fatal(err)
	}
	if back, err := Open(dir); err != nil || !reflect.DeepEqual(back.AttributeNames, d.AttributeNames) {
		t.Errorf("attributes %q, want %q (%v)", back.AttributeNames, d.AttributeNames, err)
	}
}

func TestAttributesWithoutNamesOfTheirOwnHaveNone(t *testing.T) {
	for _, columns := range [][]string{
		nil, {"attribute1", "attribute2"}, {"3", "4"}, {"attribute 0", "attribute 1"}, {"x", "x"},
	} {
		if names := attributeNames(columns); names != nil {
			t.Errorf("columns %q: names %q", columns, names)
		}
	}
	d := measured(t, "charge", "mass")
	d.AttributeNames = nil
	e, err := FitEncoding(d, RawAttributes, nil)
	if err != nil || e.AttributeName(1) != "attribute 1" {
		t.Errorf("%v, %v: want attribute 1", e, err)
	}
}

// Columns in another order would be taken for each other.
func TestEncodingsWantAttributesUnderTheirNames(t *testing.T) {
	d, other := measured(t, "charge", "mass"), measured(t, "mass", "charge")
	for _, features := range []Features{RawAttributes, StandardisedAttributes} {
		e, err := FitEncoding(d, features, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Apply(d); err != nil {
			t.Errorf("%s: %v", features, err)
		}
		want := `attribute 1 is called "mass", the model learned from "charge" there`
		if _, err := e.Apply(other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", features, err, want)
		}
		plain := measured(t, "charge", "mass")
		plain.AttributeNames = nil
		if _, err := e.Apply(plain); err != nil {
			t.Errorf("%s, without names: %v", features, err)
		}
	}
}

func TestSchemasNameAllAttributesOrNone(t *testing.T) {
	d := measured(t, "charge", "mass")
	d.AttributeNames = d.AttributeNames[:1]
	for format, want := range map[Format]string{
		ParquetFormat: "the schema has 1 names of 2 attributes under grove", StoreFormat: "1 names of 2 attributes",
	} {
		dir := filepath.Join(t.TempDir(), "few")
		if err := writeAs(dir, format, d); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", format, err, want)
		}
	}
}
