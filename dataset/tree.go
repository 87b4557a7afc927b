package dataset

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strings"

	"github.com/grove-graph/grove/graph"
)

// OpenTrees reads labelled ordered trees from NAME.tree or NAME.tree.gz: a line "class:tree" for each, where a
// tree is label(children) and the children are $ for a leaf or trees separated by a space, such as
// 10:1(31(65($)) 65(4($) 9($))). Of a folder it reads train.tree and test.tree, the trees of the first before
// those of the second and the division as the split "published", or the only file NAME.tree.
//
// A tree is an undirected graph whose vertices are numbered in preorder: the root first, every child after
// its parent, siblings in their order. Both arcs of an edge are labelled with the position of the child
// among its siblings, counted from 1. [Dataset.UpAndDown] tells the two apart.
func OpenTrees(name string) (*Dataset, error) {
	return openTreesIn(locate(name))
}

// openTreesIn opens a file of a folder, or with "" what the folder holds.
func openTreesIn(f folder, file string) (*Dataset, error) {
	if file == "" {
		return openTreeFolder(f)
	}
	return openTrees(f, strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), treeSuffix), file)
}

const treeSuffix = ".tree"

// openTreeFolder opens the two parts of a folder, or its only file.
func openTreeFolder(f folder) (*Dataset, error) {
	if f.find("train.tree") != "" && f.find("test.tree") != "" {
		return openTrees(f, folderName(f.name), "train.tree", "test.tree")
	}
	switch found := f.stored("*" + treeSuffix); len(found) {
	case 0:
		return nil, fmt.Errorf("%s: no trees: looked for train.tree and test.tree, or NAME.tree, plain or .gz", f.name)
	case 1:
		return openTreesIn(f, found[0])
	default:
		return nil, fmt.Errorf("%s: %d files of trees: name the one to read, or have train.tree and test.tree", f.name,
			len(found))
	}
}

// openTrees reads the given files one after another.
func openTrees(f folder, name string, files ...string) (*Dataset, error) {
	r := &treeReader{offsets: []int32{0}}
	ends := make([]int, 0, len(files)) // trees after each file
	for _, file := range files {
		if err := r.read(f, file); err != nil {
			return nil, err
		}
		ends = append(ends, len(r.classes))
	}
	b, err := graph.FromArcs(r.offsets, r.arcs, graph.BuildOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path(files[0]), err)
	}
	d := &Dataset{Name: path.Base(filepath.ToSlash(name)), Batch: b}
	d.Classes, d.ClassNames = classIndices(r.classes)
	ids, labels := enumerate(r.labels)
	b.Labels, b.NumLabels = ids, len(labels)
	d.LabelCodes, d.LabelNames = codeNames(labels), codeNames(labels)
	for position := range count(r.arcs.Labels) {
		d.ArcLabelNames = append(d.ArcLabelNames, fmt.Sprint(position+1))
	}
	if len(files) == 2 {
		split := Split{Name: "published"}
		for t := range d.Classes {
			if t < ends[0] {
				split.Train = append(split.Train, t)
			} else {
				split.Test = append(split.Test, t)
			}
		}
		d.Splits = []Split{split}
	}
	return d, nil
}

// treeReader gathers trees as arcs from parents to children.
type treeReader struct {
	*lines
	offsets []int32
	labels  []int64
	classes []int64
	arcs    graph.ArcList

	open []openVertex // from the root of the current tree to the current vertex
}

// openVertex is a vertex whose children are being read.
type openVertex struct {
	vertex   int32
	children int32
}

// read adds the trees of a file.
func (r *treeReader) read(f folder, file string) error {
	l, err := f.open(file)
	if err != nil {
		return err
	}
	defer l.close()
	r.lines = l
	for l.next() {
		r.classes = append(r.classes, r.number("a class"))
		r.take(':')
		r.tree()
		r.offsets = append(r.offsets, int32(len(r.labels)))
	}
	return l.err
}

