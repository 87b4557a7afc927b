package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/split"
)

// Features says what of its data a vertex shows to a model.
type Features string

// The kinds of features. Auto takes labels where there are any, then attributes, then degrees. Attributes
// are standardised and divided by their norm vertex by vertex, unless they are merely standardised; raw ones stay as
// they are. With none all vertices look alike.
const (
	AutoFeatures           Features = "auto"
	LabelFeatures          Features = "labels"
	DegreeFeatures         Features = "degrees"
	AttributeFeatures      Features = "attributes"
	StandardisedAttributes Features = "standardised"
	AttributesAndLabels    Features = "attributes+labels"
	RawAttributes          Features = "raw"
	RawAttributesAndLabels Features = "raw+labels"
	NoFeatures             Features = "none"
)

var allFeatures = []string{
	string(AutoFeatures), string(LabelFeatures), string(DegreeFeatures), string(AttributeFeatures),
	string(StandardisedAttributes), string(AttributesAndLabels), string(RawAttributes),
	string(RawAttributesAndLabels), string(NoFeatures),
}

// standardised, raw and labelled say what the features are made of.
func (f Features) standardised() bool {
	return f == AttributeFeatures || f == StandardisedAttributes || f == AttributesAndLabels
}
func (f Features) raw() bool { return f == RawAttributes || f == RawAttributesAndLabels }
func (f Features) labelled() bool {
	return f == LabelFeatures || f == AttributesAndLabels || f == RawAttributesAndLabels
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
	Names           []string         `json:"names,omitempty"`           // of each label id, to show; nil: the codes
	Standardisation *Standardisation `json:"standardisation,omitempty"` // of the attributes
	Attributes      int              `json:"attributes,omitempty"`      // number of raw attributes

	// AttributeNames is what each attribute is called, see [Dataset].AttributeNames; nil: they have no names.
	AttributeNames []string `json:"attribute_names,omitempty"`

	// ArcLabels is the code of each arc label id, see KeepArcLabels; nil: as they are.
	ArcLabels []string `json:"arc_labels,omitempty"`
}

// KeepArcLabels makes Apply number arc labels as d does, for models that tell arcs apart. It does nothing where
// the arcs of d have no labels.
func (e *Encoding) KeepArcLabels(d *Dataset) {
	if d.Batch.ArcLabels != nil {
		e.ArcLabels = slices.Clone(d.ArcLabelNames)
	}
}

// Renumber makes Apply number labels, of vertices and where they are kept of arcs, in an order that follows from some
// graphs of d alone (nil: all), the most frequent first, and not from the codes of labels: for models that draw at
// random for one label after the other, see [graph.Batch.LabelOrders]. Labels that are degrees stay in their order. The
// encoding must be fresh from [FitEncoding] on d.
func (e *Encoding) Renumber(d *Dataset, train []int) {
	b := *d.Batch
	if train != nil {
		b = *d.Batch.Select(train)
	}
	vertex, arc := e.numbered(&b)
	e.order(b.LabelOrders(vertex, arc))
}

// numbered returns how many labels of vertices and of arcs are numbered in a batch of the data set of a fresh encoding,
// and takes others from it.
func (e *Encoding) numbered(b *graph.Batch) (vertex, arc int) {
	if e.Features.labelled() {
		vertex = len(e.Labels)
	} else {
		b.Labels = nil
	}
	if e.ArcLabels == nil {
		b.ArcLabels = nil
	}
	return vertex, len(e.ArcLabels)
}

