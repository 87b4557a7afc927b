package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// write prints the report for people.
func (r *report) write(w io.Writer) error {
	r.writeMachine(w)
	var operations, stages []result
	for _, res := range r.Results {
		if strings.Contains(res.Name, "/") {
			stages = append(stages, res)
		} else {
			operations = append(operations, res)
		}
	}
	if len(operations) > 0 {
		fmt.Fprintf(w, "\nOperations, %s, median of up to %d samples; rates by %s\n", workers(r.Settings.Workers), r.Settings.Repeat, clockName(r.Settings.Workers))
		if err := writeOperations(w, operations); err != nil {
			return err
		}
	}
	if len(stages) > 0 {
		fmt.Fprintf(w, "\nModels, median of up to %d samples; CPU seconds with one worker, wall-clock seconds with more\n", r.Settings.Repeat)
		if slices.ContainsFunc(stages, func(s result) bool { return s.Published > 0 }) {
			fmt.Fprintln(w, "published code: "+publishedMachine)
		}
		if err := writeStages(w, stages); err != nil {
			return err
		}
	}
	if len(r.Targets) > 0 {
		fmt.Fprintln(w, "\nTargets")
		if err := writeTargets(w, r.Targets); err != nil {
			return err
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	return nil
}

func workers(n int) string {
	if n == 1 {
		return "one worker"
	}
	return fmt.Sprintf("%d workers", n)
}

// clockName says what the seconds are, see [newResult].
func clockName(workers int) string {
	if workers == 1 {
		return "CPU seconds"
	}
	return "wall-clock seconds"
}

func (r *report) writeMachine(w io.Writer) {
	m := r.Machine
	fmt.Fprintf(w, "%s  %s, %d CPUs, %s, %s, SIMD %s", r.Date, m.Processor, m.CPUs, m.System, m.Go, m.SIMD)
	if m.Memory > 0 {
		fmt.Fprintf(w, ", %.0f GB", float64(m.Memory)/1e9)
	}
	if m.Others != nil {
		fmt.Fprintf(w, ", other processes kept %.2f CPUs busy", *m.Others)
	}
	fmt.Fprintln(w)
	if s := m.Rates; s.Copy > 0 {
		fmt.Fprintf(w, "one core: copy %sB/s; product of order %d: float32 %sFLOP/s (%.1f times gonum's %sFLOP/s), float64 %sFLOP/s; exponentials %s/s in float32, %s/s in float64\n",
			prefixed(s.Copy), s.MatrixOf, prefixed(s.Peak32), s.Peak32/s.Gonum, prefixed(s.Gonum), prefixed(s.Peak64), prefixed(s.Exp32), prefixed(s.Exp64))
	}
}

func writeOperations(w io.Writer, results []result) error {
	t, width := columns(w), nameWidth(results)
	fmt.Fprintf(t, "%-*s", width, "name")
	fmt.Fprintln(t, "\ttime\tspread\trate\tfloor\tof floor\tover portable\t2 workers over 1\t on")
	for _, r := range results {
		floor, fraction := "-", "-"
		if r.Floor > 0 {
			floor, fraction = duration(r.Floor)+" "+r.Bound, percent(r.Fraction)
		}
		fmt.Fprintf(t, "%-*s\t%s\t%s\t%s%s\t%s\t%s\t%s\t%s\t %s\n", width, r.Name, duration(r.Seconds), percent(r.Spread),
			prefixed(r.Rate), r.Unit, floor, fraction, times(r.OverPortable), times(r.TwoWorkers), r.Shape)
	}
	return t.Flush()
}

func writeStages(w io.Writer, results []result) error {
	t, width := columns(w), nameWidth(results)
	fmt.Fprintf(t, "%-*s", width, "stage")
	fmt.Fprintln(t, "\tworkers\ttime\tspread\twall clock\tpublished code\tratio\t2 workers over 1\tpeak memory\t on")
	for _, r := range results {
		was, memory := "-", "-"
		if r.Published > 0 {
			was = duration(r.Published)
		}
		if r.Peak > 0 {
			memory = prefixed(float64(r.Peak)) + "B"
		}
		fmt.Fprintf(t, "%-*s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t %s\n", width, r.Name, r.Workers, duration(r.Seconds), percent(r.Spread), duration(r.wall()),
			was, times(r.OverPublished), times(r.TwoWorkers), memory, r.Shape)
	}
	return t.Flush()
}

func writeTargets(w io.Writer, targets []verdict) error {
	t := columns(w)
	for _, v := range targets {
		holds, what := "holds", v.What
		switch {
		case v.Undecided != "":
			holds, what = "undecided", v.What+" ("+v.Undecided+")"
		case !v.Holds:
			holds = "MISSED"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s %s\t %s\n", holds, v.Name, prefixed(v.Measured), v.Sense, prefixed(v.Limit), what)
	}
	return t.Flush()
}

// nameWidth returns the length of the longest name. Names padded to it stand on the left of a column.
func nameWidth(results []result) int {
	width := 0
	for _, r := range results {
		width = max(width, len(r.Name))
	}
	return width
}

func columns(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// prefixed writes a number with three digits and a prefix of the SI.
func prefixed(x float64) string {
	for _, p := range []struct {
		unit string
		size float64
	}{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if x >= p.size {
			return digits(x/p.size) + " " + p.unit
		}
	}
	return digits(x) + " "
}

// duration writes seconds with a fitting unit.
func duration(seconds float64) string {
	switch {
	case seconds >= 1:
		return digits(seconds) + " s"
	case seconds >= 1e-3:
		return digits(seconds*1e3) + " ms"
	}
	return digits(seconds*1e6) + " us"
}

// digits writes a number with three digits.
func digits(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// times writes a ratio, or a dash where it was not measured.
func times(x float64) string {
	if x == 0 {
		return "-"
	}
	return digits(x) + "x"
}
