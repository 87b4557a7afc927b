package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/grove-graph/grove/eval"
)

// Every figure can be computed again from what is said of the test parts.
func TestFiguresFollowFromThePredictions(t *testing.T) {
	data, file := molecules(t, "molecules"), filepath.Join(t.TempDir(), "held-out.csv")
	args := []string{"eval", "wl", "--data", data, "--cv", "4", "--inner", "3", "--metric", "roc-auc",
		"--calibrate", "platt", "--predictions", file}
	r := mustJSON(t, args...)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	const columns = "fold,setting,graph,predicted,class,decision,probability 0,probability 1"
	if got := strings.Join(table[0], ","); got != columns {
		t.Fatalf("columns %s", got)
	}
	listed := r["predictions"].([]any)
	if len(listed) != len(table)-1 || float64(len(listed)) != r["n_graphs"] {
		t.Fatalf("%d predictions in JSON, %d in the file, %v graphs", len(listed), len(table)-1, r["n_graphs"])
	}
	type part struct {
		predicted, truth []int
		decisions        []float64
		positive         []bool
		rows             [][]float64
	}
	parts := make([]part, 4)
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i, line := range table[1:] {
		p := &parts[int(number(line[0]))-1]
		p.predicted, p.truth = append(p.predicted, int(number(line[3]))), append(p.truth, int(number(line[4])))
		p.decisions, p.positive = append(p.decisions, number(line[5])), append(p.positive, line[4] == "1")
		p.rows = append(p.rows, []float64{number(line[6]), number(line[7])})
		in := listed[i].(map[string]any)
		if in["graph"] != number(line[2]) || in["fold"] != number(line[0]) || in["predicted"] != line[3] {
			t.Errorf("the file says %v, JSON %v", line, in)
		}
	}
	scores := map[string][]any{}
	for _, s := range r["scores"].([]any) {
		one := s.(map[string]any)
		scores[one["metric"].(string)] = one["folds"].([]any)
	}
	for fold, p := range parts {
		for m, want := range map[eval.Metric]float64{
			eval.MetricAccuracy: eval.Accuracy(p.predicted, p.truth), eval.MetricF1: eval.MacroF1(p.predicted, p.truth),
			eval.MetricAUC: eval.AUC(p.decisions, p.positive), eval.MetricLogLoss: eval.LogLoss(p.rows, p.truth),
		} {
			if got := scores[string(m)][fold]; got != m.InUnits(want) {
				t.Errorf("fold %d: %s %v, the predictions say %v", fold+1, m, got, m.InUnits(want))
			}
		}
	}
	if r["metric"] != "roc-auc" || r["folds"].([]any)[0] != scores["roc-auc"][0] || r["calibration"] != "platt" {
		t.Errorf("metric %v, folds %v, calibration %v", r["metric"], r["folds"], r["calibration"])
	}
}

func TestMetricsThatDoNotFit(t *testing.T) {
	data := molecules(t, "molecules")
	for want, flags := range map[string]string{
		"--metric rmse: data set molecules has classes":                       "--metric rmse",
		"--metric log-loss: it needs probabilities":                           "--metric log-loss",
		"--calibrate belongs to --selection nested":                           "--calibrate platt --selection published",
		"--halving belongs to --selection nested":                             "--halving --selection published",
		"--halving drops settings between inner folds, of which there is one": "--halving --inner 1/5",
		"--predictions nowhere/x.csv: there is no":                            "--predictions nowhere/x.csv",
		"this is read from":                                                   "--predictions " + data,
	} {
		args := append([]string{"eval", "wl", "--data", data, "--cv", "3"}, strings.Fields(flags)...)
		if _, stderr, status := grove(args...); status != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s, want %q", flags, status, stderr, want)
		}
	}
}
