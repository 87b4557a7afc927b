package eval

import (
	"encoding/json"
	"math"
	"testing"
)

func TestResult(t *testing.T) {
	r := Result{
		Model: "gckn-path", Dataset: "MUTAG", Graphs: 188, Device: "cpu", Anchors: "training part",
		Seconds: Seconds{Load: 0.01, Fit: 0.02, Transform: 0.03, Select: 0.04, Total: 0.1},
	}
	r.Add(&Outcome{
		Protocol: "published", Score: Score{MetricAccuracy, 0.875, 0.125, []float64{0.75, 1}},
		Scores: []Score{{MetricAUC, 0.5, 0, []float64{0.5, math.NaN()}}, {MetricLogLoss, math.NaN(), math.NaN(), nil}},
		Chosen: []Choice{{Setting: 1, Grid: "C", Value: 0.5, Score: 0.875}},
	}, func(setting int) any { return map[string]int{"setting": setting} })
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"gckn-path","dataset":"MUTAG","n_graphs":188,"device":"cpu",` +
		`"metric":"accuracy","mean":87.5,"std":12.5,` +
		`"folds":[75,100],"protocol":"published","anchors":"training part","seed":0,` +
		`"params":[{"options":{"setting":1},"c":0.5,"accuracy":87.5}],` +
		`"scores":[{"metric":"roc-auc","mean":50,"std":0,"folds":[50,null]}],` +
		`"seconds":{"load":0.01,"fit":0.02,"transform":0.03,"select":0.04,"total":0.1}}`
	if string(raw) != want {
		t.Errorf("JSON\n%s\nwant\n%s", raw, want)
	}
}
