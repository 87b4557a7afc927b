package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// checkSound fails where a data set that a reader accepted breaks a promise of its type.
func checkSound(t *testing.T, d *Dataset) {
	t.Helper()
	b := d.Batch
	n, graphs := b.NumVertices(), b.NumGraphs()
	if int(b.Offsets[graphs]) != n || int(b.RowPtr[n]) != b.NumArcs() {
		t.Fatalf("offsets end at %d of %d vertices, rows at %d of %d arcs", b.Offsets[graphs], n, b.RowPtr[n], b.NumArcs())
	}
	for g := range graphs {
		from, to := b.Vertices(g)
		if from > to {
			t.Fatalf("graph %d from %d to %d", g, from, to)
		}
		for u := from; u < to; u++ {
			last, kind := int32(-1), int32(-1)
			for i, v := range b.Neighbors(u) {
				again := v == last && b.ArcTypes != nil && b.ArcTypes[b.RowPtr[u]+int32(i)] != kind
				if v < from || v >= to || v <= last && !again || (!b.Directed && !b.HasArc(v, u)) {
					t.Fatalf("arc %d -> %d of graph %d to %d", u, v, from, to)
				}
				if last = v; b.ArcTypes != nil {
					kind = b.ArcTypes[b.RowPtr[u]+int32(i)]
				}
			}
		}
	}
	checkLength(t, "classes", len(d.Classes), graphs)
	checkLength(t, "vertex classes", len(d.VertexClasses), n)
	checkLength(t, "labels", len(b.Labels), n)
	checkLength(t, "attributes", len(b.Attributes), n*b.AttributeDim)
	checkLength(t, "arc labels", len(b.ArcLabels), b.NumArcs())
	checkLength(t, "arc weights", len(b.ArcWeights), b.NumArcs())
	rows := graphs
	if d.Task.PerVertex() {
		rows = n
	}
	checkLength(t, "targets", len(d.Targets), rows*len(d.TargetNames))
	if d.Motif != nil && (len(d.Motif.Vertices) != n || len(d.Motif.Arcs) != b.NumArcs()) {
		t.Fatalf("motif of %d vertices and %d arcs", len(d.Motif.Vertices), len(d.Motif.Arcs))
	}
	checkLength(t, "arc types", len(b.ArcTypes), b.NumArcs())
	checkLength(t, "names of graphs", len(d.GraphIDs), graphs)
	checkLength(t, "names of vertices", len(d.VertexIDs), n)
	for _, c := range d.Classes {
		if c < -1 || c >= d.NumClasses() { // some may have none
			t.Fatalf("class %d of %d", c, d.NumClasses())
		}
	}
	for _, c := range d.VertexClasses {
		if c < -1 || c >= d.NumClasses() {
			t.Fatalf("vertex class %d of %d", c, d.NumClasses())
		}
	}
	for _, l := range b.Labels {
		if l < 0 || int(l) >= b.NumLabels || b.NumLabels != len(d.LabelNames) || b.NumLabels != len(d.LabelCodes) {
			t.Fatalf("label %d of %d, %d names", l, b.NumLabels, len(d.LabelNames))
		}
	}
	if d.Summary().String() == "" {
		t.Fatal("empty summary")
	}
	if standard, err := FitStandardisation(b).Apply(b); err == nil {
		for _, x := range standard.Attributes {
			if math.IsNaN(x) || math.Abs(x) > 1+1e-9 {
				t.Fatalf("standardised attribute %v", x)
			}
		}
	}
}

func checkLength(t *testing.T, what string, have, want int) {
	t.Helper()
	if have != 0 && have != want {
		t.Fatalf("%d %s, want %d", have, what, want)
	}
}

