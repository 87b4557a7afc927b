package dataset

import (
	"slices"
)

// AlignArcLabels returns the data set with arc label ids numbered as in codes, the ArcLabelNames of the data
// set that a model was fitted on, so that ids mean the same in both. Codes that are not among them are
// returned as unknown; they all get the id len(codes), one beyond the known ones.
func (d *Dataset) AlignArcLabels(codes []string) (aligned *Dataset, unknown []string) {
	if d.Batch.ArcLabels == nil {
		return d, nil
	}
	idOf := make([]int32, len(d.ArcLabelNames))
	for id, code := range d.ArcLabelNames {
		known := slices.Index(codes, code)
		if known < 0 {
			unknown = append(unknown, code)
			known = len(codes)
		}
		idOf[id] = int32(known)
	}
	b := *d.Batch
	b.ArcLabels = make([]int32, len(d.Batch.ArcLabels))
	for a, id := range d.Batch.ArcLabels {
		b.ArcLabels[a] = idOf[id]
	}
	aligned = d.WithBatch(&b)
	aligned.ArcLabelNames = slices.Clone(codes)
	if len(unknown) > 0 {
		aligned.ArcLabelNames = append(aligned.ArcLabelNames, "unknown")
	}
	return aligned, unknown
}
