package dataset

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readEdgeTables reads lists of edges from a folder in memory, or from one file of it.
func readEdgeTables(f files, file string, how Tables) (*Dataset, error) {
	return openEdges(f.folder(), file, Reading{Tables: how})
}

// wantEdges reads lists of edges that are right.
func wantEdges(t *testing.T, f files, file string, how Tables) *Dataset {
	t.Helper()
	d, err := readEdgeTables(f, file, how)
	if err != nil {
		t.Fatal(err)
	}
	checkSound(t, d)
	return d
}

func TestEdgesAreRecognised(t *testing.T) {
	for name, text := range map[string]string{
		"a.csv":      "source,target\n1,2\n2,3\n",
		"b.csv":      "Source ; Target\n1;2\n2;3\n",
		"c.tsv":      "src\tdst\n1\t2\n2\t3\n",
		"d.edges":    "# some\n% words\n1 2\n2   3\n",
		"e.edgelist": "1 2 {}\n2 3 {}\n",
		"f.csv":      "\xef\xbb\xbffrom_node,to_node\r\n1,2\r\n2,3\r\n\r\n",
		"g.csv":      "when,u,v\n9,1,2\n8,2,3\n",
		"h.txt":      "# SNAP\n1\t2\n2\t3\n",
		"i.csv":      "id_1,id_2\n3,2\n2,1\n",
		"j.csv":      "\"source\",\"target\"\n\"1\",2\n2,\"3\"\n",
		"k.csv.gz":   compress("node1,node2\n1,2\n3,2\n"),
		"l.csv":      "1,2\n2,3\n2,1",
		"m.tsv":      "Target\tSource\n3\t2\n2\t1\n",
	} {
		f := files{name: text}
		for _, file := range []string{name, ""} {
			if file == "" && strings.HasSuffix(name, ".txt") {
				continue // in a folder a text may be anything
			}
			if !listsEdges(f.folder(), name, Reading{}) || file == "" && !holdsEdges(f.folder()) {
				t.Errorf("%s: not recognised", name)
			}
			d := wantEdges(t, f, file, Tables{})
			if arcs := arcsOf(d); arcs != "0-1 1-0 1-2 2-1" || d.Batch.Directed || d.NumGraphs() != 1 {
				t.Errorf("%s: arcs %s", name, arcs)
			}
			if !slices.Equal(d.VertexIDs, []string{"1", "2", "3"}) {
				t.Errorf("%s: vertices %v", name, d.VertexIDs)
			}
		}
	}
	for _, text := range []string{"", "3\n", "a,b\n1,2\n", "alice bob\n", "smiles,y\nCC,1\n"} {
		if listsEdges(files{"x.csv": text}.folder(), "x.csv", Reading{}) {
			t.Errorf("%q is taken for edges", text)
		}
	}
}

func TestNumbersAreInTheirOrderAndWordsAsTheyCome(t *testing.T) {
	d := wantEdges(t, files{"x.csv": "u,v\n10,9\n-3,10\n0,1\n"}, "x.csv", Tables{})
	if want := []string{"-3", "0", "1", "9", "10"}; !slices.Equal(d.VertexIDs, want) {
		t.Errorf("vertices %v, want %v", d.VertexIDs, want)
	}
	d = wantEdges(t, files{"x.csv": "u,v\n1,0\n2,1\n"}, "x.csv", Tables{})
	if d.VertexIDs != nil || d.GraphIDs != nil {
		t.Errorf("names %v, %v that are only numbers", d.VertexIDs, d.GraphIDs)
	}
	d = wantEdges(t, files{"x.csv": "u,v\nzoe,2\n2,02\n\"a \"\"b\"\", c\",zoe\n"}, "x.csv", Tables{})
	if want := []string{"zoe", "2", "02", `a "b", c`}; !slices.Equal(d.VertexIDs, want) {
		t.Errorf("vertices %v, want %v", d.VertexIDs, want)
	}
}

