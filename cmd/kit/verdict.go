package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/grove-graph/grove/atomicfile"
)

// check is one thing that a part finds out.
type check struct {
	name string
	// run returns what is to be kept, and a line for the verdict. An error of notRun says why nothing was found out, any
	// other one what is wrong.
	run func() (data any, line string, err error)
}

// result is how a check went.
type result struct {
	Check   string  `json:"check"`
	Status  string  `json:"status"`
	Why     string  `json:"why,omitempty"`
	Seconds float64 `json:"seconds"`
	Data    any     `json:"data,omitempty"`
}

// The statuses of a check.
const (
	passed  = "pass"
	failed  = "FAIL"
	leftOut = "not run"
)

// partFile is what a part leaves in the folder of results.
type partFile struct {
	Part      string   `json:"part"`
	Size      string   `json:"size"`
	Simulated bool     `json:"simulated"`
	Begun     string   `json:"begun"` // RFC 3339
	Seconds   float64  `json:"seconds"`
	Device    string   `json:"device,omitempty"`
	Checks    []result `json:"checks"`
}

// notRunError is why a check found nothing out.
type notRunError struct{ why string }

func (e *notRunError) Error() string { return e.why }

func notRun(format string, args ...any) error { return &notRunError{fmt.Sprintf(format, args...)} }

func isNotRun(err error) bool { return errors.As(err, new(*notRunError)) }

// part runs checks one after the other and prints the verdict last. It returns how many failed.
func (s *session) part(checks []check) (int, error) {
	start := time.Now()
	name := filepath.Join(s.out, strings.ToLower(s.file.Part))
	log, err := os.Create(name + ".log")
	if err != nil {
		return 0, err
	}
	defer log.Close()
	s.log = log
	if s.work, err = os.MkdirTemp("", "grove-kit-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(s.work)
	var unsaved error // of the last time, which would have written all
	for _, c := range checks {
		fmt.Fprintf(os.Stderr, "%5.0f s  %s\n", time.Since(start).Seconds(), c.name)
		fmt.Fprintf(log, "\n=== %s\n", c.name)
		s.file.Checks = append(s.file.Checks, c.do())
		s.file.Seconds = time.Since(start).Seconds()
		s.file.Device = s.devices.name()
		unsaved = s.file.save(name + ".json") // after each, lest a kill lose them all
	}
	return s.file.print(os.Stdout), unsaved
}

// do runs the check.
func (c check) do() (r result) {
	r.Check = c.name
	start := time.Now()
	var err error
	r.Data, r.Why, err = c.run()
	r.Seconds = time.Since(start).Seconds()
	switch {
	case err == nil:
		r.Status = passed
	case isNotRun(err):
		r.Status, r.Why = leftOut, err.Error()
	default:
		r.Status, r.Why = failed, err.Error()
	}
	return r
}

func (f *partFile) save(name string) error {
	return atomicfile.Write(name, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(f)
	})
}

// print writes a line for each check and the totals, and returns how many failed.
func (f *partFile) print(w io.Writer) int {
	count := map[string]int{}
	fmt.Fprintf(w, "\nPart %s on %s\n", f.Part, f.Device)
	for _, r := range f.Checks {
		count[r.Status]++
		why, _, _ := strings.Cut(r.Why, "\n")
		fmt.Fprintf(w, "%-7s  %5.1f s  %s", r.Status, r.Seconds, r.Check)
		if why != "" {
			fmt.Fprintf(w, ": %s", why)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "part %s: %d passed, %d FAILED, %d not run, %.0f s\n", f.Part, count[passed], count[failed],
		count[leftOut], f.Seconds)
	return count[failed]
}
