// Package param holds the options of a model by name: what somebody who does not know the model, a command line or
// another language for instance, lists, sets from text and explains.
//
//	var s param.Set
//	s.Int(&options.Rounds, "rounds", 1, 100, "how often")
//	err := s.Set("rounds", "7")
package param

import (
	"errors"
	"fmt"
	"slices"
)

// Value is something that text sets. [pflag.Value] is the same.
//
// [pflag.Value]: https://pkg.go.dev/github.com/spf13/pflag#Value
type Value interface {
	String() string
	Set(string) error
	Type() string
}

// Param is one option by name.
type Param struct {
	Value
	Name  string
	Usage string   // one line; a name for the value may stand in it in back quotes
	Words []string // that the value is one or several of; nil where it is free
	Alone string   // what the name without a value stands for; "" where it needs one
	Least float64  // range of the numbers, where Most is above
	Most  float64
	Given bool // it was set
}

// Set sets the value. The error says what would be right.
func (p *Param) Set(text string) error {
	if err := p.Value.Set(text); err != nil {
		return err
	}
	p.Given = true
	return nil
}

// Set lists parameters in the order in which they were declared.
type Set struct{ params []*Param }

// Add declares a parameter.
func (s *Set) Add(p *Param) *Param {
	s.params = append(s.params, p)
	return p
}

// All lists the parameters.
func (s *Set) All() []*Param { return s.params }

// Lookup returns the parameter of a name, nil where there is none.
func (s *Set) Lookup(name string) *Param {
	if k := slices.IndexFunc(s.params, func(p *Param) bool { return p.Name == name }); k >= 0 {
		return s.params[k]
	}
	return nil
}

// Given reports whether a parameter was set.
func (s *Set) Given(name string) bool {
	p := s.Lookup(name)
	return p != nil && p.Given
}

// Set sets the parameter of a name from text. The error is an [*Error].
func (s *Set) Set(name, text string) error {
	p := s.Lookup(name)
	if p == nil {
		return Errorf(name, nil, "there is no such option")
	}
	if err := p.Set(text); err != nil {
		return &Error{Name: name, Value: text, Err: err}
	}
	return nil
}

// Error says what is wrong with an option. Where options do not go together it names the first.
type Error struct {
	Name  string
	Value string // "" where it does not matter
	Err   error
}

// Error says which option it is and what is wrong.
func (e *Error) Error() string {
	switch {
	case e.Name == "":
		return e.Err.Error()
	case e.Value == "":
		return fmt.Sprintf("%s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.Name, e.Value, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an [*Error] about the option of a name; value, unless nil, is what it was set to. Without a name it is
// about all options together.
func Errorf(name string, value any, format string, args ...any) error {
	text := ""
	if value != nil {
		text = fmt.Sprint(value)
	}
	return &Error{Name: name, Value: text, Err: fmt.Errorf(format, args...)}
}

// Wrap returns an [*Error] about all options together, nil of nil.
func Wrap(err error) error {
	var known *Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &Error{Err: err}
}
