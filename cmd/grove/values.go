package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// list is a flag with one or several values, separated by commas. Giving it replaces the default.
type list[T any] struct {
	values *[]T
	parse  func(string) (T, error)
}

// newList declares that the flag fills values, which hold the default.
func newList[T any](values *[]T, parse func(string) (T, error)) *list[T] {
	return &list[T]{values, parse}
}

func (l *list[T]) Type() string { return "list" }

func (l *list[T]) String() string {
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

// parseCount reads a whole number from 1 on.
func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is too large", text)
	}
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a whole number from 1 on", text)
	}
	return n, nil
}

// parseRounds reads a whole number from 0 on.
func parseRounds(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a whole number from 0 on", text)
	}
	return n, nil
}

// parsePositive reads a positive number.
func parsePositive(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is not a positive number", text)
	}
	return x, nil
}

// parseDecay reads an L2 penalty.
func parseDecay(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is not a number from 0 on", text)
	}
	return x, nil
}

// Constants C outside of these bounds make no difference but in overflow.
const (
	leastC = 1e-12
	mostC  = 1e12
)

// parseConstant reads a constant C of the classifier.
func parseConstant(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= leastC && x <= mostC) {
		return 0, fmt.Errorf("%q is not a number from %g to %g", text, leastC, mostC)
	}
	return x, nil
}

// single is a flag with one value that is parsed and checked.
type single[T any] struct {
	value *T
	parse func(string) (T, error)
}

func newSingle[T any](value *T, parse func(string) (T, error)) *single[T] {
	return &single[T]{value, parse}
}

func (s *single[T]) Type() string { return "value" }

func (s *single[T]) String() string {
	text := fmt.Sprint(*s.value)
	if text == "[]" || text == "0" {
		return "" // nothing chosen: no default to show
	}
	return text
}

func (s *single[T]) Set(text string) error {
	v, err := s.parse(text)
	if err == nil {
		*s.value = v
	}
	return err
}

// bounded is a flag whose numbers, one or a list of them, have a range.
type bounded struct {
	pflag.Value
	least, most float64
}

func (b bounded) Set(text string) error {
	if err := b.Value.Set(text); err != nil {
		return err
	}
	for part := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err == nil && !(x >= b.least && x <= b.most) {
			return fmt.Errorf("want a number from %s to %s", plainNumber(b.least), plainNumber(b.most))
		}
	}
	return nil
}

// plainNumber writes whole numbers with all their digits.
func plainNumber(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) <= many {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// many is more of anything than there is work for. Sums and products of two of it are whole numbers still.
const many = 1_000_000_000

// Other positive numbers than these differ from 0 or from infinity in overflow alone.
const (
	tiny = 1e-12
	huge = 1e12
)

// bound gives the numbers of a flag their range: what the arithmetic behind it bears.
func bound(fs *pflag.FlagSet, name string, least, most float64) {
	f := fs.Lookup(name)
	f.Value = bounded{f.Value, least, most}
}

// choice returns a parser that accepts a few words.
func choice[T ~string](allowed ...T) func(string) (T, error) {
	return func(text string) (T, error) {
		if slices.Contains(allowed, T(text)) {
			return T(text), nil
		}
		words := asStrings(allowed)
		return "", fmt.Errorf("want %s or %s", strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
	}
}

// choiceVar declares a flag that takes one of a few words. The shell completes them.
func choiceVar[T ~string](fs *pflag.FlagSet, value *T, name string, allowed []T, usage string) {
	fs.Var(newSingle(value, choice(allowed...)), name, usage)
	annotateWords(fs, name, allowed)
}

// choicesVar declares a flag that takes one or several of a few words.
func choicesVar[T ~string](fs *pflag.FlagSet, values *[]T, name string, allowed []T, usage string) {
	fs.Var(newList(values, choice(allowed...)), name, usage)
	annotateWords(fs, name, allowed)
}

// featuresVar declares --features with the kinds that a family knows.
func featuresVar(fs *pflag.FlagSet, value *dataset.Features, allowed ...dataset.Features) {
	choiceVar(fs, value, "features", allowed,
		"what of its data a vertex shows; attributes are standardised, raw ones are not")
}

// annotateWords makes help list the words that a flag takes, and the shell complete them.
func annotateWords[T ~string](fs *pflag.FlagSet, name string, words []T) {
	_ = fs.SetAnnotation(name, "words", asStrings(words))
}

func asStrings[T ~string](words []T) []string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return texts
}

// completeWords makes the shell complete the flags of a command that take one of a few words.
func completeWords(c *cobra.Command) {
	register := func(f *pflag.Flag) {
		if words := f.Annotations["words"]; len(words) > 0 {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	c.Flags().VisitAll(register)
	c.PersistentFlags().VisitAll(register)
}
