package main

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
)

// cells is a column of a table: whole numbers, words of which "" is missing, or numbers of which NaN is missing.
type cells struct {
	name   string
	wholes []int64
	words  []string
	reals  []float64
}

// classCells returns a column of classes, of which a negative one is missing.
func classCells(name string, classes []int, names []string) cells {
	c := cells{name: name, words: make([]string, len(classes))}
	for i, class := range classes {
		if class >= 0 {
			c.words[i] = names[class]
		}
	}
	return c
}

// realCells returns the columns of a matrix that is stored row by row.
func realCells(names []string, values []float64) []cells {
	columns := make([]cells, len(names))
	for k, name := range names {
		columns[k] = cells{name: name, reals: make([]float64, 0, len(values)/len(names))}
		for i := k; i < len(values); i += len(names) {
			columns[k].reals = append(columns[k].reals, values[i])
		}
	}
	return columns
}

// rowsOfCells returns the rows of a table from some on to before others.
func rowsOfCells(columns []cells, from, to int) []cells {
	some := make([]cells, len(columns))
	for i, c := range columns {
		some[i] = cells{name: c.name}
		switch {
		case c.wholes != nil:
			some[i].wholes = c.wholes[from:to]
		case c.words != nil:
			some[i].words = c.words[from:to]
		default:
			some[i].reals = c.reals[from:to]
		}
	}
	return some
}

// text returns a cell as text, "" where it is missing.
func (c *cells) text(row int) string {
	switch {
	case c.wholes != nil:
		return strconv.FormatInt(c.wholes[row], 10)
	case c.words != nil:
		return c.words[row]
	}
	return number(c.reals[row])
}

// number writes a number as it reads back, "" for one that is not known.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// writeCSV writes columns, of which the first has whole numbers, as comma-separated values.
func writeCSV(to io.Writer, columns []cells, header bool) error {
	w := csv.NewWriter(to)
	row := make([]string, len(columns))
	if header {
		for i, c := range columns {
			row[i] = c.name
		}
		_ = w.Write(row) // the writer keeps its error
	}
	for line := range columns[0].wholes {
		for i := range columns {
			row[i] = columns[i].text(line)
		}
		_ = w.Write(row)
	}
	w.Flush()
	return w.Error()
}
