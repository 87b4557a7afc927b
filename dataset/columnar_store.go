package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/grove-graph/grove/columnar"
)

// columnarStore is a columnar file whose graphs stay on disk: some rows of it are in memory at a time. The codes that
// occur, the means of attributes and what is known of each graph are found out in a pass of their own.
type columnarStore struct {
	in     *io.SectionReader
	file   io.Closer
	path   string
	name   string
	how    Molecules
	layout *columnLayout
	codes  *columnarCodes
	means  columnMeans
	head   *Dataset // without graphs
	graphs int
	filled bool // whether any graph has vertices

	elements, bonds []int64 // of molecules, those that occur

	mu     sync.Mutex
	cursor *columnarCursor // nil before the first one, and after the last one
}

// columnarOf opens a columnar file, and finds out what its columns are for. It returns nil for what has to be read as a
// whole: a file that is compressed as such, and a task on vertices.
func columnarOf(p located, how Molecules) (*columnarStore, error) {
	name := p.file
	if found := p.format.files(p.folder); name == "" && len(found) == 1 {
		name = found[0]
	}
	if name == "" || strings.HasSuffix(name, ".gz") {
		return nil, nil
	}
	path := p.folder.path(name)
	wrong := func(err error) (*columnarStore, error) { return nil, fmt.Errorf("%s: %w", path, plainError(err)) }
	if err := regular(fs.Stat(p.folder.files, name)); err != nil {
		return wrong(err)
	}
	file, err := os.Open(path)
	if err != nil {
		return wrong(err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return wrong(err)
	}
	s := &columnarStore{
		in: io.NewSectionReader(file, 0, info.Size()), file: file, path: path, name: stem(name), how: how,
	}
	if err := s.layOut(); err != nil || s.layout.perVertex() {
		_ = file.Close()
		return nil, err
	}
	return s, nil
}

// layOut finds out what the columns are for.
func (s *columnarStore) layOut() error {
	rows, err := s.open()
	if err != nil {
		return err
	}
	defer rows.Close()
	s.layout, err = columnsOf(rows, s.path, s.how)
	return err
}

// open begins a pass over the file.
func (s *columnarStore) open() (*columnar.Reader, error) {
	rows, err := columnar.NewReader(io.NewSectionReader(s.in, 0, s.in.Size()))
	return rows, inFile(s.path, err)
}

// scan goes through the file for what all pieces share.
func (s *columnarStore) scan() error {
	rows, err := s.open()
	if err != nil {
		return err
	}
	defer rows.Close()
	s.codes = newCodes(s.layout)
	known, width, kept := newGraphRows(s.layout, s.codes), -1, []int(nil)
	var skipped []string
	if err := eachBatch(rows, s.path, func(batch arrow.RecordBatch) error {
		r := newGraphRows(s.layout, s.codes)
		r.row, r.width = known.row, width
		if s.layout.molecules >= 0 {
			m := &gatherer{how: s.how}
			some, err := r.addMolecules(m, batch, s.path)
			if err != nil {
				return err
			}
			kept, skipped = append(kept, some...), append(skipped, m.skipped...)
			s.elements, s.bonds = distinct(append(m.labels, s.elements...)), distinct(append(m.orders, s.bonds...))
			s.graphs, s.filled = s.graphs+len(some), s.filled || len(m.atoms) > 0
		} else {
			if err := r.addGraphs(batch, r.sizes(batch)); err != nil {
				return inFile(s.path, err)
			}
			width = r.width
			d, err := r.graphs(s.name)
			if err != nil {
				return inFile(s.path, err)
			}
			s.means.add(d.Batch)
			s.graphs, s.filled = s.graphs+d.NumGraphs(), s.filled || d.Batch.NumVertices() > 0
		}
		return inFile(s.path, known.addKnown(batch, make([]int, batch.NumRows())))
	}); err != nil {
		return err
	}
	if s.graphs == 0 {
		return inFile(s.path, errors.New("no rows"))
	}
	if s.layout.molecules >= 0 {
		known.keep(kept)
	}
	return inFile(s.path, s.know(known, width, skipped))
}

// distinct returns the codes that occur, ascending; never nil.
func distinct(codes []int64) []int64 {
	slices.Sort(codes)
	return append([]int64{}, slices.Compact(codes)...)
}

// know makes the head of what is known of all graphs.
func (s *columnarStore) know(known *graphRows, width int, skipped []string) error {
	nothing := newGraphRows(s.layout, s.codes)
	nothing.width = width
	d, err := s.set(nothing, &gatherer{})
	if err != nil {
		return err
	}
	none := d.Batch.Offsets
	d.Batch.Offsets = make([]int32, s.graphs+1) // what is known is of so many
	if err := known.know(d); err != nil {
		return err
	}
	d.Batch.Offsets, d.Skipped = none, skipped
	d.Notes = append(d.Notes, s.means.notes()...)
	s.head = d
	return known.split(d)
}

// set returns what was gathered, of molecules or not, as graphs that know nothing of what is to be predicted.
func (s *columnarStore) set(r *graphRows, m *gatherer) (*Dataset, error) {
	if s.layout.molecules >= 0 {
		m.how, m.elements, m.bonds = s.how, s.elements, s.bonds
		d, err := m.set(s.name, s.path)
		if err == nil && d.Batch.AttributeDim > 0 && d.Batch.Attributes == nil {
			d.Batch.Attributes = []float64{}
		}
		return d, err
	}
	d, err := r.graphs(s.name)
	if err == nil {
		s.means.fill(d)
	}
	return d, err
}

// columnarCursor is a pass over a columnar store.
type columnarCursor struct {
	store *columnarStore
	rows  *columnar.Reader
	row   int      // of the file, the first of the next piece
	width int      // of a vertex
	first int      // graph of the piece
	piece *Dataset // the graphs of the rows that were read last; nil before the first ones
}

// pass begins a pass over the graphs.
func (s *columnarStore) pass() (*columnarCursor, error) {
	rows, err := s.open()
	if err != nil {
		return nil, err
	}
	return &columnarCursor{store: s, rows: rows, width: -1}, nil
}

// next reads on to the next piece that has graphs, to [io.EOF] after the last one.
func (c *columnarCursor) next() error {
	for {
		if err := c.read(); err != nil || c.piece.NumGraphs() > 0 {
			return err
		}
	}
}

// read makes a piece of the next rows.
func (c *columnarCursor) read() error {
	batch, err := c.rows.Next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return inFile(c.store.path, err)
	}
	s := c.store
	r, m := newGraphRows(s.layout, s.codes), &gatherer{how: s.how}
	r.row, r.width = c.row, c.width
	c.row += int(batch.NumRows())
	if s.layout.molecules >= 0 {
		kept, err := r.addMolecules(m, batch, s.path)
		if err != nil {
			return err
		}
		r.addNames(batch, make([]int, batch.NumRows()))
		for i, row := range kept {
			kept[i] = row - r.row
		}
		r.keepNames(kept)
	} else {
		sizes := r.sizes(batch)
		if err := r.addGraphs(batch, sizes); err != nil {
			return inFile(s.path, err)
		}
		r.addNames(batch, sizes)
	}
	d, err := s.set(r, m)
	if err != nil {
		return inFile(s.path, err)
	}
	d.GraphIDs, d.VertexIDs = r.names, r.vertexNames
	if c.piece != nil {
		c.first += c.piece.NumGraphs()
	}
	c.piece, c.width = d, r.width
	return s.tell(d, c.first)
}

