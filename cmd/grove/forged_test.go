package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// forgery is one change of what a model file holds.
type forgery struct {
	path   string // of a JSON field, with * for every index, or the name of a tensor
	change string
	file   *modelfile.File
}

// forgeries tells every change of every field of the description and of every tensor of a file, each in a file of its
// own. Nothing is listed by name, so that what a later version stores is changed too.
func forgeries(t *testing.T, f *modelfile.File, tell func(forgery)) {
	var description any
	decoder := json.NewDecoder(strings.NewReader(string(f.Model)))
	decoder.UseNumber() // seeds have 64 bits
	if err := decoder.Decode(&description); err != nil {
		t.Fatal(err)
	}
	changeJSON("", description, func(path, change string, forged any) {
		raw, err := json.Marshal(forged)
		if err != nil {
			t.Fatal(err)
		}
		tell(forgery{path, change, &modelfile.File{Kind: f.Kind, Model: raw, Tensors: f.Tensors}})
	})
	changeTensors(f.Tensors, func(name, change string, forged map[string]*tensor.Dense) {
		tell(forgery{name, change, &modelfile.File{Kind: f.Kind, Model: f.Model, Tensors: forged}})
	})
}

// missing stands for a field that is not there.
type missing struct{}

// changeJSON tells what becomes of x by one change in it or in a part of it.
func changeJSON(path string, x any, tell func(path, change string, forged any)) {
	to := func(change string, forged any) { tell(path, change, forged) }
	if path != "" {
		to("removed", missing{})
		to("null", nil)
	}
	to("of another type", []any{map[string]any{"no": "sense"}})
	switch x := x.(type) {
	case json.Number:
		v, _ := x.Float64()
		to("negated", json.Number(fmt.Sprint(-v)))
		for _, other := range []string{"0", "0.5", "1", "3", "1e9", "1e30", "-1e30", "1e308"} {
			to(other, json.Number(other))
		}
	case bool:
		to("turned", !x)
	case string:
		to("empty", "")
		to("nonsense", "nonsense")
	case []any:
		to("empty", []any{})
		if n := len(x); n > 0 {
			to("last left out", x[:n-1])
			to("last twice", append(slices.Clone(x), x[n-1]))
			to("first for all", slices.Repeat(x[:1], n))
			turned := slices.Clone(x)
			slices.Reverse(turned)
			to("turned round", turned)
		}
		for i := range x {
			if i > 0 && i != len(x)-1 {
				continue
			}
			changeJSON(path+"[*]", x[i], func(path, change string, forged any) {
				if _, gone := forged.(missing); !gone {
					list := slices.Clone(x)
					list[i] = forged
					tell(path, change, list)
				}
			})
		}
	case map[string]any:
		to("empty", map[string]any{})
		for _, name := range slices.Sorted(maps.Keys(x)) {
			changeJSON(path+"."+name, x[name], func(path, change string, forged any) {
				object := maps.Clone(x)
				if object[name] = forged; forged == (missing{}) {
					delete(object, name)
				}
				tell(path, change, object)
			})
		}
	}
}

