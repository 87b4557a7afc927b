package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// targets takes what is to be predicted, of graphs or else of vertices, and the divisions that are published.
func (n *network) targets(d *Dataset) error {
	var columns []column
	for _, c := range n.ofGraph.all(ClassRole, TargetRole, valueRole) {
		columns = append(columns, c.values())
	}
	d.predictGraphs(columns)
	ofVertices := n.ofVerts.all(ClassRole, TargetRole, valueRole)
	splits := &n.ofGraph
	switch {
	case d.Targets != nil || d.Classes != nil:
		for _, c := range ofVertices {
			d.Notes = append(d.Notes, fmt.Sprintf("column %s of the vertices is left out: the graphs have targets", c.name))
		}
	case len(ofVertices) > 0:
		if err := d.predictVertices(ofVertices); err != nil {
			return err
		}
		splits = &n.ofVerts
	}
	for _, c := range splits.all(SplitRole) {
		s, err := c.split()
		if err != nil {
			return err
		}
		d.Splits = append(d.Splits, s)
	}
	sortSplits(d.Splits)
	return nil
}

// predictGraphs makes columns of the graphs what is to be predicted. One that is said to hold classes, beside others
// that hold numbers, holds the classes, and the others are targets for those who ask for them.
func (d *Dataset) predictGraphs(columns []column) {
	at := slices.IndexFunc(columns, func(c column) bool { return c.classes })
	if at < 0 {
		d.predict(columns)
		return
	}
	others := slices.Delete(slices.Clone(columns), at, at+1)
	holdsClasses := func(c column) bool {
		t := targetOf(c)
		return t != nil && t.classes != nil
	}
	if slices.ContainsFunc(others, holdsClasses) {
		d.predict(columns)
		return
	}
	d.predict(columns[at : at+1])
	classes, names, target := d.Classes, d.ClassNames, d.Target
	if d.predict(others); d.Targets != nil {
		target = ""
	}
	d.Task, d.Classes, d.ClassNames, d.Target = GraphClassification, classes, names, target
}

// predictVertices makes columns of the vertices what is to be predicted: classes, or one or several numbers.
func (d *Dataset) predictVertices(columns []*frameColumn) error {
	var found []*target
	var names []string
	for _, c := range columns {
		values := c.values()
		t := targetOf(values)
		if t == nil {
			d.Notes = append(d.Notes, fmt.Sprintf(noTarget, c.name))
			continue
		}
		found, names = append(found, t), append(names, values.name)
	}
	if len(found) == 0 {
		return nil
	}
	if i := slices.IndexFunc(found, func(t *target) bool { return t.classes != nil }); i >= 0 {
		if len(found) > 1 {
			return fmt.Errorf("of the targets of vertices, %s, %s holds classes, so that it must be the only one: leave out "+
				"the others by --vertex-columns skip=NAME", strings.Join(names, ", "), names[i])
		}
		d.Task, d.ClassNames = NodeClassification, found[0].classes
		d.VertexClasses = make([]int, len(found[0].values))
		for v, class := range found[0].values {
			if d.VertexClasses[v] = -1; !math.IsNaN(class) {
				d.VertexClasses[v] = int(class)
			}
		}
		return nil
	}
	d.Task, d.TargetNames = NodeRegression, names
	for v := range d.Batch.NumVertices() {
		for _, t := range found {
			d.Targets = append(d.Targets, t.values[v])
		}
	}
	return nil
}

// split returns the division that a column says.
func (c *frameColumn) split() (Split, error) {
	s := Split{Name: ownName(c.name)}
	for i, id := range c.ids {
		if id < 0 {
			continue
		}
		switch word := c.kinds.texts[id]; strings.ToLower(word) {
		case "train", "training":
			s.Train = append(s.Train, i)
		case "val", "valid", "validation", "dev":
			s.Validation = append(s.Validation, i)
		case "test", "testing":
			s.Test = append(s.Test, i)
		default:
			return s, fmt.Errorf("column %s: %s is none of train, val and test", c.name, quoted(word))
		}
	}
	if len(s.Train) == 0 || len(s.Test) == 0 {
		return s, fmt.Errorf("column %s: %d for training, %d for testing", c.name, len(s.Train), len(s.Test))
	}
	return s, nil
}
