package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/spf13/cobra"
)

// untimed takes what differs from run to run off a comparison: seconds and memory.
func untimed(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var k map[string]any
	if err := json.Unmarshal(raw, &k); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	delete(k, "seconds")
	for _, m := range k["models"].([]any) {
		one := m.(map[string]any)
		delete(one, "seconds")
		if f, ok := one["footprint"].(map[string]any); !ok || f["file_bytes"].(float64) <= 0 {
			t.Fatalf("footprint %v of %v: %v", one["footprint"], one["model"], one["error"])
		}
		delete(one, "footprint")
		for _, f := range one["tested"].([]any) {
			delete(f.(map[string]any), "seconds")
		}
	}
	return k
}

func comparison(data string, more ...string) []string {
	return append([]string{"compare", "wl", "gckn-path --path-size 2 --filters 8 --c-grid 0.1,1", "treeg --estimators 3",
		"--data", data, "--cv", "4", "--inner", "3", "--choose"}, more...)
}

func TestCompareReportsAllModelsOnTheSameFolds(t *testing.T) {
	data := molecules(t, "molecules")
	k := untimed(t, []byte(must(t, comparison(data, "--json")...)))
	models := k["models"].([]any)
	if len(models) != 3 || len(k["tests"].([]any)) != 2 || len(k["folds"].([]any)) != 4 {
		t.Fatalf("%d models, tests %v, %d folds", len(models), k["tests"], len(k["folds"].([]any)))
	}
	for _, m := range models {
		one := m.(map[string]any)
		name := one["model"].(string)
		args := append([]string{"eval"}, strings.Fields(name)...)
		r := mustJSON(t, append(args, "--data", data, "--cv", "4", "--inner", "3")...)
		for _, key := range []string{"metric", "mean", "std", "folds", "scores"} {
			if !reflect.DeepEqual(one[key], r[key]) {
				t.Errorf("%s: %s is %v, grove eval says %v", name, key, one[key], r[key])
			}
		}
	}
	chosen := k["chosen"].(map[string]any)
	for f, name := range chosen["models"].([]any) {
		best := -1.0
		for _, m := range models {
			best = max(best, m.(map[string]any)["tested"].([]any)[f].(map[string]any)["score"].(float64))
		}
		for _, m := range models {
			one := m.(map[string]any)
			if one["model"] != name {
				continue
			}
			if score := one["tested"].([]any)[f].(map[string]any)["score"]; score != best {
				t.Errorf("fold %d chose %v, whose inner score is %v, the best is %v", f+1, name, score, best)
			}
			if got, want := chosen["folds"].([]any)[f], one["folds"].([]any)[f]; got != want {
				t.Errorf("fold %d: the choice has %v, the model %v", f+1, got, want)
			}
		}
	}
	d, err := dataset.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	voted := k["voted"].(map[string]any)
	for f, voters := range voted["models"].([]any) {
		right, test := 0.0, k["folds"].([]any)[f].([]any)
		for i, graph := range test {
			said := map[any][]any{} // the models that name a class
			for _, name := range voters.([]any) {
				for _, m := range models {
					if one := m.(map[string]any); one["model"] == name {
						class := one["tested"].([]any)[f].(map[string]any)["classes"].([]any)[i]
						said[class] = append(said[class], name)
					}
				}
			}
			class := d.Classes[int(graph.(float64))]
			first := slices.Contains(said[float64(class)], voters.([]any)[0])
			if most := len(said[float64(class)]); 2*most > len(voters.([]any)) || 2*most == len(voters.([]any)) && first {
				right++
			}
		}
		if got, want := voted["folds"].([]any)[f].(float64), 100*right/float64(len(test)); math.Abs(got-want) > 1e-5 {
			t.Errorf("fold %d: the vote of %v has %v, want %v", f+1, voters, got, want)
		}
		if len(voters.([]any)) == 0 || voters.([]any)[0] != chosen["models"].([]any)[f] {
			t.Errorf("fold %d: %v vote, the best is %v", f+1, voters, chosen["models"].([]any)[f])
		}
	}
	text := must(t, comparison(data)...)
	for _, want := range []string{"best", "p (t)", "chosen", "voted", "wl ", "treeg --estimators 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not say %q:\n%s", want, text)
		}
	}
}