// changeTensors tells what becomes of tensors by one change.
func changeTensors(all map[string]*tensor.Dense, tell func(name, change string, forged map[string]*tensor.Dense)) {
	names := slices.Sorted(maps.Keys(all))
	for i, name := range names {
		x := numbers(all[name])
		shape := all[name].Shape().Clone()
		to := func(change string, forged *tensor.Dense) {
			tensors := maps.Clone(all)
			if tensors[name] = forged; forged == nil {
				delete(tensors, name)
			}
			tell(name, change, tensors)
		}
		to("removed", nil)
		to("empty", asTensor(all[name].Dtype(), []float64{}, 0))
		to("of another dtype", asTensor(otherDtype(all[name].Dtype()), x, shape...))
		to("flat", asTensor(all[name].Dtype(), x, len(x)))
		to("of one more dimension", asTensor(all[name].Dtype(), x, append(shape.Clone(), 1)...))
		turned := shape.Clone()
		slices.Reverse(turned)
		to("transposed", asTensor(all[name].Dtype(), x, turned...))
		for _, other := range names[i+1:] {
			tensors := maps.Clone(all)
			tensors[name], tensors[other] = all[other], all[name]
			tell(name, "swapped with "+other, tensors)
		}
		if len(x) == 0 {
			continue
		}
		short := shape.Clone()
		short[0]--
		to("of a row less", asTensor(all[name].Dtype(), x[:short.TotalSize()], short...))
		each := func(change string, one func(v float64) float64) {
			forged := slices.Clone(x)
			for j := range forged {
				forged[j] = one(forged[j])
			}
			to("all "+change, asTensor(all[name].Dtype(), forged, shape...))
			forged = slices.Clone(x)
			forged[len(x)/2] = one(forged[len(x)/2])
			to(change, asTensor(all[name].Dtype(), forged, shape...))
		}
		each("negated", func(v float64) float64 { return -v })
		for _, value := range []float64{0, 0.5, 1, 1e9, 1e30, -1e30, math.NaN(), math.Inf(1)} {
			each(fmt.Sprint(value), func(float64) float64 { return value })
		}
		forged := slices.Clone(x)
		slices.Reverse(forged)
		to("turned round", asTensor(all[name].Dtype(), forged, shape...))
	}
}

func otherDtype(t tensor.Dtype) tensor.Dtype {
	if t == tensor.Float32 {
		return tensor.Float64
	}
	return tensor.Float32
}

// numbers returns the elements of a tensor in float64.
func numbers(x *tensor.Dense) []float64 {
	if x.Dtype() == tensor.Float64 {
		return x.Float64s()
	}
	var wide []float64
	for _, v := range x.Float32s() {
		wide = append(wide, float64(v))
	}
	return wide
}

func asTensor(dtype tensor.Dtype, x []float64, shape ...int) *tensor.Dense {
	if dtype == tensor.Float64 {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(x))
	}
	short := make([]float32, len(x))
	for i, v := range x {
		short[i] = float32(v)
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(short))
}

// saysOf returns what the model of a file says of a data set, in one line, and whether the file was refused.
func saysOf(f *modelfile.File, e engine.Engine, d *dataset.Dataset) (said string, refused error) {
	m, err := model.Decode(f, e)
	if err != nil {
		return "", err
	}
	x, err := m.Predict(context.Background(), d, nil)
	if err != nil {
		return "error " + err.Error(), nil
	}
	for _, c := range x.Classes {
		said += m.About().Classes[c] + " "
	}
	for _, values := range []*tensor.Dense{x.Decisions, x.Probabilities, x.Values} {
		if values != nil {
			said += fmt.Sprintf("%v %x", values.Shape(), values.Float64s())
		}
	}
	return said, nil
}

// Whatever is changed in a model file that has a valid checksum: it is refused as damaged, or the model predicts the
// same bits, or the change makes a model that could have been trained.
func TestForgedModelsAreRefused(t *testing.T) {
	e := engine.NewCPU(1)
	for _, m := range everyModel(t) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			f, err := modelfile.Read(m.file)
			if err != nil {
				t.Fatal(err)
			}
			d, err := dataset.Open(m.data)
			if err != nil {
				t.Fatal(err)
			}
			want, err := saysOf(f, e, d)
			if err != nil {
				t.Fatal(err)
			}
			forgeries(t, f, func(x forgery) {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s %s: panic: %v", x.path, x.change, p)
					}
				}()
				raw, err := modelfile.Encode(x.file.Kind, x.file.Model, x.file.Tensors)
				if err != nil {
					t.Fatal(err)
				}
				file, err := modelfile.Decode(raw)
				if err != nil {
					t.Fatalf("%s %s: %v", x.path, x.change, err)
				}
				said, err := saysOf(file, e, d)
				switch {
				case err != nil && strings.Contains(err.Error(), "\n"):
					t.Errorf("%s %s: more than a line: %v", x.path, x.change, err)
				case err != nil, said == want, plausible(x, m.classes == 0):
				case strings.HasPrefix(said, "error "):
					t.Errorf("%s %s: the file is taken, then %.200s", x.path, x.change, said)
				default:
					t.Errorf("%s %s: other predictions: %.60s was %.60s", x.path, x.change, said, want)
				}
			})
		})
	}
}

