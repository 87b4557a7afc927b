package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grove-graph/grove/graph"
)

// Features says what of its data a vertex shows to a model.
type Features string

// The kinds of features. Auto takes labels where there are any, then attributes, then degrees.
const (
	AutoFeatures        Features = "auto"
	LabelFeatures       Features = "labels"
	DegreeFeatures      Features = "degrees"
	AttributeFeatures   Features = "attributes"
	AttributesAndLabels Features = "attributes+labels"
)

var allFeatures = []string{
	string(AutoFeatures), string(LabelFeatures), string(DegreeFeatures), string(AttributeFeatures), string(AttributesAndLabels),
}

// ParseFeatures reads the name of a kind of features.
func ParseFeatures(s string) (Features, error) {
	if !slices.Contains(allFeatures, s) {
		return "", fmt.Errorf("features %q: want one of %s", s, strings.Join(allFeatures, ", "))
	}
	return Features(s), nil
}

// Encoding turns the vertices of any data set into what a model was fitted on: label ids that mean the
// same, and attributes on the same scale. It is part of a model file.
type Encoding struct {
	Features        Features         `json:"features"`
	Labels          []string         `json:"labels,omitempty"`          // code of each label id, see [Dataset].LabelCodes
	Names           []string         `json:"names,omitempty"`           // name of each label id, to show; nil where the codes are the names
	Standardisation *Standardisation `json:"standardisation,omitempty"` // of the attributes
}

// FitEncoding learns an encoding. Label codes and distinct degrees are collected from the whole data
// set, which tells a model nothing about classes; the scale of attributes comes from the graphs in
// train alone, or from all of them where train is nil (the published protocol).
func FitEncoding(d *Dataset, features Features, train []int) (*Encoding, error) {
	if features == AutoFeatures {
		switch {
		case d.Batch.Labels != nil:
			features = LabelFeatures
		case d.Batch.AttributeDim > 0:
			features = AttributeFeatures
		default:
			features = DegreeFeatures
		}
	}
	e := &Encoding{Features: features}
	if features == AttributeFeatures || features == AttributesAndLabels {
		if d.Batch.AttributeDim == 0 {
			return nil, fmt.Errorf("data set %s: its vertices have no attributes", d.Name)
		}
		from := d.Batch
		if train != nil {
			from = from.Select(train)
		}
		e.Standardisation = FitStandardisation(from)
	}
	switch features {
	case LabelFeatures, AttributesAndLabels:
		if d.Batch.Labels == nil {
			return nil, fmt.Errorf("data set %s: its vertices have no labels", d.Name)
		}
		e.Labels = slices.Clone(d.LabelCodes)
		if !slices.Equal(d.LabelNames, d.LabelCodes) {
			e.Names = slices.Clone(d.LabelNames)
		}
	case DegreeFeatures:
		e.Labels = d.DegreesAsLabels().LabelCodes
	}
	return e, nil
}

// DisplayNames returns a name for each vertex label id of d: its own name where d has one, otherwise that
// of the label with the same code in the data that the encoding was fitted on, otherwise its code. It is
// nil where d has no labels.
func (e *Encoding) DisplayNames(d *Dataset) []string {
	names := slices.Clone(d.LabelNames)
	for id, code := range d.LabelCodes {
		known := slices.Index(e.Labels, code)
		if names[id] == code && known >= 0 && e.Names != nil {
			names[id] = e.Names[known]
		}
	}
	return names
}

// Apply returns the graphs of d as the model wants them: with labels only, with attributes only, or
// with one-hot labels appended to the attributes. Labels are the same where their codes are. A label or
// degree that the encoding does not know gets the id len(Labels).
func (e *Encoding) Apply(d *Dataset) (*graph.Batch, error) {
	if e.Features == DegreeFeatures {
		d = d.DegreesAsLabels()
	}
	if e.Labels != nil {
		if d.Batch.Labels == nil {
			return nil, fmt.Errorf("data set %s: the model wants labelled vertices", d.Name)
		}
		d, _ = d.AlignLabels(e.Labels)
	}
	b := *d.Batch
	b.NumLabels = len(e.Labels)
	if e.Standardisation == nil {
		b.Attributes, b.AttributeDim = nil, 0
		return &b, nil
	}
	standardised, err := e.Standardisation.Apply(&b)
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", d.Name, err)
	}
	if e.Features == AttributesAndLabels {
		known := *standardised
		known.NumLabels = len(e.Labels) + 1 // the last column is for labels never seen
		return AppendLabels(&known), nil
	}
	return standardised, nil
}