// By a metric of scores models vote by the mean of their probabilities: the area follows from what is kept.
func TestCompareAveragesByScores(t *testing.T) {
	data := molecules(t, "molecules")
	var k eval.Kept
	if err := json.Unmarshal([]byte(must(t, comparison(data, "--metric", "roc-auc", "--json")...)), &k); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	several := false
	for f, voters := range k.Voted.Models {
		means, positive := make([]float64, len(k.Folds[f])), make([]bool, len(k.Folds[f]))
		best := 0.0
		for i, graph := range k.Folds[f] {
			positive[i] = d.Classes[graph] == 1
			for _, m := range k.Models {
				one := &m.Tested[f]
				best = max(best, *one.Score)
				if !slices.Contains(voters, m.Model) {
					continue
				}
				s, score := one.Voice.Sigmoids[0], 0.0
				if one.Probabilities != nil {
					score = one.Probabilities[i][1]
				} else {
					score = one.Decisions[i][0]
				}
				means[i] += 1 / (1 + math.Exp(s.Slope*score+s.Offset)) / float64(len(voters))
			}
		}
		if got, want := k.Voted.Folds[f], 100*eval.AUC(means, positive); math.Abs(got-want) > 1e-5 {
			t.Errorf("fold %d: the vote of %v has %v, want %v", f+1, voters, got, want)
		}
		for _, m := range k.Models {
			one := &m.Tested[f]
			first := k.Models[slices.IndexFunc(k.Models, func(o eval.KeptModel) bool { return o.Model == voters[0] })]
			if votes := *one.Score >= best-2*first.Tested[f].Voice.Error; votes != slices.Contains(voters, m.Model) {
				t.Errorf("fold %d: %s with %g, the best with %g: in the vote: %t", f+1, m.Model, *one.Score, best, !votes)
			}
		}
		several = several || len(voters) > 1
	}
	if !several {
		t.Error("one model in every fold, which shows nothing")
	}
}

// Ranks over data sets follow from the comparisons that are kept.
func TestCompareRanksOverDataSets(t *testing.T) {
	dir := t.TempDir()
	var files []string
	means := map[string][]float64{}
	for i, seed := range []string{"1", "2", "3"} {
		file := filepath.Join(dir, seed+".json")
		args := comparison(molecules(t, "molecules", "--seed", seed), "-o", file, "--json")
		if i > 0 {
			args = append(args, "--ranks", strings.Join(files, ","), "--plot", filepath.Join(dir, "ranks.svg"), "--html",
				filepath.Join(dir, "page.html"))
		}
		k := untimed(t, []byte(must(t, args...)))
		for _, m := range k["models"].([]any) {
			one := m.(map[string]any)
			means[one["model"].(string)] = append(means[one["model"].(string)], one["mean"].(float64))
		}
		if files = append(files, file); i < 2 {
			continue
		}
		r := k["ranks"].(map[string]any)
		holds(t, string(readFile(t, filepath.Join(dir, "page.html"))), "Mean ranks of 3 models over 3 data sets",
			"critical-difference diagram")
		for _, m := range r["models"].([]any) {
			if !strings.Contains(string(readFile(t, filepath.Join(dir, "ranks.svg"))), fmt.Sprintf(">%.20s", m)) {
				t.Errorf("the diagram does not name %s", m)
			}
		}
		for at, name := range r["models"].([]any) {
			want := 0.0
			for set := range 3 {
				better, equal := 0.0, 0.0
				for _, other := range means {
					if other[set] > means[name.(string)][set] {
						better++
					} else if other[set] == means[name.(string)][set] {
						equal++
					}
				}
				want += (better + (equal+1)/2) / 3
			}
			if got := r["means"].([]any)[at].(float64); math.Abs(got-want) > 1e-12 {
				t.Errorf("mean rank of %v: %g, want %g", name, got, want)
			}
		}
		if d := r["critical_difference"].(float64); math.Abs(d-1.9135) > 1e-3 { // 2.3437 sqrt(3 4 / 18)
			t.Errorf("critical difference %g", d)
		}
	}
	fails(t, exitUsage, []string{"--plot", "--ranks"},
		comparison(molecules(t, "molecules"), "--plot", filepath.Join(dir, "x.svg"))...)
	fails(t, exitUsage, []string{"--repeats", "--folds"}, "compare", "wl", "--data",
		molecules(t, "molecules"), "--folds", writeFolds(t), "--repeats", "2")
	fails(t, exitUsage, []string{"--ranks", "none.json", "no such file"},
		comparison(molecules(t, "molecules"), "--ranks", "none.json")...)
}

