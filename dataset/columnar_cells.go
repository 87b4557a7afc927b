package dataset

import (
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// listsOf gives the values of each row of a column of lists; a row without a list has none.
func listsOf(a arrow.Array) (values arrow.Array, of func(row int) (from, to int)) {
	l, ok := a.(array.ListLike)
	if !ok { // a column without any value
		return a, func(int) (int, int) { return 0, 0 }
	}
	return l.ListValues(), func(row int) (int, int) {
		if l.IsNull(row) {
			return 0, 0
		}
		from, to := l.ValueOffsets(row)
		return int(from), int(to)
	}
}

// plainValues returns the values of a column and which of them stands at a place, behind its dictionary if it has one.
func plainValues(a arrow.Array) (values arrow.Array, at func(i int) int) {
	if d, ok := a.(*array.Dictionary); ok {
		return d.Dictionary(), d.GetValueIndex
	}
	return a, nil
}

// through looks up values behind a dictionary, if there is one.
func through[T any](value func(i int) T, at func(i int) int) func(i int) T {
	if value == nil || at == nil {
		return value
	}
	return func(i int) T { return value(at(i)) }
}

// wholesOf returns access to whole numbers, nil for a column of anything else.
func wholesOf(a arrow.Array) func(i int) int64 {
	values, at := plainValues(a)
	return through(wholesIn(values), at)
}

func wholesIn(a arrow.Array) func(i int) int64 {
	switch a := a.(type) {
	case *array.Int8:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int16:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int32:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int64:
		return a.Value
	case *array.Uint8:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Uint16:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Uint32:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Uint64:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Boolean:
		return func(i int) int64 {
			if a.Value(i) {
				return 1
			}
			return 0
		}
	case *array.Null:
		return func(int) int64 { return 0 }
	}
	return nil
}

// realsOf returns access to numbers, NaN where there is none; nil for a column of anything else.
func realsOf(a arrow.Array) func(i int) float64 {
	values, at := plainValues(a)
	var value func(i int) float64
	switch v := values.(type) {
	case *array.Float64:
		value = v.Value
	case *array.Float32:
		value = func(i int) float64 { return float64(v.Value(i)) }
	case *array.Float16:
		value = func(i int) float64 { return float64(v.Value(i).Float32()) }
	default:
		whole := wholesIn(values)
		if whole == nil {
			return nil
		}
		value = func(i int) float64 { return float64(whole(i)) }
	}
	value = through(value, at)
	return func(i int) float64 {
		if a.IsNull(i) {
			return math.NaN()
		}
		return value(i)
	}
}

// textsOf returns access to words, "" where there is none; nil for a column of anything else.
func textsOf(a arrow.Array) func(i int) string {
	values, at := plainValues(a)
	var value func(i int) string
	switch v := values.(type) {
	case *array.String:
		value = v.Value
	case *array.LargeString:
		value = v.Value
	case *array.StringView:
		value = v.Value
	case *array.Null:
		value = func(int) string { return "" }
	default:
		return nil
	}
	value = through(value, at)
	return func(i int) string {
		if a.IsNull(i) {
			return ""
		}
		return value(i)
	}
}

// cellsOf returns access to the values of a column of any kind as text, "" where there is none.
func cellsOf(a arrow.Array) func(i int) string {
	if text := textsOf(a); text != nil {
		return text
	}
	if whole := wholesOf(a); whole != nil {
		return func(i int) string {
			if a.IsNull(i) {
				return ""
			}
			return strconv.FormatInt(whole(i), 10)
		}
	}
	real := realsOf(a)
	return func(i int) string {
		v := real(i)
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
}