func TestColumnsOfEdges(t *testing.T) {
	text := "source,target,weight,relation,type,when\na,b,2.5,likes,7,2001\nb,a,-1,hates,7,2002\na,b,,likes,8,x\n"
	d := wantEdges(t, files{"x.csv": text}, "x.csv", Tables{})
	if got := fmt.Sprint(arcsOf(d), d.Batch.ArcWeights, d.Batch.ArcTypes, d.ArcLabelNames); got !=
		"0-1:likes 0-1:likes 1-0:hates 1-0:likes[2.5 1 -1 1] [0 1 0 1] [hates likes]" {
		t.Error(got)
	}
	for _, want := range []string{
		"x.csv: source and target are the ends of an edge, weight its weight, relation its label, type its type; " +
			"left out: when", "1 edges without a weight have the weight 1", "--directed",
	} {
		if !strings.Contains(strings.Join(d.Notes, "\n"), want) {
			t.Errorf("notes %q, want %q", d.Notes, want)
		}
	}
	how := Tables{Directed: true, Edges: []Column{{FromRole, "target"}, {ToRole, "source"}, {WeightRole, "when"},
		{SkipRole, "type"}, {SkipRole, "relation"}}}
	d = wantEdges(t, files{"x.csv": strings.Replace(text, "x\n", "3\n", 1)}, "x.csv", how)
	if got := fmt.Sprint(arcsOf(d), d.Batch.ArcWeights, d.Batch.Directed); got != "0-1 1-0[2001 2002] true" {
		t.Error(got)
	}
	how = Tables{Edges: []Column{{FromRole, "2"}, {ToRole, "3"}, {LabelRole, "1"}}}
	d = wantEdges(t, files{"x.csv": "b,u,v\na,v,w\n"}, "x.csv", how)
	if got := fmt.Sprint(arcsOf(d), d.VertexIDs); got != "0-1:b 1-0:b 1-2:a 2-1:a[u v w]" {
		t.Error(got)
	}
	d = wantEdges(t, files{"x.csv": "1 2 0.5\n2 3 7\n"}, "x.csv", Tables{})
	if !slices.Equal(d.Batch.ArcWeights, []float64{0.5, 0.5, 7, 7}) {
		t.Errorf("weights %v", d.Batch.ArcWeights)
	}
	for direction, want := range map[string]bool{"Directed": true, "Undirected": false} { // as Gephi says it
		text := strings.ReplaceAll("Source,Target,Type\n1,2,@\n3,2,@\n", "@", direction)
		d = wantEdges(t, files{"x.csv": text}, "x.csv", Tables{})
		if d.Batch.Directed != want || d.Batch.ArcTypes != nil {
			t.Errorf("%s: directed %t, types %v", direction, d.Batch.Directed, d.Batch.ArcTypes)
		}
	}
}

var threeGraphs = files{
	"edges.csv": "graph,source,target,label\nB,x,y,-\nA,1,2,=\nA,2,3,-\n",
	"vertices.csv": "graph,id,label,size,note,colour\n" +
		"A,3,C,1.5,hello,0.1\nA,1,N,,you,0.2\nB,y,C,2,there,0.3\nA,2,O,3,,0.4\nB,x,C,0.5,,0.5\nC,1,N,1,,0.6\n",
	"graphs.csv": "name,active,mass,split\nB,yes,1.5,train\nA,no,,test\nC,yes,2.5,train\n",
}