// The page has every figure of the comparison, without a script.
func TestComparePage(t *testing.T) {
	data, file := molecules(t, "molecules"), filepath.Join(t.TempDir(), "page.html")
	k := untimed(t, []byte(must(t, comparison(data, "--html", file, "--calibrate", "platt", "--json")...)))
	text := string(readFile(t, file))
	holds(t, text, `<div id="model-`)
	for _, m := range k["models"].([]any) {
		one := m.(map[string]any)
		for _, want := range []string{
			"<th scope=\"row\">" + one["model"].(string) + "</th>", fmt.Sprintf("%.1f %%</td>", one["mean"]),
			"<summary>" + one["model"].(string) + ": ",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not hold %q", want)
			}
		}
	}
	for want, times := range map[string]int{
		"<summary>Which classes were taken for which": 3, `aria-label="reliability`: 1,
		`aria-label="receiver`: 1,
		"<summary>Scores by ":  2, "NOVERB": 0, "http": 0, "ZgotmplZ": 0,
	} {
		if n := strings.Count(text, want); n != times && want != "http" || want == "http" && n > 0 {
			t.Errorf("%d times %q in the page, want %d", n, want, times)
		}
	}
}

// What an interrupted comparison kept is not computed again, and a model can be added later.
func TestCompareGoesOn(t *testing.T) {
	data, file := molecules(t, "molecules"), filepath.Join(t.TempDir(), "kept.json")
	must(t, comparison(data, "-o", file)...)
	whole := readFile(t, file)
	var k map[string]any
	if err := json.Unmarshal(whole, &k); err != nil {
		t.Fatal(err)
	}
	models := k["models"].([]any)
	first, second := models[0].(map[string]any), models[1].(map[string]any)
	mark := first["tested"].([]any)[0].(map[string]any) // a mark that a new computation would take away
	mark["seconds"] = 123456.0
	second["tested"] = second["tested"].([]any)[1:3]
	k["models"] = models[:2]
	part, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, part, 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, comparison(data, "-o", file)...)
	again := readFile(t, file)
	if !reflect.DeepEqual(untimed(t, again), untimed(t, whole)) {
		t.Errorf("the comparison that went on says\n%s\nthe other\n%s", again, whole)
	}
	if !strings.Contains(string(again), "123456") {
		t.Error("a fold that was done was computed again")
	}
	must(t, "compare", "wl-oa", "--data", data, "--cv", "4", "--inner", "3", "-o", file)
	all := untimed(t, readFile(t, file))
	if n := len(all["models"].([]any)); n != 4 || len(all["tests"].([]any)) != 3 {
		t.Errorf("%d models, tests %v", n, all["tests"])
	}
	for want, flags := range map[string]string{
		"comparison of other folds":  "--cv 3",
		"comparison of other metric": "--cv 4 --metric f1",
	} {
		_, stderr, status := grove(append([]string{"compare", "wl", "--data", data, "-o", file}, strings.Fields(flags)...)...)
		if status != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", flags, status, stderr)
		}
	}
}

func TestCompareTakesModelsFromAFile(t *testing.T) {
	data, file := molecules(t, "molecules"), filepath.Join(t.TempDir(), "models.txt")
	write(t, file, "# kernels\nwl --iterations 2 # two rounds\n\n")
	text := must(t, "compare", "--models", file, "--data", data, "--cv", "3")
	if !strings.Contains(text, "wl --iterations 2 ") || !strings.Contains(text, "1 model on molecules") {
		t.Errorf("%s", text)
	}
	for want, args := range map[string][]string{
		`unknown model "nothing"`:        {"nothing"},
		`model "wl --rounds 3": unknown`: {"wl --rounds 3"},
		`model "wl 3": what is 3?`:       {"wl 3"},
		`model "wl" is named twice`:      {"wl", "wl"},
		"cmp.txt: no such file":          {"--models", "cmp.txt"},
		`model "wl --iterations x"`:      {"wl --iterations x"},
	} {
		_, stderr, status := grove(append(append([]string{"compare"}, args...), "--data", data)...)
		if status == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
	}
}