// tree reads a tree, which ends the line.
func (r *treeReader) tree() {
	r.open = r.open[:0]
	for r.err == nil {
		r.vertex()
		r.take('(')
		if len(r.line) > 0 && r.line[0] == '$' {
			r.take('$')
			r.closeVertices()
		}
		if len(r.open) == 0 {
			r.end()
			return
		}
	}
}

// vertex reads a label and opens its vertex as a child of the current one.
func (r *treeReader) vertex() {
	label := r.number("a label")
	if len(r.labels) >= math.MaxInt32/2 {
		r.fail("more than %d vertices", math.MaxInt32/2)
		return
	}
	v := int32(len(r.labels))
	r.labels = append(r.labels, label)
	if last := len(r.open) - 1; last >= 0 {
		parent := &r.open[last]
		r.arcs.From = append(r.arcs.From, parent.vertex)
		r.arcs.To = append(r.arcs.To, v)
		r.arcs.Labels = append(r.arcs.Labels, parent.children)
		parent.children++
	}
	r.open = append(r.open, openVertex{vertex: v})
}

// closeVertices closes the current vertex and those that end with it, up to the blank before a sibling.
func (r *treeReader) closeVertices() {
	for len(r.open) > 0 && r.err == nil {
		r.take(')')
		r.open = r.open[:len(r.open)-1]
		if len(r.open) > 0 && len(r.line) > 0 && r.line[0] == ' ' {
			r.take(' ')
			return
		}
	}
}

// take takes one character from the line.
func (r *treeReader) take(want byte) {
	switch {
	case r.err != nil:
	case len(r.line) == 0:
		r.fail("the line ends where %q should stand", want)
	case r.line[0] != want:
		r.fail("%s where %q should stand", quote(r.line), want)
	default:
		r.line = r.line[1:]
	}
}

// number takes a whole number from the line. After an error it returns 0.
func (r *treeReader) number(what string) int64 {
	negative := len(r.line) > 0 && r.line[0] == '-'
	digits := r.line
	if negative {
		digits = digits[1:]
	}
	value, n := int64(0), 0
	for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
		if value > math.MaxInt64/10-1 {
			r.fail("the number %s is too large", quote(r.line))
			return 0
		}
		value = 10*value + int64(digits[n]-'0')
		n++
	}
	switch {
	case r.err != nil:
		return 0
	case len(r.line) == 0:
		r.fail("the line ends where %s should stand", what)
		return 0
	case n == 0:
		r.fail("%s where %s should stand, a whole number", quote(r.line), what)
		return 0
	}
	r.line = digits[n:]
	if negative {
		return -value
	}
	return value
}

// UpAndDown returns the data set with every arc label divided in two: first the labels of arcs to a later
// vertex, which in trees as [OpenTrees] numbers them lead down from a parent to a child, then those of arcs to
// an earlier one, which lead up. Self loops count as up. Arcs without labels get the two labels alone.
func (d *Dataset) UpAndDown() *Dataset {
	b := *d.Batch
	labels := max(count(b.ArcLabels), len(d.ArcLabelNames), 1)
	divided := make([]int32, b.NumArcs())
	for u := range int32(b.NumVertices()) {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			if b.ArcLabels != nil {
				divided[a] = b.ArcLabels[a]
			}
			if b.Col[a] <= u {
				divided[a] += int32(labels)
			}
		}
	}
	b.ArcLabels = divided
	both := d.WithBatch(&b)
	both.ArcLabelNames = nil
	for _, way := range []string{"down", "up"} {
		if d.Batch.ArcLabels == nil {
			both.ArcLabelNames = append(both.ArcLabelNames, way)
			continue
		}
		for _, name := range d.ArcLabelNames {
			both.ArcLabelNames = append(both.ArcLabelNames, way+" "+name)
		}
	}
	return both
}
