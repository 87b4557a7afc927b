package main

import (
	"fmt"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
)

// leftOut says in at most one note what of the data the model does not see by its flags, and which flag would show it.
// What --features was asked to leave out needs no note.
func (m *named) leftOut(d *dataset.Dataset, seen *dataset.Encoding) []string {
	attributes, labels := madeOf(seen.Features)
	b, chosen := d.Batch, m.params.Given("features")
	var left []string
	add := func(missing bool, what, flag string) {
		switch {
		case !missing:
		case flag == "":
			left = append(left, fmt.Sprintf("%s (%s takes none)", what, m.name))
		default:
			left = append(left, fmt.Sprintf("%s (%s takes them in)", what, flag))
		}
	}
	add(b.AttributeDim > 0 && !attributes && !chosen, model.Count(b.AttributeDim, "attribute")+" of the vertices",
		m.features(seen.Features, true))
	add(b.NumLabels > 1 && !labels && !chosen, model.Count(b.NumLabels, "label")+" of vertices",
		m.features(seen.Features, false))
	add(len(d.ArcLabelNames) > 1 && seen.ArcLabels == nil, model.Count(len(d.ArcLabelNames), "label")+" of edges",
		m.flagOf("arc-labels", ""))
	add(b.ArcWeights != nil && !m.family.Weights, "weights of edges", "")
	relations := m.flagOf("relations", " both")
	add(b.ArcTypes != nil && (relations == "" || m.params.Lookup("relations").String() == "together"),
		"types of edges", relations)
	if left == nil {
		return nil
	}
	return []string{"left out of the data: " + strings.Join(left, ", ")}
}

// madeOf says what features are made of.
func madeOf(f dataset.Features) (attributes, labels bool) {
	text := string(f)
	return strings.Contains(text, "attributes") || strings.Contains(text, "raw"), strings.Contains(text, "labels")
}

// features returns the --features of the model that show what seen shows and attributes or labels beside it; nothing
// where it has none.
func (m *named) features(seen dataset.Features, wantsAttributes bool) string {
	p := m.params.Lookup("features")
	if p == nil {
		return ""
	}
	hasAttributes, hasLabels := madeOf(seen)
	best := ""
	for _, word := range p.Words {
		attributes, labels := madeOf(dataset.Features(word))
		fits := attributes == (hasAttributes || wantsAttributes) && labels == (hasLabels || !wantsAttributes)
		if fits && (best == "" || strings.HasPrefix(word, string(seen))) {
			best = word
		}
	}
	if best == "" {
		return ""
	}
	return "--features " + best
}

// flagOf names a flag with a value if the model has it.
func (m *named) flagOf(name, value string) string {
	if m.params.Lookup(name) == nil {
		return ""
	}
	return "--" + name + value
}
