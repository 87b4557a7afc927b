package dataset

import "github.com/grove-graph/grove/internal/digest"

// Digest returns a checksum that differs between data sets of different graphs, targets or published splits. What they
// are called and remarks about them do not count.
func (d *Dataset) Digest() string {
	b := d.Batch
	parts := []any{
		b.Offsets, b.RowPtr, b.Col, []bool{b.Directed}, b.Labels, b.Attributes, []int{b.AttributeDim}, b.ArcLabels,
		b.ArcWeights, b.ArcTypes, []int{int(d.Task)}, d.Classes, d.VertexClasses, d.EdgeClasses, d.ClassNames, d.Targets,
		d.TargetNames, d.LabelCodes, d.ArcLabelNames, d.Missing,
	}
	for _, names := range d.TargetClasses {
		parts = append(parts, names)
	}
	for _, s := range d.Splits {
		parts = append(parts, s.Train, s.Validation, s.Test)
	}
	return digest.Of(parts...)
}