func TestTablesOfVerticesAndGraphs(t *testing.T) {
	d := wantEdges(t, threeGraphs, "", Tables{})
	if got := fmt.Sprint(d.GraphIDs, d.VertexIDs, d.Batch.Offsets, " ", arcsOf(d)); got !=
		"[B A C] [y x 3 1 2 1] [0 2 5 6] 0-1:- 1-0:- 2-4:- 3-4:= 4-2:- 4-3:=" {
		t.Error(got)
	}
	if got := fmt.Sprint(d.LabelCodes, d.Batch.Labels, d.Batch.Attributes, d.Missing); got !=
		"[C N O] [0 0 0 1 2 1] [2 0.3 0.5 0.5 1.5 0.1 1.6 0.2 3 0.4 1 0.6] [6]" {
		t.Error(got)
	}
	if got := fmt.Sprint(d.TargetNames, d.Targets, d.TargetClasses, d.Splits); got !=
		"[active mass] [1 1.5 0 NaN 1 2.5] [[no yes] []] [{split {[0 2] [] [1]}}]" {
		t.Error(got)
	}
	want := "vertices.csv: id names a vertex, graph its graph, label its label, attributes size, colour; left out: note"
	if !slices.Contains(d.Notes, want) {
		t.Errorf("notes %q, want %q", d.Notes, want)
	}
	how := Tables{Vertices: []Column{{SkipRole, "colour"}, {LabelRole, "note"}, {SkipRole, "label"}},
		Graphs: []Column{{SkipRole, "mass"}}}
	d = wantEdges(t, threeGraphs, "edges.csv", how)
	if got := fmt.Sprint(d.LabelCodes, d.Batch.AttributeDim, d.ClassNames, d.Classes); got !=
		"[hello there you ?] 1 [no yes] [1 0 1]" {
		t.Error(got)
	}
}

// What the tables say is the same whichever of edges and vertices has the column of the graph, and where each graph has
// a file of its own.
func TestGraphsAreSaidByEdgesOrVerticesOrFiles(t *testing.T) {
	unique := files{
		"edges.csv":    "graph,source,target,label\nB,x,y,-\nA,1,2,=\nA,2,3,-\n",
		"vertices.csv": "graph,id,size\nA,3,1\nA,1,2\nB,y,3\nA,2,4\nB,x,5\n",
	}
	want := wantEdges(t, unique, "", Tables{})
	for name, f := range map[string]files{
		"edges say it":    unique.with("vertices.csv", "id,size\n3,1\n1,2\ny,3\n2,4\nx,5\n"),
		"vertices say it": unique.with("edges.csv", "source,target,label\nx,y,-\n1,2,=\n2,3,-\n"),
		"files": unique.with("edges.csv", "-", "edges/A.csv", "u,v,label\n1,2,=\n2,3,-\n", "edges/B.tsv.gz",
			compress("label\tsource\ttarget\n-\tx\ty\n")),
		"files in the folder": unique.with("edges.csv", "-", "A.csv", "u,v,label\n1,2,=\n2,3,-\n", "B.csv",
			"label,source,target\n-,x,y\n"),
	} {
		d := wantEdges(t, f, "", Tables{})
		ordered := want
		if !slices.Equal(d.GraphIDs, want.GraphIDs) {
			ordered = want.Select([]int{1, 0})
		}
		if d.Digest() != ordered.Digest() || !slices.Equal(d.VertexIDs, ordered.VertexIDs) {
			t.Errorf("%s: %v %v %s %v, want %v %v %s %v", name, d.GraphIDs, d.VertexIDs, arcsOf(d), d.Batch.Attributes,
				ordered.GraphIDs, ordered.VertexIDs, arcsOf(ordered), ordered.Batch.Attributes)
		}
	}
}

