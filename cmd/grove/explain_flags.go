package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/render"
)

// span is a range of graphs, both ends included.
type span struct{ from, to int }

func (s span) String() string {
	if s.from == s.to {
		return strconv.Itoa(s.from)
	}
	return fmt.Sprintf("%d-%d", s.from, s.to)
}

// parseSpan reads a number or two numbers with a hyphen between them.
func parseSpan(text string) (span, error) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	from, err := strconv.Atoi(first)
	if err != nil || from < 0 {
		return span{}, fmt.Errorf("%q is neither the number of a graph nor a range like 0-5", text)
	}
	to, err := strconv.Atoi(last)
	if err != nil || to < 0 {
		return span{}, fmt.Errorf("%q is neither the number of a graph nor a range like 0-5", text)
	}
	if to < from {
		return span{}, fmt.Errorf("the range %s runs backwards", text)
	}
	return span{from, to}, nil
}

func parseName(text string) (string, error) {
	if text == "" {
		return "", fmt.Errorf("an empty name")
	}
	return text, nil
}

func parseBond(text string) (int, error) {
	orders := map[string]int{"single": render.Single, "double": render.Double, "triple": render.Triple, "aromatic": render.Aromatic}
	if order, ok := orders[text]; ok {
		return order, nil
	}
	return 0, fmt.Errorf("%q is no bond; want single, double, triple or aromatic", text)
}

// graphs lists the graphs that --index names.
func (f *explainFlags) graphs(n int) ([]int, error) {
	var index []int
	for _, s := range f.index {
		if s.to >= n {
			return nil, usagef("--index %s: the data set has %s, counted from 0", s, count(n, "graph"))
		}
		if len(index)+s.to-s.from+1 > mostDrawings {
			return nil, usagef("--index: more than %d graphs; explain fewer at a time", mostDrawings)
		}
		for g := s.from; g <= s.to; g++ {
			index = append(index, g)
		}
	}
	return index, nil
}

// labelNames returns the name of each vertex label id, nil where vertices have no labels. Data without
// names of their own get those of the data that the model was trained on.
func (f *explainFlags) labelNames(d *dataset.Dataset, encoding *dataset.Encoding) ([]string, error) {
	if d.Batch.Labels == nil {
		if f.names != nil {
			return nil, usagef("--label-names: the vertices of %s have no labels", d.Name)
		}
		return nil, nil
	}
	if f.names == nil {
		return encoding.DisplayNames(d), nil
	}
	if len(f.names) != len(d.LabelNames) {
		return nil, usagef("--label-names: %d names for the %d labels %s", len(f.names), len(d.LabelNames), strings.Join(d.LabelNames, ", "))
	}
	return f.names, nil
}
