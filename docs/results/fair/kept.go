package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
)

// column is what is kept of a data set: what the table needs, and nothing else. Classes are digits, one for each
// example of a test part.
type column struct {
	Set       string     `json:"set"`
	Truth     []string   `json:"truth"`     // of every fold, the classes of its test part
	Validated []int      `json:"validated"` // of every fold, how many examples its validation part has
	Models    []measured `json:"models"`    // in the order of the rows
}

// measured is what is kept of a model on a data set.
type measured struct {
	Model string   `json:"model"` // with its flags
	Folds []tested `json:"folds"`
}

// tested is what is kept of a fold.
type tested struct {
	Validation float64 `json:"validation"` // the accuracy that its setting was chosen by
	Seconds    float64 `json:"seconds"`
	Said       string  `json:"said"`
}

// read returns what is kept of a data set in a folder, nil where there is nothing.
func read(folder, set string) (*column, error) {
	path := keptFile(folder, set)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := new(column)
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func keptFile(folder, set string) string { return filepath.Join(folder, set+".json") }

// keep takes over from a comparison the models that were measured on all folds, in place of what was kept of them.
func (p *protocol) keep(set, data string) error {
	raw, err := os.ReadFile(p.file(set))
	if err != nil {
		return err
	}
	var k eval.Kept
	if err := json.Unmarshal(raw, &k); err != nil {
		return fmt.Errorf("%s: %w", p.file(set), err)
	}
	c, err := read(p.kept, set)
	if err != nil {
		return err
	}
	if c == nil {
		if c, err = p.newColumn(set, data, k.Folds); err != nil {
			return err
		}
	}
	for _, m := range k.Models {
		if len(m.Tested) != len(c.Truth) {
			continue
		}
		one := measured{Model: m.Model}
		for _, t := range m.Tested {
			one.Folds = append(one.Folds, tested{*t.Score, math.Round(t.Seconds*100) / 100, digits(t.Classes)})
		}
		c.Models = slices.DeleteFunc(c.Models, func(old measured) bool { return old.Model == one.Model })
		c.Models = append(c.Models, one)
	}
	place := func(m measured) int {
		return slices.IndexFunc(entrants, func(e entrant) bool { return e.line(set) == m.Model })
	}
	slices.SortStableFunc(c.Models, func(a, b measured) int { return place(a) - place(b) })
	return atomicfile.Write(keptFile(p.kept, set), c.write)
}

// write writes a column with a line for each model.
func (c *column) write(w io.Writer) error {
	head := *c
	head.Models = nil
	raw, err := json.Marshal(head)
	if err != nil {
		return err
	}
	var lines []string
	for _, m := range c.Models {
		line, err := json.Marshal(m)
		if err != nil {
			return err
		}
		lines = append(lines, string(line))
	}
	_, err = fmt.Fprintf(w, "%s[\n%s\n]}\n", strings.TrimSuffix(string(raw), "null}"), strings.Join(lines, ",\n"))
	return err
}

// newColumn returns the column of a data set without a model. tested are the test parts of its folds.
func (p *protocol) newColumn(set, data string, tested [][]int) (*column, error) {
	d, err := dataset.Open(filepath.Join(p.data, data))
	if err != nil {
		return nil, err
	}
	c := &column{Set: set}
	outer, err := dataset.ReadFolds(p.folds(set), d.NumGraphs())
	if err != nil {
		return nil, err
	}
	inner, err := dataset.ReadInnerFolds(p.folds(set), d.NumGraphs(), outer)
	if err != nil {
		return nil, err
	}
	truth := model.TargetsOf(d)
	for f, test := range tested {
		c.Truth = append(c.Truth, digits(truth.Of(test).Classes))
		c.Validated = append(c.Validated, len(inner[f].Validation))
	}
	return c, nil
}

// digits writes classes as a digit each.
func digits(classes []int) string {
	var s strings.Builder
	for _, c := range classes {
		s.WriteByte('0' + byte(c))
	}
	return s.String()
}

// classes reads what digits wrote.
func classes(digits string) []int {
	list := make([]int, len(digits))
	for i := range list {
		list[i] = int(digits[i] - '0')
	}
	return list
}
