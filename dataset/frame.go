package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// frame holds what a table says of vertices, edges or graphs beside their names: a column for each name, a row for each
// of them in the order in which they come.
type frame struct {
	columns []*frameColumn
	places  map[string]int
	rows    int
}

// frameColumn is a column of a frame. Its first value decides whether one of no certain role holds numbers.
type frameColumn struct {
	name    string
	role    Role
	kind    columnKind
	decided int       // line of the first value
	numbers []float64 // NaN where there is no value
	kinds   kinds
	ids     []int32 // of kinds, -1 where there is no value
}

type columnKind int

const (
	undecidedColumn columnKind = iota
	numberColumn
	kindColumn
	leftOutColumn
)

// kinds numbers the texts that occur.
type kinds struct {
	places map[string]int32
	texts  []string
	last   int32
}

func (k *kinds) id(text []byte) int32 {
	if len(k.texts) > 0 && k.texts[k.last] == string(text) {
		return k.last
	}
	id, ok := k.places[string(text)]
	if !ok {
		if k.places == nil {
			k.places = map[string]int32{}
		}
		id = int32(len(k.texts))
		k.texts = append(k.texts, string(text))
		k.places[k.texts[id]] = id
	}
	k.last = id
	return id
}

// column returns the number of a column, a new one where there is none of the name.
func (f *frame) column(name string, role func(name string) Role) int {
	at, ok := f.places[name]
	if !ok {
		if f.places == nil {
			f.places = map[string]int{}
		}
		at = len(f.columns)
		f.places[name] = at
		f.columns = append(f.columns, newColumn(name, role(name)))
	}
	return at
}

func newColumn(name string, role Role) *frameColumn {
	c := &frameColumn{name: name, role: role}
	switch role {
	case WeightRole:
		c.kind = numberColumn
	case SkipRole:
		c.kind = leftOutColumn
	case LabelRole, TypeRole, ClassRole, TargetRole, valueRole, SplitRole, nameRole, directedRole:
		c.kind = kindColumn
	}
	return c
}

// absent reports whether a text stands for no value where numbers are expected.
func absent(text string) bool {
	switch len(text) {
	case 0:
		return true
	case 2, 3, 4:
		switch strings.ToLower(text) {
		case "na", "nan", "null", "none":
			return true
		}
	}
	return false
}

// amongNumbers reports whether texts are numbers but for some, at least one, that stand for no value.
func amongNumbers(texts []string) bool {
	without := false
	for _, text := range texts {
		if text == "" {
			continue
		}
		if absent(text) {
			without = true
		} else if _, err := strconv.ParseFloat(text, 64); err != nil {
			return false
		}
	}
	return without
}