// twoFolds writes two folds of 60 graphs with a validation part each. A fold learns from those that are named for it.
func twoFolds(t *testing.T, learns func(graph, fold int) bool) string {
	t.Helper()
	dir := t.TempDir()
	for k := range 2 {
		var train, test, inner, validation []string
		for g := range 60 {
			text := fmt.Sprintln(g)
			switch {
			case !learns(g, k):
				test = append(test, text)
				continue
			case g%3 == 0:
				validation = append(validation, text)
			default:
				inner = append(inner, text)
			}
			train = append(train, text)
		}
		for name, part := range map[string][]string{
			"train_idx": train, "test_idx": test, "inner/train_idx": inner, "inner/val_idx": validation,
		} {
			write(t, filepath.Join(dir, fmt.Sprintf("%s-%d.txt", name, k+1)), strings.Join(part, ""))
		}
	}
	return dir
}

// Folds that are given bring their inner folds along.
func TestCompareByGivenFolds(t *testing.T) {
	data, folds := molecules(t, "molecules"), twoFolds(t, func(g, k int) bool { return g/2%2 == k })
	given := []string{"--data", data, "--folds", folds, "--inner", folds, "--json"}
	k := untimed(t, []byte(must(t, append([]string{"compare", "wl --iterations 1,2", "linear"}, given...)...)))
	for i, args := range [][]string{{"eval", "wl", "--iterations", "1,2"}, {"eval", "linear"}} {
		r := mustJSON(t, append(args, given...)...)
		if got := k["models"].([]any)[i].(map[string]any)["folds"]; !reflect.DeepEqual(got, r["folds"]) {
			t.Errorf("%v: %v, grove compare says %v", args, r["folds"], got)
		}
	}
}

// Where no model can be measured the reason is an error: the training parts of these folds hold one class.
func TestCompareOfNothing(t *testing.T) {
	folds := twoFolds(t, func(g, k int) bool { return g%2 == k })
	fails(t, exitFailure, []string{"wl: ", "needs two classes"}, "compare", "wl", "--data", molecules(t, "molecules"),
		"--folds", folds, "--inner", folds)
}

// A model is chosen by the inner folds that the others have, whatever its family is used to.
func TestCompareChoosesOnTheSameInnerFolds(t *testing.T) {
	data := molecules(t, "molecules")
	k := untimed(t, []byte(must(t, "compare", "linear", "gin --epochs 2 --layers 2", "--data", data, "--cv", "3",
		"--choose", "--json")))
	for i, model := range []string{"linear", "gin --epochs 2 --layers 2"} {
		r := mustJSON(t, append(append([]string{"eval"}, strings.Fields(model)...), "--data", data, "--cv", "3", "--inner",
			"5")...)
		if got := k["models"].([]any)[i].(map[string]any)["folds"]; !reflect.DeepEqual(got, r["folds"]) {
			t.Errorf("%s: %v, by five inner folds it is %v", model, got, r["folds"])
		}
	}
}

// Where no model is named the longest take part in a brief form on many graphs, and as they are on few.
func TestEveryModelIsBriefOnManyGraphs(t *testing.T) {
	f, c := &lineupFlags{}, &cobra.Command{}
	for _, graphs := range []string{"30", "1001"} {
		d, err := dataset.Open(molecules(t, "molecules", "--graphs", graphs, "--vertices", "4"))
		if err != nil {
			t.Fatal(err)
		}
		for _, kept := range [][]string{nil, {"gin --epochs 40 --halve-every 10"}} {
			l, err := f.read(c, nil, kept)
			if err != nil {
				t.Fatal(err)
			}
			fit, left, err := l.fitting(model.NewWork(d, engine.NewCPU(1)), 1)
			if err != nil || len(left) > 0 {
				t.Fatalf("%v, left out %v", err, left)
			}
			count := map[string]int{}
			for _, m := range fit {
				count[m.line]++
			}
			brief := 0
			if graphs == "1001" {
				brief = 1
			}
			if count["wl"] != 1 || count["gcn --epochs 50"] != brief || count["gcn"] != 1-brief || count["gin"] != 1-brief ||
				count["gin --epochs 40 --halve-every 10"] != max(brief, len(kept)) || count["gckn-path-sup"] != 0 {
				t.Errorf("%s graphs, kept %q: %v", graphs, kept, count)
			}
		}
	}
}
