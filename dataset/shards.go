package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// A store of shards is a folder that holds the graphs of a data set in files of many graphs each, to be
// read graph by graph in any order: training streams over it with no more of it in memory than a batch.
//
//	shards.json     what is known of the data set beside its graphs, and the list of the files
//	NNNNN.graphs    the records of consecutive graphs, see [shardHead.encode], one after another; then for
//	                each graph the length of its record and its class, and the numbers of its targets; then the
//	                CRC-32C of these and the number of graphs
//
// All numbers are little-endian.
const (
	shardIndex   = "shards.json"
	shardVersion = 1
)

// ShardBytes is the size at which [ShardWriter] begins another file.
const ShardBytes = 64 << 20

// shardHead is the content of shards.json.
type shardHead struct {
	Version       int         `json:"version"`
	Name          string      `json:"name"`
	Task          Task        `json:"task"`
	Directed      bool        `json:"directed"`
	ClassNames    []string    `json:"class_names,omitempty"`
	TargetNames   []string    `json:"target_names,omitempty"`
	TargetClasses [][]string  `json:"target_classes,omitempty"`
	LabelCodes    []string    `json:"label_codes,omitempty"`
	LabelNames    []string    `json:"label_names,omitempty"`
	ArcLabelNames []string    `json:"arc_label_names,omitempty"`
	Attributes    int         `json:"attributes"` // of every vertex
	Names         []string    `json:"attribute_names,omitempty"`
	Labels        bool        `json:"labels"`
	ArcLabels     bool        `json:"arc_labels"`
	ArcWeights    bool        `json:"arc_weights"`
	ArcTypes      bool        `json:"arc_types"`
	Files         []shardFile `json:"files"`
}

