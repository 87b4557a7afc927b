package dataset

import (
	"fmt"
	"slices"
)

// LabelNames returns a name for each label id: its own where labels have names, otherwise its code.
func (e *Encoding) LabelNames() []string {
	if e.Names != nil {
		return e.Names
	}
	return e.Labels
}

// Extended returns e with the labels of another encoding, one of the same features fitted on other data, so that Apply
// takes those data: labels are the same where their names are, whatever their codes, and then have the id that e gives
// them; those that e does not know come after its own. The scale of attributes is that of e, and they are matched by
// their place. It is an error where the other data have none of the labels, or attributes of another number.
func (e *Encoding) Extended(by *Encoding) (*Encoding, error) {
	switch {
	case e.Features != by.Features:
		return nil, fmt.Errorf("features are %s, want %s", by.Features, e.Features)
	case e.attributes() != by.attributes():
		return nil, fmt.Errorf("vertices have %d attributes, want %d", by.attributes(), e.attributes())
	}
	x := *e
	x.AttributeNames = by.AttributeNames
	if len(e.Labels) == 0 {
		return &x, nil
	}
	names, theirs := slices.Clone(e.LabelNames()), by.LabelNames()
	x.Labels = slices.Clone(e.Labels)
	shared := 0
	for id, name := range names {
		if at := slices.Index(theirs, name); at >= 0 {
			x.Labels[id] = by.Labels[at]
			shared++
		} else if slices.Contains(by.Labels, x.Labels[id]) { // the same code for something else
			x.Labels[id] = free(name, slices.Concat(by.Labels, x.Labels))
		}
	}
	if shared == 0 {
		return nil, fmt.Errorf("none of the vertex labels, %s, is one of %s", listed(theirs), listed(names))
	}
	for at, name := range theirs {
		if !slices.Contains(names, name) {
			x.Labels, names = append(x.Labels, by.Labels[at]), append(names, name)
		}
	}
	if x.Names = names; slices.Equal(names, x.Labels) {
		x.Names = nil
	}
	return &x, nil
}

// attributes returns the number of attributes that the encoding reads.
func (e *Encoding) attributes() int {
	if e.Standardisation != nil {
		return len(e.Standardisation.Mean)
	}
	return e.Attributes
}

// free returns a code for a label of a name that is none of those taken.
func free(name string, taken []string) string {
	for slices.Contains(taken, name) {
		name += "'"
	}
	return name
}

// listed names the first few.
func listed(names []string) string {
	text := ""
	for i, name := range names[:min(len(names), 5)] {
		if i > 0 {
			text += ", "
		}
		text += name
	}
	if len(names) > 5 {
		text += ", ..."
	}
	return text
}
