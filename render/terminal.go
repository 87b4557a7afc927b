package render

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// TextBars writes one line per value: its label, a bar of at most width characters for values from
// lo to hi, and the value with one decimal. It panics where the slices differ in length.
func TextBars(w io.Writer, labels []string, values []float64, lo, hi float64, width int) error {
	if len(labels) != len(values) {
		panic(fmt.Sprintf("render: %d labels for %d values", len(labels), len(values)))
	}
	widest := 0
	for _, label := range labels {
		widest = max(widest, utf8.RuneCountInString(label))
	}
	eighths := []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	for i, v := range values {
		pad := strings.Repeat(" ", widest-utf8.RuneCountInString(labels[i]))
		bar, shown := "", "-"
		if finite(v) {
			shown = fmt.Sprintf("%.1f", v)
			if proper(lo, hi) {
				units := int(math.Round(share(v, lo, hi) * float64(8*width)))
				bar = strings.Repeat("█", units/8) + eighths[units%8]
			}
		}
		space := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(bar)))
		if _, err := fmt.Fprintf(w, "%s%s  %s%s %6s\n", labels[i], pad, bar, space, shown); err != nil {
			return err
		}
	}
	return nil
}

func proper(lo, hi float64) bool { return lo < hi && finite(lo) && finite(hi) }

// share returns how far v lies between lo and hi, from 0 to 1. Halves keep the differences finite.
func share(v, lo, hi float64) float64 {
	return (min(max(v, lo), hi)/2 - lo/2) / (hi/2 - lo/2)
}
