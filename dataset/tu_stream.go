package dataset

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/grove-graph/grove/graph"
)

// tuStream is a folder in TU format of which a piece is in memory at a time: its files are read side by side. What is
// known of each graph, its class, targets and size, is held for all of them.
type tuStream struct {
	*tuReader
	labels, arcLabels []int64 // codes that occur, ascending; nil where there are none
	columns           int     // of the attributes of a vertex
	weights           bool    // whether the arcs have weights
	notes             []string
}

// openTUStream goes through the files once for what all pieces share. It returns nil where the arcs do not stand graph
// by graph, so that no piece is known before the end of the file.
func openTUStream(f folder) (*tuStream, error) {
	name, err := tuName(f)
	if err != nil {
		return nil, err
	}
	s := &tuStream{tuReader: &tuReader{folder: f, name: name, set: &Dataset{Name: name}}}
	for _, step := range []func() error{s.readGraphs, s.readIndicator} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	arcs, grouped, err := s.scanArcs()
	if !grouped || err != nil {
		return nil, err
	}
	return s, errors.Join(s.scanVertices(), s.scanArcData(arcs))
}

// scanArcs counts the arcs and reports whether they stand graph by graph.
func (s *tuStream) scanArcs() (arcs int, grouped bool, err error) {
	n, g, loops := int64(s.vertices), 0, 0
	grouped = true
	arcs, _, err = s.readRows("A", func(l *lines) {
		u, v := l.arc(n)
		if l.err != nil {
			return
		}
		if u == v {
			loops++
		}
		for int64(s.offsets[g+1]) <= u {
			g++
		}
		grouped = grouped && u >= int64(s.offsets[g])
	})
	if loops > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d self loops were dropped", loops))
	}
	return arcs, grouped, err
}

// scanVertices finds out what is known of the vertices.
func (s *tuStream) scanVertices() (err error) {
	if s.has("node_labels") {
		if s.labels, err = s.scanCodes("node_labels", s.vertices, "graph_indicator"); err != nil {
			return err
		}
		if err := s.nameLabels(s.labels); err != nil {
			return err
		}
	}
	if s.has("node_attributes") {
		s.columns, err = s.scanMatrix("node_attributes", s.vertices, "graph_indicator")
	}
	return err
}

// scanArcData finds out what is known of so many arcs.
func (s *tuStream) scanArcData(arcs int) (err error) {
	if s.has("edge_labels") {
		if s.arcLabels, err = s.scanCodes("edge_labels", arcs, "A"); err != nil {
			return err
		}
		s.set.ArcLabelNames = codeNames(s.arcLabels)
	}
	if s.has("edge_attributes") {
		columns, err := s.scanMatrix("edge_attributes", arcs, "A")
		if err != nil {
			return err
		}
		if s.weights = columns == 1; columns > 1 {
			s.note(manyWeights, s.file("edge_attributes"), columns)
		}
	}
	return nil
}

