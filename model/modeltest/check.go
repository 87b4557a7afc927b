package modeltest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/grove-graph/grove/model"
)

// Check is one thing that models must do.
type Check struct {
	Name string // two or three words
	What string // what must hold, one line

	// Needs says of which families it is asked, of all where it is nil.
	Needs func(*model.Family) bool
	// Run returns what went wrong, or [NotApplicable]. A panic counts as an error.
	Run func(*Subject) error
}

// Checks lists the checks: those of data with little to learn from, of the same bits, and of laws.
func Checks() []Check {
	var all []Check
	all = append(all, scarce()...)
	all = append(all, repeated()...)
	return append(all, laws()...)
}

// NotApplicable is the error of a check that has nothing to ask of a model; it says why.
type NotApplicable string

// Error says why.
func (n NotApplicable) Error() string { return string(n) }

// Outcome is how a model fared in a check.
type Outcome string

// The outcomes.
const (
	Passed       Outcome = "passed"        // to the last bit where bits are compared
	Within       Outcome = "within"        // the tolerance that the family promises
	KnownFailure Outcome = "known failure" // for the reason in the table of promises
	Skipped      Outcome = "not applicable"
	Failed       Outcome = "failed"
)

// Result is the outcome with its reason.
type Result struct {
	Outcome Outcome
	Promise Promise
	Err     error // what failed, or why the check does not apply
}

// Check runs the check on a model and holds the result against what its family promises. A known failure that does not
// fail any more is a failure, so that the table of promises stays true.
func (c Check) Check(s *Subject) Result {
	promise := s.Promise(c.Name)
	if c.Needs != nil && !c.Needs(s.Family) {
		return Result{Skipped, promise, NotApplicable("the family does not declare it")}
	}
	err := c.guarded(s)
	var reason NotApplicable
	switch {
	case errors.As(err, &reason):
		return Result{Skipped, promise, err}
	case promise.Fails && err == nil:
		return Result{Failed, promise, fmt.Errorf("it holds, against the promise: %s", promise.Reason)}
	case promise.Fails:
		return Result{KnownFailure, promise, err}
	case err != nil:
		return Result{Failed, promise, err}
	case promise.Tolerance > 0:
		return Result{Within, promise, nil}
	}
	return Result{Passed, promise, nil}
}

// guarded runs the check with panics as errors.
func (c Check) guarded(s *Subject) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return c.Run(s)
}

// oneLine returns an error unless err is one that a person can read in a line.
func oneLine(err error) error {
	switch text := err.Error(); {
	case text == "" || len(text) > 400:
		return fmt.Errorf("an error of %d letters", len(text))
	case strings.Contains(text, "\n"):
		return fmt.Errorf("an error of several lines: %q", text)
	}
	return nil
}
