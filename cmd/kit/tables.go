package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// table begins a table in Markdown.
func table(w io.Writer, columns []string) {
	row(w, columns...)
	fmt.Fprintln(w, "|"+strings.Repeat("---|", len(columns)))
}

func row(w io.Writer, cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.Join(strings.Fields(c), " "), "|", "\\|")
	}
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

// duration writes seconds with three digits.
func duration(seconds float64) string {
	for _, u := range []struct {
		unit float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}} {
		if seconds >= u.unit {
			return fmt.Sprintf("%.3g %s", seconds/u.unit, u.name)
		}
	}
	return fmt.Sprintf("%.3g ns", seconds/1e-9)
}

// writeRivals puts all who computed an operation below each other.
func writeRivals(w io.Writer, c *compared) {
	if c == nil {
		return
	}
	fmt.Fprint(w, "\n## Rivals on the same arrays\n\n")
	table(w, []string{"operation", "by", "seconds", "over Grove's"})
	for _, operation := range c.operations() {
		own := 0.0
		for _, f := range c.Figures {
			if f.Operation != operation {
				continue
			}
			over := "-"
			if f.By == grove {
				own = f.Seconds
			} else if own > 0 {
				over = fmt.Sprintf("%.2f", f.Seconds/own)
			}
			row(w, operation, f.By, duration(f.Seconds), over)
		}
	}
	if missing := c.missing(); missing != "" {
		fmt.Fprintf(w, "\nAbsent: %s.\n", missing)
	}
}

// operations are those of the figures, each once.
func (c *compared) operations() (names []string) {
	for _, f := range c.Figures {
		if !slices.Contains(names, f.Operation) {
			names = append(names, f.Operation)
		}
	}
	return names
}

func writeVariants(w io.Writer, all map[string][]pair) {
	if len(all) == 0 {
		return
	}
	fmt.Fprint(w, "\n## Variants\n\n")
	table(w, []string{"variant", "figure", "usual", "variant", "variant over usual"})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, p := range all[name] {
			row(w, strings.TrimPrefix(name, "variant: "), p.Name, duration(p.Usual), duration(p.Variant),
				fmt.Sprintf("%.2f", p.Ratio))
		}
	}
}

// writeKernels shows what of the counters says most.
func writeKernels(w io.Writer, all map[string]map[string]string) {
	if len(all) == 0 {
		return
	}
	columns := []string{"Duration", "Compute (SM) Throughput", "Memory Throughput", "DRAM Throughput", "L2 Hit Rate",
		"Achieved Occupancy", "Registers Per Thread"}
	fmt.Fprint(w, "\n## Kernels under Nsight Compute\n\n")
	table(w, append([]string{"operation"}, columns...))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		cells := []string{strings.TrimPrefix(name, "ncu: ")}
		for _, c := range columns {
			cells = append(cells, all[name][c])
		}
		row(w, cells...)
	}
}