// order puts labels in an order.
func (e *Encoding) order(vertex, arc []int32) {
	if len(vertex) > 0 {
		e.Labels, e.Names = split.Select(e.Labels, vertex), split.Select(e.Names, vertex)
	}
	if len(arc) > 0 {
		e.ArcLabels = split.Select(e.ArcLabels, arc)
	}
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
	if (features.standardised() || features.raw()) && d.Batch.AttributeDim == 0 {
		return nil, fmt.Errorf("data set %s: its vertices have no attributes", d.Name)
	}
	if features.raw() {
		e.Attributes = d.Batch.AttributeDim
	}
	if features.standardised() || features.raw() {
		e.AttributeNames = slices.Clone(d.AttributeNames)
	}
	if features.standardised() {
		from := d.Batch
		if train != nil {
			from = from.Select(train)
		}
		e.Standardisation = FitStandardisation(from)
		e.Standardisation.Norms = features == StandardisedAttributes
	}
	switch {
	case features.labelled():
		if d.Batch.Labels == nil {
			return nil, fmt.Errorf("data set %s: its vertices have no labels", d.Name)
		}
		e.Labels = slices.Clone(d.LabelCodes)
		if !slices.Equal(d.LabelNames, d.LabelCodes) {
			e.Names = slices.Clone(d.LabelNames)
		}
	case features == DegreeFeatures:
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

// Apply returns the graphs of d as the model wants them: with labels only, with attributes only, with
// one-hot labels appended to the attributes, or with neither. Labels are the same where their codes are. A label or
// degree that the encoding does not know gets the id len(Labels), an arc label len(ArcLabels).
func (e *Encoding) Apply(d *Dataset) (*graph.Batch, error) {
	b, err := e.Apart(d)
	if err != nil || e.Features != AttributesAndLabels && e.Features != RawAttributesAndLabels {
		return b, err
	}
	known := *b
	known.NumLabels = len(e.Labels) + 1 // the last column is for labels never seen
	return AppendLabels(&known), nil
}

// Apart is [Encoding.Apply] for models that look at labels and attributes each in its own way: labels are not
// appended to the attributes.
func (e *Encoding) Apart(d *Dataset) (*graph.Batch, error) {
	if e.Features == DegreeFeatures {
		d = d.DegreesAsLabels()
	}
	if e.Labels != nil {
		if d.Batch.Labels == nil {
			return nil, fmt.Errorf("data set %s: the model wants labelled vertices", d.Name)
		}
		d, _ = d.AlignLabels(e.Labels)
	}
	if e.ArcLabels != nil {
		if d.Batch.ArcLabels == nil && d.Batch.NumArcs() > 0 {
			return nil, fmt.Errorf("data set %s: the model wants labelled arcs", d.Name)
		}
		d, _ = d.AlignArcLabels(e.ArcLabels)
	}
	if err := e.checkNamed(d); err != nil {
		return nil, err
	}
	b := *d.Batch
	b.NumLabels = len(e.Labels)
	if e.Labels == nil {
		b.Labels = nil // their ids mean nothing to the model
	}
	switch {
	case e.Features.raw():
		if b.AttributeDim != e.Attributes {
			return nil, fmt.Errorf("data set %s: its vertices have %d attributes, the model wants %d",
				d.Name, b.AttributeDim, e.Attributes)
		}
	case e.Standardisation != nil:
		standardised, err := e.Standardisation.Apply(&b)
		if err != nil {
			return nil, fmt.Errorf("data set %s: %w", d.Name, err)
		}
		return standardised, nil
	default:
		b.Attributes, b.AttributeDim = nil, 0
	}
	return &b, nil
}

// Unknown returns the labels (or degrees) of d that the encoding does not know.
func (e *Encoding) Unknown(d *Dataset) []string {
	if e.Features == DegreeFeatures {
		d = d.DegreesAsLabels()
	}
	if e.Labels == nil || d.Batch.Labels == nil {
		return nil
	}
	_, unknown := d.AlignLabels(e.Labels)
	return unknown
}

// Width returns the number of labels that Apply gives the vertices to be told apart by, or of attributes.
func (e *Encoding) Width() (labels, attributes int) {
	labels, attributes = len(e.Labels), e.Attributes
	if e.Standardisation != nil {
		attributes = len(e.Standardisation.Mean)
	}
	switch {
	case attributes > 0 && e.Features.labelled():
		return 0, attributes + len(e.Labels) + 1
	case attributes > 0:
		return 0, attributes
	}
	return labels, 0
}

// Check returns an error where the parts do not fit each other, as those of a damaged file may not, or there is none.
func (e *Encoding) Check() error {
	if e == nil {
		return fmt.Errorf("the encoding is missing")
	}
	if _, err := ParseFeatures(string(e.Features)); err != nil {
		return err
	}
	s := e.Standardisation
	switch {
	case e.Features.standardised() != (s != nil) || e.Features.raw() != (e.Attributes > 0):
		return fmt.Errorf("features %s with the attributes of others", e.Features)
	case s != nil && s.Norms != (e.Features == StandardisedAttributes):
		return fmt.Errorf("features %s with the norms of others", e.Features)
	case s != nil && len(s.Scale) != len(s.Mean):
		return fmt.Errorf("%d means and %d scales of attributes", len(s.Mean), len(s.Scale))
	case (e.Features.labelled() || e.Features == DegreeFeatures) != (len(e.Labels) > 0):
		return fmt.Errorf("features %s with %d labels", e.Features, len(e.Labels))
	case e.Features == AutoFeatures || e.Attributes < 0:
		return fmt.Errorf("features %s with %d attributes", e.Features, e.Attributes)
	case e.Names != nil && len(e.Names) != len(e.Labels):
		return fmt.Errorf("%d names of %d labels", len(e.Names), len(e.Labels))
	}
	if err := checkAttributeNames(e.AttributeNames, e.attributes()); err != nil {
		return err
	}
	for _, codes := range [][]string{e.Labels, e.ArcLabels} {
		distinct := slices.Compact(slices.Sorted(slices.Values(codes)))
		if len(distinct) < len(codes) || slices.Contains(codes, "") {
			return fmt.Errorf("a label is empty or there twice: %q", codes)
		}
	}
	if e.Features == DegreeFeatures {
		for _, code := range e.Labels {
			if degree, err := strconv.Atoi(code); err != nil || degree < 0 {
				return fmt.Errorf("a degree of %q", code)
			}
		}
	}
	if s != nil {
		return s.check()
	}
	return nil
}
