package dataset

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/grove-graph/grove/graph"
)

// OpenText reads a data set in the text format of the GIN experiments (Xu et al. 2019, also used by
// DGCNN and GCKN) from NAME.txt or NAME.txt.gz: a line with the number of graphs; then for every graph a
// line "n class" and n lines "tag degree neighbour neighbour ...", neighbours counted from 0 within
// the graph, followed by real attributes where the data set has them.
//
// Rules: graphs are undirected, and an edge may stand in the line of one of its vertices or of both.
// Repeated neighbours are merged and self loops are dropped. The tags are the vertex labels, unless
// all of them are equal: then they say nothing and the vertices have no labels.
func OpenText(name string) (*Dataset, error) {
	return openTextIn(locate(name))
}

// locate returns a folder and "", or the folder of a file and the file.
func locate(name string) (f folder, file string) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return folder{os.DirFS(name), name}, ""
	}
	dir, file := filepath.Split(name)
	dir = filepath.Clean(dir)
	return folder{os.DirFS(dir), dir}, file
}

// openTextIn opens a file of a folder, or with "" what the folder holds.
func openTextIn(f folder, file string) (*Dataset, error) {
	if file == "" {
		return openTextFolder(f)
	}
	return openText(f, file)
}

// openTextFolder opens the only data set in text format of a folder, or the one of the folder's name.
func openTextFolder(f folder) (*Dataset, error) {
	switch found := textFiles(f); len(found) {
	case 0:
		return nil, fmt.Errorf("%s: no data set in text format: looked for NAME.txt and NAME.txt.gz", f.name)
	case 1:
		return openText(f, found[0])
	default:
		return nil, fmt.Errorf("%s: %d text files: name the one to read", f.name, len(found))
	}
}

// textFiles lists the data sets in text format of a folder: the file of the folder's name, or else all text files
// that begin with a line that is a number, as other texts do not.
func textFiles(f folder) []string {
	if own := f.find(folderName(f.name) + ".txt"); own != "" {
		return []string{own}
	}
	var found []string
	for _, stored := range f.stored("*.txt") {
		l, err := f.open(stored)
		if err != nil {
			continue
		}
		if l.next() {
			l.integer()
			l.end()
			if l.err == nil {
				found = append(found, stored)
			}
		}
		l.close()
	}
	return found
}

func openText(f folder, name string) (*Dataset, error) {
	l, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer l.close()
	r := &textReader{lines: l, offsets: []int32{0}, rowPtr: []int32{0}, width: -1}
	if !l.next() {
		if l.err != nil {
			return nil, l.err
		}
		return nil, fmt.Errorf("%s: empty file", l.file)
	}
	graphs := l.integer()
	l.end()
	if graphs < 0 {
		l.fail("%d graphs", graphs)
	}
	for g := int64(0); g < graphs && l.err == nil; g++ {
		r.readGraph(g, graphs)
	}
	if l.err == nil && l.next() {
		l.fail("more lines than the %d graphs need", graphs)
	}
	if l.err != nil {
		return nil, l.err
	}
	d := &Dataset{Name: strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".gz"), ".txt")}
	if d.Batch, err = r.batch(); err != nil {
		return nil, fmt.Errorf("%s: %w", l.file, err)
	}
	d.Classes, d.ClassNames = classIndices(r.classes)
	if ids, distinct := enumerate(r.tags); len(distinct) > 1 {
		d.Batch.Labels, d.Batch.NumLabels = ids, len(distinct)
		d.LabelCodes, d.LabelNames = codeNames(distinct), codeNames(distinct)
	}
	if r.width > 0 {
		d.Batch.Attributes, d.Batch.AttributeDim = r.attributes, r.width
	}
	return d, nil
}

// textReader gathers the rows of the adjacency as they stand in the file.
type textReader struct {
	*lines
	classes    []int64
	tags       []int64
	attributes []float64
	width      int // attributes of a vertex, -1 before the first vertex

	offsets []int32
	rowPtr  []int32
	blocks  [][]int32 // columns of the graphs read so far
	col     []int32   // columns of the current graph
	arcs    int       // in blocks
}

func (r *textReader) readGraph(g, graphs int64) {
	if !r.next() {
		r.fail("the file ends after %d of %d graphs", g, graphs)
		return
	}
	n := r.integer()
	r.classes = append(r.classes, r.integer())
	r.end()
	first := r.offsets[len(r.offsets)-1]
	if n < 0 || n > math.MaxInt32-1-int64(first) {
		r.fail("a graph of %d vertices", n)
	}
	for v := int64(0); v < n && r.err == nil; v++ {
		if !r.next() {
			r.fail("the file ends after %d of %d vertices of graph %d", v, n, g)
			return
		}
		r.readVertex(first, int32(v), int32(n))
	}
	r.offsets = append(r.offsets, first+int32(n))
	r.blocks = append(r.blocks, slices.Clone(r.col))
	r.arcs += len(r.col)
	r.col = r.col[:0]
}

func (r *textReader) readVertex(first, v, n int32) {
	r.tags = append(r.tags, r.integer())
	degree := r.integer()
	if degree < 0 || degree > int64(len(r.line)) {
		r.fail("degree %d, but there are fewer neighbours on the line", degree)
		return
	}
	start, ascending, previous := len(r.col), true, int64(-1)
	for range degree {
		w := r.integer()
		if w < 0 || w >= int64(n) {
			r.fail("neighbour %d: the vertices of this graph are 0 to %d", w, n-1)
			return
		}
		ascending = ascending && w > previous
		previous = w
		if w != int64(v) {
			r.col = append(r.col, first+int32(w))
		}
	}
	if !ascending {
		row := r.col[start:]
		slices.Sort(row)
		r.col = r.col[:start+len(slices.Compact(row))]
	}
	if r.arcs+len(r.col) > math.MaxInt32/2 {
		r.fail("more than %d arcs", math.MaxInt32/2)
		return
	}
	r.rowPtr = append(r.rowPtr, int32(r.arcs+len(r.col)))
	before := len(r.attributes)
	for r.err == nil && r.more() {
		r.attributes = append(r.attributes, r.real())
	}
	found := len(r.attributes) - before
	if r.width < 0 {
		r.width = found
	}
	if found != r.width {
		r.fail("%d values after the neighbours, the first vertex has %d", found, r.width)
	}
}

// batch returns the rows as a batch. They ascend without repetition and self loops already; where
// some reverse arcs are missing, the general construction adds them.
func (r *textReader) batch() (*graph.Batch, error) {
	col := slices.Concat(r.blocks...)
	if symmetric(r.rowPtr, col) {
		return &graph.Batch{Offsets: r.offsets, RowPtr: r.rowPtr, Col: col}, nil
	}
	arcs := graph.ArcList{From: make([]int32, len(col)), To: col}
	for u := range len(r.rowPtr) - 1 {
		for a := r.rowPtr[u]; a < r.rowPtr[u+1]; a++ {
			arcs.From[a] = int32(u)
		}
	}
	return graph.FromArcs(r.offsets, arcs, graph.BuildOptions{})
}

// symmetric reports whether the reverse of every arc is present, given ascending rows. Going through
// the tails in order, the reverse arcs of every row come up in order too.
func symmetric(rowPtr, col []int32) bool {
	next := make([]int32, len(rowPtr)-1)
	copy(next, rowPtr)
	for u := range next {
		for _, v := range col[rowPtr[u]:rowPtr[u+1]] {
			at := next[v]
			if at == rowPtr[v+1] || col[at] != int32(u) {
				return false
			}
			next[v]++
		}
	}
	return true
}