// plausible reports whether a change makes a model that could have been trained, so that no loader can know.
func plausible(x forgery, regression bool) bool {
	return slices.ContainsFunc(trainable(regression), func(p plausibleChange) bool {
		return regexp.MustCompile("^("+p.path+")$").MatchString(x.path) &&
			regexp.MustCompile("^(all )?("+p.change+")$").MatchString(x.change)
	})
}

type plausibleChange struct{ path, change, why string }

// trainable lists the changes that may make a model that could have been trained, with the reason.
func trainable(regression bool) []plausibleChange {
	small := "0|0.5|1|3|negated|turned round|first for all"
	large := small + `|1e9|1e\+09`
	any := large + `|-?1e\+?30|1e308`
	units := large // of log-odds, or of the targets of a regression
	if regression {
		units = any
	}
	return []plausibleChange{
		{`.head.classes(\[\*\])?`, "nonsense|turned round", "names are free"},
		{`.parts.encoding.(arc_)?labels(\[\*\])?`, "nonsense|turned round", "so are the codes of labels"},
		{`.*\.(options|fingerprint)\..*`, any + "|turned|empty", "another option of the training"},

		{`.parts.*.mean(\[\*\])?|.parts.model.shift\[\*\]`, large, "the mean of a column"},
		{`.parts.network.output.mean\[\*\]`, any, "the mean of targets, of which there is but one"},
		{`.parts.*.scale(\[\*\])?`, any, "the deviation of a column has no upper end"},

		{`.parts.*.(weights|bias).*`, small, "weights within what C gives"},
		{`.parts.*.pairs\[\*\].objects\[\*\]`, "0|1|3", "another machine may rest on the graph that this one loses"},
		{`.parts.*.coefficients`, "turned round", "the same sum"},
		{`.parts.*.classifier.classes`, "turned round", "their order is that of their appearance"},
		{`.parts.regressor.bias`, any, "in units of the target"},
		{`.parts.(means|regressor.(weight|bias))\[\*\].*`, any, "in units of the targets, and of the features"},

		{`.parts.trees.input.feature_grids.*`, "-.*|0|1|3|negated|turned round", "attributes of another magnitude"},
		{`.parts.trees.(start|trees.*.value)(\[\*\])?`, units, "other log-odds or values"},
		{`.parts.trees.trees(\[\*\])?`, "first for all|turned round", "other trees"},
		{`.*.split.(feature|length|pointer)`, "0|1|3", "another split"},
		{`.*.split.threshold`, any, "attributes are of any magnitude"},

		{`(path_)?anchors\d`, "0|0.5|negated|turned round", "vectors that are not longer than 1"},
		{`weight|bias`, units, "weights of another training"},
		{`mlp-(weight|bias)-\d`, large + "|swapped with mlp-.*", "weights of another training"},
		{`cgmm-\d-mean`, small + "|swapped.*", "standardised attributes of a state"},
		{`cgmm-\d-variance`, large + "|swapped.*", "the same, up to the number of vertices"},
		{`cgmm-\d-(emission-\d|transition)`, "turned round|swapped.*", "the same distributions in another order"},
		{`support`, large, "counts of states"},
		{`mpgk-attributes`, any, "data"},
		{`mpgk-labels|mpgk-leaves-\d|mpgk-kept|mpgk-graph-landmarks`, small, "other graphs"},
		{`wl-(graph-colours|signature-items)`, "0|1", "other graphs"},
		{`wl-weights`, "0.5|1|turned round", "weights of groups, which are divided by their diagonals"},
	}
}
