package render

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

func ranked(means ...float64) []Ranked {
	var models []Ranked
	for i, m := range means {
		models = append(models, Ranked{"model-" + string(rune('a'+i)), m})
	}
	return models
}

// Bars join the widest runs of models whose ranks are within the difference, and nothing that lies within another bar.
func TestModelsThatDoNotDifferAreJoined(t *testing.T) {
	for _, c := range []struct {
		means      []float64
		difference float64
		want       [][2]int
	}{
		{[]float64{1, 2, 3}, 0.5, nil},
		{[]float64{1, 2, 3}, 1, [][2]int{{0, 1}, {1, 2}}},
		{[]float64{1, 2, 3}, 2, [][2]int{{0, 2}}},
		{[]float64{1.5, 1.5, 3.25, 3.5}, 0.25, [][2]int{{0, 1}, {2, 3}}},
		{[]float64{1.25, 1.75, 3, 4}, 2, [][2]int{{0, 2}, {2, 3}}},
		{[]float64{1.25, 1.75, 3, 4}, 2.25, [][2]int{{0, 2}, {1, 3}}},
	} {
		groups := alike(ranked(c.means...), c.difference)
		if !reflect.DeepEqual(groups, c.want) {
			t.Errorf("%v within %g: %v, want %v", c.means, c.difference, groups, c.want)
		}
		for i := range c.means {
			for j := i + 1; j < len(c.means); j++ {
				under := false
				for _, g := range groups {
					under = under || g[0] <= i && j <= g[1]
				}
				if want := c.means[j]-c.means[i] <= c.difference; under != want {
					t.Errorf("%v within %g: %d and %d under one bar: %t", c.means, c.difference, i, j, under)
				}
			}
		}
	}
}

func TestRanksNameEveryModel(t *testing.T) {
	for _, n := range []int{2, 3, 10, 40} {
		var means []float64
		for i := range n {
			means = append(means, float64(i+1))
		}
		models := ranked(means...)
		f, err := Ranks("Ranks <over> three", 480, models, 2.5)
		if err != nil {
			t.Fatal(err)
		}
		var svg, png bytes.Buffer
		if err := f.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		if err := f.WritePNG(&png); err != nil {
			t.Fatal(err)
		}
		if n > 26 {
			continue
		}
		for _, m := range models {
			if !strings.Contains(svg.String(), m.Name) {
				t.Errorf("%d models: no name %s", n, m.Name)
			}
		}
	}
}

func TestRanksRefuseWhatCannotBeDrawn(t *testing.T) {
	for want, c := range map[string]struct {
		models     []Ranked
		difference float64
	}{
		"2 to 100":    {ranked(1), 1},
		"mean rank":   {ranked(0.5, 2), 1},
		"of 2 models": {ranked(1, 3), 1},
		"ascend":      {ranked(2, 1), 1},
		"critical":    {ranked(1, 2), math.NaN()},
	} {
		if _, err := Ranks("", 0, c.models, c.difference); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
