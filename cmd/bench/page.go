package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/render/page"
	tell "github.com/grove-graph/grove/report"
)

// savePage writes the report as one page of HTML to a file.
func (r *report) savePage(name string) error {
	p, err := r.page()
	if err != nil {
		return err
	}
	var content bytes.Buffer
	if err := p.Write(&content); err != nil {
		return err
	}
	return atomicfile.Write(name, func(w io.Writer) error {
		_, err := w.Write(content.Bytes())
		return err
	})
}

// page has the tables of the report, each to be sorted, with the samples of every measurement as dots, and the roofline
// where the rates of the machine are known.
func (r *report) page() (*page.Page, error) {
	p := &page.Page{Title: "Benchmark of " + r.Date, Facts: r.facts()}
	var operations, stages []result
	for _, res := range r.Results {
		if strings.Contains(res.Name, "/") {
			stages = append(stages, res)
		} else {
			operations = append(operations, res)
		}
	}
	if len(operations) > 0 {
		s := page.Section{Heading: "Operations", Text: fmt.Sprintf("Headings sort. Medians of up to %d samples, "+
			"%s, by %s.", r.Settings.Repeat, r.on(), r.clockName()), Table: operationTable(operations)}
		figure, err := r.roofline()
		switch {
		case err == nil:
			drawn, err := page.Draw("operations under the roofline of the machine", figure.WriteSVG)
			if err != nil {
				return nil, err
			}
			drawn.Wide = true
			s.Figures = append(s.Figures, drawn)
		case r.Machine.Rates.Copy > 0 && slices.ContainsFunc(operations, drawable):
			return nil, err
		}
		p.Sections = append(p.Sections, s)
	}
	if len(stages) > 0 {
		s := page.Section{Heading: "Models", Text: "CPU seconds with one worker, wall-clock seconds with more and on a " +
			"device. Published code: " + publishedMachine + ".", Table: stageTable(stages)}
		p.Sections = append(p.Sections, s)
	}
	if len(r.Targets) > 0 {
		p.Sections = append(p.Sections, page.Section{Heading: "Targets", Table: targetTable(r.Targets)})
	}
	if len(r.Counts) > 0 {
		p.Sections = append(p.Sections, page.Section{Heading: "Counts", Text: "What the work asks of the GPU.",
			Table: countTable(r.Counts)})
	}
	return p, nil
}

// facts are the machine, the versions and the command.
func (r *report) facts() []page.Fact {
	var facts []page.Fact
	add := func(name, format string, values ...any) {
		facts = append(facts, page.Fact{Name: name, Text: fmt.Sprintf(format, values...)})
	}
	m := r.Machine
	add("machine", "%s, %d CPUs, %s, SIMD %s", cmp.Or(m.Processor, "unnamed processor"), m.CPUs, m.System, m.SIMD)
	if m.Memory > 0 {
		add("memory", "%.0f GB", float64(m.Memory)/1e9)
	}
	if m.Device != "" {
		add("device", "%s", m.Device)
	}
	if m.Hardware != nil {
		add("hardware", "%s: %s", m.Hardware.Name, m.Hardware)
		if m.Hardware.Simulated {
			add("note", "the GPU is simulated: counts are those of a real one, times and rates mean nothing")
		}
	}
	if m.Others != nil {
		add("other work", "other processes kept %.2f CPUs busy", *m.Others)
	}
	if m.Rates.Copy > 0 {
		add("rates", "%s", m.Rates.text())
	}
	if m.Rates.Attained != nil {
		add("attained", "%s, by kernels that do nothing else", m.Rates.Attained.text())
	}
	add("settings", "workers %d, repeat %d", r.Settings.Workers, r.Settings.Repeat)
	if r.Settings.Quick {
		add("note", "quick: tiny inputs, which say nothing about speed")
	}
	add("made by", "bench%s, %s", revision(), m.Go)
	add("command", "%s", tell.CommandLine(append([]string{"bench"}, os.Args[1:]...)))
	for _, note := range r.Notes {
		add("note", "%s", note)
	}
	return facts
}

// revision is that of the checkout, where the go command noted it.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return fmt.Sprintf(" of revision %.10s", s.Value)
			}
		}
	}
	return ""
}

// column is one of numbers.
func column(name, help string) page.Column { return page.Column{Name: name, Help: help, Number: true} }

// measured is the cell of a number that was not measured where it is 0.
func measured(v float64, text string) page.Cell {
	if v == 0 {
		return page.Cell{Value: math.NaN()}
	}
	return page.Cell{Text: text, Value: v}
}

// samples are the seconds of a measurement that count, as dots from the fastest to the slowest.
func (r *result) samples() page.Cell {
	values, unit := r.Wall, " s"
	switch {
	case len(r.Events) > 0:
		values = r.Events
	case !(place{r.Workers, r.Device}).byWall() && median(r.CPU) > 0:
		values = r.CPU
	}
	if len(values) == 0 {
		return page.Cell{}
	}
	return page.Cell{Dots: &page.Dots{Noun: "sample", Values: values, Low: slices.Min(values), High: slices.Max(values),
		Unit: unit}}
}

