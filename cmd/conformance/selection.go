package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/engine/simd"
)

// selection says which cases of the suite run on a device, and how long.
type selection struct {
	pattern, list, shard string
	limit                time.Duration
}

// report is what a run on one device writes.
type report struct {
	enginetest.Column
	Cases  []enginetest.Outcome `json:"cases"`
	NotRun []string             `json:"not_run,omitempty"` // what the time limit left over
	Lost   int                  `json:"lost,omitempty"`    // how often a failure left the device unusable
	Hangs  bool                 `json:"hangs,omitempty"`   // the last case did not end
}

// patience is how long after the time limit a case may still take.
var patience = 10 * time.Second

// run runs the selected cases on a device and writes the report. What a failure leaves of a device that cannot be used
// any more, a process of its own goes on with.
func (s selection) run(device, out string) error {
	trials, err := s.choose(enginetest.Trials())
	if err != nil {
		return err
	}
	e, err := engine.Open(device, 0)
	if err != nil {
		return err
	}
	name := e.Describe()
	if e.String() == "cpu" {
		name = "CPU, " + simd.Level()
	}
	r, start := &report{Column: enginetest.Column{Engine: name}}, time.Now()
	left := r.try(e, trials, s.limit)
	if !r.Hangs {
		_ = e.Close() // what it holds after a failure is no concern of the suite
	}
	if len(left) > 0 {
		r.goOn(device, left, max(s.limit-time.Since(start), min(s.limit, time.Second)))
	}
	r.Summaries = enginetest.Summarize(r.Cases)
	if err := r.write(out); err != nil {
		return err
	}
	return r.verdict()
}

// choose returns the trials that are selected.
func (s selection) choose(all []enginetest.Trial) ([]enginetest.Trial, error) {
	pattern, err := regexp.Compile(s.pattern)
	if err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	listed, err := s.listed(all)
	if err != nil {
		return nil, fmt.Errorf("-cases: %w", err)
	}
	part, parts := 1, 1
	if s.shard != "" {
		var rest string
		if n, _ := fmt.Sscanf(s.shard, "%d/%d%s", &part, &parts, &rest); n != 2 || part < 1 || part > parts {
			return nil, fmt.Errorf("-shard %q: want I/N with I from 1 to N, such as 1/4", s.shard)
		}
	}
	var chosen []enginetest.Trial
	for _, t := range all {
		if name := t.String(); pattern.MatchString(name) && (s.list == "" || listed[name]) {
			chosen = append(chosen, t)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("none of %d cases is selected", len(all))
	}
	for i := len(chosen) - 1; i >= 0; i-- { // shards take turns, so that each has some of every operation
		if i%parts != part-1 {
			chosen = slices.Delete(chosen, i, i+1)
		}
	}
	return chosen, nil
}

// listed reads the names of cases, a line each. Empty lines and those that begin with # do not count.
func (s selection) listed(all []enginetest.Trial) (map[string]bool, error) {
	if s.list == "" {
		return nil, nil
	}
	known, listed := map[string]bool{}, map[string]bool{}
	for _, t := range all {
		known[t.String()] = true
	}
	in := io.Reader(os.Stdin)
	if s.list != "-" {
		f, err := os.Open(s.list)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		name := strings.TrimSpace(lines.Text())
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		if !known[name] {
			return nil, fmt.Errorf("there is no case %q", name)
		}
		listed[name] = true
	}
	return listed, lines.Err()
}

// try runs trials in turn until the time is up, and returns those that follow a failure after which the device cannot
// be used any more.
func (r *report) try(e engine.Engine, trials []enginetest.Trial, limit time.Duration) (left []enginetest.Trial) {
	start := time.Now()
	for i, t := range trials {
		if limit > 0 && time.Since(start) > limit {
			r.NotRun = append(r.NotRun, names(trials[i:])...)
			return nil
		}
		o, ended := attempt(e, t, start, limit)
		r.Cases = append(r.Cases, o)
		if !ended {
			r.Hangs = true
			r.NotRun = append(r.NotRun, names(trials[i+1:])...)
			return nil
		}
		if o.Error != "" && lost(e) {
			r.Lost++
			return trials[i+1:]
		}
	}
	return nil
}

// attempt runs a trial, and gives it up where it takes longer than the limit and some patience.
func attempt(e engine.Engine, t enginetest.Trial, start time.Time, limit time.Duration) (enginetest.Outcome, bool) {
	if limit == 0 {
		return t.On(e), true
	}
	done := make(chan enginetest.Outcome, 1)
	go func() { done <- t.On(e) }()
	select {
	case o := <-done:
		return o, true
	case <-time.After(time.Until(start.Add(limit + patience))):
		return enginetest.Outcome{Trial: t.String(), Operation: t.Operation, Error: "no answer within the time limit"}, false
	}
}

// lost reports whether an engine refuses everything from now on.
func lost(e engine.Engine) bool {
	_ = e.Synchronize() // reports a failure that was not reported yet
	return e.Synchronize() != nil
}

// goOn runs trials in another process.
func (r *report) goOn(device string, trials []enginetest.Trial, limit time.Duration) {
	cmd := exec.Command(os.Args[0], "-device", device, "-cases", "-", "-limit", limit.String())
	cmd.Stdin = strings.NewReader(strings.Join(names(trials), "\n"))
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	var rest report
	if bad := json.Unmarshal(text, &rest); bad != nil {
		fmt.Fprintf(os.Stderr, "conformance: going on after the device was lost: %v\n", errors.Join(err, bad))
		r.NotRun = append(r.NotRun, names(trials)...)
		return
	}
	r.Cases = append(r.Cases, rest.Cases...)
	r.NotRun = append(r.NotRun, rest.NotRun...)
	r.Lost += rest.Lost
}

func names(trials []enginetest.Trial) []string {
	all := make([]string, len(trials))
	for i, t := range trials {
		all[i] = t.String()
	}
	return all
}

// write puts the report into a file, or on standard output.
func (r *report) write(out string) error {
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(r); err != nil {
		return err
	}
	if out == "" {
		_, err := os.Stdout.Write(text.Bytes())
		return err
	}
	return os.WriteFile(out, text.Bytes(), 0o666)
}

// verdict is an error where not everything passed.
func (r *report) verdict() error {
	failed := 0
	for _, s := range r.Summaries {
		failed += s.Failed
	}
	if failed+len(r.NotRun) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d cases failed, %d were not run", failed, len(r.Cases), len(r.NotRun))
}
