package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is a command line that cannot be meant: exit status 2.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// usagef returns a usageError.
func usagef(format string, values ...any) error {
	return &usageError{fmt.Errorf(format, values...)}
}

// unknownName says that c knows no such command or model, and which one may be meant.
func unknownName(what, name string, known []string, c *cobra.Command) error {
	if near := nearest(name, known); near != "" {
		return usagef("%sunknown %s %q; did you mean %s?", at(c), what, name, near)
	}
	return usagef("%sunknown %s %q; there are %s", at(c), what, name, strings.Join(known, ", "))
}

// flagError words the errors of flag parsing: it names the flag and what it wants.
func flagError(c *cobra.Command, line []string, err error) error {
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	// A command that does not exist is the cause of flags that it does not have.
	if words := arguments(c, line); len(words) > 0 {
		if wrong := c.ValidateArgs(words); wrong != nil {
			return wrong
		}
	}
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if shorthand := unknown.GetSpecifiedShortnames(); shorthand != "" {
			return usagef("unknown flag -%s (see %s --help)", name, c.CommandPath())
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := nearest(name, names); near != "" {
			return usagef("unknown flag --%s; did you mean --%s?", name, near)
		}
		if len(modelsBelow(c)) > 0 {
			return usagef("unknown flag --%s; flags of a model follow its name: %s MODEL --%s (see %s MODEL --help)",
				name, c.CommandPath(), name, c.CommandPath())
		}
		return usagef("unknown flag --%s (see %s --help)", name, c.CommandPath())
	case errors.As(err, &missing):
		if f := missing.GetFlag(); f != nil {
			value, _ := describeFlag(f)
			return usagef("--%s needs a value: --%s %s", f.Name, f.Name, value)
		}
	case errors.As(err, &invalid):
		cause := invalid.Unwrap()
		var number *strconv.NumError
		if errors.As(cause, &number) {
			cause = numberError(number)
		}
		return usagef("--%s %s: %v", invalid.GetFlag().Name, invalid.GetValue(), cause)
	}
	return &usageError{fmt.Errorf("%w (see %s --help)", err, c.CommandPath())}
}

// arguments returns what follows c on a command line beside flags and their values.
func arguments(c *cobra.Command, line []string) []string {
	_, rest, _ := c.Root().Find(line)
	var words []string
	for i := 0; i < len(rest); i++ {
		name, isFlag := strings.CutPrefix(rest[i], "-")
		if !isFlag || name == "" {
			words = append(words, rest[i])
			continue
		}
		f := c.Flags().Lookup(strings.TrimPrefix(name, "-"))
		if len(name) == 1 {
			f = c.Flags().ShorthandLookup(name)
		}
		// What follows a flag that c does not know may be its value, unless it is a flag too.
		valued := f != nil && f.NoOptDefVal == ""
		if f == nil && !strings.Contains(name, "=") {
			valued = i+1 < len(rest) && !strings.HasPrefix(rest[i+1], "-")
		}
		if valued {
			i++
		}
	}
	return words
}

func numberError(err *strconv.NumError) error {
	switch {
	case errors.Is(err, strconv.ErrRange):
		return errors.New("the number is too large")
	case err.Func == "ParseFloat":
		return errors.New("want a number")
	case err.Func == "ParseBool":
		return errors.New("want true or false")
	case err.Func == "ParseUint":
		return errors.New("want a whole number, not negative")
	}
	return errors.New("want a whole number")
}

// nearest returns the known name that is spelled most like name, or "" if none is close.
func nearest(name string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		d := editDistance(strings.ToLower(name), strings.ToLower(k))
		if strings.HasPrefix(k, name) && len(name) > 1 {
			d = min(d, 1)
		}
		if d < distance && d < len(k) {
			best, distance = k, d
		}
	}
	return best
}

// editDistance is the Levenshtein distance.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// requireFlags returns a usage error for the first of the named flags that was not given.
func requireFlags(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := c.Flags().Lookup(name); f != nil && f.Value.String() == "" {
			value, _ := describeFlag(f)
			return usagef("%s--%s %s is missing (see %s --help)", at(c), name, value, c.CommandPath())
		}
	}
	return nil
}

// noArguments accepts a command line without arguments beside flags.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%sthere is nothing to do with %q: all is said by flags (see %s --help)",
			at(c), args[0], c.CommandPath())
	}
	return nil
}

// oneArgument accepts one argument.
func oneArgument(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s%s is missing (see %s --help)", at(c), what, c.CommandPath())
		}
		if len(args) > 1 {
			return usagef("%sone %s at a time, not %d", at(c), what, len(args))
		}
		return nil
	}
}

// exactlyOne accepts one argument, one of the known names.
func exactlyOne(what string, known []string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usagef("%s%s is missing; there are %s", at(c), what, strings.Join(known, ", "))
		case len(args) > 1:
			return usagef("%sone %s at a time, not %d", at(c), what, len(args))
		case !slices.Contains(known, args[0]):
			return unknownName(strings.ToLower(what), args[0], known, c)
		}
		return nil
	}
}

// at begins a message with the command that it is about.
func at(c *cobra.Command) string {
	if !c.HasParent() {
		return ""
	}
	_, below, _ := strings.Cut(c.CommandPath(), " ")
	return below + ": "
}
