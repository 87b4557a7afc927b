package dataset

import (
	"slices"
	"strconv"
)

// named takes a column of a table of molecules as what they are called, one that is called id or name or so, or else
// one that is no target, and returns the others.
func (d *Dataset) named(columns []column) []column {
	if d.GraphIDs != nil {
		return columns
	}
	at := slices.IndexFunc(columns, func(c column) bool { return namesMolecules(c.name) && distinctNames(c.values) })
	if at < 0 {
		at = slices.IndexFunc(columns, func(c column) bool { return distinctNames(c.values) && targetOf(c) == nil })
	}
	if at < 0 {
		return columns
	}
	d.GraphIDs = columns[at].values
	d.Notes = append(d.Notes, "column "+columns[at].name+" names the molecules")
	return slices.Delete(slices.Clone(columns), at, at+1)
}

// namesMolecules reports whether a column holds names of molecules by its own name.
func namesMolecules(column string) bool {
	switch plainName(column) {
	case "id", "name", "mol", "molecule", "compound":
		return true
	}
	return false
}

// distinctNames reports whether values tell things apart, and are not just their numbers.
func distinctNames(values []string) bool {
	seen, numbers := map[string]bool{}, true
	for i, name := range values {
		if name == "" || seen[name] {
			return false
		}
		seen[name] = true
		numbers = numbers && name == strconv.Itoa(i)
	}
	return !numbers
}
