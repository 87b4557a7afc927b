package dataset

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// twoGraphs is a path of three vertices and an edge, with every optional file.
var twoGraphs = files{
	"X_A.txt":                "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
	"X_graph_indicator.txt":  "1\n1\n1\n2\n2\n",
	"X_graph_labels.txt":     "1\n-1\n",
	"X_graph_attributes.txt": "0.5, 1\n-2, 1e3\n",
	"X_node_labels.txt":      "7\n-3\n7\n20\n7\n",
	"X_node_attributes.txt":  "1, 2\n3, 4\n5, 6\n7, 8\n9, 10\n",
	"X_edge_labels.txt":      "2\n2\n0\n0\n2\n2\n",
	"X_edge_attributes.txt":  "1.5\n1.5\n2\n2\n3\n3\n",
	"X_node_gt.txt":          "0\n1\n1\n0\n0\n",
	"X_edge_gt.txt":          "0\n0\n1\n1\n0\n0\n",
}

func TestTUReadsEveryFile(t *testing.T) {
	d, err := openTU(twoGraphs.folder())
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "X" || d.Task != GraphClassification || !slices.Equal(d.Classes, []int{1, 0}) ||
		!slices.Equal(d.ClassNames, []string{"-1", "1"}) {
		t.Errorf("name %s, task %v, classes %v %v", d.Name, d.Task, d.Classes, d.ClassNames)
	}
	if !slices.Equal(d.Targets, []float64{0.5, 1, -2, 1000}) || len(d.TargetNames) != 2 {
		t.Errorf("targets %v %v", d.Targets, d.TargetNames)
	}
	b := d.Batch
	if !slices.Equal(b.Labels, []int32{1, 0, 1, 2, 1}) || b.NumLabels != 3 ||
		!slices.Equal(d.LabelNames, []string{"-3", "7", "20"}) {
		t.Errorf("labels %v of %d, %v", b.Labels, b.NumLabels, d.LabelNames)
	}
	if b.AttributeDim != 2 || b.Attribute(3)[1] != 8 {
		t.Errorf("attributes %v", b.Attributes)
	}
	if got := arcsOf(d); got != "0-1:2 1-0:2 1-2:0 2-1:0 3-4:2 4-3:2" {
		t.Errorf("arcs %s", got)
	}
	if !slices.Equal(b.ArcWeights, []float64{1.5, 1.5, 2, 2, 3, 3}) {
		t.Errorf("weights %v", b.ArcWeights)
	}
	if want := (Motif{[]bool{false, true, true, false, false},
		[]bool{false, false, true, true, false, false}}); !reflect.DeepEqual(*d.Motif, want) {
		t.Errorf("motif %v", d.Motif)
	}
	if len(d.Notes) > 0 {
		t.Errorf("notes %v on a plain data set", d.Notes)
	}
}

func TestTUNeedsOnlyArcsAndIndicator(t *testing.T) {
	d, err := openTU(files{"X_A.txt": "", "X_graph_indicator.txt": "1"}.folder())
	if err != nil {
		t.Fatal(err)
	}
	if d.NumGraphs() != 1 || d.Batch.NumVertices() != 1 || d.Batch.NumArcs() != 0 || d.Classes != nil ||
		d.Batch.Labels != nil {
		t.Errorf("%v", d)
	}
}

