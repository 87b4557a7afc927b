package dataset

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/grove-graph/grove/columnar"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/smiles"
	"github.com/grove-graph/grove/split"
)

// finish returns the graphs that were gathered as a data set.
func (r *graphRows) finish(name string) (*Dataset, error) {
	if len(r.offsets) == 1 {
		return nil, errors.New("no rows")
	}
	d, err := r.set(name)
	if err != nil {
		return nil, err
	}
	d.fillMissing()
	return d, r.split(d)
}

// set returns the graphs as a data set with what is known of them, but without what takes all of them.
func (r *graphRows) set(name string) (*Dataset, error) {
	d, err := r.graphs(name)
	if err != nil {
		return nil, err
	}
	return d, r.know(d)
}

// graphs returns the graphs as a data set without what is to be predicted of them.
func (r *graphRows) graphs(name string) (*Dataset, error) {
	d := &Dataset{Name: name}
	var places []int32
	if r.arcWeights >= 0 && r.arcs.Weights == nil {
		r.arcs.Weights = []float64{}
	}
	if r.arcTypes >= 0 && r.arcs.Types == nil {
		r.arcs.Types = []int32{}
	}
	if r.arcLabels >= 0 {
		d.ArcLabelNames, places = r.codes.arcLabels.sorted()
		r.arcs.Labels = placed(slices.Clip(append([]int32{}, r.arcs.Labels...)), places)
	}
	b, err := graph.FromArcs(r.offsets, r.arcs, graph.BuildOptions{Directed: r.head.Directed})
	if err != nil {
		return nil, err
	}
	d.Batch = b
	if r.labels >= 0 {
		d.LabelCodes, places = r.codes.labels.sorted()
		b.Labels, b.NumLabels = placed(append([]int32{}, r.labelIDs...), places), len(d.LabelCodes)
		d.LabelNames = slices.Clone(d.LabelCodes)
		copy(d.LabelNames, r.head.LabelNames)
	}
	d.GraphIDs, d.VertexIDs = r.names, r.vertexNames
	if r.width > 0 {
		b.Attributes, b.AttributeDim = r.values, r.width
		if b.Attributes == nil {
			b.Attributes = []float64{}
		}
		if err := checkAttributeNames(r.head.Attributes, r.width); err != nil {
			return nil, fmt.Errorf("the schema has %w under %s", err, headKey)
		}
		d.AttributeNames = r.head.Attributes
	}
	if r.vertexMarks >= 0 || r.arcMarks >= 0 {
		d.Motif = &Motif{Vertices: make([]bool, b.NumVertices()), Arcs: make([]bool, b.NumArcs())}
		copy(d.Motif.Vertices, r.marked)
		for i, marked := range r.markedArcs {
			if marked {
				d.Motif.markEdge(b, r.arcs.From[i], r.arcs.To[i])
			}
		}
	}
	return d, nil
}

// know fills in what is to be predicted.
func (r *graphRows) know(d *Dataset) error {
	var places []int32
	switch {
	case r.class >= 0:
		d.ClassNames, places = r.codes.classes.sorted()
		d.Classes, d.Target = asInts(placed(slices.Clone(r.classIDs), places)), r.head.Target
	case r.vertexClass >= 0:
		d.ClassNames, places = r.codes.classes.sorted()
		d.VertexClasses = asInts(placed(slices.Clone(r.vertexClasses), places))
	}
	targets := r.targets
	if r.perVertex() {
		targets = r.vertexTargets
	}
	if r.vertexClass < 0 && targets != nil {
		d.Targets = slices.Clone(r.targetValues)
	}
	for k, c := range targets {
		d.TargetNames = append(d.TargetNames, c.name)
		if known := r.codes.targets[c.at]; known != nil && !r.perVertex() {
			r.classTarget(d, k, known)
		}
	}
	task, named, err := r.head.task()
	if err != nil {
		return err
	}
	classes := d.Classes != nil || d.TargetClasses != nil
	switch {
	case r.vertexClass >= 0:
		d.Task = NodeClassification
	case r.perVertex():
		d.Task = NodeRegression
	case named && task == GraphRegression && d.Targets != nil:
		d.Task = GraphRegression
	case !classes && d.Targets != nil:
		d.Task = GraphRegression
	case !classes:
		d.predict(r.columns)
	case d.Classes == nil && len(d.TargetNames) == 1:
		*d = *d.WithTarget(0, false)
	}
	return nil
}

