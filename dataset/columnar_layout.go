package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// kind is what the values of a column are, whatever lists they stand in.
type cellKind int

const (
	otherKind cellKind = 0
	noKind    cellKind = 1 << iota // there is no value at all
	wholeKind                      // whole numbers
	realKind
	wordKind
	boolKind
)

// kindOf returns what the values of a type are, and in how many lists they stand.
func kindOf(t arrow.DataType) (k cellKind, depth int) {
	switch t := t.(type) {
	case *arrow.ListType:
		k, depth = kindOf(t.Elem())
		return k, depth + 1
	case *arrow.LargeListType:
		k, depth = kindOf(t.Elem())
		return k, depth + 1
	case *arrow.FixedSizeListType:
		k, depth = kindOf(t.Elem())
		return k, depth + 1
	case *arrow.DictionaryType:
		if k, depth = kindOf(t.ValueType); depth > 0 {
			return otherKind, 0
		}
		return k, 0
	}
	switch t.ID() {
	case arrow.NULL:
		return noKind, 0
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return wholeKind, 0
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return realKind, 0
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return wordKind, 0
	case arrow.BOOL:
		return boolKind, 0
	}
	return otherKind, 0
}

// Sets of kinds that columns may be of.
const (
	wantWholes  = noKind | wholeKind
	wantNumbers = wantWholes | realKind | boolKind
	wantCodes   = wantWholes | wordKind | boolKind
	wantClasses = wantCodes | realKind // whole numbers that a program made real ones, to say that some are missing
	wantWords   = noKind | wordKind
	wantMarks   = wantWholes | boolKind
)

// String names a set of kinds.
func (k cellKind) String() string {
	switch k {
	case wantWholes:
		return "whole numbers"
	case wantNumbers:
		return "numbers"
	case wantCodes, wantClasses:
		return "whole numbers or words"
	case wantWords:
		return "words"
	case wantMarks:
		return "booleans"
	}
	return "numbers or words"
}

// namedColumn is one of several columns of a kind.
type namedColumn struct {
	name string
	at   int
	kind cellKind
}

// columnLayout says where the columns of a columnar file are, -1 for one that there is not.
type columnLayout struct {
	schema *arrow.Schema
	head   columnarHead

	vertices, from, to              int
	labels, attributes              int
	arcLabels, arcWeights, arcTypes int
	class, vertexClass              int
	vertexMarks, arcMarks           int
	idAt, vertexIDs                 int
	molecules                       int

	targets, vertexTargets []namedColumn
	splits, vertexSplits   []namedColumn
	others                 []namedColumn // that may be targets
}

// layoutOf finds out what the columns are for and checks that they are of a type that goes with it.
func layoutOf(schema *arrow.Schema, how Molecules) (*columnLayout, error) {
	l := &columnLayout{schema: schema}
	var err error
	if l.head, err = readColumnarHead(schema); err != nil {
		return nil, err
	}
	for i, f := range schema.Fields() {
		if first := slices.IndexFunc(schema.Fields(), func(g arrow.Field) bool { return g.Name == f.Name }); first < i {
			return nil, fmt.Errorf("columns %d and %d are both called %s", first+1, i+1, quote([]byte(f.Name)))
		}
	}
	named := func(name string, depth int, allowed cellKind) int {
		at := slices.IndexFunc(schema.Fields(), func(f arrow.Field) bool { return f.Name == name })
		if at >= 0 && err == nil {
			err = l.check(at, depth, allowed)
		}
		return at
	}
	l.vertices, l.from, l.to = named("vertices", 0, wantWholes), named("from", 1, wantWholes), named("to", 1, wantWholes)
	l.labels, l.attributes = named("labels", 1, wantCodes), named("attributes", 2, wantNumbers)
	l.arcLabels, l.arcTypes = named("arc_labels", 1, wantCodes), named("arc_types", 1, wantWholes)
	l.arcWeights = named("arc_weights", 1, wantNumbers)
	l.class, l.vertexClass = named("class", 0, wantClasses), named("vertex_class", 1, wantClasses)
	l.vertexMarks, l.arcMarks = named("vertex_marks", 1, wantMarks), named("arc_marks", 1, wantMarks)
	l.idAt, l.vertexIDs = l.names("id", 0), l.names("vertex_ids", 1)
	l.molecules = l.findMolecules(how)
	for i, f := range schema.Fields() {
		k, depth := kindOf(f.Type)
		for _, group := range []struct {
			kind    string
			columns *[]namedColumn
			depth   int
			allowed cellKind
		}{
			{"target", &l.targets, 0, wantNumbers | wordKind}, {"vertex_target", &l.vertexTargets, 1, wantNumbers},
			{"split", &l.splits, 0, wantWords}, {"vertex_split", &l.vertexSplits, 1, wantWords},
		} {
			if name, ok := suffixOf(f.Name, group.kind); ok {
				*group.columns = append(*group.columns, namedColumn{name, i, k})
				if err == nil {
					err = l.check(i, group.depth, group.allowed)
				}
			}
		}
		if depth == 0 && k&wantClasses != 0 && !l.uses(i) && f.Name != "graph" {
			l.others = append(l.others, namedColumn{f.Name, i, k})
		}
	}
	if err == nil && l.molecules < 0 {
		err = l.complete()
	}
	return l, err
}