// Line ends, blanks, separators and compression do not change what is read.
func TestTUReadsTheSameFromOtherSpellings(t *testing.T) {
	want, err := openTU(twoGraphs.folder())
	if err != nil {
		t.Fatal(err)
	}
	change := func(edit func(string) string) files {
		changed := files{}
		for name, text := range twoGraphs {
			changed[name] = edit(text)
		}
		return changed
	}
	compressed := files{}
	for name, text := range twoGraphs {
		compressed[name+".gz"] = compress(text)
	}
	tests := map[string]files{
		"Windows line ends":    change(func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }),
		"no last line end":     change(func(s string) string { return strings.TrimSuffix(s, "\n") }),
		"trailing blank lines": change(func(s string) string { return s + "\n  \n\r\n" }),
		"blanks around":        change(func(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\t \n ") }),
		"no blank after comma": change(func(s string) string { return strings.ReplaceAll(s, ", ", ",") }),
		"blanks for commas":    change(func(s string) string { return strings.ReplaceAll(s, ",", " ") }),
		"byte-order mark":      change(func(s string) string { return "\xef\xbb\xbf" + s }),
		"compressed":           compressed,
	}
	for name, changed := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := openTU(changed.folder())
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestTURules(t *testing.T) {
	base := twoGraphs.with("X_graph_attributes.txt", "-", "X_node_labels.txt", "-", "X_node_attributes.txt", "-",
		"X_edge_labels.txt", "-", "X_edge_attributes.txt", "-", "X_node_gt.txt", "-", "X_edge_gt.txt", "-")
	tests := []struct {
		name  string
		files files
		check func(d *Dataset) bool
	}{
		{"self loops are dropped, repeated and reversed arcs merged, missing reverses added",
			base.with("X_A.txt", "1,2\n1,2\n2,2\n3,2\n"),
			func(d *Dataset) bool { return arcsOf(d) == "0-1 1-0 1-2 2-1" && len(d.Notes) == 2 }},
		{"the first of repeated arcs keeps its label",
			base.with("X_A.txt", "2,1\n1,2\n2,1\n", "X_edge_labels.txt", "5\n6\n7\n"),
			func(d *Dataset) bool { return arcsOf(d) == "0-1:6 1-0:5" }},
		{"a graph id that is left out is a graph without vertices",
			base.with("X_graph_indicator.txt", "1\n1\n1\n3\n3\n", "X_graph_labels.txt", "1\n1\n0\n"),
			func(d *Dataset) bool { return slices.Equal(d.Batch.Offsets, []int32{0, 3, 3, 5}) }},
		{"the first graph can be without vertices",
			base.with("X_graph_indicator.txt", "2\n2\n2\n2\n2\n"),
			func(d *Dataset) bool { return slices.Equal(d.Batch.Offsets, []int32{0, 0, 5}) }},
		{"no arcs",
			base.with("X_A.txt", ""),
			func(d *Dataset) bool { return d.Batch.NumArcs() == 0 && d.Batch.NumVertices() == 5 }},
		{"one class",
			base.with("X_graph_labels.txt", "4\n4\n"),
			func(d *Dataset) bool { return slices.Equal(d.Classes, []int{0, 0}) && len(d.ClassNames) == 1 }},
		{"no classes but targets make a regression",
			base.with("X_graph_labels.txt", "-", "X_graph_attributes.txt", "1\n2\n"),
			func(d *Dataset) bool { return d.Task == GraphRegression && d.Classes == nil && len(d.Targets) == 2 }},
		{"the first of several label columns is used",
			base.with("X_node_labels.txt", "3, 1\n1, 1\n1, 1\n1, 1\n1, 1\n"),
			func(d *Dataset) bool {
				return slices.Equal(d.Batch.Labels, []int32{1, 0, 0, 0, 0}) && len(d.Notes) == 1
			}},
		{"several columns of edge attributes are left out",
			base.with("X_edge_attributes.txt", strings.Repeat("1, 2\n", 6)),
			func(d *Dataset) bool { return d.Batch.ArcWeights == nil && len(d.Notes) == 1 }},
		{"labels far apart",
			base.with("X_node_labels.txt", "900000000000000000\n-900000000000000000\n0\n0\n0\n"),
			func(d *Dataset) bool { return slices.Equal(d.Batch.Labels, []int32{2, 0, 1, 1, 1}) }},
		{"labels can have names",
			base.with("X_node_labels.txt", "0\n1\n1\n1\n2\n", "X_node_label_names.txt", "0 C\n2 Cl\n9 Xe\n"),
			func(d *Dataset) bool {
				return slices.Equal(d.LabelNames, []string{"C", "1", "Cl"}) && slices.Equal(d.LabelCodes, []string{"0", "1", "2"})
			}},
		{"two codes of one name stay two labels",
			base.with("X_node_labels.txt", "0\n1\n1\n1\n2\n", "X_node_label_names.txt", "0 C\n1 C\n2 1\n"),
			func(d *Dataset) bool {
				return slices.Equal(d.Batch.Labels, []int32{0, 1, 1, 1, 2}) &&
					slices.Equal(d.LabelNames, []string{"C", "C", "1"}) && slices.Equal(d.LabelCodes, []string{"0", "1", "2"})
			}},
		{"an own name is preferred among several data sets",
			base.with("data_A.txt", "", "data_graph_indicator.txt", "1\n"),
			func(d *Dataset) bool { return d.Name == "data" }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := openTU(test.files.folder())
			if err != nil {
				t.Fatal(err)
			}
			if !test.check(d) {
				t.Errorf("classes %v %v, arcs %s, labels %v %v, notes %q", d.Classes, d.ClassNames, arcsOf(d), d.Batch.Labels,
					d.LabelNames, d.Notes)
			}
		})
	}
}

func TestTURefusesBadData(t *testing.T) {
	tests := []struct {
		name  string
		files files
		want  string
	}{
		{"empty folder", files{}, "data: no data set in TU format: looked for NAME_A.txt"},
		{"missing arcs", twoGraphs.with("X_A.txt", "-"), "data/X_A.txt: no such file"},
		{"missing indicator", twoGraphs.with("X_graph_indicator.txt", "-"), "data/X_graph_indicator.txt: no such file"},
		{"several data sets", twoGraphs.with("Y_A.txt", ""), "data: several data sets, X, Y"},
		{"empty indicator", twoGraphs.with("X_graph_indicator.txt", ""), "X_graph_indicator.txt: empty file"},
		{"vertex 0", twoGraphs.with("X_A.txt", "1, 2\n0, 2\n"), "X_A.txt:2: vertex 0: the vertices are 1 to 5"},
		{"vertex beyond the last", twoGraphs.with("X_A.txt", "1, 2\n2, 1\n2, 6\n"),
			"X_A.txt:3: vertex 6: the vertices are 1 to 5"},
		{"vertex far beyond", twoGraphs.with("X_A.txt", "1, 4294967297\n"), "X_A.txt:1: vertex 4294967297"},
		{"one vertex on a line", twoGraphs.with("X_A.txt", "1, 2\n2\n"), "X_A.txt:2: a whole number is missing"},
		{"three vertices on a line", twoGraphs.with("X_A.txt", "1, 2, 3\n"), `X_A.txt:1: unexpected ", 3"`},
		{"not a number", twoGraphs.with("X_A.txt", "1, 2\n2, one\n"), `X_A.txt:2: "one" is not a whole number`},
		{"a real number for a vertex", twoGraphs.with("X_A.txt", "1, 2.5\n"), `X_A.txt:1: "2.5" is not a whole number`},
		{"arc across graphs", twoGraphs.with("X_A.txt", "1, 2\n3, 4\n", "X_edge_labels.txt", "-", "X_edge_attributes.txt",
			"-", "X_edge_gt.txt", "-"), "X_A.txt:2: joins vertex 3 of graph 1 and vertex 4 of graph 2"},
		{"blank line in the middle", twoGraphs.with("X_A.txt", "1, 2\n\n2, 1\n"), "X_A.txt:2: blank line"},
		{"only blank lines", twoGraphs.with("X_graph_indicator.txt", "\n\n"), "X_graph_indicator.txt: empty file"},
		{"graph 0", twoGraphs.with("X_graph_indicator.txt", "0\n"), "X_graph_indicator.txt:1: graph 0"},
		{"graph id that goes backwards", twoGraphs.with("X_graph_indicator.txt", "1\n2\n1\n2\n2\n"),
			"X_graph_indicator.txt:3: graph 1 after graph 2"},
		{"graph without a label", twoGraphs.with("X_graph_indicator.txt", "1\n1\n1\n2\n3\n"),
			"X_graph_indicator.txt:5: graph 3: X_graph_labels.txt has 2 lines"},
		{"graph left out without labels", twoGraphs.with("X_graph_labels.txt", "-", "X_graph_attributes.txt", "-",
			"X_graph_indicator.txt", "1\n1\n1\n3\n3\n"), "X_graph_indicator.txt:4: graph 3 after graph 1"},
		{"graph far away", twoGraphs.with("X_graph_labels.txt", "-", "X_graph_attributes.txt", "-", "X_graph_indicator.txt",
			"2000000000\n"), "X_graph_indicator.txt:1: graph 2000000000"},
		{"label of no graph", twoGraphs.with("X_graph_labels.txt", "1\n1\n1\n", "X_graph_attributes.txt", "-"),
			"X_graph_labels.txt:3: a line for graph 3, but X_graph_indicator.txt ends at graph 2"},
		{"class that is no whole number", twoGraphs.with("X_graph_labels.txt", "1\n0.5\n"),
			`X_graph_labels.txt:2: "0.5" is not a whole number`},
		{"empty classes", twoGraphs.with("X_graph_labels.txt", "", "X_graph_attributes.txt", "-"),
			"X_graph_indicator.txt:1: graph 1: X_graph_labels.txt has 0 lines"},
		{"number of targets", twoGraphs.with("X_graph_attributes.txt", "1\n"),
			"X_graph_attributes.txt: 1 lines, X_graph_labels.txt has 2"},
		{"too few labels", twoGraphs.with("X_node_labels.txt", "1\n1\n"),
			"X_node_labels.txt:3: 2 lines, but X_graph_indicator.txt has 5"},
		{"too many labels", twoGraphs.with("X_node_labels.txt", strings.Repeat("1\n", 6)),
			"X_node_labels.txt:6: 6 lines, but X_graph_indicator.txt has 5"},
		{"label that overflows", twoGraphs.with("X_node_labels.txt", "1\n99999999999999999999\n"),
			`X_node_labels.txt:2: the number "99999999999999999999" is too large`},
		{"too few arc labels", twoGraphs.with("X_edge_labels.txt", "1\n"), "X_edge_labels.txt:2: 1 lines, but X_A.txt has 6"},
		{"too few arc attributes", twoGraphs.with("X_edge_attributes.txt", "1\n"),
			"X_edge_attributes.txt:2: 1 lines, but X_A.txt has 6"},
		{"NaN attribute", twoGraphs.with("X_node_attributes.txt", "1, 2\n3, NaN\n"),
			`X_node_attributes.txt:2: "NaN" is not a finite number`},
		{"infinite attribute", twoGraphs.with("X_node_attributes.txt", "1, -inf\n"),
			`X_node_attributes.txt:1: "-inf" is not a finite number`},
		{"attribute that overflows", twoGraphs.with("X_node_attributes.txt", "1, 1e999\n"),
			`X_node_attributes.txt:1: the number "1e999" is too large`},
		{"attribute that is no number", twoGraphs.with("X_node_attributes.txt", "1, x\n"),
			`X_node_attributes.txt:1: "x" is not a number`},
		{"empty attribute", twoGraphs.with("X_node_attributes.txt", "1, , 2\n"),
			"X_node_attributes.txt:1: a number is missing"},
		{"ragged attributes", twoGraphs.with("X_node_attributes.txt", "1, 2\n3, 4\n5\n"),
			"X_node_attributes.txt:3: 1 values, the first line has 2"},
		{"mark that is neither 0 nor 1", twoGraphs.with("X_node_gt.txt", "0\n2\n"), "X_node_gt.txt:2: 2 is neither 0 nor 1"},
		{"label name without name", twoGraphs.with("X_node_label_names.txt", "7\n"),
			"X_node_label_names.txt:1: a name is missing"},
		{"code of two names", twoGraphs.with("X_node_label_names.txt", "7 C\n20 C\n07 N\n"),
			`X_node_label_names.txt:3: code 7 is named already: "C"`},
		{"truncated gzip", twoGraphs.with("X_A.txt", "-", "X_A.txt.gz", compress(strings.Repeat("1, 2\n", 1000))[:30]),
			"the compressed file is truncated"},
		{"damaged gzip", twoGraphs.with("X_A.txt", "-", "X_A.txt.gz", "no gzip at all"),
			"X_A.txt.gz: the compressed file is damaged"},
		{"binary file", twoGraphs.with("X_A.txt", "\x00\xff\x17\n"), `X_A.txt:1: "\x00\xff\x17" is not a whole number`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := openTU(test.files.folder())
			wantError(t, err, test.want)
		})
	}
}

// Truncating a compressed file anywhere is an error that names it.
func TestTURefusesEveryTruncationOfACompressedFile(t *testing.T) {
	whole := compress(twoGraphs["X_A.txt"])
	for n := range len(whole) {
		_, err := openTU(twoGraphs.with("X_A.txt", "-", "X_A.txt.gz", whole[:n]).folder())
		wantError(t, err, "data/X_A.txt.gz")
	}
}
