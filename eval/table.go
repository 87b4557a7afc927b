package eval

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteTable writes rows of text in aligned columns, two spaces apart, under a header (nil: none) with a
// rule. Columns that hold numbers only are aligned to the right. Short rows end early.
func WriteTable(w io.Writer, header []string, rows [][]string) error {
	var width []int
	var text []bool // column holds something else than numbers
	measure := func(row []string, body bool) {
		for j, cell := range row {
			if j == len(width) {
				width, text = append(width, 0), append(text, false)
			}
			width[j] = max(width[j], utf8.RuneCountInString(cell))
			if _, err := strconv.ParseFloat(cell, 64); err != nil && body && cell != "" {
				text[j] = true
			}
		}
	}
	measure(header, false)
	for _, row := range rows {
		measure(row, true)
	}
	var out strings.Builder
	write := func(row []string) {
		var line strings.Builder
		for j, cell := range row {
			if j > 0 {
				line.WriteString("  ")
			}
			space := strings.Repeat(" ", width[j]-utf8.RuneCountInString(cell))
			if text[j] {
				line.WriteString(cell + space)
			} else {
				line.WriteString(space + cell)
			}
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	if header != nil {
		write(header)
		rule := make([]string, len(header))
		for j := range rule {
			rule[j] = strings.Repeat("-", width[j])
		}
		write(rule)
	}
	for _, row := range rows {
		write(row)
	}
	_, err := fmt.Fprint(w, out.String())
	return err
}
