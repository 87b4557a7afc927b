package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// column is a column of a table beside molecules, graphs or vertices: what is known of each, as text.
type column struct {
	name    string
	values  []string // "" where nothing is known
	kinds   []string // the values that occur but for ""; nil where they are to be found out
	classes bool     // whether it holds classes, whatever they look like
	numbers bool     // whether it holds numbers, if they look like some
}

// A column holds classes where it has words, or whole numbers, of at most so many kinds. Other words are names.
const (
	mostWords   = 100
	mostNumbers = 10
)

// noTarget is the note on a column that holds nothing to be predicted.
const noTarget = "column %s is no target: it numbers or names the rows, or is empty"

// target is what a column holds to be predicted.
type target struct {
	values  []float64 // numbers, or indices of classes; NaN where nothing is known
	classes []string  // nil for numbers
}

// targetOf returns what a column holds to be predicted, nil for a column that numbers or names the rows, or is empty.
func targetOf(c column) *target {
	kinds := slices.Clone(c.kinds)
	if kinds == nil {
		kinds = slices.Clone(c.values)
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	if amongNumbers(kinds) {
		kinds = slices.DeleteFunc(kinds, absent)
		c.values = slices.Clone(c.values)
		for i, text := range c.values {
			if absent(text) {
				c.values[i] = ""
			}
		}
	}
	if len(kinds) > 0 && kinds[0] == "" {
		kinds = kinds[1:]
	}
	if c.classes && len(kinds) > 0 {
		sortCodes(kinds)
		return classesOf(c, kinds)
	}
	numbers, whole := make([]float64, len(c.values)), true
	for i, text := range c.values {
		v, err := strconv.ParseFloat(text, 64)
		switch {
		case text == "":
			v = math.NaN()
		case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
			return wordsOf(c, kinds)
		}
		numbers[i] = v
		_, err = strconv.ParseInt(text, 10, 64)
		whole = whole && (err == nil || text == "")
	}
	switch {
	case len(kinds) == 0 || whole && consecutive(numbers) && !c.numbers:
		return nil
	case !whole || len(kinds) > mostNumbers || c.numbers:
		return &target{values: numbers}
	}
	slices.SortFunc(kinds, func(a, b string) int {
		x, _ := strconv.ParseInt(a, 10, 64)
		y, _ := strconv.ParseInt(b, 10, 64)
		return cmp.Compare(x, y)
	})
	return classesOf(c, kinds)
}

// consecutive reports whether every number is one more than the one before.
func consecutive(numbers []float64) bool {
	for i := range numbers {
		if !(numbers[i] == numbers[0]+float64(i)) {
			return false
		}
	}
	return len(numbers) > 1
}

// wordsOf returns the classes of a column of words, nil where they are names.
func wordsOf(c column, kinds []string) *target {
	if len(kinds) > mostWords || len(kinds) == len(c.values) {
		return nil
	}
	return classesOf(c, kinds)
}

// classesOf returns classes in the given order.
func classesOf(c column, classes []string) *target {
	t := &target{values: make([]float64, len(c.values)), classes: classes}
	number := map[string]int{}
	for i, class := range classes {
		number[class] = i
	}
	for i, text := range c.values {
		if t.values[i] = math.NaN(); text != "" {
			t.values[i] = float64(number[text])
		}
	}
	return t
}

// predict makes the columns of a table the targets of a data set: the only one of classes or numbers, or all of them,
// of which [Dataset.WithTarget] takes one.
func (d *Dataset) predict(columns []column) {
	var found []*target
	for _, c := range columns {
		if t := targetOf(c); t != nil {
			found, d.TargetNames = append(found, t), append(d.TargetNames, c.name)
		} else {
			d.Notes = append(d.Notes, fmt.Sprintf(noTarget, c.name))
		}
	}
	if len(found) == 0 {
		return
	}
	d.Task = GraphRegression
	d.Targets = make([]float64, 0, len(found)*d.NumGraphs())
	for g := range d.NumGraphs() {
		for _, t := range found {
			d.Targets = append(d.Targets, t.values[g])
		}
	}
	for _, t := range found {
		if d.TargetClasses = append(d.TargetClasses, t.classes); t.classes != nil {
			d.Task = GraphClassification
		}
	}
	if d.Task == GraphRegression {
		d.TargetClasses = nil
	}
	if len(found) == 1 {
		*d = *d.WithTarget(0, false)
	}
}

// WithTarget returns the data set with one of its targets as the only one: as the classes of the graphs where it holds
// such, unless numbers are asked for, otherwise as a number of each graph or vertex.
func (d *Dataset) WithTarget(k int, numbers bool) *Dataset {
	one, width := *d, len(d.TargetNames)
	values := make([]float64, 0, len(d.Targets)/width)
	for i := k; i < len(d.Targets); i += width {
		values = append(values, d.Targets[i])
	}
	one.TargetClasses = nil
	one.Target = d.TargetNames[k]
	if d.TargetClasses == nil || d.TargetClasses[k] == nil {
		one.Targets, one.TargetNames = values, d.TargetNames[k:k+1]
		if d.TargetClasses != nil {
			one.Task = GraphRegression
		}
		return &one
	}
	names := d.TargetClasses[k]
	if numbers {
		one.Task, one.Targets, one.TargetNames = GraphRegression, values, d.TargetNames[k:k+1]
		for i, v := range values {
			if !math.IsNaN(v) {
				values[i], _ = strconv.ParseFloat(names[int(v)], 64)
			}
		}
		return &one
	}
	one.Task, one.Targets, one.TargetNames = GraphClassification, nil, nil
	one.ClassNames, one.Classes = names, make([]int, len(values))
	for i, v := range values {
		if one.Classes[i] = -1; !math.IsNaN(v) {
			one.Classes[i] = int(v)
		}
	}
	return &one
}

// HoldsNumbers reports whether target k is one of numbers, or of classes that are numbers.
func (d *Dataset) HoldsNumbers(k int) bool {
	if d.TargetClasses == nil {
		return true
	}
	return !slices.ContainsFunc(d.TargetClasses[k], func(class string) bool {
		_, err := strconv.ParseFloat(class, 64)
		return err != nil
	})
}

// quoted is a value of a table in an error.
func quoted(text string) string { return quote([]byte(strings.TrimSpace(text))) }
