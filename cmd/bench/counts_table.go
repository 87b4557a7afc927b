package main

import (
	"fmt"
	"io"
	"strings"
)

// writeCounts prints the counts of all workloads, and the kernels that each of them launches most.
func (r *report) writeCounts(w io.Writer) error {
	fmt.Fprintf(w, "\nWhat is asked of the GPU, counted %s\n", r.on())
	t := columns(w)
	fmt.Fprint(t, "workload\tper\tsubmissions\tupdates\tlaunches\tuploads\tupload bytes\t")
	fmt.Fprintln(t, "downloads\thandovers\twaits\texponentials\t")
	for _, l := range workloads() {
		if c, ok := r.Counts[l.name]; ok {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t", l.name, c.Per, number(c.Submissions), number(c.Updates),
				number(c.Launches), number(c.Uploads), bytesOf(c.UploadBytes))
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", number(c.Downloads), number(c.Handovers), number(c.Waits),
				strings.TrimSpace(prefixed(c.Exponentials)))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, l := range workloads() {
		c, ok := r.Counts[l.name]
		if !ok {
			continue
		}
		fmt.Fprintf(w, "\n%s: %s\n", l.name, c.Shape)
		if c.Round != nil {
			fmt.Fprintf(w, "  a round: %s searches, %s uploads, %s waits\n", number(c.Round.Searches), number(c.Round.Uploads),
				number(c.Round.Waits))
		}
		var parts []string
		for _, name := range c.mostLaunched()[:min(8, len(c.Kernels))] {
			parts = append(parts, fmt.Sprintf("%s %s", number(c.Kernels[name]), name))
		}
		fmt.Fprintf(w, "  most launched of %d kernels: %s\n", len(c.Kernels), strings.Join(parts, ", "))
	}
	return nil
}

// number writes a count, which may be a mean, with at most two digits behind the point.
func number(x float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}