// classTarget makes a target one of classes.
func (r *graphRows) classTarget(d *Dataset, k int, known *coder) {
	codes, places := known.sorted()
	if d.TargetClasses == nil {
		d.TargetClasses = make([][]string, len(r.targets))
	}
	d.TargetClasses[k] = codes
	for i := k; i < len(d.Targets); i += len(r.targets) {
		if v := d.Targets[i]; v == v {
			d.Targets[i] = float64(places[int(v)])
		}
	}
}

// split fills in the splits.
func (r *graphRows) split(d *Dataset) error {
	for k, c := range slices.Concat(r.splits, r.vertexSplits) {
		s := Split{Name: c.name}
		for i, part := range r.parts[k] {
			switch part {
			case "train":
				s.Train = append(s.Train, i)
			case "val":
				s.Validation = append(s.Validation, i)
			case "test":
				s.Test = append(s.Test, i)
			}
		}
		if len(s.Train) == 0 || len(s.Test) == 0 {
			return fmt.Errorf("column %s: %d for training, %d for testing", r.schema.Field(c.at).Name, len(s.Train), len(s.Test))
		}
		d.Splits = append(d.Splits, s)
	}
	return nil
}

// readMoleculeRows reads a column of molecules with the others beside it.
func readMoleculeRows(rows *columnar.Reader, l *columnLayout, file, name string, how Molecules) (*Dataset, error) {
	r, m := newGraphRows(l, newCodes(l)), &gatherer{how: how}
	var kept []int
	if err := eachBatch(rows, file, func(batch arrow.RecordBatch) error {
		some, err := r.addMolecules(m, batch, file)
		kept = append(kept, some...)
		if err != nil {
			return err
		}
		nothing := make([]int, batch.NumRows())
		r.addNames(batch, nothing)
		return inFile(file, r.addKnown(batch, nothing))
	}); err != nil {
		return nil, err
	}
	d, err := m.set(name, file)
	if err != nil {
		return nil, err
	}
	r.keep(kept)
	r.keepNames(kept)
	d.GraphIDs = r.names
	if err := r.know(d); err != nil {
		return nil, inFile(file, err)
	}
	return d, inFile(file, r.split(d))
}

// addMolecules gathers the molecules of a batch and returns their rows, those that are left out excepted.
func (r *graphRows) addMolecules(m *gatherer, batch arrow.RecordBatch, file string) (kept []int, err error) {
	text := textsOf(batch.Column(r.molecules))
	for row := range int(batch.NumRows()) {
		molecule, err := smiles.Parse(text(row))
		if err == nil {
			err = m.add(molecule)
		}
		if err == nil {
			kept = append(kept, r.row+row)
			continue
		}
		if err := m.wrong(file, r.row+row+1, fmt.Sprintf("SMILES %s: %v", quoted(text(row)), err)); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

// keep leaves out what is known of rows that are not kept.
func (r *graphRows) keep(kept []int) {
	if len(kept) == r.row {
		return
	}
	width := len(r.targets)
	var classes []int32
	var targets []float64
	for _, row := range kept {
		if r.class >= 0 {
			classes = append(classes, r.classIDs[row])
		}
		targets = append(targets, r.targetValues[row*width:(row+1)*width]...)
	}
	r.classIDs, r.targetValues = classes, targets
	for k := range r.columns {
		r.columns[k].values = split.Select(r.columns[k].values, kept)
	}
	for k := range r.parts {
		r.parts[k] = split.Select(r.parts[k], kept)
	}
}

// keepNames leaves out the names of rows that are not kept.
func (r *graphRows) keepNames(kept []int) {
	if len(kept) < len(r.names) {
		r.names = split.Select(r.names, kept)
	}
}
