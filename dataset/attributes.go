package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// AttributeName returns what attribute k is called: its number, from 0, where attributes have no names.
func (e *Encoding) AttributeName(k int) string {
	if k < len(e.AttributeNames) {
		return e.AttributeNames[k]
	}
	return "attribute " + strconv.Itoa(k)
}

// attributeNames returns the names of attributes that columns have, nil where they tell no more than numbers do or two
// are the same.
func attributeNames(columns []string) []string {
	names, mere := make([]string, len(columns)), true
	for k, column := range columns {
		names[k] = ownAttribute(column)
		_, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(column, "attribute")))
		mere = mere && err == nil
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(names))); mere || len(distinct) < len(names) {
		return nil
	}
	return names
}

// checkAttributeNames reports names of another number of attributes than there are.
func checkAttributeNames(names []string, attributes int) error {
	if names != nil && len(names) != attributes {
		return fmt.Errorf("%d names of %d attributes", len(names), attributes)
	}
	return nil
}

// attributePrefix begins the name of a column that holds an attribute, whatever else it would be taken for.
const attributePrefix = "attribute "

// ownAttribute is what an attribute is called: the name of its column without the prefix.
func ownAttribute(column string) string {
	if name := strings.TrimSpace(strings.TrimPrefix(column, attributePrefix)); name != "" {
		return name
	}
	return column
}

// attributeColumns returns the names of the columns of a table of vertices that hold the attributes, by which they are
// read as such.
func (d *Dataset) attributeColumns() []string {
	columns := slices.Clone(d.AttributeNames)
	for k, name := range columns {
		if vertexRole(name) != "" || ownAttribute(name) != name {
			columns[k] = attributePrefix + name
		}
	}
	if columns == nil {
		for k := range d.Batch.AttributeDim {
			columns = append(columns, "attribute"+strconv.Itoa(k+1))
		}
	}
	return columns
}

// checkNamed reports the first attribute of d that has another name in the data that the encoding was fitted on: its
// values would be taken for those of another one.
func (e *Encoding) checkNamed(d *Dataset) error {
	if len(e.AttributeNames) != len(d.AttributeNames) { // of one of them none are known, or their number is wrong
		return nil
	}
	for k, name := range d.AttributeNames {
		if name != e.AttributeNames[k] {
			return fmt.Errorf("data set %s: attribute %d is called %s, the model learned from %s there: want the same columns "+
				"in the same order", d.Name, k+1, quoted(name), quoted(e.AttributeNames[k]))
		}
	}
	return nil
}
