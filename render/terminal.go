package render

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Sparkline returns one block character per value, from the lowest for lo to the full one for hi.
// Values beyond are cut; a value that is not finite is shown as a dot. Where lo and hi are no
// range, it is that of the values.
func Sparkline(values []float64, lo, hi float64) string {
	if !proper(lo, hi) {
		lo, hi = math.Inf(1), math.Inf(-1)
		for _, v := range values {
			if finite(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	blocks := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, v := range values {
		switch {
		case !finite(v):
			b.WriteRune('·')
		case hi > lo:
			b.WriteRune(blocks[int(math.Round(share(v, lo, hi)*float64(len(blocks)-1)))])
		default:
			b.WriteRune(blocks[len(blocks)/2])
		}
	}
	return b.String()
}

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