func TestVerticesAreClassifiedInOneGraph(t *testing.T) {
	f := files{
		"cora.edges":   "p1 p2\np2 p3\n",
		"edges.csv":    "citing,cited\np1,p2\np2,p3\n",
		"vertices.csv": "paper_id,w0,w1,subject,split\np2,0,1,Theory,train\np1,1,0,,val\np3,0,0,Genetics,test\np4,1,1,,\n",
	}
	d := wantEdges(t, f, "edges.csv", Tables{Vertices: []Column{{IDRole, "paper_id"}, {ClassRole, "subject"}}})
	if got := fmt.Sprint(d.Task, d.ClassNames, d.VertexClasses, d.Batch.Attributes, d.Splits, d.VertexIDs); got !=
		"node classification [Genetics Theory] [1 -1 0 -1] [0 1 1 0 0 0 1 1] [{split {[0] [1] [2]}}] [p2 p1 p3 p4]" {
		t.Error(got)
	}
	f["vertices.csv"] = "id,target flow,target depth\np1,1.5,\np2,2,0\np3,2.5,4\n"
	d = wantEdges(t, f, "edges.csv", Tables{})
	if got := fmt.Sprint(d.Task, d.TargetNames, d.Targets); got != "node regression [flow depth] [1.5 NaN 2 0 2.5 4]" {
		t.Error(got)
	}
}

func TestClassesBesideNumbersAreThoseOfTheTUFormat(t *testing.T) {
	f := threeGraphs.with("graphs.csv", "id,class,mass,charge\nB,7,1.5,0\nA,9,2,1\nC,7,1,3\n") // charge holds classes too
	d := wantEdges(t, f, "", Tables{})
	if got := fmt.Sprint(d.Task, d.Classes, d.TargetNames, d.TargetClasses); got !=
		"graph classification [] [class mass charge] [[7 9] [] [0 1 3]]" {
		t.Error(got)
	}
	f["graphs.csv"] = "id,class,mass\nB,7,1.5\nA,9,2\nC,7,1\n"
	d = wantEdges(t, f, "", Tables{})
	if got := fmt.Sprint(d.Task, d.ClassNames, d.Classes, d.TargetNames, d.Targets); got !=
		"graph classification [7 9] [0 1 0] [mass] [1.5 2 1]" {
		t.Error(got)
	}
}