// findMolecules returns the column that holds molecules: the one that is asked for, or the one that is called smiles in
// a table without arcs.
func (l *columnLayout) findMolecules(how Molecules) int {
	if how.Column == "" && l.from >= 0 {
		return -1
	}
	var header []string
	for _, f := range l.schema.Fields() {
		header = append(header, f.Name)
	}
	at := columnOf(header, how.Column)
	if at >= 0 {
		if k, depth := kindOf(l.schema.Field(at).Type); k != wordKind || depth != 0 {
			return -1
		}
	}
	return at
}

// names returns the column of the names of graphs or vertices; one of another type is no such column.
func (l *columnLayout) names(name string, depth int) int {
	return slices.IndexFunc(l.schema.Fields(), func(f arrow.Field) bool {
		k, have := kindOf(f.Type)
		return f.Name == name && have == depth && k&wantCodes != 0
	})
}

// uses reports whether a column has a meaning of its own.
func (l *columnLayout) uses(i int) bool {
	for _, at := range []int{l.vertices, l.class, l.idAt, l.molecules} {
		if at == i {
			return true
		}
	}
	return slices.ContainsFunc(slices.Concat(l.targets, l.splits), func(c namedColumn) bool { return c.at == i })
}

// check refuses a column of a type that its name does not go with.
func (l *columnLayout) check(at, depth int, allowed cellKind) error {
	f := l.schema.Field(at)
	k, have := kindOf(f.Type)
	if k&allowed != 0 && (have == depth || k == noKind && have < depth) {
		return nil
	}
	want := strings.Repeat("lists of ", depth) + allowed.String()
	return fmt.Errorf("column %s: want %s, it holds %s", f.Name, want, f.Type)
}

// plain reports whether what is known of a graph is that of its row alone: no molecules, splits and columns of which
// all rows tell whether they are targets.
func (l *columnLayout) plain() bool {
	known := l.class >= 0 || l.targets != nil || l.others == nil
	return l.molecules < 0 && known && l.splits == nil
}

// complete refuses a file without what every graph needs.
func (l *columnLayout) complete() error {
	var missing []string
	for _, c := range []struct {
		name string
		at   int
	}{{"from", l.from}, {"to", l.to}} {
		if c.at < 0 {
			missing = append(missing, c.name)
		}
	}
	var have []string
	for _, f := range l.schema.Fields() {
		have = append(have, f.Name)
	}
	if missing != nil {
		return fmt.Errorf("no column %s: want lists from and to with the ends of the arcs of each graph, or molecules as a "+
			"column %s; there are %s", strings.Join(missing, " and "), smilesColumn, quoted(strings.Join(have, ", ")))
	}
	if l.class >= 0 && l.vertexClass >= 0 {
		return errors.New("columns class and vertex_class: want one of the two")
	}
	if l.vertices < 0 && l.labels < 0 && l.attributes < 0 && l.vertexClass < 0 && l.vertexTargets == nil {
		return errors.New("no column vertices, nor another one that tells how many vertices a graph has: labels, " +
			"attributes, vertex_class or vertex_target NAME")
	}
	return nil
}
