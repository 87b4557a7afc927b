package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/render"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// addMethodFlags adds the flags that say how to explain.
func (f *explainFlags) addMethodFlags(fs *pflag.FlagSet) {
	f.lambda = 0.01
	choiceVar(fs, &f.method, "method", []model.Method{model.Contributions, model.Masks},
		"contributions of the vertices, or masks on the paths (default: what the model is explained by)")
	fs.Var(param.One(&f.lambda, param.Number(param.Tiny)), "lambda",
		"`L` weight of the sum of the masks against the loss; more leaves fewer paths")
	bound(fs, "lambda", param.Tiny, param.Huge)
	fs.IntVar(&f.edges, "edges", 0, "`K` edges of the highest score to select, 0: those of at least half the highest")
	bound(fs, "edges", 0, param.Many)
	fs.IntVar(&f.colours, "colours", 0, "`N` draw the N colours of a graph with the largest learned weights too (dwl-oa)")
	bound(fs, "colours", 0, param.Many)
	fs.BoolVar(&f.groups, "groups", false,
		"count the molecules that have a whole nitro group or ring among the selected edges")
}

// checkMethod refuses flags that do not go with each other.
func (f *explainFlags) checkMethod(c *cobra.Command) error {
	if f.method != model.Masks {
		for _, flag := range []string{"lambda", "edges", "groups"} {
			if c.Flags().Changed(flag) {
				return usagef("--%s belongs to --method masks", flag)
			}
		}
	}
	return nil
}

// span is a range of graphs, both ends included.
type span struct{ from, to int }

func (s span) String() string {
	switch {
	case s.to == everyGraph:
		return "all"
	case s.from == s.to:
		return strconv.Itoa(s.from)
	}
	return fmt.Sprintf("%d-%d", s.from, s.to)
}

// everyGraph is the span of --index all.
const everyGraph = math.MaxInt

// parseSpan reads a number, two numbers with a hyphen between them, or "all".
func parseSpan(text string) (span, error) {
	if text == "all" {
		return span{0, everyGraph}, nil
	}
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	if errFrom != nil || errTo != nil || from < 0 || to < 0 {
		return span{}, fmt.Errorf("%q is neither the number of a graph nor a range like 0-5", text)
	}
	if to > param.Many {
		return span{}, fmt.Errorf("no data set has so many graphs, at most %d", param.Many)
	}
	if to < from {
		return span{}, fmt.Errorf("the range %s runs backwards", text)
	}
	return span{from, to}, nil
}

func parseBond(text string) (int, error) {
	orders := map[string]int{"single": render.Single, "double": render.Double, "triple": render.Triple,
		"aromatic": render.Aromatic}
	if order, ok := orders[text]; ok {
		return order, nil
	}
	return 0, fmt.Errorf("%q is no bond; want single, double, triple or aromatic", text)
}

// numbers lists what --index names of n graphs or vertices.
func (f *explainFlags) numbers(n int, noun string) ([]int, error) {
	var index []int
	for _, s := range f.index {
		if s.to == everyGraph {
			s.to = n - 1
		}
		if s.to >= n {
			return nil, usagef("--index %s: the data set has %s, counted from 0", s, model.Count(n, noun))
		}
		filtered := f.class != "" || f.limit > 0
		if f.out != "" && !filtered && len(index)+s.to-s.from+1 > mostDrawings {
			return nil, usagef("--index: more than %d %s in a drawing; take fewer with --limit", mostDrawings,
				model.Plural(noun))
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
		return nil, usagef("--label-names: %d names for the %d labels %s", len(f.names), len(d.LabelNames),
			strings.Join(d.LabelNames, ", "))
	}
	return f.names, nil
}
