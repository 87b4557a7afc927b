package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func openLinksText(text string, how Tables) (*Dataset, error) {
	return openLinks(files{"some.json": text}.folder(), "some.json", Reading{Tables: how})
}

const twoLinkGraphs = `{"directed": false, "multigraph": true,
 "graph": {"name": "first", "y": 1.5, "node_default": {}}, "nodes": [{"id": 0, "label": "C", "x": [4, 2]},
 {"label": "N", "id": "1", "x": [1, null], "size": 3, "seen": {"a": 1}}],
 "links": [{"source": 0, "target": "1", "key": 0, "weight": 2.5}, {"source": "1", "target": 0, "key": 1}]}
{"edges": [{"source": [1, 2], "target": "d\u0065"}], "directed": false, "graph": {"name": "second", "y": null},
 "nodes": [{"id": [1,2], "label": "N", "size": 4}, {"label": "C", "id": "de", "x": [1, 3], "size": null}]}
`

// Both forms of NetworkX are read, with nodes before edges or behind them, one graph after another or in a list.
func TestNodeLinkGraphs(t *testing.T) {
	first, second, _ := strings.Cut(twoLinkGraphs, "}\n{")
	for _, text := range []string{twoLinkGraphs, "[" + first + "}, {" + second + "]\n", "\xef\xbb\xbf" + twoLinkGraphs} {
		d, err := openLinksText(text, Tables{})
		if err != nil {
			t.Fatal(err)
		}
		checkSound(t, d)
		if got := fmt.Sprint(d.GraphIDs, d.VertexIDs, d.Batch.Offsets, d.Batch.Col, d.Batch.ArcWeights, d.LabelCodes,
			d.Batch.Labels); got != "[first second] [0 1 [1,2] de] [0 2 4] [1 0 3 2] [2.5 1 1 1] [C N] [0 1 1 0]" {
			t.Error(got)
		}
		if got := fmt.Sprint(d.Batch.Attributes, d.Missing, d.TargetNames, d.Targets); got !=
			"[4 2 3.5 1 2.5 3 2 2.5 4 1 3 3.5] [2 4 6 7 11] [y] [1.5 NaN]" {
			t.Error(got)
		}
		for _, want := range []string{
			"graphs: to predict y; left out: node_default",
			"nodes: id names a vertex, label its label, attributes x 1, x 2, size; left out: seen",
			"edges: source and target are their ends, weight its weight; left out: key",
			"3 edges are 4 arcs: repeated ones are merged, the first is kept",
		} {
			if !slices.Contains(d.Notes, want) {
				t.Errorf("notes %q, want %q", d.Notes, want)
			}
		}
	}
}

func TestNodeLinkKeysAreChosen(t *testing.T) {
	text := `{"directed": true, "nodes": [{"name": "a", "kind": 1}, {"name": "b", "kind": 2}], "class": "x", "graph": {},
"edges": [{"from": "b", "to": "a", "relation": "r", "type": 3}]}`
	d, err := openLinksText(text, Tables{
		Vertices: []Column{{IDRole, "name"}, {AttributeRole, "kind"}},
		Edges:    []Column{{FromRole, "from"}, {ToRole, "to"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(d.VertexIDs, d.Batch.Directed, d.Batch.Attributes, d.ClassNames, d.Classes, " ", arcsOf(d),
		d.Batch.ArcTypes); got != "[a b] true [1 2] [x] [0] 1-0:r[0]" {
		t.Error(got)
	}
}

func TestMistakesInNodeLinkAreNamed(t *testing.T) {
	good := `{"nodes": [{"id": 1}, {"id": 2}],` + "\n" + `"links": [{"source": 1, "target": 2}]}` + "\n"
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "data/some.json: no graphs"},
		{"no object", good + "3\n", "data/some.json:3: column 1: want a graph, an object in braces, not number"},
		{"no nodes", "{}\n", "data/some.json:1: column 3: a graph without a list nodes"},
		{"another form", good + `{"adjacency": []}`, "want the node-link form, which networkx.node_link_data writes"},
		{"nodes that are no list", `{"nodes": {}}`, "want a list of nodes in brackets, not {"},
		{"a node without a name", `{"nodes": [{"x": 1}]}`, "data/some.json:1: column 20: a node without an id"},
		{"a node twice", "{\"nodes\": [{\"id\": 1},\n{\"id\": 1}]}",
			`data/some.json:2: column 10: node "1" is there already`},
		{"an end that is no node", strings.ReplaceAll(good, "2}]}", "\n3}]}"),
			`data/some.json:3: an edge at "3", which is no node of its graph`},
		{"text for a number", strings.Replace(good, `{"source": 1`, `{"source": "1"`, 1), `some.json:2: an edge at "1"`},
		{"one end", `{"nodes": [{"id": 1}], "edges": [{"source": 1}]}`, "an edge without source or target"},
		{"both lists", `{"nodes": [], "edges": [], "links": []}`, "a graph has links or edges, not both"},
		{"directions", `{"nodes": []} {"directed": true, "nodes": []}`, "this graph is directed, others are not"},
		{"no truth", `{"directed": 1}`, "directed: want true or false"},
		{"a word", `{"nodes": [{"id": 1, "x": 1},` + "\n" + `{"id": 2, "x": "long"}]}`,
			`data/some.json:2: column 22: "x": "long" is not a number, as in line 1`},
		{"an empty name", `{"nodes": [{"id": ""}]}`, "want a name, not an empty text"},
		{"a null name", `{"nodes": [{"id": {}}]}`, "want a name, a number or text, not {"},
		{"not a number of JSON", `{"nodes": [{"id": 1, "x": NaN}]}`, "data/some.json:1: column 27: invalid character 'N'"},
		{"cut off", good[:30], "the file ends within a value"},
		{"a key twice", `{"nodes": [{"id": 1, "id": 2}]}`, "duplicate"},
		{"cut off in a list", "[" + good, "the file ends within a value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := openLinksText(test.text, Tables{})
			wantError(t, err, test.want)
		})
	}
	_, err := openLinks(files{"a.json": good, "b.jsonl": good}.folder(), "", Reading{})
	wantError(t, err, "2 files of graphs: name the one to read")
	_, err = openLinks(files{"a.json.gz": compress(good)[:40]}.folder(), "a.json.gz", Reading{})
	wantError(t, err, "truncated")
}

// A file that is no graph is none of a folder's data sets.
func TestOtherJSONInAFolderIsLeftAlone(t *testing.T) {
	f := files{"report.json": `{"accuracy": 3}`, "graphs.jsonl": `{"nodes": []}`}.folder()
	if found := linkFiles(f); !slices.Equal(found, []string{"graphs.jsonl"}) {
		t.Errorf("found %v", found)
	}
}
