package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// encode appends the record of graph g of d: the number of its vertices and of its arcs, the degrees of the
// vertices, the heads of the arcs counted within the graph, then as far as the data set has them the labels
// and attributes of the vertices and the labels, weights and types of the arcs; at the end the CRC-32C of
// all of it. Counts and ids have 4 bytes, attributes and weights 8.
func (h *shardHead) encode(out *bytes.Buffer, d *Dataset, g int) {
	b := d.Batch
	from, to := b.Vertices(g)
	lo, hi := b.RowPtr[from], b.RowPtr[to]
	raw := binary.LittleEndian.AppendUint32(nil, uint32(to-from))
	raw = binary.LittleEndian.AppendUint32(raw, uint32(hi-lo))
	for u := from; u < to; u++ {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(b.Degree(u)))
	}
	for _, v := range b.Col[lo:hi] {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(v-from))
	}
	if h.Labels {
		raw = appendIDs(raw, b.Labels[from:to])
	}
	raw = appendFloats(raw, b.Attributes[int(from)*b.AttributeDim:int(to)*b.AttributeDim])
	if h.ArcLabels {
		raw = appendIDs(raw, b.ArcLabels[lo:hi])
	}
	if h.ArcWeights {
		raw = appendFloats(raw, b.ArcWeights[lo:hi])
	}
	if h.ArcTypes {
		raw = appendIDs(raw, b.ArcTypes[lo:hi])
	}
	out.Write(sealed(raw))
}

// sealed returns the body of a record with its checksum.
func sealed(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(slices.Clip(body), crc32.Checksum(body, castagnoli()))
}

func appendIDs(raw []byte, ids []int32) []byte {
	for _, id := range ids {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(id))
	}
	return raw
}

func appendFloats(raw []byte, values []float64) []byte {
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return raw
}

var (
	errChecksum = errors.New("the checksum does not fit")
	errRecord   = errors.New("the record is damaged")
)

// emptyRecord is the size of the record of a graph without vertices: two counts and the checksum.
const emptyRecord = 12

// record is the data of a graph that are being read.
type record struct {
	raw []byte
	bad bool
}

// ids takes n numbers from 0 to limit-1.
func (r *record) ids(n, limit int) []int32 {
	if r.bad || n < 0 || n > len(r.raw)/4 {
		r.bad = true
		return nil
	}
	out := make([]int32, n)
	for i := range out {
		v := binary.LittleEndian.Uint32(r.raw[4*i:])
		r.bad = r.bad || uint64(v) >= uint64(limit)
		out[i] = int32(v)
	}
	r.raw = r.raw[4*n:]
	return out
}

func (r *record) floats(n int) []float64 {
	if r.bad || n < 0 || n > len(r.raw)/8 {
		r.bad = true
		return nil
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.raw[8*i:]))
	}
	r.raw = r.raw[8*n:]
	return out
}

// decode appends the graph of a record to a batch.
func (h *shardHead) decode(b *graph.Batch, raw []byte) error {
	if len(raw) < emptyRecord {
		return errRecord
	}
	body := raw[:len(raw)-4]
	if crc32.Checksum(body, castagnoli()) != binary.LittleEndian.Uint32(raw[len(body):]) {
		return errChecksum
	}
	r := &record{raw: body}
	counts := r.ids(2, math.MaxInt32)
	n, m := int(counts[0]), int(counts[1])
	degrees := r.ids(n, m+1)
	heads := r.ids(m, n)
	first, firstArc := int32(b.NumVertices()), int32(b.NumArcs())
	if r.bad || int(first)+n > math.MaxInt32 || int(firstArc)+m > math.MaxInt32 {
		return errRecord
	}
	total := 0
	for _, degree := range degrees {
		if int(degree) > m-total || !slices.IsSorted(heads[total:total+int(degree)]) {
			return errRecord
		}
		total += int(degree)
		b.RowPtr = append(b.RowPtr, firstArc+int32(total))
	}
	if total != m {
		return errRecord
	}
	for _, v := range heads {
		b.Col = append(b.Col, first+v)
	}
	if h.Labels {
		b.Labels = append(b.Labels, r.ids(n, len(h.LabelCodes))...)
	}
	if h.Attributes > 0 {
		if n > math.MaxInt32/h.Attributes {
			return errRecord
		}
		b.Attributes = append(b.Attributes, r.floats(n*h.Attributes)...)
	}
	if h.ArcLabels {
		b.ArcLabels = append(b.ArcLabels, r.ids(m, len(h.ArcLabelNames))...)
	}
	if h.ArcWeights {
		b.ArcWeights = append(b.ArcWeights, r.floats(m)...)
	}
	if h.ArcTypes {
		b.ArcTypes = append(b.ArcTypes, r.ids(m, math.MaxInt32)...)
	}
	if r.bad || len(r.raw) > 0 {
		return errRecord
	}
	b.Offsets = append(b.Offsets, first+int32(n))
	return nil
}
