package main

import (
	"fmt"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/spf13/cobra"
)

// leftOut says in at most one note what of the data the model of a command does not see by its flags, and which flag
// would show it. What --features was asked to leave out needs no note. seen is what [modelFlags] returns.
func leftOut(c *cobra.Command, d *dataset.Dataset, seen *dataset.Encoding) []string {
	attributes, labels := parts(seen.Features)
	b, chosen := d.Batch, c.Flags().Changed("features")
	var left []string
	add := func(missing bool, what, flag string) {
		switch {
		case !missing:
		case flag == "":
			left = append(left, fmt.Sprintf("%s (%s takes none)", what, c.Name()))
		default:
			left = append(left, fmt.Sprintf("%s (%s takes them in)", what, flag))
		}
	}
	add(b.AttributeDim > 0 && !attributes && !chosen, count(b.AttributeDim, "attribute")+" of the vertices",
		features(c, seen.Features, true))
	add(b.NumLabels > 1 && !labels && !chosen, count(b.NumLabels, "label")+" of vertices",
		features(c, seen.Features, false))
	add(len(d.ArcLabelNames) > 1 && seen.ArcLabels == nil, count(len(d.ArcLabelNames), "label")+" of edges",
		flagOf(c, "arc-labels", ""))
	add(b.ArcWeights != nil && !familyOf(c.Name()).weights, "weights of edges", "")
	relations := flagOf(c, "relations", " both")
	add(b.ArcTypes != nil && (relations == "" || c.Flags().Lookup("relations").Value.String() == "together"),
		"types of edges", relations)
	if left == nil {
		return nil
	}
	return []string{"left out of the data: " + strings.Join(left, ", ")}
}

// parts says what features are made of.
func parts(f dataset.Features) (attributes, labels bool) {
	text := string(f)
	return strings.Contains(text, "attributes") || strings.Contains(text, "raw"), strings.Contains(text, "labels")
}

// features returns the --features of a command that show what seen shows and attributes or labels beside it; nothing
// where it has none.
func features(c *cobra.Command, seen dataset.Features, wantsAttributes bool) string {
	f := c.Flags().Lookup("features")
	if f == nil {
		return ""
	}
	hasAttributes, hasLabels := parts(seen)
	best := ""
	for _, word := range f.Annotations["words"] {
		attributes, labels := parts(dataset.Features(word))
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

// flagOf names a flag with a value if the command has it.
func flagOf(c *cobra.Command, name, value string) string {
	if c.Flags().Lookup(name) == nil {
		return ""
	}
	return "--" + name + value
}
