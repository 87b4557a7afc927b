package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func compareCommand() *cobra.Command {
	return &cobra.Command{
		Use: "compare A.json B.json", Short: "Print the times of two reports and their ratios",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError{fmt.Errorf("compare wants two reports that --json wrote, not %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := readReport(args[0])
			if err != nil {
				return err
			}
			b, err := readReport(args[1])
			if err != nil {
				return err
			}
			return compare(cmd.OutOrStdout(), a, b)
		},
	}
}

// compare prints the seconds of two reports side by side and their ratio: above 1 the second one is faster.
func compare(w io.Writer, a, b *report) error {
	for i, r := range []*report{a, b} {
		fmt.Fprintf(w, "%c: ", 'A'+i)
		r.writeMachine(w)
	}
	if a.Machine.Processor != b.Machine.Processor || a.Machine.SIMD != b.Machine.SIMD ||
		a.Machine.Device != b.Machine.Device {
		fmt.Fprintln(w, "note: the machines differ")
	}
	if a.Settings != b.Settings {
		fmt.Fprintf(w, "note: the settings differ: %+v and %+v\n", a.Settings, b.Settings)
	}
	if err := compareRates(w, a.Machine.Rates, b.Machine.Rates); err != nil {
		return err
	}
	inB := map[string]result{}
	for _, r := range b.Results {
		inB[r.Name] = r
	}
	fmt.Fprintln(w)
	t, width := columns(w), nameWidth(a.Results)
	fmt.Fprintf(t, "%-*s", width, "name")
	fmt.Fprintln(t, "\tA\tspread\tof floor\tB\tspread\tof floor\tA over B\t")
	var alone []string
	for _, was := range a.Results {
		is, ok := inB[was.Name]
		if !ok {
			alone = append(alone, "only in A: "+was.Name)
			continue
		}
		delete(inB, was.Name)
		fmt.Fprintf(t, "%-*s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t", width, was.Name, duration(was.Seconds), percent(was.Spread),
			share(was),
			duration(is.Seconds), percent(is.Spread), share(is), times(was.Seconds/is.Seconds))
		switch {
		case was.Device != is.Device:
			fmt.Fprintf(t, " %s and %s", was.where(), is.where())
		case was.Workers != is.Workers:
			fmt.Fprintf(t, " %d and %d workers", was.Workers, is.Workers)
		case was.Shape != is.Shape:
			fmt.Fprintf(t, " on other inputs")
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

// compareRates prints the rates of two machines and the ratio of the second to the first.
func compareRates(w io.Writer, a, b rates) error {
	if a.Copy == 0 || b.Copy == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := columns(w)
	fmt.Fprintln(t, "rate\tA\tB\tB over A\t")
	inB := b.list()
	for i, r := range a.list() {
		if is := inB[i].value; r.value > 0 || is > 0 {
			ratio := 0.0
			if r.value > 0 {
				ratio = is / r.value
			}
			fmt.Fprintf(t, "%s\t%s%s\t%s%s\t%s\t\n", r.name, prefixed(r.value), r.unit, prefixed(is), r.unit, times(ratio))
		}
	}
	return t.Flush()
}

// share writes the fraction of the floor that a result reaches, or a dash.
func share(r result) string {
	if r.Fraction == 0 {
		return "-"
	}
	return percent(r.Fraction)
}

// where names the device of a result.
func (r result) where() string {
	if r.Device == "" {
		return "cpu"
	}
	return r.Device
}
