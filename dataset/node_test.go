package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// nodeTask has five vertices, of which vertex 3 has no class.
var nodeTask = files{
	"edges.csv":        "src,dst\n0,1\n1,2\n0,4\n",
	"labels.csv":       "node,label\n0,2\n1,5\n2,2\n3,-1\n4,5\n",
	"features.coo.csv": "row,col,value\n0,1,1\n4,2,0.5\n",
	"split_10.csv":     "node,set\n0,train\n1,test\n",
	"split_9.csv":      "node,set\n0,train\n1,val\n4,test\n2,test\n",
	"split_public.csv": "node,set\n1,train\n0,test\n",
	"nodes.csv":        "node,fips,name\n0,01001,\"Autauga County, AL\"\n",
}

func TestNodeReadsEveryFile(t *testing.T) {
	d, err := openNode(nodeTask.folder(), DetectDirection)
	if err != nil {
		t.Fatal(err)
	}
	if d.Task != NodeClassification || d.NumGraphs() != 1 || !slices.Equal(d.VertexClasses, []int{0, 1, 0, -1, 1}) ||
		!slices.Equal(d.ClassNames, []string{"2", "5"}) {
		t.Errorf("task %v, classes %v %v", d.Task, d.VertexClasses, d.ClassNames)
	}
	if got := arcsOf(d); got != "0-1 0-4 1-0 1-2 2-1 4-0" || d.Batch.Directed {
		t.Errorf("arcs %s, directed %v", got, d.Batch.Directed)
	}
	if d.Batch.AttributeDim != 3 || d.Batch.Attribute(0)[1] != 1 || d.Batch.Attribute(4)[2] != 0.5 {
		t.Errorf("attributes %v", d.Batch.Attributes)
	}
	var names []string
	for _, s := range d.Splits {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"9", "10", "public"}) {
		t.Fatalf("splits %v", names)
	}
	if s := d.Splits[0]; !slices.Equal(s.Train, []int{0}) || !slices.Equal(s.Validation, []int{1}) ||
		!slices.Equal(s.Test, []int{4, 2}) {
		t.Errorf("split %v", s)
	}
}

func TestNodeReadsARegressionWithMissingValues(t *testing.T) {
	d, err := openNode(nodeTask.with(
		"labels.csv", "node,rate 2016,rate 2012\n1,5.1,6\n0,,\n2,1,-2\n4,3,\n3,0,1e2\n",
		"features.coo.csv", "-",
		"features.csv", "node,a,b\n0,1,\n1,,\n2,5,\n3,6,\n4,8,\n",
	).folder(), DetectDirection)
	if err != nil {
		t.Fatal(err)
	}
	if d.Task != NodeRegression || len(d.TargetNames) < 2 || d.VertexClasses != nil {
		t.Fatalf("task %v, targets %q", d.Task, d.TargetNames)
	}
	nan := math.NaN()
	want := []float64{nan, nan, 5.1, 6, 1, -2, 0, 100, 3, nan}
	if !slices.EqualFunc(d.Targets, want, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
		t.Errorf("targets %v, want %v", d.Targets, want)
	}
	if d.HasTarget(0) || !d.HasTarget(1) || d.HasTarget(4) {
		t.Error("a row of targets is known if all of its values are")
	}
	// The mean of 1, 5, 6, 8 is 5; an empty column has mean 0.
	if want := []float64{1, 0, 5, 0, 5, 0, 6, 0, 8, 0}; !slices.Equal(d.Batch.Attributes, want) {
		t.Errorf("attributes %v, want %v", d.Batch.Attributes, want)
	}
	if want := []int{1, 2, 3, 5, 7, 9}; !slices.Equal(d.Missing, want) {
		t.Errorf("missing %v, want %v", d.Missing, want)
	}
}

func TestNodeDirection(t *testing.T) {
	tests := []struct {
		name, edges string
		direction   Direction
		directed    bool
		arcs        string
	}{
		{"each edge once with src < dst is undirected", "0,1\n1,2\n", DetectDirection, false, "0-1 1-0 1-2 2-1"},
		{"every edge in both directions is undirected", "1,0\n0,1\n3,3\n", DetectDirection, false, "0-1 1-0 3-3"},
		{"an arc against the order is directed", "0,1\n2,1\n", DetectDirection, true, "0-1 2-1"},
		{"a self loop beside a single arc is directed", "0,1\n2,2\n", DetectDirection, true, "0-1 2-2"},
		{"repeated arcs are merged", "2,1\n2,1\n", DetectDirection, true, "2-1"},
		{"directed by request", "0,1\n", Directed, true, "0-1"},
		{"undirected by request", "2,1\n3,3\n", Undirected, false, "1-2 2-1 3-3"},
		{"no edges", "", DetectDirection, false, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := openNode(nodeTask.with("edges.csv", "src,dst\n"+test.edges).folder(), test.direction)
			if err != nil {
				t.Fatal(err)
			}
			if d.Batch.Directed != test.directed || arcsOf(d) != test.arcs {
				t.Errorf("directed %v, arcs %s; want %v, %s", d.Batch.Directed, arcsOf(d), test.directed, test.arcs)
			}
			if (len(d.Notes) == 1) != (test.direction == DetectDirection) {
				t.Errorf("notes %q", d.Notes)
			}
		})
	}
}