func FuzzTU(f *testing.F) {
	names := []string{"X_A.txt", "X_graph_indicator.txt", "X_graph_labels.txt", "X_graph_attributes.txt",
		"X_node_labels.txt", "X_node_attributes.txt", "X_edge_labels.txt", "X_node_gt.txt"}
	f.Add(twoGraphs[names[0]], twoGraphs[names[1]], twoGraphs[names[2]], twoGraphs[names[3]], twoGraphs[names[4]],
		twoGraphs[names[5]], twoGraphs[names[6]], twoGraphs[names[7]])
	f.Add("1,2\r\n", "1\n1\n", "", "", "", "", "", "")
	f.Add("", "3\n", "1\n2\n3\n", "", "900000000000000000", "1e308,-1", "", "")
	f.Fuzz(func(t *testing.T, arcs, indicator, classes, targets, labels, attributes, arcLabels, marks string) {
		set := files{}
		for i, text := range []string{arcs, indicator, classes, targets, labels, attributes, arcLabels, marks} {
			if text != "" || i < 2 { // an optional file of no text is left out
				set[names[i]] = text
			}
		}
		if d, err := openTU(set.folder()); err == nil {
			checkSound(t, d)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add(textFile)
	f.Add("1\n2 0\n0 1 1 0.5\n0 1 0 1e3\n")
	f.Add("2000000000\n2000000000 1\n0 2000000000")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := openTextFile(text); err == nil {
			checkSound(t, d)
		}
	})
}

func FuzzNode(f *testing.F) {
	f.Add(nodeTask["edges.csv"], nodeTask["labels.csv"], nodeTask["features.coo.csv"], "", nodeTask["split_9.csv"])
	f.Add("src,dst\n1,0\n0,1\n", "node,a,b\n0,,\n1,1,2\n", "", "node,x\n1,\n0,3\n", "")
	f.Add("src,dst\n", "node,label\n0,-1", "row,col,value\n0,2000000000,1", "", "node,set\n0,train")
	f.Fuzz(func(t *testing.T, edges, labels, sparse, dense, split string) {
		set := files{"edges.csv": edges, "labels.csv": labels}
		for name, text := range map[string]string{"features.coo.csv": sparse, "features.csv": dense, "split_1.csv": split} {
			if text != "" {
				set[name] = text
			}
		}
		if d, err := openNode(set.folder(), DetectDirection); err == nil {
			checkSound(t, d)
		}
	})
}

func FuzzFolds(f *testing.F) {
	f.Add(uint8(6), "3\n4\n5\n1\n", "0\n2\n", "0\n2\n5\n", "4\n3\n1\n")
	f.Add(uint8(0), "", "0\n", "", "")
	f.Fuzz(func(t *testing.T, graphs uint8, train1, test1, train2, test2 string) {
		set := files{
			"train_idx-1.txt": train1, "test_idx-1.txt": test1, "train_idx-2.txt": train2, "test_idx-2.txt": test2,
			"inner/train_idx-1.txt": train1, "inner/val_idx-1.txt": test2,
		}.folder()
		n := int(graphs)
		folds, err := readFolds(set, "", "test", n)
		if err == nil {
			checkFolds(t, folds, n)
			if inner, err := readInnerFolds(set, n, folds); err == nil {
				checkFolds(t, inner, n)
			}
		}
	})
}

// checkFolds fails for an index that is not there or in two parts of a fold.
func checkFolds(t *testing.T, folds []Fold, n int) {
	t.Helper()
	for k, f := range folds {
		seen := make([]bool, n)
		for _, part := range [][]int{f.Train, f.Validation, f.Test} {
			for _, g := range part {
				if seen[g] {
					t.Fatalf("fold %d holds graph %d twice", k, g)
				}
				seen[g] = true
			}
		}
		if len(f.Train) == 0 || len(f.Validation)+len(f.Test) == 0 {
			t.Fatalf("fold %d has an empty part", k)
		}
	}
}

// The checks themselves notice a batch that is not sound.
func TestSoundBatchIsAccepted(t *testing.T) {
	b, err := graph.FromArcs([]int32{0, 2}, graph.ArcList{From: []int32{0}, To: []int32{1}}, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkSound(t, &Dataset{Batch: b})
}

func FuzzEdgeTables(f *testing.F) {
	f.Add(threeGraphs["edges.csv"], threeGraphs["vertices.csv"], threeGraphs["graphs.csv"], false)
	f.Add("# x\n1 2 {}\n2 1 {}\n", "", "", true)
	f.Add("Source;Target;Type;w\n\"a\n\";b;Directed;1e300\nb;b;Directed;-1e300\n", "id\ty\nb\t1\na\t2", "", false)
	f.Add("u,v\n1,999999999999\n-5,02\n",
		"id,class,x,split\n1,k,,train\n999999999999,,1e308,test\n-5,,1e308,\n02,NA,nan,val\n",
		"id,class a,target b\n0,1,2\n", false)
	f.Add("1,2,3,4\n", "", "name\tkind\n", false)
	f.Fuzz(func(t *testing.T, edges, vertices, graphs string, directed bool) {
		set := files{"edges.csv": edges}
		for name, text := range map[string]string{"vertices.csv": vertices, "graphs.csv": graphs} {
			if text != "" {
				set[name] = text
			}
		}
		if d, err := readEdgeTables(set, "edges.csv", Tables{Directed: directed}); err == nil {
			checkSound(t, d)
			if len(edges)%16 == 0 { // to write takes long
				checkRewritten(t, d, EdgeFormat)
			}
		} else if strings.Contains(err.Error(), "\n") {
			t.Fatalf("error of several lines: %q", err)
		}
	})
}

func FuzzNodeLink(f *testing.F) {
	f.Add(twoLinkGraphs)
	f.Add(`[{"directed": true, "nodes": [{"id": "a", "class": 1}, {"id": 1}], "links": [{"source": 1, "target": "a"}]}]`)
	f.Add(`{"nodes": [{"id": -0}, {"id": 1e3, "x": [1e308, null]}, {"id": 2, "x": 1e308, "split": "train"}], "y": [1, 2]}`)
	for _, part := range []string{
		`{"nodes":[]}`, `[{"nodes":[]},{"nodes":[{"id":1}]}]`,
		`{"nodes":[{"id":1},{"id":2}],"edges":[{"source":1,"target":2}]}`,
		`{"nodes":[{"id":1,"label":"a","x":[1,2]}],"graph":{"class":"b","y":[1,2.5]}}`, `{"nodes":[{"id":1,"class":null}]}`,
		`{"directed":true,"nodes":[{"id":"a"}],"links":[{"source":"a","target":"a","type":"t","weight":2,"label":"l"}]}`,
	} {
		f.Add(part)
		f.Add(part + part)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := openLinksText(text, Tables{}); err == nil {
			checkSound(t, d)
			if len(text)%16 == 0 { // to write takes long
				checkRewritten(t, d, LinkFormat)
			}
		} else if strings.Contains(err.Error(), "\n") {
			t.Fatalf("error of several lines: %q", err)
		}
	})
}

// checkRewritten fails where what is written of a data set reads back as another graph.
func checkRewritten(t *testing.T, d *Dataset, format Format) {
	t.Helper()
	dir := t.TempDir()
	d.Name = "x"
	if err := writeAs(dir, format, d); err != nil {
		return // names that the format cannot hold
	}
	back, err := Open(dir)
	if err != nil {
		t.Fatalf("what is written cannot be read: %v", err)
	}
	if !slices.Equal(back.Batch.Offsets, d.Batch.Offsets) || !slices.Equal(back.Batch.Col, d.Batch.Col) {
		t.Fatalf("%v %v, want %v %v", back.Batch.Offsets, back.Batch.Col, d.Batch.Offsets, d.Batch.Col)
	}
}
