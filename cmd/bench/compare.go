package main

import (
	"fmt"
	"io"
)

// compare prints the seconds of two reports side by side and their ratio: above 1 the second one is faster.
func compare(w io.Writer, a, b *report) error {
	for i, r := range []*report{a, b} {
		fmt.Fprintf(w, "%c: ", 'A'+i)
		r.writeMachine(w)
	}
	if a.Machine.Processor != b.Machine.Processor || a.Machine.SIMD != b.Machine.SIMD {
		fmt.Fprintln(w, "note: the machines differ")
	}
	if a.Settings != b.Settings {
		fmt.Fprintf(w, "note: the settings differ: %+v and %+v\n", a.Settings, b.Settings)
	}
	inB := map[string]result{}
	for _, r := range b.Results {
		inB[r.Name] = r
	}
	fmt.Fprintln(w)
	t, width := columns(w), nameWidth(a.Results)
	fmt.Fprintf(t, "%-*s", width, "name")
	fmt.Fprintln(t, "\tA\tspread\tB\tspread\tA over B\t")
	var alone []string
	for _, was := range a.Results {
		is, ok := inB[was.Name]
		if !ok {
			alone = append(alone, "only in A: "+was.Name)
			continue
		}
		delete(inB, was.Name)
		fmt.Fprintf(t, "%-*s\t%s\t%s\t%s\t%s\t%s\t", width, was.Name, duration(was.Seconds), percent(was.Spread), duration(is.Seconds), percent(is.Spread), times(was.Seconds/is.Seconds))
		if was.Shape != is.Shape && was.Workers == is.Workers {
			fmt.Fprintf(t, " on other inputs")
		}
		if was.Workers != is.Workers {
			fmt.Fprintf(t, " %d and %d workers", was.Workers, is.Workers)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range b.Results {
		if _, ok := inB[r.Name]; ok {
			alone = append(alone, "only in B: "+r.Name)
		}
	}
	for _, line := range alone {
		fmt.Fprintln(w, line)
	}
	return nil
}
