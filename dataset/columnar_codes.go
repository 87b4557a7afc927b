package dataset

import (
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
)

// coder gives the codes of a column ids, in the order in which they are met, and knows at the end which id each has
// when they are sorted: those that the head of the file lists come first, in its order.
type coder struct {
	known   []string // by the head
	numbers map[int64]int32
	words   map[string]int32
	codes   []string

	last   int64 // number that was met last, and its id
	lastID int32
}

func newCoder(known []string) *coder {
	c := &coder{known: known, numbers: map[int64]int32{}, words: map[string]int32{}, lastID: -1}
	for _, code := range known {
		c.word(code)
	}
	return c
}

// word returns the id of a code.
func (c *coder) word(code string) int32 {
	id, met := c.words[code]
	if !met {
		id = int32(len(c.codes))
		c.codes = append(c.codes, code)
		c.words[code] = id
	}
	return id
}

// number returns the id of a code that is a whole number.
func (c *coder) number(code int64) int32 {
	if c.lastID >= 0 && code == c.last {
		return c.lastID
	}
	id, met := c.numbers[code]
	if !met {
		id = c.word(strconv.FormatInt(code, 10))
		c.numbers[code] = id
	}
	c.last, c.lastID = code, id
	return id
}

// access returns the ids of the values of a column, -1 where there is none and -2 where one is no whole number.
func (c *coder) access(values arrow.Array) func(i int) int32 {
	id := func(int) int32 { return -1 }
	if whole := wholesOf(values); whole != nil {
		id = func(i int) int32 { return c.number(whole(i)) }
	} else if text := textsOf(values); text != nil {
		id = func(i int) int32 { return c.word(text(i)) }
	} else if real := realsOf(values); real != nil {
		id = func(i int) int32 {
			switch v := real(i); {
			case math.IsNaN(v):
				return -1
			case v != math.Trunc(v) || math.Abs(v) > 1<<53:
				return -2
			default:
				return c.number(int64(v))
			}
		}
	}
	return func(i int) int32 {
		if values.IsNull(i) {
			return -1
		}
		return id(i)
	}
}

// sorted returns the codes in their order, and for each id its place in it.
func (c *coder) sorted() (codes []string, place []int32) {
	order := make([]int32, len(c.codes))
	for id := range order {
		order[id] = int32(id)
	}
	further := order[min(len(c.known), len(order)):]
	values := make([]int64, len(c.codes))
	whole := true
	for _, id := range further {
		v, err := strconv.ParseInt(c.codes[id], 10, 64)
		values[id], whole = v, whole && err == nil
	}
	slices.SortFunc(further, func(a, b int32) int {
		switch {
		case whole && values[a] != values[b]:
			if values[a] < values[b] {
				return -1
			}
			return 1
		case c.codes[a] < c.codes[b]:
			return -1
		case c.codes[a] > c.codes[b]:
			return 1
		}
		return 0
	})
	place = make([]int32, len(order))
	for at, id := range order {
		codes, place[id] = append(codes, c.codes[id]), int32(at)
	}
	return codes, place
}

// placed replaces ids by their places; those of nothing stay.
func placed(ids, place []int32) []int32 {
	for i, id := range ids {
		if id >= 0 {
			ids[i] = place[id]
		}
	}
	return ids
}

// asInts returns the same ids as int.
func asInts(ids []int32) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = int(id)
	}
	return out
}

// columnarCodes are the codes of all columns of a file that have such.
type columnarCodes struct {
	labels, arcLabels, classes *coder
	targets                    map[int]*coder // by column, of those that hold words
}

func newCodes(l *columnLayout) *columnarCodes {
	c := &columnarCodes{newCoder(l.head.Labels), newCoder(l.head.ArcLabels), newCoder(l.head.Classes), map[int]*coder{}}
	for _, t := range l.targets {
		if t.kind == wordKind {
			c.targets[t.at] = newCoder(l.head.TargetClasses[t.name])
		}
	}
	return c
}