// tell says what is known of the graphs of a piece.
func (s *columnarStore) tell(d *Dataset, first int) error {
	h, n := s.head, first+d.NumGraphs()
	if n > s.graphs || len(d.LabelCodes) != len(h.LabelCodes) || len(d.ArcLabelNames) != len(h.ArcLabelNames) {
		return inFile(s.path, errors.New("the file has changed while it was read"))
	}
	d.Task, d.Target, d.ClassNames, d.TargetNames, d.TargetClasses = h.Task, h.Target, h.ClassNames, h.TargetNames,
		h.TargetClasses
	if h.Classes != nil {
		d.Classes = h.Classes[first:n:n]
	}
	if columns := len(h.TargetNames); h.Targets != nil {
		d.Targets = h.Targets[first*columns : n*columns : n*columns]
	}
	return nil
}

// NumGraphs implements [Stream].
func (s *columnarStore) NumGraphs() int { return s.graphs }

// HasVertices implements [Store].
func (s *columnarStore) HasVertices() bool { return s.filled }

// Head implements [Store].
func (s *columnarStore) Head() *Dataset {
	d, b := *s.head, *s.head.Batch
	d.Batch = &b
	return &d
}

// Close implements [Store].
func (s *columnarStore) Close() error {
	if s.cursor != nil {
		s.cursor.rows.Close()
		s.cursor = nil
	}
	return s.file.Close()
}

