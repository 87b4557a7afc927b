package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/spf13/pflag"
)

// addOutputFlags declares the flags of every command that reports something.
// They keep what they are where a command is made again, for a plan.
func (a *app) addOutputFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&a.json, "json", a.json, "write one JSON object to standard output and nothing else")
	fs.BoolVarP(&a.progress.quiet, "quiet", "q", a.progress.quiet, "show no progress")
}

// emit writes the result of a command: value as one JSON object with --json, otherwise what text writes.
func (a *app) emit(value any, text func(w io.Writer)) error {
	a.progress.clear()
	w := bufio.NewWriter(a.out)
	if a.json {
		if err := writeJSON(w, value); err != nil {
			return fmt.Errorf("writing the result: %w", plain(err))
		}
	} else {
		text(w)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the result: %w", plain(err))
	}
	return nil
}

// writeJSON writes a value as one JSON object.
func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// fact writes one line of a report: a name and what there is to say.
func fact(w io.Writer, name, format string, values ...any) {
	fmt.Fprintf(w, "%-12s %s\n", name, fmt.Sprintf(format, values...))
}

// writeNotes writes what a report remarks.
func writeNotes(w io.Writer, notes []string) {
	for _, note := range notes {
		fact(w, "note", "%s", note)
	}
}

// seconds measures the time since start, rounded to milliseconds.
func seconds(start time.Time) float64 { return roundSeconds(time.Since(start)) }

func roundSeconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// spent returns the times of some work, with those of loading and of choosing classifiers and the time since the start
// beside them.
func spent(s *model.Stopwatch, load float64, selecting time.Duration, start time.Time) eval.Seconds {
	fit, transform := s.Times()
	return eval.Seconds{
		Load:      load,
		Fit:       roundSeconds(fit),
		Transform: roundSeconds(transform),
		Select:    roundSeconds(selecting),
		Total:     seconds(start),
	}
}

// writeSeconds writes the times of a report.
func writeSeconds(w io.Writer, s eval.Seconds) {
	beside := ""
	if s.Load+s.Fit+s.Transform+s.Select > s.Total {
		beside = ", some of it at the same time"
	}
	if s.Before > 0 {
		beside += fmt.Sprintf("; %.2f before, of the checkpoint", s.Before)
	}
	fact(w, "seconds", "%.2f in all (load %.2f, fit %.2f, transform %.2f, select %.2f%s)",
		s.Total, s.Load, s.Fit, s.Transform, s.Select, beside)
}

// constant writes a value of C.
func constant(c float64) string {
	if c >= 1000 && c < 1e6 {
		return fmt.Sprintf("%.0f", c)
	}
	return fmt.Sprintf("%.3g", c)
}

// written is a score in units with its standard deviation.
func written(m eval.Metric, mean, std float64) string {
	if m.Share() {
		return fmt.Sprintf("%.1f +- %.1f %%", mean, std)
	}
	return fmt.Sprintf("%.4g +- %.2g (%s)", mean, std, m)
}

// rounded takes what rounding leaves off a percentage.
func rounded(percentage float64) float64 { return math.Round(percentage*1e6) / 1e6 }
