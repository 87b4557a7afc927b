package main

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// few makes an ensemble that is grown in no time.
func few(args ...string) []string {
	return append(args, "--estimators", "5", "--leaves", "4")
}

func TestTreeGTrainsAndPredicts(t *testing.T) {
	data := molecules(t, "molecules")
	for _, ensemble := range []string{"boosting", "forest", "extra-trees", "tree"} {
		model := filepath.Join(t.TempDir(), "m.grove")
		r := mustJSON(t, few("train", "treeg", "--data", data, "-o", model, "--ensemble", ensemble)...)
		p := mustJSON(t, "predict", "--model", model, "--data", data)
		if p["accuracy"] != r["training_accuracy"] || p["accuracy"].(float64) < 70 {
			t.Errorf("%s: the stored model reaches %v, the trained one %v", ensemble, p["accuracy"], r["training_accuracy"])
		}
		for _, line := range p["predictions"].([]any) {
			x := line.(map[string]any)["probabilities"].([]any)
			if len(x) != 2 || math.Abs(x[0].(float64)+x[1].(float64)-1) > 1e-12 {
				t.Fatalf("%s: probabilities %v", ensemble, x)
			}
		}
	}
}

func TestTreeGEvaluatesAGrid(t *testing.T) {
	data := molecules(t, "molecules")
	r := mustJSON(t, few("eval", "treeg", "--data", data, "--cv", "3", "--walk-length", "0,2", "--ancestors", "0,1")...)
	if r["n_settings"] != 4.0 || r["anchors"] != nil {
		t.Errorf("%v settings, anchors %v", r["n_settings"], r["anchors"])
	}
}

// One fit serves all numbers of estimators, and gives what fits of their own give.
func TestTreeGSharesRounds(t *testing.T) {
	data := molecules(t, "molecules")
	eval := func(estimators string) map[string]any {
		return mustJSON(t, "eval", "treeg", "--data", data, "--cv", "3", "--selection", "published",
			"--leaves", "3", "--estimators", estimators)
	}
	both := eval("7,2")
	if both["n_settings"] != 1.0 {
		t.Errorf("%v settings", both["n_settings"])
	}
	chosen := both["params"].([]any)[0].(map[string]any)["estimators"].(float64)
	if alone := eval(fmt.Sprint(chosen)); alone["mean"] != both["mean"] {
		t.Errorf("%v trees reach %v alone and %v among others", chosen, alone["mean"], both["mean"])
	}
	model := filepath.Join(t.TempDir(), "m.grove")
	r := mustJSON(t, "train", "treeg", "--data", data, "--leaves", "3", "--estimators", "2,7", "-o", model)
	if p := mustJSON(t, "predict", "--model", model, "--data", data); p["accuracy"] != r["training_accuracy"] ||
		r["value"] != 2.0 && r["value"] != 7.0 {
		t.Errorf("%v estimators reach %v, stored ones %v", r["value"], r["training_accuracy"], p["accuracy"])
	}
}

// Static features know the counts of labels, and for vertices what is around them.
func TestTreeGOnStaticFeatures(t *testing.T) {
	blocks := filepath.Join(t.TempDir(), "blocks")
	must(t, "data", "synth", "block-model", "--vertices", "60", "--out", blocks)
	for data, least := range map[string]float64{molecules(t, "molecules"): 60, blocks: 40} {
		r := mustJSON(t, few("eval", "treeg", "--data", data, "--static", "1")...)
		options := r["params"].([]any)[0].(map[string]any)["options"].(map[string]any)
		if options["static"] != 1.0 || options["max_length"] != 0.0 || r["mean"].(float64) < least {
			t.Errorf("%v %% with %v", r["mean"], options)
		}
	}
}

func TestTreeGSolvesVertexTasks(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "blocks"), filepath.Join(dir, "m.grove")
	must(t, "data", "synth", "block-model", "--vertices", "60", "--out", data)
	r := mustJSON(t, few("train", "treeg", "--data", data, "-o", model)...)
	p := mustJSON(t, "predict", "--model", model, "--data", data)
	if p["task"] != "node" || p["accuracy"] != r["training_accuracy"] {
		t.Errorf("the stored model reaches %v on %v, the trained one %v", p["accuracy"], p["task"], r["training_accuracy"])
	}
	if e := mustJSON(t, few("eval", "treeg", "--data", data)...); e["mean"].(float64) < 40 {
		t.Errorf("%v %% of vertices on the published splits", e["mean"])
	}
}

func TestTreeGRefuses(t *testing.T) {
	data := molecules(t, "molecules")
	for _, c := range []struct {
		words []string
		args  []string
	}{
		{[]string{"--walks"}, []string{"--walks", "sideways"}},
		{[]string{"loss"}, []string{"--loss", "gini"}},
		{[]string{"--features raw", "no attributes"}, []string{"--features", "raw"}},
		{[]string{"--anchors all"}, []string{"--anchors", "all"}},
		{[]string{"--static", "ancestors"}, []string{"--static", "1", "--ancestors", "1"}},
		{[]string{"--static -3"}, []string{"--static", "-3"}},
		{[]string{"--static 99", "-1 to 16"}, []string{"--static", "99"}},
		{[]string{"--keep 2", "to 1"}, []string{"--keep", "2"}},
	} {
		fails(t, exitUsage, c.words, append([]string{"eval", "treeg", "--data", data}, c.args...)...)
	}
}

// Class 2 has the large values and the missing ones. One split tells it apart if missing values go to their own side,
// but not if they are replaced by the mean, which lies among those of class 1.
func TestTreeGSeesThatAttributesAreMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	edges, features, labels := "src,dst\n", "node,x\n", "node,label\n"
	for v := range 40 {
		x, class := fmt.Sprint(v%4), 1
		switch {
		case v < 8:
			x, class = "", 2
		case v < 10:
			x, class = "6", 2
		}
		edges += fmt.Sprintf("%d,%d\n", v, (v+1)%40)
		features += fmt.Sprintf("%d,%s\n", v, x)
		labels += fmt.Sprintf("%d,%d\n", v, class)
	}
	write(t, filepath.Join(dir, "edges.csv"), edges)
	write(t, filepath.Join(dir, "features.csv"), features)
	write(t, filepath.Join(dir, "labels.csv"), labels)
	model := filepath.Join(t.TempDir(), "m.grove")
	must(t, "train", "treeg", "--data", dir, "-o", model, "--ensemble", "tree", "--leaves", "2", "--walk-length", "0")
	if p := mustJSON(t, "predict", "--model", model, "--data", dir); p["accuracy"] != 100.0 {
		t.Errorf("one split reaches %v", p["accuracy"])
	}
	must(t, "explain", "--model", model, "--data", dir, "--index", "0,20", "-o", filepath.Join(t.TempDir(), "e.svg"))
	must(t, "train", "treeg", "--data", dir, "-o", model, "--features", "attributes")
}

func TestTreeGTrainsOnCounty(t *testing.T) {
	data := testfiles.Data(t, "node", "County")
	model := filepath.Join(t.TempDir(), "m.grove")
	r := mustJSON(t, few("train", "treeg", "--data", data, "--target", "unemployment_rate_2016", "-o", model,
		"--walk-length", "1")...)
	if r["training_rmse"].(float64) > 2 {
		t.Errorf("the trained model is off by %v", r["training_rmse"])
	}
	must(t, "predict", "--model", model, "--data", data)
}
