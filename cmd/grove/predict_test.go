package main

import (
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Decisions, probabilities and values mean the same in every family, in JSON and in CSV, and the class that is
// predicted follows from each of them that is shown.
func TestPredictionsMeanTheSameInEveryFamily(t *testing.T) {
	for _, m := range everyModel(t) {
		t.Run(m.name, func(t *testing.T) {
			r := mustJSON(t, "predict", "--model", m.file, "--data", m.data)
			var names []string
			for _, name := range asList(r["classes"]) {
				names = append(names, name.(string))
			}
			if len(names) != m.classes {
				t.Fatalf("classes %v, want %d", names, m.classes)
			}
			table, err := csv.NewReader(strings.NewReader(must(t, "predict", "--model", m.file, "--data", m.data, "-o", "-"))).
				ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			lines := asList(r["predictions"])
			if len(table) != len(lines)+1 {
				t.Fatalf("%d lines of CSV for %d predictions", len(table), len(lines))
			}
			columns := map[string][]string{"decisions": {"decision"}}
			if m.classes != 2 {
				columns["decisions"] = each("decision", names)
			}
			columns["probabilities"], columns["values"] = each("probability", names), []string{"predicted target 1"}
			for i, line := range lines {
				p := line.(map[string]any)
				shown := map[string]bool{"decisions": m.decides, "probabilities": m.rates, "values": m.classes == 0}
				for name, want := range shown {
					x := numbersOf(p[name])
					if !want {
						if x != nil {
							t.Fatalf("%s of a model that has none: %v", name, p)
						}
						continue
					}
					if len(x) != len(columns[name]) {
						t.Fatalf("%d %s, want %d: %v", len(x), name, len(columns[name]), p)
					}
					for k, v := range x {
						at := slices.Index(table[0], columns[name][k])
						if at < 0 {
							t.Fatalf("no column %q in %q", columns[name][k], table[0])
						}
						if csv, err := strconv.ParseFloat(table[i+1][at], 64); err != nil || csv != v {
							t.Fatalf("line %d: %s is %v in CSV and %v in JSON", i, table[0][at], table[i+1][at], v)
						}
					}
				}
				checkPrediction(t, p, names)
			}
		})
	}
}

// checkPrediction holds the class that is predicted against the numbers beside it.
func checkPrediction(t *testing.T, p map[string]any, names []string) {
	t.Helper()
	predicted, _ := p["predicted"].(string)
	if d := numbersOf(p["decisions"]); d != nil {
		want := slices.Index(d, slices.Max(d))
		if len(names) == 2 {
			want = 0
			if d[0] > 0 {
				want = 1
			}
		}
		if predicted != names[want] {
			t.Errorf("%q is predicted, the decision values speak for %q: %v", predicted, names[want], p)
		}
	}
	if x := numbersOf(p["probabilities"]); x != nil {
		sum := 0.0
		for _, v := range x {
			if !(v >= 0 && v <= 1) {
				t.Errorf("a probability of %g", v)
			}
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("probabilities of sum %g: %v", sum, x)
		}
		if x[slices.Index(names, predicted)] != slices.Max(x) {
			t.Errorf("%q is predicted, another class is more probable: %v", predicted, p)
		}
	}
}

func asList(x any) []any {
	list, _ := x.([]any)
	return list
}

func numbersOf(x any) []float64 {
	var numbers []float64
	for _, v := range asList(x) {
		numbers = append(numbers, v.(float64))
	}
	return numbers
}