func TestNodeRefusesBadData(t *testing.T) {
	tests := []struct {
		name  string
		files files
		want  string
	}{
		{"empty folder", files{}, "data/labels.csv: no such file"},
		{"missing edges", nodeTask.with("edges.csv", "-"), "data/edges.csv: no such file"},
		{"empty edges", nodeTask.with("edges.csv", ""), "edges.csv: empty file"},
		{"edges without header", nodeTask.with("edges.csv", "0,1\n"), "edges.csv:1: the header does not begin with src,dst"},
		{"vertex beyond the last", nodeTask.with("edges.csv", "src,dst\n0,1\n0,5\n"),
			"edges.csv:3: vertex 5: the vertices are 0 to 4"},
		{"negative vertex", nodeTask.with("edges.csv", "src,dst\n-1,1\n"), "edges.csv:2: vertex -1"},
		{"one vertex on a line", nodeTask.with("edges.csv", "src,dst\n0\n"), "edges.csv:2: a whole number is missing"},
		{"no vertices", nodeTask.with("labels.csv", "node,label\n"), "labels.csv: no vertices"},
		{"no label column", nodeTask.with("labels.csv", "node\n0\n"), "labels.csv:1: the header has no column after node"},
		{"a class that is no number", nodeTask.with("labels.csv", "node,label\n0,x\n"),
			`labels.csv:2: "x" is not a whole number`},
		{"a vertex left out", nodeTask.with("labels.csv", "node,label\n0,1\n2,1\n"),
			"labels.csv:3: vertex 2: the file has 2 vertices"},
		{"a vertex twice", nodeTask.with("labels.csv", "node,label\n0,1\n1,1\n0,1\n"),
			"labels.csv:4: vertex 0 is in line 2 as well"},
		{"a target missing", nodeTask.with("labels.csv", "node,a,b\n0,1\n"), "labels.csv:2: 1 values, the header has 2"},
		{"a target too many", nodeTask.with("labels.csv", "node,a,b\n0,1,2,3\n"), "labels.csv:2: unexpected"},
		{"an infinite target", nodeTask.with("labels.csv", "node,a\n0,Inf\n"),
			"labels.csv:2: \"Inf\" is not a finite number"},
		{"a row beyond the last", nodeTask.with("features.coo.csv", "row,col,value\n9,1,1\n"),
			"features.coo.csv:2: vertex 9"},
		{"a negative column", nodeTask.with("features.coo.csv", "row,col,value\n1,-1,1\n"), "features.coo.csv:2: column -1"},
		{"a column far away", nodeTask.with("features.coo.csv", "row,col,value\n1,1,1\n1,2000000000,1\n"),
			"features.coo.csv:3: column 2000000000: a matrix of 5 x 2000000001 is out of proportion"},
		{"an entry twice", nodeTask.with("features.coo.csv", "row,col,value\n1,1,1\n1,1,1\n"),
			"features.coo.csv:3: row 1, column 1 is in line 2 as well"},
		{"NaN", nodeTask.with("features.coo.csv", "row,col,value\n1,1,NaN\n"),
			"features.coo.csv:2: \"NaN\" is not a finite number"},
		{"both forms of features", nodeTask.with("features.csv", "node,a\n"), "both features.coo.csv and features.csv"},
		{"features of a vertex missing", nodeTask.with("features.coo.csv", "-", "features.csv", "node,a\n0,1\n"),
			"features.csv: no line for vertex 1"},
		{"features of a vertex twice", nodeTask.with("features.coo.csv", "-", "features.csv", "node,a\n0,1\n0,1\n"),
			"features.csv:3: vertex 0 is given twice"},
		{"ragged features", nodeTask.with("features.coo.csv", "-", "features.csv", "node,a,b\n0,1,2\n1,1\n"),
			"features.csv:3: 1 values, the header has 2"},
		{"no feature columns", nodeTask.with("features.coo.csv", "-", "features.csv", "node\n0\n"),
			"features.csv:1: 0 columns"},
		{"unknown set", nodeTask.with("split_9.csv", "node,set\n0,training\n"),
			`split_9.csv:2: "training" is none of train, val and test`},
		{"a vertex twice in a split", nodeTask.with("split_9.csv", "node,set\n0,train\n0,test\n"),
			"split_9.csv:3: vertex 0 is in line 2 as well"},
		{"a split of a vertex that is not there", nodeTask.with("split_9.csv", "node,set\n9,train\n"),
			"split_9.csv:2: vertex 9"},
		{"an empty split", nodeTask.with("split_9.csv", "node,set\n"), "split_9.csv: 0 vertices for training"},
		{"truncated gzip", nodeTask.with("edges.csv", "-", "edges.csv.gz", compress("src,dst\n0,1\n")[:20]), "edges.csv.gz"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := openNode(test.files.folder(), DetectDirection)
			wantError(t, err, test.want)
		})
	}
}

func TestNodeReadsWindowsLineEndsAndCompressedFiles(t *testing.T) {
	changed := files{}
	for name, text := range nodeTask {
		changed[name+".gz"] = compress(strings.ReplaceAll(text, "\n", "\r\n") + "\r\n")
	}
	d, err := openNode(changed.folder(), DetectDirection)
	if err != nil {
		t.Fatal(err)
	}
	if arcsOf(d) != "0-1 0-4 1-0 1-2 2-1 4-0" || len(d.Splits) != 3 {
		t.Errorf("arcs %s, %d splits", arcsOf(d), len(d.Splits))
	}
}