func TestMistakesInTablesAreNamed(t *testing.T) {
	one := files{"edges.csv": "source,target,weight\na,b,1\n", "vertices.csv": "id,size\na,1\nb,2\n"}
	for _, test := range []struct {
		name string
		f    files
		how  Tables
		want string
	}{
		{"empty", files{"edges.csv": ""}, Tables{}, "data/edges.csv: no rows"},
		{"unknown header", files{"edges.csv": "a,b\n1,2\n"}, Tables{},
			`data/edges.csv:1: no columns of the two vertices of an edge, as source,target, in "a, b": name them by --edge`},
		{"missing vertex", one.with("edges.csv", "source,target\na,b\na,\n"), Tables{},
			"data/edges.csv:3: column target: want the name of a vertex"},
		{"unknown vertex", one.with("edges.csv", "source,target\na,c\n"), Tables{},
			`data/edges.csv:2: column target: vertex "c" is not in the table of vertices`},
		{"another length", one.with("edges.csv", "source,target\na,b\na,b,c\n"), Tables{},
			"data/edges.csv:3: 3 values, the first line has 2"},
		{"weight", one.with("edges.csv", "source,target,weight\na,b,1\na,b,heavy\n"), Tables{},
			`data/edges.csv:3: column weight: "heavy" is not a number, as in line 2`},
		{"infinite weight", one.with("edges.csv", "source,target,weight\na,b,Inf\n"), Tables{},
			`edges.csv:2: column weight: "Inf" is not a finite number`},
		{"attribute", one.with("vertices.csv", "id,size\na,1\nb,big\n"), Tables{},
			`data/vertices.csv:3: column size: "big" is not a number, as in line 2`},
		{"twice", one.with("vertices.csv", "id,size\na,1\nb,1\na,2\n"), Tables{},
			`data/vertices.csv:4: column id: vertex "a" is there already`},
		{"no id", one.with("vertices.csv", "who,size\na,1\n"), Tables{},
			`data/vertices.csv:1: no column that names the vertex, as id, in "who, size": name it by --vertex-columns id=NAME`},
		{"quote", one.with("edges.csv", "source,target\n\"a,b\nc,d\n"), Tables{},
			"data/edges.csv:2: a quote that is never closed"},
		{"after a quote", one.with("edges.csv", "source,target\n\"a\"b,c\n"), Tables{},
			`data/edges.csv:2: "b,c" after a value in quotes`},
		{"blank line", one.with("edges.csv", "source,target\na,b\n\na,b\n"), Tables{}, "data/edges.csv:3: blank line"},
		{"braces", files{"edges.csv": "1 2 {'weight': 3}\n"}, Tables{}, "data/edges.csv:1: want no values in braces"},
		{"two names", one.with("edges.csv", "source,target,x,x\na,b,1,2\n"), Tables{},
			`data/edges.csv:1: columns 3 and 4 are both called "x"`},
		{"no such column", one, Tables{Edges: []Column{{WeightRole, "cost"}}},
			`data/edges.csv:1: no column "cost" for weight, there are "source, target, weight"`},
		{"column given twice", one, Tables{Edges: []Column{{WeightRole, "weight"}, {LabelRole, "weight"}}},
			"data/edges.csv:1: column weight is given twice, for weight and label"},
		{"role given twice", one, Tables{Edges: []Column{{WeightRole, "weight"}, {WeightRole, "target"}}},
			"data/edges.csv:1: two columns are given for weight"},
		{"no such number", files{"edges.csv": "1 2\n"}, Tables{Edges: []Column{{FromRole, "1"}, {ToRole, "3"}}},
			`data/edges.csv:1: no column "3" for to: there is no header, and the columns are 1 to 2`},
		{"unknown graph", threeGraphs.with("edges.csv", "graph,source,target\nD,1,2\n"), Tables{},
			`data/edges.csv:2: column graph: graph "D" is not in the table of graphs`},
		{"graph of a vertex", threeGraphs.with("vertices.csv", "graph,id\nA,1\nD,1\n"), Tables{},
			`data/vertices.csv:3: column graph: graph "D" is not in the table of graphs`},
		{"unknown vertex of a graph", threeGraphs.with("edges.csv", "graph,source,target\nA,1,y\n"), Tables{},
			`data/edges.csv:2: column target: vertex "y" is not in the table of vertices for graph A`},
		{"edge between graphs", threeGraphs.with("edges.csv", "source,target\n1,x\n", "vertices.csv",
			"graph,id\nA,1\nB,x\n"), Tables{}, `data/edges.csv:2: vertex "1" is in graph A, and vertex "x" in graph B`},
		{"vertex in two graphs", threeGraphs.with("vertices.csv", "id\nx\ny\n", "edges.csv",
			"graph,source,target\nA,x,y\nB,x,y\n"), Tables{},
			`data/edges.csv:3: column source: vertex "x" is in graph A as well as in graph B`},
		{"vertex in no graph", threeGraphs.with("vertices.csv", "id\nx\ny\nz\n", "edges.csv",
			"graph,source,target\nA,x,y\n"), Tables{}, `vertex "z" is at no edge, so that its graph is not known`},
		{"no graphs said", threeGraphs.with("vertices.csv", "-", "edges.csv", "source,target\n1,2\n"), Tables{},
			"data/edges.csv:1: no column of the graphs, of which the table of graphs has 3"},
		{"directions", one.with("edges.csv", "source,target,directed\na,b,yes\nb,a,no\n"), Tables{},
			"data/edges.csv: column directed has to say of all edges that they are directed"},
		{"split", threeGraphs.with("graphs.csv", "id,y,split\nA,1,train\nB,1,learn\nC,2,test\n"), Tables{},
			`column split: "learn" is none of train, val and test`},
		{"classes of vertices", one.with("vertices.csv", "id,class,target 1\na,u,1.5\nb,v,2\n"), Tables{},
			"class holds classes, so that it must be the only one"},
		{"no such table", one, Tables{VertexTable: filepath.Join("nowhere", "v.csv")}, "v.csv: no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := readEdgeTables(test.f, "edges.csv", test.how)
			wantError(t, err, test.want)
		})
	}
}