// shardFile is one file of a store.
type shardFile struct {
	Name   string `json:"name"`
	Graphs int    `json:"graphs"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// headOf returns the head of a store of d, without files.
func headOf(d *Dataset) shardHead {
	b := d.Batch
	h := shardHead{
		Version: shardVersion, Name: d.Name, Task: d.Task, Directed: b.Directed,
		LabelCodes: d.LabelCodes, LabelNames: d.LabelNames, ArcLabelNames: d.ArcLabelNames, Attributes: b.AttributeDim,
		Names:  d.AttributeNames,
		Labels: b.Labels != nil, ArcLabels: b.ArcLabels != nil, ArcWeights: b.ArcWeights != nil,
		ArcTypes: b.ArcTypes != nil,
	}
	if d.Classes != nil {
		h.ClassNames = d.ClassNames
	}
	if d.Targets != nil {
		h.TargetNames, h.TargetClasses = d.TargetNames, d.TargetClasses
	}
	return h
}

// castagnoli is the table of the CRC-32C.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// shardFiles is what the names of the files with graphs look like.
const shardFiles = "[0-9][0-9][0-9][0-9][0-9].graphs"

// WriteShards stores a data set of a task on graphs in a folder, which is made if need be and must not hold a data
// set yet.
func WriteShards(dir string, d *Dataset) error {
	w, err := NewShardWriter(dir)
	if err != nil {
		return err
	}
	defer w.Discard()
	if err := w.Append(d); err != nil {
		return err
	}
	return w.Close()
}

// writeStore writes a data set as a store.
func writeStore(to *folderWriter, from Stream) error {
	s := &storeWriter{to: to, limit: ShardBytes}
	if err := from.Each(s.append); err != nil {
		return err
	}
	return s.end()
}

// ShardWriter stores a data set piece by piece, for one that does not fit in memory. The store is there
// once Close returns.
type ShardWriter struct {
	storeWriter
	out *Output
}

// NewShardWriter begins a store in a folder, which is made if need be and must not hold a data set yet. Discard
// the writer unless it was closed.
func NewShardWriter(dir string) (*ShardWriter, error) {
	out, err := NewOutput(dir, false)
	if err != nil {
		return nil, err
	}
	return &ShardWriter{storeWriter{to: &folderWriter{folder: out.folder}, limit: ShardBytes}, out}, nil
}

// Append adds the graphs of d. All pieces must be of one data set: with the same task, codes, classes and
// kinds of vertex and arc data.
func (w *ShardWriter) Append(d *Dataset) error { return w.append(d) }

// Close writes what is left and puts the store in place.
func (w *ShardWriter) Close() error {
	defer w.Discard()
	if err := w.end(); err != nil {
		return err
	}
	return w.out.Commit()
}

// Discard gives up a store that was not closed. After [ShardWriter.Close] it does nothing.
func (w *ShardWriter) Discard() { w.out.Discard() }

// storeWriter writes the files of a store.
type storeWriter struct {
	to      *folderWriter
	head    *shardHead // nil before the first piece
	record  bytes.Buffer
	records blocks
	footer  []byte
	graphs  int
	limit   int
}

func (w *storeWriter) append(d *Dataset) error {
	if d.Task.PerVertex() {
		return fmt.Errorf("data set %s: a task on vertices is no set of graphs to stream over", d.Name)
	}
	head := headOf(d)
	if w.head == nil {
		w.head = &head
	}
	if !sameHead(*w.head, head) {
		return fmt.Errorf("data set %s: its classes, labels or attributes are not those of the pieces before it",
			d.Name)
	}
	for g := range d.NumGraphs() {
		w.record.Reset()
		head.encode(&w.record, d, g)
		w.records.append(w.record.Bytes())
		class := int32(-1)
		if d.Classes != nil {
			class = int32(d.Classes[g])
		}
		w.footer = binary.LittleEndian.AppendUint32(w.footer, uint32(w.record.Len()))
		w.footer = binary.LittleEndian.AppendUint32(w.footer, uint32(class))
		if columns := len(d.TargetNames); d.Targets != nil {
			w.footer = appendFloats(w.footer, d.Targets[g*columns:(g+1)*columns])
		}
		w.graphs++
		if w.records.size >= w.limit {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// blocks are bytes in pieces, so that many of them take as much memory as there are.
type blocks struct {
	full [][]byte
	last []byte
	size int
}

// blockSize is the size of a piece.
const blockSize = 1 << 20

func (b *blocks) append(p []byte) {
	for b.size += len(p); len(p) > 0; {
		if len(b.last) == cap(b.last) {
			if b.last != nil {
				b.full = append(b.full, b.last)
			}
			b.last = make([]byte, 0, blockSize)
		}
		n := min(len(p), cap(b.last)-len(b.last))
		b.last, p = append(b.last, p[:n]...), p[n:]
	}
}

func (b *blocks) writeTo(out io.Writer) error {
	for _, p := range append(slices.Clone(b.full), b.last) {
		if _, err := out.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// reset empties the blocks, and keeps one.
func (b *blocks) reset() { *b = blocks{last: b.last[:0]} }

// sameHead compares what pieces must share.
func sameHead(a, b shardHead) bool {
	a.Files, b.Files = nil, nil
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errors.Join(errX, errY) == nil && bytes.Equal(x, y)
}

// flush writes a file of the graphs so far.
func (w *storeWriter) flush() error {
	if w.graphs == 0 {
		return nil
	}
	end := binary.LittleEndian.AppendUint32(slices.Clone(w.footer), crc32.Checksum(w.footer, castagnoli()))
	end = binary.LittleEndian.AppendUint32(end, uint32(w.graphs))
	name := fmt.Sprintf("%05d.graphs", len(w.head.Files))
	sum := sha256.New()
	w.to.raw(name, func(out io.Writer) error {
		out = io.MultiWriter(out, sum)
		if err := w.records.writeTo(out); err != nil {
			return err
		}
		_, err := out.Write(end)
		return err
	})
	if w.to.err != nil {
		return w.to.err
	}
	w.head.Files = append(w.head.Files, shardFile{name, w.graphs, int64(w.records.size + len(end)),
		hex.EncodeToString(sum.Sum(nil))})
	w.records.reset()
	w.footer, w.graphs = w.footer[:0], 0
	return nil
}

// end writes what is left and the list of the files.
func (w *storeWriter) end() error {
	if w.head == nil {
		return errors.New("no graphs to store")
	}
	if err := w.flush(); err != nil {
		return err
	}
	index, err := json.MarshalIndent(w.head, "", "  ")
	if err != nil {
		return err
	}
	w.to.raw(shardIndex, func(out io.Writer) error {
		_, err := out.Write(append(index, '\n'))
		return err
	})
	return w.to.err
}