// set gives the row that is about to end a value in a column; line is where it stands.
func (f *frame) set(column int, text []byte, line int) error {
	c := f.columns[column]
	words := c.kind == kindColumn && c.role != SplitRole // where a value may be called anything
	if c.kind == leftOutColumn || len(text) == 0 || !words && absent(string(text)) {
		return nil
	}
	if c.kind == kindColumn {
		if c.pad(f.rows); len(c.ids) > f.rows {
			return fmt.Errorf("%s is given twice", quoted(c.name))
		}
		c.ids = append(c.ids, c.kinds.id(text))
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if c.decided == 0 {
		if c.decided = line; c.kind == undecidedColumn {
			if c.kind = numberColumn; err != nil && c.role != AttributeRole {
				c.kind = leftOutColumn
				return nil
			}
		}
	}
	switch {
	case err != nil && c.decided == line:
		return fmt.Errorf("%s is not a number", quote(text))
	case err != nil:
		return fmt.Errorf("%s is not a number, as in line %d", quote(text), c.decided)
	case math.IsInf(v, 0):
		return fmt.Errorf("%s is not a finite number", quote(text))
	}
	if c.pad(f.rows); len(c.numbers) > f.rows {
		return fmt.Errorf("%s is given twice", quoted(c.name))
	}
	c.numbers = append(c.numbers, v)
	return nil
}

// pad makes a column as long as so many rows are.
func (c *frameColumn) pad(rows int) {
	switch c.kind {
	case numberColumn:
		for len(c.numbers) < rows {
			c.numbers = append(c.numbers, math.NaN())
		}
	case kindColumn:
		for len(c.ids) < rows {
			c.ids = append(c.ids, -1)
		}
	}
}

// forget makes the values of a column of kinds missing that stand for none among numbers.
func (c *frameColumn) forget() {
	if c.kind != kindColumn || !amongNumbers(c.kinds.texts) {
		return
	}
	var stay kinds
	place := make([]int32, len(c.kinds.texts))
	for id, text := range c.kinds.texts {
		if place[id] = -1; !absent(text) {
			place[id] = stay.id([]byte(text))
		}
	}
	c.kinds, c.ids = stay, placed(c.ids, place)
}

// end makes all columns as long as there are rows, and leaves out those without any value.
func (f *frame) end() {
	for _, c := range f.columns {
		c.forget()
		if c.kind == kindColumn && len(c.kinds.texts) == 0 || c.kind == numberColumn && c.decided == 0 {
			c.kind = leftOutColumn
		}
		c.pad(f.rows)
	}
}

// of returns the first column of a role that is not left out, nil where there is none.
func (f *frame) of(role Role) *frameColumn {
	i := slices.IndexFunc(f.columns, func(c *frameColumn) bool { return c.role == role && c.kind != leftOutColumn })
	if i < 0 {
		return nil
	}
	return f.columns[i]
}

// all returns the columns of some roles that are not left out.
func (f *frame) all(roles ...Role) []*frameColumn {
	return slices.DeleteFunc(slices.Clone(f.columns), func(c *frameColumn) bool {
		return c.kind == leftOutColumn || !slices.Contains(roles, c.role)
	})
}

// attributes returns the columns of numbers that models see.
func (f *frame) attributes() []*frameColumn {
	return slices.DeleteFunc(f.all(AttributeRole, ""), func(c *frameColumn) bool { return c.kind != numberColumn })
}

// coded returns ids of what a column holds, from 0 in ascending order of whole numbers or of words, and the code of
// each id. What is missing has a code of its own.
func (c *frameColumn) coded() (ids []int32, codes []string) {
	codes = slices.Clone(c.kinds.texts)
	sortCodes(codes)
	idOf := make([]int32, len(codes)+1)
	for id, code := range codes {
		idOf[c.kinds.places[code]] = int32(id)
	}
	if slices.Contains(c.ids, -1) {
		idOf[len(codes)] = int32(len(codes))
		codes = append(codes, missingCode)
	}
	ids = make([]int32, len(c.ids))
	for i, id := range c.ids {
		if id < 0 {
			id = int32(len(c.kinds.texts))
		}
		ids[i] = idOf[id]
	}
	return ids, codes
}

// missingCode is the label of what has none where others have one.
const missingCode = "?"

// sortCodes puts codes into the order of their numbers, or of the alphabet where some are words.
func sortCodes(codes []string) {
	numbers := map[string]int64{}
	for _, code := range codes {
		v, err := strconv.ParseInt(code, 10, 64)
		if err != nil {
			slices.Sort(codes)
			return
		}
		numbers[code] = v
	}
	slices.SortFunc(codes, func(a, b string) int {
		if numbers[a] != numbers[b] {
			if numbers[a] < numbers[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
}

// values returns what a column of kinds holds as text, "" where there is no value.
func (c *frameColumn) values() column {
	v := column{name: ownName(c.name), values: make([]string, len(c.ids)), kinds: c.kinds.texts,
		classes: c.role == ClassRole, numbers: c.role == TargetRole}
	for i, id := range c.ids {
		if id >= 0 {
			v.values[i] = c.kinds.texts[id]
		}
	}
	return v
}

// inOrder puts values into another order: the value of row order[i] becomes the one of row i.
func inOrder[T any](values []T, order []int32) []T {
	if values == nil || order == nil {
		return values
	}
	moved := make([]T, len(order))
	for i, row := range order {
		moved[i] = values[row]
	}
	return moved
}

// reorder puts the rows into another order.
func (f *frame) reorder(order []int32) {
	for _, c := range f.columns {
		c.ids, c.numbers = inOrder(c.ids, order), inOrder(c.numbers, order)
	}
}