// operationTable is that of [writeOperations].
func operationTable(results []result) *page.Table {
	t := &page.Table{Caption: "Operations", Columns: []page.Column{{Name: "name"}, column("time", "median of the samples"),
		{Name: "samples", Help: "from the fastest to the slowest"}, column("spread", "slowest less fastest, of the median"),
		column("rate", "of its work"), column("floor", "time that arithmetic or memory take at the rates of the machine"),
		column("of floor", "floor over time"), column("over portable", "rate over that of the portable code"),
		column("2 workers over 1", "how many times as fast"), column("rival", "its time over Grove's"),
		{Name: "on", Help: "inputs"}}}
	for i := range results {
		r := &results[i]
		rival := page.Cell{Value: math.NaN()}
		if r.Rival != nil {
			rival = page.Cell{Text: times(r.Rival.Ratio) + " (" + r.Rival.Name + ")", Value: r.Rival.Ratio}
		}
		t.Rows = append(t.Rows, page.Row{Cells: []page.Cell{{Text: r.Name}, measured(r.Seconds, duration(r.Seconds)),
			r.samples(), measured(r.Spread, percent(r.Spread)), measured(r.Rate, prefixed(r.Rate)+r.Unit),
			measured(r.Floor, duration(r.Floor)+" "+r.Bound), measured(r.Fraction, percent(r.Fraction)),
			measured(r.OverPortable, times(r.OverPortable)), measured(r.TwoWorkers, times(r.TwoWorkers)), rival,
			{Text: r.Shape}}})
	}
	return t
}

// stageTable is that of [writeStages].
func stageTable(results []result) *page.Table {
	t := &page.Table{Caption: "Stages of models", Columns: []page.Column{{Name: "stage"}, column("workers", ""),
		column("time", "median of the samples"), {Name: "samples", Help: "from the fastest to the slowest"},
		column("spread", "slowest less fastest, of the median"), column("wall clock", "median"),
		column("published code", "its seconds"), column("ratio", "published seconds over ours"),
		column("2 workers over 1", "how many times as fast"), column("peak memory", "of the process"),
		column("graphs/s", ""), column("paths/s", ""), {Name: "on", Help: "inputs"}}}
	for i := range results {
		r := &results[i]
		var p throughput
		if r.Throughput != nil {
			p = *r.Throughput
		}
		t.Rows = append(t.Rows, page.Row{Cells: []page.Cell{{Text: r.Name}, page.Number(float64(r.Workers), "%.0f"),
			measured(r.Seconds, duration(r.Seconds)), r.samples(), measured(r.Spread, percent(r.Spread)),
			measured(r.wall(), duration(r.wall())), measured(r.Published, duration(r.Published)),
			measured(r.OverPublished, times(r.OverPublished)), measured(r.TwoWorkers, times(r.TwoWorkers)),
			measured(float64(r.Peak), bytesOf(float64(r.Peak))), measured(p.Graphs, prefixed(p.Graphs)),
			measured(p.Paths, prefixed(p.Paths)), {Text: r.Shape}}})
	}
	return t
}

// targetTable is that of [writeTargets].
func targetTable(targets []verdict) *page.Table {
	t := &page.Table{Caption: "Targets", Columns: []page.Column{{Name: "benchmark"}, {Name: "verdict"},
		column("measured", ""), column("limit", ""), {Name: "what"}}}
	for _, v := range targets {
		holds, what := "holds", v.What
		switch {
		case v.Undecided != "":
			holds, what = "undecided", v.What+" ("+v.Undecided+")"
		case !v.Holds:
			holds = "MISSED"
		}
		t.Rows = append(t.Rows, page.Row{Best: holds == "MISSED", Cells: []page.Cell{{Text: v.Name}, {Text: holds},
			{Text: prefixed(v.Measured), Value: v.Measured}, {Text: v.Sense + " " + prefixed(v.Limit), Value: v.Limit},
			{Text: what}}})
	}
	return t
}

// countTable is that of [report.writeCounts].
func countTable(of map[string]counted) *page.Table {
	t := &page.Table{Caption: "Counts", Columns: []page.Column{{Name: "workload"}, {Name: "per"},
		column("submissions", ""), column("updates", ""), column("launches", ""), column("uploads", ""),
		column("upload bytes", ""), column("downloads", ""), column("handovers", ""), column("waits", ""),
		column("exponentials", "")}}
	for _, l := range workloads() {
		c, ok := of[l.name]
		if !ok {
			continue
		}
		row := page.Row{Cells: []page.Cell{{Text: l.name}, {Text: c.Per}}}
		for _, v := range []float64{c.Submissions, c.Updates, c.Launches, c.Uploads, c.UploadBytes, c.Downloads,
			c.Handovers, c.Waits, c.Exponentials} {
			row.Cells = append(row.Cells, page.Cell{Text: number(v), Value: v})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
