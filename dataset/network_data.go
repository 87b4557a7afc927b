package dataset

import (
	"slices"
	"strconv"
)

// name gives graphs and vertices their names, unless these are but their numbers.
func (n *network) name(d *Dataset, graphs, vertices []int32) {
	codes := inOrder(n.graphs.codes, graphs)
	if !numbersOf(codes) {
		d.GraphIDs = n.texts(codes)
	}
	codes = inOrder(n.vertices.codes, vertices)
	for g := range d.NumGraphs() {
		from, to := d.Batch.Vertices(g)
		if !numbersOf(codes[from:to]) {
			d.VertexIDs = n.texts(codes)
			return
		}
	}
}

// numbersOf reports whether codes are 0, 1, 2, ...
func numbersOf(codes []int64) bool {
	for i, code := range codes {
		if code != int64(i) {
			return false
		}
	}
	return true
}

// texts returns what codes stand for. Those of numbers share their memory.
func (n *network) texts(codes []int64) []string {
	texts, ends := make([]string, len(codes)), make([]int, len(codes))
	var all []byte
	for i, code := range codes {
		if code < firstWord {
			all = strconv.AppendInt(all, code, 10)
		}
		ends[i] = len(all)
	}
	shared, start := string(all), 0
	for i, code := range codes {
		if texts[i] = shared[start:ends[i]]; code >= firstWord {
			texts[i] = n.words.text(code)
		}
		start = ends[i]
	}
	return texts
}

// vertexData takes what is known of the vertices, whose frame is in their order.
func (n *network) vertexData(d *Dataset) {
	if c := n.ofVerts.of(LabelRole); c != nil {
		if kinds := len(c.kinds.texts); kinds > mostWords && kinds == len(c.ids) && !numeric(c.kinds.texts) {
			n.note("column %s is no label: it names the vertices", c.name)
		} else {
			n.labels(d, c)
		}
	}
	columns := n.ofVerts.attributes()
	b := d.Batch
	if b.AttributeDim = len(columns); b.AttributeDim > 0 {
		b.Attributes = make([]float64, b.NumVertices()*len(columns))
		names := make([]string, len(columns))
		for k, c := range columns {
			names[k] = c.name
			for v, x := range c.numbers {
				b.Attributes[v*len(columns)+k] = x
			}
		}
		d.AttributeNames = attributeNames(names)
	}
	d.Notes = n.notes
	d.fillMissing()
}

// numeric reports whether texts are whole numbers.
func numeric(texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool {
		_, err := strconv.ParseInt(text, 10, 64)
		return err != nil
	})
}

// labels makes a column the labels of the vertices, with the names that another one gives them.
func (n *network) labels(d *Dataset, c *frameColumn) {
	b := d.Batch
	b.Labels, d.LabelCodes = c.coded()
	b.NumLabels, d.LabelNames = len(d.LabelCodes), slices.Clone(d.LabelCodes)
	n.noteMissing(c, "vertices", "label")
	if names := n.ofVerts.of(nameRole); names != nil {
		for v, id := range names.ids {
			if id >= 0 {
				d.LabelNames[b.Labels[v]] = names.kinds.texts[id]
			}
		}
	}
}