// scanCodes returns the codes that occur in a file that has as many lines as another one.
func (s *tuStream) scanCodes(kind string, rows int, other string) ([]int64, error) {
	distinct, last := map[int64]bool{}, int64(0)
	further := false
	found, file, err := s.readRows(kind, func(l *lines) {
		if code := l.integer(); l.number == 1 || code != last {
			distinct[code], last = true, code
		}
		for l.err == nil && l.more() {
			l.integer()
			further = true
		}
	})
	if err != nil {
		return nil, err
	}
	if found != rows {
		return nil, s.wrongRows(file, found, rows, other)
	}
	if further {
		s.note(manyCodes, s.file(kind))
	}
	codes := make([]int64, 0, len(distinct))
	for code := range distinct {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes, nil
}

// scanMatrix returns the number of columns of a file that has as many lines as another one.
func (s *tuStream) scanMatrix(kind string, rows int, other string) (columns int, err error) {
	var row []float64
	found, file, err := s.readRows(kind, func(l *lines) {
		row = l.row(row[:0], &columns)
	})
	if err == nil && found != rows {
		err = s.wrongRows(file, found, rows, other)
	}
	return columns, err
}

// NumGraphs implements [Stream].
func (s *tuStream) NumGraphs() int { return len(s.offsets) - 1 }

// Each implements [Stream].
func (s *tuStream) Each(visit func(*Dataset) error) error {
	p := &tuPieces{tuStream: s, file: map[string]*lines{}}
	defer p.close()
	for _, of := range []struct {
		kind string
		read bool
	}{
		{"A", true}, {"edge_labels", s.arcLabels != nil}, {"edge_attributes", s.weights},
		{"node_labels", s.labels != nil}, {"node_attributes", s.columns > 0},
	} {
		if !of.read {
			continue
		}
		l, err := s.open(s.tuReader.file(of.kind))
		if err != nil {
			return err
		}
		p.file[of.kind] = l
	}
	p.more = p.nextArc()
	graphs := len(s.offsets) - 1
	for from := 0; from < graphs; {
		d, to, err := p.piece(from)
		if err != nil {
			return err
		}
		if to == graphs {
			d.Notes = p.allNotes()
		}
		if err := visit(d); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// tuPieces is one pass over the files.
type tuPieces struct {
	*tuStream
	file         map[string]*lines
	u, v         int64 // the arc that was read last and belongs to no piece yet
	more         bool  // whether there is one
	lines, loops int   // of the list of arcs, as far as it is in pieces
	became       int   // arcs of the pieces
}

func (p *tuPieces) close() {
	for _, l := range p.file {
		l.close()
	}
}

// next moves a file to its next line, which there is unless it has changed.
func (p *tuPieces) next(kind string) *lines {
	l := p.file[kind]
	if !l.next() && l.err == nil {
		l.err = fmt.Errorf("%s: the file has changed while it was read", l.file)
	}
	return l
}

// nextArc reads an arc and reports whether there is one.
func (p *tuPieces) nextArc() bool {
	l := p.file["A"]
	if !l.next() {
		return false
	}
	p.u, p.v = l.arc(int64(p.vertices))
	return l.err == nil
}

// piece reads the graphs from one on, and returns that after the last one.
func (p *tuPieces) piece(from int) (*Dataset, int, error) {
	first := p.offsets[from]
	to := from + sort.Search(len(p.offsets)-1-from, func(i int) bool { return p.offsets[from+1+i]-first > streamed/4 })
	to = max(to, from+1)
	last := p.offsets[to]
	offsets := make([]int32, to-from+1)
	for i := range offsets {
		offsets[i] = p.offsets[from+i] - first
	}
	var arcs graph.ArcList
	var codes []int64
	for before := p.lines; p.more && p.u < int64(last); p.more = p.nextArc() {
		if p.v < int64(first) || p.v >= int64(last) {
			p.file["A"].fail("the vertices %d and %d belong to different graphs", p.u+1, p.v+1)
			break
		}
		arcs.From, arcs.To = append(arcs.From, int32(p.u)-first), append(arcs.To, int32(p.v)-first)
		if p.arcLabels != nil {
			codes = append(codes, p.next("edge_labels").integer())
		}
		if p.weights {
			arcs.Weights = append(arcs.Weights, p.next("edge_attributes").real())
		}
		if p.u == p.v {
			p.loops++
		}
		p.lines = before + len(arcs.From)
	}
	if p.arcLabels != nil {
		arcs.Labels = idsOf(append([]int64{}, codes...), p.arcLabels)
	}
	if p.weights && arcs.Weights == nil {
		arcs.Weights = []float64{}
	}
	d := *p.set
	if err := p.failed(); err != nil {
		return nil, 0, err
	}
	b, err := graph.FromArcs(offsets, arcs, graph.BuildOptions{DropSelfLoops: true})
	if err != nil {
		return nil, 0, p.arcError(err, p.lines-len(arcs.From))
	}
	p.became += b.NumArcs()
	d.Batch = b
	p.vertexData(b)
	if d.Classes != nil {
		d.Classes = d.Classes[from:to:to]
	}
	if columns := len(d.TargetNames); d.Targets != nil {
		d.Targets = d.Targets[from*columns : to*columns : to*columns]
	}
	return &d, to, p.failed()
}

// vertexData reads what is known of the vertices of a piece.
func (p *tuPieces) vertexData(b *graph.Batch) {
	n := b.NumVertices()
	if p.labels != nil {
		codes := make([]int64, n)
		for v := range codes {
			codes[v] = p.next("node_labels").integer()
		}
		b.Labels, b.NumLabels = idsOf(codes, p.labels), len(p.labels)
	}
	if p.columns > 0 {
		b.AttributeDim, b.Attributes = p.columns, make([]float64, 0, n*p.columns)
		for range n {
			b.Attributes = p.next("node_attributes").row(b.Attributes, &p.columns)
		}
	}
}

// failed returns the first error of the files.
func (p *tuPieces) failed() error {
	for _, kind := range tuKinds() {
		if l := p.file[kind]; l != nil && l.err != nil {
			return l.err
		}
	}
	return nil
}

// allNotes returns the notes of [OpenTU].
func (p *tuPieces) allNotes() []string {
	notes := slices.Concat(p.set.Notes, p.notes)
	if given := p.lines - p.loops; given != p.became {
		notes = append(notes, fmt.Sprintf(mergedArcs, given, p.tuReader.file("A"), p.became))
	}
	return notes
}
