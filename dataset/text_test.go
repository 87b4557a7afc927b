package dataset

import (
	"slices"
	"strings"
	"testing"
)

// textFile is a triangle, an edge with a vertex apart, and a graph of no vertices.
const textFile = `3
3 5
0 2 1 2
0 2 0 2
0 2 0 1
3 -1
1 1 2
1 0
7 1 0
0 5
`

func openTextFile(text string) (*Dataset, error) {
	return openText(files{"T.txt": text}.folder(), "T.txt")
}

func TestTextReadsGraphs(t *testing.T) {
	d, err := openTextFile(textFile)
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "T" || !slices.Equal(d.Classes, []int{1, 0, 1}) || !slices.Equal(d.ClassNames, []string{"-1", "5"}) {
		t.Errorf("name %s, classes %v %v", d.Name, d.Classes, d.ClassNames)
	}
	if got := arcsOf(d); got != "0-1 0-2 1-0 1-2 2-0 2-1 3-5 5-3" {
		t.Errorf("arcs %s", got)
	}
	if !slices.Equal(d.Batch.Offsets, []int32{0, 3, 6, 6}) || !slices.Equal(d.Batch.Labels, []int32{0, 0, 0, 1, 1, 2}) ||
		!slices.Equal(d.LabelNames, []string{"0", "1", "7"}) {
		t.Errorf("offsets %v, labels %v %v", d.Batch.Offsets, d.Batch.Labels, d.LabelNames)
	}
}

func TestTextRules(t *testing.T) {
	tests := []struct {
		name, text string
		check      func(d *Dataset) bool
	}{
		{"an edge may stand in the line of one vertex", "1\n3 0\n0 1 2\n0 0\n0 1 1\n",
			func(d *Dataset) bool { return arcsOf(d) == "0-2 1-2 2-0 2-1" }},
		{"neighbours in any order, repeated, and self loops", "1\n3 0\n0 4 2 1 2 0\n0 1 0\n0 1 0\n",
			func(d *Dataset) bool { return arcsOf(d) == "0-1 0-2 1-0 2-0" }},
		{"equal tags are no labels", "1\n2 0\n4 0\n4 0\n",
			func(d *Dataset) bool { return d.Batch.Labels == nil && d.LabelNames == nil }},
		{"values after the neighbours are attributes", "1\n2 0\n0 1 1 0.5 2\n0 1 0 -1 3e2\n",
			func(d *Dataset) bool { return slices.Equal(d.Batch.Attributes, []float64{0.5, 2, -1, 300}) }},
		{"no graphs", "0\n",
			func(d *Dataset) bool { return d.NumGraphs() == 0 && d.Batch.NumVertices() == 0 }},
		{"Windows line ends and blank lines at the end", strings.ReplaceAll(textFile, "\n", "\r\n") + "\r\n\r\n",
			func(d *Dataset) bool { return d.Batch.NumArcs() == 8 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := openTextFile(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if !test.check(d) {
				t.Errorf("arcs %s, labels %v, attributes %v", arcsOf(d), d.Batch.Labels, d.Batch.Attributes)
			}
		})
	}
}

func TestTextRefusesBadData(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty file", "", "data/T.txt: empty file"},
		{"not a number", "two\n", `T.txt:1: "two" is not a whole number`},
		{"a negative number of graphs", "-1\n", "T.txt:1: -1 graphs"},
		{"many graphs", "1000000000000\n1 0\n0 0\n", "T.txt:3: the file ends after 1 of 1000000000000 graphs"},
		{"many vertices", "1\n1000000000000 0\n0 0\n", "T.txt:2: a graph of 1000000000000 vertices"},
		{"more vertices than lines", "1\n2000000000 0\n0 0\n", "T.txt:3: the file ends after 1 of 2000000000 vertices"},
		{"more neighbours than values", "1\n2 0\n0 2 1\n", "T.txt:3: a whole number is missing"},
		{"many neighbours", "1\n2 0\n0 2000000000 1\n", "T.txt:3: degree 2000000000"},
		{"a negative degree", "1\n2 0\n0 -1\n", "T.txt:3: degree -1"},
		{"a neighbour beyond the graph", "1\n2 0\n0 1 2\n0 0\n",
			"T.txt:3: neighbour 2: the vertices of this graph are 0 to 1"},
		{"a negative neighbour", "1\n2 0\n0 1 -1\n0 0\n", "T.txt:3: neighbour -1"},
		{"more lines than graphs", "1\n1 0\n0 0\n0 0\n", "T.txt:4: more lines"},
		{"ragged attributes", "1\n2 0\n0 0 1.5\n0 0\n", "T.txt:4: 0 values after the neighbours, the first vertex has 1"},
		{"NaN attribute", "1\n1 0\n0 0 nan\n", `T.txt:3: "nan" is not a finite number`},
		{"a class missing", "1\n1\n0 0\n", "T.txt:2: a whole number is missing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := openTextFile(test.text)
			wantError(t, err, test.want)
		})
	}
}
