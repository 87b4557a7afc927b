package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// treeFile is a tree of two levels, a leaf, and a path.
const treeFile = "10:1(31(65($)) 65(4($) 9($)))\n-2:7($)\n10:65(1(31($)))\n"

func openTreeFile(text string) (*Dataset, error) {
	return openTreeFolder(files{"T.tree": text}.folder())
}

func TestTreesReadsTrees(t *testing.T) {
	d, err := openTreeFile(treeFile)
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "T" || !slices.Equal(d.Classes, []int{1, 0, 1}) || !slices.Equal(d.ClassNames, []string{"-2", "10"}) ||
		d.Splits != nil {
		t.Errorf("name %s, classes %v %v, splits %v", d.Name, d.Classes, d.ClassNames, d.Splits)
	}
	if got, want := arcsOf(d),
		"0-1:1 0-3:2 1-0:1 1-2:1 2-1:1 3-0:2 3-4:1 3-5:2 4-3:1 5-3:2 7-8:1 8-7:1 8-9:1 9-8:1"; got != want {
		t.Errorf("arcs %s\nwant %s", got, want)
	}
	if !slices.Equal(d.Batch.Offsets, []int32{0, 6, 7, 10}) ||
		!slices.Equal(d.LabelNames, []string{"1", "4", "7", "9", "31", "65"}) ||
		!slices.Equal(d.Batch.Labels, []int32{0, 4, 5, 5, 1, 3, 2, 5, 0, 4}) {
		t.Errorf("offsets %v, labels %v %v", d.Batch.Offsets, d.Batch.Labels, d.LabelNames)
	}
	both := d.UpAndDown()
	want := "0-1:down 1 0-3:down 2 1-0:up 1 1-2:down 1 2-1:up 1 3-0:up 2 3-4:down 1 3-5:down 2 4-3:up 1 5-3:up 2 " +
		"7-8:down 1 8-7:up 1 8-9:down 1 9-8:up 1"
	if got := arcsOf(both); got != want {
		t.Errorf("arcs %s\nwant %s", got, want)
	}
	bare := *d
	batch := *d.Batch
	batch.ArcLabels, bare.ArcLabelNames, bare.Batch = nil, nil, &batch
	if got := arcsOf(bare.UpAndDown()); !strings.HasPrefix(got, "0-1:down 0-3:down 1-0:up 1-2:down") {
		t.Errorf("arcs %s", got)
	}
}

func TestTreesReadsBothParts(t *testing.T) {
	set := files{"train.tree": "1:1($)\n3:2(1($))\n", "test.tree.gz": compress("2:2($)\r\n\r\n"), "other.txt": "x"}
	d, err := openTreeFolder(set.folder())
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "data" || !slices.Equal(d.ClassNames, []string{"1", "2", "3"}) || len(d.Splits) != 1 {
		t.Fatalf("name %s, classes %v, splits %v", d.Name, d.ClassNames, d.Splits)
	}
	if s := d.Splits[0]; !slices.Equal(s.Train, []int{0, 1}) || !slices.Equal(s.Test, []int{2}) {
		t.Errorf("split %v", s)
	}
	if _, err := openTreeFolder(files{"a.tree": treeFile, "b.tree": treeFile}.folder()); err == nil ||
		!strings.Contains(err.Error(), "2 files of trees") {
		t.Errorf("two files: %v", err)
	}
	if _, err := openTreeFolder(files{"a.txt": treeFile}.folder()); err == nil ||
		!strings.Contains(err.Error(), "no trees: looked for") {
		t.Errorf("no file: %v", err)
	}
}

func TestTreesRefusesBadData(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no class", ":1($)\n", `T.tree:1: ":1($)" where a class should stand`},
		{"no colon", "1\n", "T.tree:1: the line ends where ':' should stand"},
		{"no label", "1:($)\n", `T.tree:1: "($)" where a label should stand`},
		{"no children", "1:1\n", "T.tree:1: the line ends where '(' should stand"},
		{"empty children", "1:1()\n", `T.tree:1: ")" where a label should stand`},
		{"an open vertex", "1:1($)\n1:1(2($)\n", "T.tree:2: the line ends where ')' should stand"},
		{"a vertex that was never opened", "1:1($))\n", `T.tree:1: unexpected ")" at the end of the line`},
		{"two roots", "1:1($) 2($)\n", `T.tree:1: unexpected " 2($)" at the end of the line`},
		{"two blanks", "1:1(2($)  3($))\n", `T.tree:1: " 3($))" where a label should stand`},
		{"a blank before the end", "1:1(2($) )\n", `T.tree:1: ")" where a label should stand`},
		{"a leaf with children", "1:1($ 2($))\n", `T.tree:1: " 2($))" where ')' should stand`},
		{"a large label", "1:99999999999999999999($)\n", "T.tree:1: the number \"99999999999999999999($)\" is too large"},
		{"a blank line", "1:1($)\n\n1:1($)\n", "T.tree:2: blank line"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := openTreeFile(test.text)
			wantError(t, err, test.want)
		})
	}
}

// A tree may be as deep as its line is long.
func TestDeepTree(t *testing.T) {
	const depth = 300_000
	d, err := openTreeFile("1:" + strings.Repeat("5(", depth) + "$" + strings.Repeat(")", depth))
	if err != nil {
		t.Fatal(err)
	}
	if d.Batch.NumVertices() != depth || d.Batch.Degree(depth-1) != 1 {
		t.Errorf("%d vertices", d.Batch.NumVertices())
	}
}

func FuzzTrees(f *testing.F) {
	f.Add(treeFile)
	f.Add("1:-3($)\r\n")
	f.Add("1:1(2($) 3($))\n1:1(")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := openTreeFile(text); err == nil {
			checkSound(t, d)
			checkSound(t, d.UpAndDown())
			if d.Batch.NumArcs() != 2*(d.Batch.NumVertices()-d.NumGraphs()) {
				t.Fatalf("%d arcs of %d trees with %d vertices", d.Batch.NumArcs(), d.NumGraphs(), d.Batch.NumVertices())
			}
		}
	})
}

func TestPublishedTreesHaveTheirPublishedSizes(t *testing.T) {
	for name, want := range map[string]struct{ train, test, classes, labels, children, vertices int }{
		"INEX2005": {4820, 4811, 11, 366, 32, 247139},
		"INEX2006": {6053, 6054, 18, 65, 66, 218537},
	} {
		d, err := Open(testfiles.Data(t, "trees", name))
		if err != nil {
			t.Fatal(err)
		}
		s := d.Summary()
		split := d.Splits[0]
		if s.Name != name || len(split.Train) != want.train || len(split.Test) != want.test ||
			len(s.ClassNames) != want.classes ||
			s.Labels != want.labels || s.ArcLabels != want.children || s.Vertices != want.vertices ||
			s.Arcs != 2*(s.Vertices-s.Graphs) {
			t.Errorf("%s: %d and %d trees, %+v", name, len(split.Train), len(split.Test), s)
		}
	}
}

func TestOpenFindsTrees(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a/train.tree": treeFile, "a/test.tree": treeFile,
		"b/T.tree.gz": compress(treeFile)} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"a": "a", "a/test.tree": "test", "b": "T", "b/T.tree.gz": "T"} {
		d, err := Open(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if d.Name != want || d.NumGraphs()%3 != 0 {
			t.Errorf("%s is called %s and has %d trees, want %s", path, d.Name, d.NumGraphs(), want)
		}
	}
	_, err := Open(filepath.Join(dir, "b", "absent.tree"))
	wantError(t, err, "absent.tree: no such file")
}
