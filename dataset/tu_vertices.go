package dataset

import (
	"strconv"
)

// readVertexLabels reads the labels of the vertices and the names of the labels.
func (r *tuReader) readVertexLabels() error {
	if !r.has("node_labels") {
		return nil
	}
	codes, err := r.readCodes("node_labels", r.vertices, "graph_indicator")
	if err != nil {
		return err
	}
	ids, distinct := enumerate(codes)
	r.set.Batch.Labels, r.set.Batch.NumLabels = ids, len(distinct)
	return r.nameLabels(distinct)
}

// nameLabels reads the names of the vertex labels with the given codes.
func (r *tuReader) nameLabels(distinct []int64) error {
	r.set.LabelCodes, r.set.LabelNames = codeNames(distinct), codeNames(distinct)
	if !r.has("node_label_names") {
		r.set.nameElements()
		return nil
	}
	names := make(map[string]string)
	_, _, err := r.readRows("node_label_names", func(l *lines) {
		code := strconv.FormatInt(l.integer(), 10)
		name := string(l.field())
		l.end()
		if name == "" {
			l.fail("a name is missing after code %s", code)
		}
		if named, twice := names[code]; twice {
			l.fail("code %s is named already: %q", code, named)
		}
		names[code] = name
	})
	if err != nil {
		return err
	}
	for id, code := range r.set.LabelCodes {
		if name, ok := names[code]; ok {
			r.set.LabelNames[id] = name
		}
	}
	return nil
}

// readVertexAttributes reads the attributes of the vertices.
func (r *tuReader) readVertexAttributes() error {
	if !r.has("node_attributes") {
		return nil
	}
	values, columns, rows, file, err := r.readMatrix("node_attributes")
	if err != nil {
		return err
	}
	if rows != r.vertices {
		return r.wrongRows(file, rows, r.vertices, "graph_indicator")
	}
	r.set.Batch.Attributes, r.set.Batch.AttributeDim = values, columns
	return nil
}

// readMotif reads which vertices and arcs belong to the motif.
func (r *tuReader) readMotif() error {
	if !r.has("node_gt") && !r.has("edge_gt") {
		return nil
	}
	b := r.set.Batch
	m := &Motif{Vertices: make([]bool, b.NumVertices()), Arcs: make([]bool, b.NumArcs())}
	r.set.Motif = m
	if r.has("node_gt") {
		var err error
		if m.Vertices, err = r.readMarks("node_gt", r.vertices, "graph_indicator"); err != nil {
			return err
		}
	}
	for i, marked := range r.arcMotif {
		if marked {
			m.markEdge(b, r.arcs.From[i], r.arcs.To[i])
		}
	}
	return nil
}

// readMarks reads a 0 or a 1 from every line.
func (r *tuReader) readMarks(kind string, rows int, other string) ([]bool, error) {
	var marks []bool
	found, file, err := r.readRows(kind, func(l *lines) {
		mark := l.integer()
		l.end()
		if mark != 0 && mark != 1 {
			l.fail("%d is neither 0 nor 1", mark)
		}
		marks = append(marks, mark == 1)
	})
	if err == nil && found != rows {
		err = r.wrongRows(file, found, rows, other)
	}
	if err != nil {
		return nil, err
	}
	return marks, nil
}
