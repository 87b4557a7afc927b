package param

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits that many numbers have.
const (
	Many = 1_000_000_000 // more of anything than there is work for; sums and products of two of it are whole still
	Tiny = 1e-12         // other positive numbers than from Tiny to Huge differ from 0 or infinity in overflow alone
	Huge = 1e12
)

// Int declares a whole number in a range.
func (s *Set) Int(value *int, name string, least, most float64, usage string) *Param {
	return s.number(One(value, wholeFrom(least)), name, least, most, usage)
}

// Ints declares one or several whole numbers in a range.
func (s *Set) Ints(values *[]int, name string, least, most float64, usage string) *Param {
	return s.number(List(values, wholeFrom(least)), name, least, most, usage)
}

// Float declares a number in a range.
func (s *Set) Float(value *float64, name string, least, most float64, usage string) *Param {
	return s.number(One(value, Number(least)), name, least, most, usage)
}

// Floats declares one or several numbers in a range.
func (s *Set) Floats(values *[]float64, name string, least, most float64, usage string) *Param {
	return s.number(List(values, Number(least)), name, least, most, usage)
}

// Bool declares something that is off or on; its name alone switches it on.
func (s *Set) Bool(value *bool, name, usage string) *Param {
	return s.Add(&Param{Value: toggle{One(value, ParseBool)}, Name: name, Usage: usage, Alone: "true"})
}

// Text declares a text.
func (s *Set) Text(value *string, name, usage string) *Param {
	v := One(value, func(text string) (string, error) { return text, nil })
	return s.Add(&Param{Value: v, Name: name, Usage: usage})
}

// Choice declares one of a few words.
func Choice[T ~string](s *Set, value *T, name string, allowed []T, usage string) *Param {
	return s.Add(&Param{Value: One(value, Word(allowed...)), Name: name, Usage: usage, Words: texts(allowed)})
}

// Choices declares one or several of a few words.
func Choices[T ~string](s *Set, values *[]T, name string, allowed []T, usage string) *Param {
	return s.Add(&Param{Value: List(values, Word(allowed...)), Name: name, Usage: usage, Words: texts(allowed)})
}

func (s *Set) number(v Value, name string, least, most float64, usage string) *Param {
	return s.Add(&Param{Value: Bounded(v, least, most), Name: name, Usage: usage, Least: least, Most: most})
}

// toggle is a value of the type that needs no text.
type toggle struct{ Value }

func (toggle) Type() string { return "bool" }

// list is one or several values, separated by commas. Setting it replaces the default.
type list[T any] struct {
	values *[]T
	parse  func(string) (T, error)
}

// List is a value that fills a list, which holds the default, from text with commas.
func List[T any](values *[]T, parse func(string) (T, error)) Value { return &list[T]{values, parse} }

func (l *list[T]) Type() string { return "list" }

func (l *list[T]) String() string {
	if l.values == nil {
		return ""
	}
	texts := make([]string, len(*l.values))
	for i, v := range *l.values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ",")
}

func (l *list[T]) Set(text string) error {
	var values []T
	for part := range strings.SplitSeq(text, ",") {
		v, err := l.parse(strings.TrimSpace(part))
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	*l.values = values
	return nil
}

// one is a single value.
type one[T any] struct {
	value *T
	parse func(string) (T, error)
	given string // that it was set to
}

// One is a value that fills another one, which holds the default.
func One[T any](value *T, parse func(string) (T, error)) Value {
	return &one[T]{value: value, parse: parse}
}

func (o *one[T]) Type() string { return "value" }

func (o *one[T]) String() string {
	if o.value == nil || o.given != "" {
		return o.given
	}
	text := fmt.Sprint(*o.value)
	if text == "[]" || text == "0" {
		return "" // nothing chosen: no default to show
	}
	return text
}

func (o *one[T]) Set(text string) error {
	v, err := o.parse(text)
	if err == nil {
		*o.value, o.given = v, text
	}
	return err
}

// bounded is a value whose numbers, one or a list of them, have a range.
type bounded struct {
	Value
	least, most float64
}

// Bounded gives the numbers of a value their range: what the arithmetic behind it bears.
func Bounded(v Value, least, most float64) Value { return bounded{v, least, most} }

func (b bounded) Set(text string) error {
	if err := b.Value.Set(text); err != nil {
		return err
	}
	for part := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err == nil && !(x >= b.least && x <= b.most) {
			return fmt.Errorf("want a number from %s to %s", plain(b.least), plain(b.most))
		}
	}
	return nil
}

// plain writes whole numbers with all their digits.
func plain(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) <= Many {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// wholeFrom reads a whole number that is not below a bound.
func wholeFrom(least float64) func(string) (int, error) {
	return func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return 0, errors.New("the number is too large")
		case err != nil || float64(n) < least && least <= 1:
			return 0, fmt.Errorf("%q is not a whole number from %s on", text, plain(least))
		}
		return n, nil
	}
}

// Number returns a parser of numbers that are not below a bound, and positive where the bound is.
func Number(least float64) func(string) (float64, error) {
	return func(text string) (float64, error) {
		x, err := strconv.ParseFloat(text, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return 0, errors.New("the number is too large")
		case least > 0 && !(x > 0):
			return 0, fmt.Errorf("%q is not a positive number", text)
		case err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < least && least == 0:
			return 0, fmt.Errorf("%q is not a number from %s on", text, plain(least))
		}
		return x, nil
	}
}

// ParseBool reads true or false.
func ParseBool(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, fmt.Errorf("%q is neither true nor false", text)
	}
	return text == "true", nil
}

// Word returns a parser that accepts a few words.
func Word[T ~string](allowed ...T) func(string) (T, error) {
	return func(text string) (T, error) {
		if slices.Contains(allowed, T(text)) {
			return T(text), nil
		}
		words := texts(allowed)
		return "", fmt.Errorf("want %s or %s", strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
	}
}

func texts[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}
