package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/grove-graph/grove/graph"
)

// Shards is a data set on disk whose graphs are read when they are asked for. In memory are 12 bytes of
// each graph, and its targets. It may be used by several goroutines at once.
type Shards struct {
	dir     string
	head    shardHead
	files   []*os.File
	first   []int   // graph that each file begins with, and the number of all
	starts  []int64 // of the records of each graph within its file
	lengths []int32
	classes []int
	targets []float64
	digest  string
	piece   int // bytes of the records that are looked at together
}

// OpenShards opens a store that [WriteShards] or a [ShardWriter] has made. Close it when it is no longer
// needed.
func OpenShards(dir string) (s *Shards, err error) { return OpenShardsRange(dir, 0, math.MaxInt) }

// OpenShardsRange is [OpenShards] for the graphs of the store from one to the one before another, which are numbered
// from 0 then; of the files it reads those with some of them. A range that ends behind the store ends with it.
func OpenShardsRange(dir string, from, to int) (s *Shards, err error) {
	err = asOne(dir, func() error {
		if s != nil {
			_ = s.Close()
		}
		s, err = readHead(dir, from, to)
		return err
	})
	return s, err
}

// readHead reads all of a store but its graphs.
func readHead(dir string, from, to int) (*Shards, error) {
	path := filepath.Join(dir, shardIndex)
	err := regular(os.Stat(path))
	var raw []byte
	if err == nil {
		raw, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: no store of shards: %w", dir, plainError(err))
	}
	s := &Shards{dir: dir, piece: pieceBytes}
	if err := json.Unmarshal(raw, &s.head); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := s.head.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	sum := sha256.Sum256(raw)
	s.digest = hex.EncodeToString(sum[:])
	all, before := 0, 0 // graphs, and those before the first file that is read
	for _, f := range s.head.Files {
		begin := all
		all += f.Graphs
		switch {
		case all <= from:
			before = all
			continue
		case begin >= to:
			continue
		}
		if err := s.open(f); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Join(dir, f.Name), plainError(err)), s.Close())
		}
	}
	if from < 0 || from > min(to, all) {
		return nil, errors.Join(fmt.Errorf("%s: graphs %d to %d of %d", dir, from, to, all), s.Close())
	}
	s.first = append(s.first, len(s.starts))
	s.cut(from-before, min(to, all)-before)
	return s, nil
}

// cut leaves graphs from one to the one before another, of those that were read. Graphs in front of a file may be left
// out: it begins with a negative number then.
func (s *Shards) cut(from, to int) {
	s.starts, s.lengths = s.starts[from:to], s.lengths[from:to]
	if s.classes != nil {
		s.classes = s.classes[from:to]
	}
	if columns := len(s.head.TargetNames); s.targets != nil {
		s.targets = s.targets[from*columns : to*columns]
	}
	for f := range s.first {
		s.first[f] -= from
	}
}

// check reports a head that no store has.
func (h *shardHead) check() error {
	switch {
	case h.Version != shardVersion:
		return fmt.Errorf("store of format version %d, this program reads version %d", h.Version, shardVersion)
	case h.Task != GraphClassification && h.Task != GraphRegression:
		return fmt.Errorf("a store of %s", h.Task)
	case h.Attributes < 0 || h.Attributes > maxAttributes || len(h.LabelNames) != len(h.LabelCodes):
		return fmt.Errorf("%d attributes, %d label codes and %d names", h.Attributes, len(h.LabelCodes),
			len(h.LabelNames))
	case h.Task == GraphRegression && len(h.TargetNames) == 0:
		return errors.New("a regression without targets")
	}
	if err := checkAttributeNames(h.Names, h.Attributes); err != nil {
		return err
	}
	for _, f := range h.Files {
		if f.Name != filepath.Base(f.Name) || f.Graphs < 1 || f.Bytes < 8 {
			return fmt.Errorf("file %q of %d graphs and %d bytes", f.Name, f.Graphs, f.Bytes)
		}
	}
	return nil
}

// open reads the end of a file: where its records are, and the classes and targets.
func (s *Shards) open(f shardFile) error {
	path := filepath.Join(s.dir, f.Name)
	if err := regular(os.Stat(path)); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	s.files, s.first = append(s.files, file), append(s.first, len(s.starts))
	info, err := file.Stat()
	if err != nil {
		return err
	}
	columns := len(s.head.TargetNames) // a classification may have targets too
	row := int64(8 + 8*columns)
	if info.Size() != f.Bytes || int64(f.Graphs) > (f.Bytes-8)/row {
		return fmt.Errorf("%d bytes of %d graphs, want %d bytes", info.Size(), f.Graphs, f.Bytes)
	}
	footer := make([]byte, int64(f.Graphs)*row+8)
	if _, err := file.ReadAt(footer, f.Bytes-int64(len(footer))); err != nil {
		return err
	}
	rows, end := footer[:len(footer)-8], footer[len(footer)-8:]
	if crc32.Checksum(rows, castagnoli()) != binary.LittleEndian.Uint32(end) ||
		binary.LittleEndian.Uint32(end[4:]) != uint32(f.Graphs) {
		return errChecksum
	}
	at := int64(0)
	s.starts, s.lengths = slices.Grow(s.starts, f.Graphs), slices.Grow(s.lengths, f.Graphs)
	s.targets = slices.Grow(s.targets, f.Graphs*columns)
	if s.head.ClassNames != nil {
		s.classes = slices.Grow(s.classes, f.Graphs)
	}
	for ; len(rows) > 0; rows = rows[row:] {
		length, class := binary.LittleEndian.Uint32(rows), int32(binary.LittleEndian.Uint32(rows[4:]))
		if length > math.MaxInt32 || s.head.Task == GraphClassification && s.head.ClassNames != nil &&
			(class < -1 || int(class) >= len(s.head.ClassNames)) {
			return errRecord
		}
		s.starts, s.lengths = append(s.starts, at), append(s.lengths, int32(length))
		at += int64(length)
		if s.head.ClassNames != nil {
			s.classes = append(s.classes, int(class))
		}
		for k := range columns {
			s.targets = append(s.targets, math.Float64frombits(binary.LittleEndian.Uint64(rows[8+8*k:])))
		}
	}
	if at != f.Bytes-int64(len(footer)) {
		return errRecord
	}
	return nil
}

