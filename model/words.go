package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Plural returns the plural of a noun: graphs, classes, vertices.
func Plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "tex"):
		return strings.TrimSuffix(noun, "ex") + "ices"
	case strings.HasSuffix(noun, "ss"):
		return noun + "es"
	}
	return noun + "s"
}

// Count writes a number with its noun: 1 graph, 2 graphs.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", n, Plural(noun))
}

// Listed quotes the first names of a list, which may hold blanks and commas.
func Listed(names []string) string {
	const most = 20
	var quoted []string
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	if len(names) > most {
		quoted = append(quoted, "...")
	}
	return strings.Join(quoted, ", ")
}
