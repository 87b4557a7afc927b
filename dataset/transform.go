package dataset

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// WithBatch returns the data set with b, which must hold the same vertices in the same graphs, in place
// of its batch. It serves to put transformed labels or attributes into a data set.
func (d *Dataset) WithBatch(b *graph.Batch) *Dataset {
	changed := *d
	changed.Batch = b
	if b.AttributeDim != d.Batch.AttributeDim {
		changed.Missing, changed.AttributeNames = nil, nil
	}
	return &changed
}

// MissingAsNaN returns the data set with NaN for every attribute that its file left empty, for models that treat
// missing values in their own way. The data set itself holds the mean of the column there.
func (d *Dataset) MissingAsNaN() *Dataset {
	if len(d.Missing) == 0 {
		return d
	}
	b := *d.Batch
	b.Attributes = slices.Clone(b.Attributes)
	for _, p := range d.Missing {
		b.Attributes[p] = math.NaN()
	}
	return d.WithBatch(&b)
}

// DegreesAsLabels returns the data set with the degree of every vertex as its label, in place of the
// labels it had: one label for every distinct degree that occurs anywhere in the data set, ascending
// (docs/conventions.md, 13).
func (d *Dataset) DegreesAsLabels() *Dataset {
	codes := make([]int64, d.Batch.NumVertices())
	for v := range codes {
		codes[v] = int64(d.Batch.Degree(int32(v)))
	}
	ids, distinct := enumerate(codes)
	b := *d.Batch
	b.Labels, b.NumLabels = ids, len(distinct)
	labelled := d.WithBatch(&b)
	labelled.LabelCodes, labelled.LabelNames = codeNames(distinct), codeNames(distinct)
	return labelled
}

// AlignLabels returns the data set with label ids numbered as in codes, the LabelCodes of the data set
// that a model was fitted on, so that ids mean the same in both, whatever their names. Codes that are not
// among them are returned as unknown; they all get the id len(codes), one beyond the known ones, and
// NumLabels is then len(codes)+1. A label that d does not know is named by its code.
func (d *Dataset) AlignLabels(codes []string) (aligned *Dataset, unknown []string) {
	if d.Batch.Labels == nil {
		return d, nil
	}
	b := *d.Batch
	b.NumLabels = len(codes)
	names := slices.Clone(codes)
	idOf := make([]int32, len(d.LabelCodes))
	for id, code := range d.LabelCodes {
		known := slices.Index(codes, code)
		if known < 0 {
			unknown = append(unknown, code)
			known = len(codes)
			b.NumLabels = len(codes) + 1
		} else {
			names[known] = d.LabelNames[id]
		}
		idOf[id] = int32(known)
	}
	b.Labels = make([]int32, len(d.Batch.Labels))
	for v, id := range d.Batch.Labels {
		b.Labels[v] = idOf[id]
	}
	aligned = d.WithBatch(&b)
	aligned.LabelCodes, aligned.LabelNames = slices.Clone(codes), names
	if len(unknown) > 0 {
		aligned.LabelCodes = append(aligned.LabelCodes, "unknown")
		aligned.LabelNames = append(aligned.LabelNames, "unknown")
	}
	return aligned, unknown
}

// AppendLabels returns the batch with the one-hot labels appended to the attributes of every vertex, of
// width AttributeDim + NumLabels (docs/conventions.md, 13). The labels are kept.
func AppendLabels(b *graph.Batch) *graph.Batch {
	appended := *b
	width := b.AttributeDim + b.NumLabels
	appended.Attributes, appended.AttributeDim = make([]float64, b.NumVertices()*width), width
	for v := range b.NumVertices() {
		row := appended.Attributes[v*width : (v+1)*width]
		copy(row, b.Attribute(int32(v)))
		if b.Labels != nil {
			row[b.AttributeDim+int(b.Labels[v])] = 1
		}
	}
	return &appended
}