// Each implements [Stream].
func (s *columnarStore) Each(visit func(*Dataset) error) error {
	c, err := s.pass()
	if err != nil {
		return err
	}
	defer c.rows.Close()
	for {
		switch err := c.next(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := visit(c.piece); err != nil {
			return err
		}
	}
}

// EachOf implements [Store]. The file is read again for each few thousand graphs that do not ascend.
func (s *columnarStore) EachOf(graphs []int, visit func(*Dataset) error) error {
	if graphs == nil {
		return s.Each(visit)
	}
	const together = 1 << 12 // graphs
	for some := range slices.Chunk(graphs, together) {
		d, err := s.Select(some)
		if err != nil {
			return err
		}
		if err := visit(d); err != nil {
			return err
		}
	}
	return nil
}

// Select implements [Store]. Reading goes on from where it stopped before, if all of the graphs stand behind it, and
// begins anew otherwise.
func (s *columnarStore) Select(graphs []int) (*Dataset, error) {
	ascending := graphs
	if !slices.IsSorted(graphs) {
		ascending = slices.Compact(slices.Sorted(slices.Values(graphs)))
	}
	d, err := s.inOrder(ascending)
	if err != nil || slices.IsSorted(graphs) {
		return d, err
	}
	order := make([]int, len(graphs))
	for i, g := range graphs {
		order[i], _ = slices.BinarySearch(ascending, g)
	}
	return d.Select(order), nil
}

// inOrder reads graphs that ascend.
func (s *columnarStore) inOrder(graphs []int) (*Dataset, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.Head().empty()
	for len(graphs) > 0 {
		if err := s.seek(graphs[0]); err != nil {
			return nil, err
		}
		c, n := s.cursor, 0
		here := make([]int, 0, len(graphs))
		for ; n < len(graphs) && graphs[n] < c.first+c.piece.NumGraphs(); n++ {
			here = append(here, graphs[n]-c.first)
		}
		if err := d.extend(c.piece.Select(here)); err != nil {
			return nil, inFile(s.path, err)
		}
		graphs = graphs[n:]
	}
	return d, nil
}

// seek moves the cursor to the piece with a graph.
func (s *columnarStore) seek(g int) error {
	if g < 0 || g >= s.graphs {
		return fmt.Errorf("%s: graph %d of %d", s.path, g, s.graphs)
	}
	c := s.cursor
	if c != nil && c.piece != nil && g < c.first {
		c.rows.Close()
		c = nil
	}
	if c == nil {
		var err error
		if c, err = s.pass(); err != nil {
			return err
		}
		s.cursor = c
	}
	for c.piece == nil || g >= c.first+c.piece.NumGraphs() {
		if err := c.next(); err != nil {
			c.rows.Close()
			s.cursor = nil
			if err == io.EOF {
				return inFile(s.path, errors.New("the file has changed while it was read"))
			}
			return err
		}
	}
	return nil
}
