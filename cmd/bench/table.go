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
		fmt.Fprintf(w, "\nOperations, %s, median of up to %d samples; rates by %s\n",
			r.on(), r.Settings.Repeat, r.clockName())
		if err := writeOperations(w, operations); err != nil {
			return err
		}
	}
	if len(stages) > 0 {
		fmt.Fprintf(w,
			"\nModels, median of up to %d samples; CPU seconds with one worker, wall-clock seconds with more and on a device\n",
			r.Settings.Repeat)
		if slices.ContainsFunc(stages, func(s result) bool { return s.Published > 0 }) {
			fmt.Fprintln(w, "published code: "+publishedMachine)
		}
		if err := writeStages(w, stages); err != nil {
			return err
		}
	}
	if len(r.Counts) > 0 {
		if err := r.writeCounts(w); err != nil {
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

// on says what computes.
func (r *report) on() string {
	switch {
	case r.Machine.Device != "":
		return "on " + r.Machine.Device
	case r.Settings.Workers == 1:
		return "one worker"
	}
	return fmt.Sprintf("%d workers", r.Settings.Workers)
}

// clockName says what the seconds are, see [place].
func (r *report) clockName() string {
	switch {
	case r.Machine.Hardware != nil:
		return "seconds between events"
	case r.Machine.Device == "" && r.Settings.Workers == 1:
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
	m.writeDevice(w)
	if m.Rates.Copy == 0 {
		return
	}
	fmt.Fprintf(w, "%s: %s\n", r.on(), m.Rates.text())
	if m.Rates.Attained != nil {
		fmt.Fprintf(w, "kernels that do nothing else attain: %s\n", m.Rates.Attained.text())
	}
}

// text lists the rates that are known.
func (r rates) text() string {
	var parts []string
	for _, rate := range r.list() {
		if rate.value > 0 {
			parts = append(parts, rate.name+" "+prefixed(rate.value)+rate.unit)
		}
	}
	return strings.Join(parts, "; ")
}

// writeDevice says what a GPU tells of itself, and how long it took to be ready.
func (m *host) writeDevice(w io.Writer) {
	if h := m.Hardware; h != nil {
		fmt.Fprintf(w, "%s: %s\n", h.Name, h)
		if h.Simulated {
			fmt.Fprintln(w, "the GPU is simulated: counts are those of a real one, times and rates mean nothing")
		}
	}
	if c := m.Cold; c != nil {
		fmt.Fprintf(w, "cold start: %s to open the device, %s for the first call of an operation, %s for the second\n",
			duration(c.Open), duration(c.First), duration(c.Second))
	}
}

func writeOperations(w io.Writer, results []result) error {
	t, width := columns(w), nameWidth(results)
	fmt.Fprintf(t, "%-*s", width, "name")
	fmt.Fprintln(t, "\ttime\tspread\trate\tbytes\tmoved\tfloor\tof floor\tover portable\t2 workers over 1\t on")
	for _, r := range results {
		floor, fraction, shape := "-", "-", r.Shape
		if r.Floor > 0 {
			floor, fraction = duration(r.Floor)+" "+r.Bound, percent(r.Fraction)
		}
		if r.Rival != nil {
			shape += fmt.Sprintf("; %s takes %s, %s as long", r.Rival.Name, duration(r.Rival.Seconds), times(r.Rival.Ratio))
		}
		fmt.Fprintf(t, "%-*s\t%s\t%s\t%s%s\t%s\t%s\t%s\t%s\t%s\t%s\t %s\n",
			width, r.Name, duration(r.Seconds), percent(r.Spread),
			prefixed(r.Rate), r.Unit, bytesOf(r.Bytes), bytesOf(r.Moved), floor, fraction, times(r.OverPortable),
			times(r.TwoWorkers), shape)
	}
	return t.Flush()
}

// bytesOf writes a number of bytes, or a dash where there is none.
func bytesOf(n float64) string {
	if n == 0 {
		return "-"
	}
	return prefixed(n) + "B"
}

func writeStages(w io.Writer, results []result) error {
	t, width := columns(w), nameWidth(results)
	fmt.Fprintf(t, "%-*s", width, "stage")
	fmt.Fprintln(t, "\tworkers\ttime\tspread\twall clock\tpublished code\tratio\t2 workers over 1\tpeak memory\t on")
	for _, r := range results {
		was, shape := "-", r.Shape
		if r.Published > 0 {
			was = duration(r.Published)
		}
		if p := r.Throughput; p != nil {
			shape += fmt.Sprintf("; %sgraphs/s, %svertices/s, %spaths/s",
				prefixed(p.Graphs), prefixed(p.Vertices), prefixed(p.Paths))
		}
		fmt.Fprintf(t, "%-*s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t %s\n", width, r.Name, r.Workers, duration(r.Seconds),
			percent(r.Spread), duration(r.wall()),
			was, times(r.OverPublished), times(r.TwoWorkers), bytesOf(float64(r.Peak)), shape)
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
