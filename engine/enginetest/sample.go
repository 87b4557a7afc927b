package enginetest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	numbers    = regexp.MustCompile(`[0-9.]+`)
	ownNumbers = regexp.MustCompile("huge|wide|in float64|precision") // names whose numbers choose a kernel of their own
)

// kindOf is what a case has in common with those that differ in the magnitudes of their numbers alone.
func kindOf(c Case) string {
	if ownNumbers.MatchString(c.Name) {
		return c.Operation + c.Name
	}
	return c.Operation + numbers.ReplaceAllStringFunc(c.Name, func(number string) string {
		x, _ := strconv.ParseFloat(number, 64)
		for _, bound := range []float64{8, 32, 128, 1024} {
			if x <= bound {
				return fmt.Sprint("<=", bound)
			}
		}
		return "large"
	})
}

// Sample divides all trials in two: a sample with one of those that differ in the magnitudes of their numbers alone, in
// turns another one and another dtype, in both where it is the only one; and the rest.
func Sample() (sample, rest []Trial) {
	groups := map[string][]Case{}
	var kinds []string
	cases := Cases() // in any order
	slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(a.Operation+a.Name, b.Operation+b.Name) })
	for _, c := range cases {
		kind := kindOf(c)
		if groups[kind] == nil {
			kinds = append(kinds, kind)
		}
		groups[kind] = append(groups[kind], c)
	}
	for i, kind := range kinds {
		for j, c := range groups[kind] {
			for k, dtype := range c.Dtypes() {
				if len(groups[kind]) == 1 || j == i%len(groups[kind]) && k == i%len(c.Dtypes()) {
					sample = append(sample, Trial{c, dtype})
				} else {
					rest = append(rest, Trial{c, dtype})
				}
			}
		}
	}
	return sample, rest
}