// NumGraphs returns the number of graphs.
func (s *Shards) NumGraphs() int { return len(s.starts) }

// HasVertices reports whether any graph has vertices.
func (s *Shards) HasVertices() bool {
	return slices.ContainsFunc(s.lengths, func(n int32) bool { return n > emptyRecord })
}

// Digest returns a checksum that differs between stores of different content.
func (s *Shards) Digest() string { return s.digest }

// Head returns the data set without its graphs, but with the classes and targets of all of them.
func (s *Shards) Head() *Dataset {
	d := s.empty()
	d.Classes, d.Targets = s.classes, s.targets
	return d
}

// empty returns the data set of no graphs.
func (s *Shards) empty() *Dataset {
	h := &s.head
	b := &graph.Batch{
		Offsets: []int32{0}, RowPtr: []int32{0}, Col: []int32{}, Directed: h.Directed, AttributeDim: h.Attributes,
	}
	if h.Labels {
		b.Labels, b.NumLabels = []int32{}, len(h.LabelCodes)
	}
	if h.Attributes > 0 {
		b.Attributes = []float64{}
	}
	if h.ArcLabels {
		b.ArcLabels = []int32{}
	}
	if h.ArcWeights {
		b.ArcWeights = []float64{}
	}
	if h.ArcTypes {
		b.ArcTypes = []int32{}
	}
	return &Dataset{
		Name: h.Name, Task: h.Task, Batch: b, ClassNames: h.ClassNames, TargetNames: h.TargetNames,
		TargetClasses: h.TargetClasses,
		LabelCodes:    h.LabelCodes, LabelNames: h.LabelNames, ArcLabelNames: h.ArcLabelNames,
		AttributeNames: h.Names,
	}
}

// Select reads the given graphs, in the given order, with their classes and targets; a graph may repeat.
// It is what [Dataset.Select] returns for the whole data set.
func (s *Shards) Select(graphs []int) (*Dataset, error) {
	for _, g := range graphs {
		if g < 0 || g >= s.NumGraphs() {
			return nil, fmt.Errorf("%s: graph %d of %d", s.dir, g, s.NumGraphs())
		}
	}
	d := s.empty()
	var buffer []byte
	for len(graphs) > 0 {
		n := s.together(graphs)
		err := s.read(d, graphs[0], n, &buffer)
		if err != nil {
			return nil, err
		}
		graphs = graphs[n:]
	}
	return d, nil
}

// readBytes bounds the records that are read at once.
const readBytes = 1 << 20

// together returns how many of the given graphs, at least the first, follow each other in a file, to be read at once.
func (s *Shards) together(graphs []int) int {
	f := s.fileOf(graphs[0])
	n, bytes := 1, int(s.lengths[graphs[0]])
	for ; n < len(graphs) && graphs[n] == graphs[n-1]+1 && graphs[n] < s.first[f+1]; n++ {
		if bytes += int(s.lengths[graphs[n]]); bytes > readBytes {
			break
		}
	}
	return n
}

// fileOf returns the file that a graph is in.
func (s *Shards) fileOf(g int) int { return sort.SearchInts(s.first, g+1) - 1 }

// read appends n graphs that follow each other in a file.
func (s *Shards) read(d *Dataset, g, n int, buffer *[]byte) error {
	f, bytes := s.fileOf(g), int64(0)
	for _, length := range s.lengths[g : g+n] {
		bytes += int64(length)
	}
	if int64(cap(*buffer)) < bytes {
		*buffer = make([]byte, bytes)
	}
	raw := (*buffer)[:bytes]
	if _, err := s.files[f].ReadAt(raw, s.starts[g]); err != nil {
		return fmt.Errorf("%s: graph %d: %w", s.files[f].Name(), g-s.first[f], plainError(err))
	}
	columns := len(d.TargetNames)
	for ; n > 0; g, n = g+1, n-1 {
		if err := s.head.decode(d.Batch, raw[:s.lengths[g]]); err != nil {
			return fmt.Errorf("%s: graph %d: %w", s.files[f].Name(), g-s.first[f], err)
		}
		raw = raw[s.lengths[g]:]
		if s.classes != nil {
			d.Classes = append(d.Classes, s.classes[g])
		}
		if s.targets != nil {
			d.Targets = append(d.Targets, s.targets[g*columns:(g+1)*columns]...)
		}
	}
	return nil
}

// Close closes the files.
func (s *Shards) Close() error {
	var all error
	for _, f := range s.files {
		all = errors.Join(all, f.Close())
	}
	s.files = nil
	return all
}