// A table goes through quotes, over lines and with blanks around values.
func TestRowsAreDivided(t *testing.T) {
	text := "a, b ,c\n\"1\n2\",\"x \"\"y\"\"\" , z\n,,\n\"\",\"a,b\",c\n"
	r, err := files{"x.csv": text}.folder().openRows("x.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	var got []string
	for r.nextRow() {
		got = append(got, fmt.Sprintf("%d %q", r.at, r.fields))
	}
	want := []string{`1 ["a" "b" "c"]`, `2 ["1\n2" "x \"y\"" "z"]`, `4 ["" "" ""]`, `5 ["" "a,b" "c"]`}
	if r.err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, r.err, want)
	}
}

// Names that come in any order and any size have one number each.
func TestNamesHaveNumbers(t *testing.T) {
	var n numbering
	known := map[string]int32{}
	for i := range int64(20000) {
		code := i * i * 7919 % 50021
		if i%3 == 0 {
			code = firstWord + code
		}
		graph := int32(i % 4)
		key := fmt.Sprint(graph, " ", code)
		want, there := known[key]
		if found := n.find(graph, code); there != (found >= 0) || there && found != want {
			t.Fatalf("%s: number %d, want %d %t", key, found, want, there)
		}
		number, added := n.add(graph, code)
		if added == there || there && number != want {
			t.Fatalf("%s: number %d, added %t; want %d %t", key, number, added, want, there)
		}
		known[key] = number
	}
	if len(n.codes) != len(known) {
		t.Errorf("%d names, want %d", len(n.codes), len(known))
	}
	for text, want := range map[string]int64{"0": 0, "-1": -1, "123456789012345678": 123456789012345678} {
		if got, ok := wholeNumber([]byte(text)); !ok || got != want {
			t.Errorf("%s is %d, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "-", "01", "-0", "+1", "1.0", "1234567890123456789", " 1"} {
		if got, ok := wholeNumber([]byte(text)); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// Nothing is no value anywhere, and a word for it among numbers. Among words it is one of them.
func TestMissingValuesAreThose(t *testing.T) {
	for _, role := range []Role{"", ClassRole, TargetRole, LabelRole, SplitRole} {
		for _, word := range []string{"", "NA", "nan", "NaN", "null", "None"} {
			for _, values := range [][]string{{word, "1", word, "2"}, {"1.5", "2", word, "-1"}, {"Fe", word, "Cl", "train"}} {
				f := &frame{}
				at := f.column("x", func(string) Role { return role })
				for i, text := range values {
					if err := f.set(at, []byte(text), i+2); err != nil {
						t.Fatal(err)
					}
					f.rows++
				}
				f.end()
				c := f.columns[at]
				for i, text := range values {
					missing := text == word && (word == "" || values[0] != "Fe" || role == SplitRole)
					switch {
					case c.kind == leftOutColumn && role == "" && values[0] == "Fe": // no attribute
					case c.kind == numberColumn && math.IsNaN(c.numbers[i]) != missing,
						c.kind == kindColumn && c.ids[i] < 0 != missing,
						c.kind == kindColumn && !missing && c.kinds.texts[c.ids[i]] != text, c.kind == leftOutColumn:
						t.Errorf("%q in %q, role %q: %+v", text, values, role, c)
					}
				}
			}
		}
	}
	for text, want := range map[string]string{"1.5 NA 2": "[1.5 NaN 2] []", "1 none 0": "[1 NaN 0] [0 1]",
		"yes NA no yes": "[2 0 1 2] [NA no yes]", "1 NA x 1": "[0 1 2 0] [1 NA x]"} {
		v := targetOf(column{name: "y", values: strings.Fields(text)})
		if got := fmt.Sprint(v.values, v.classes); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
