package dataset

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
)

func TestGoldenDegreesAsLabels(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("degree_onehot"), func(t *testing.T, text []byte) {
		var content struct {
			Graphs []struct {
				NumNodes int         `json:"num_nodes"`
				Edges    [][2]int32  `json:"edges"`
				Features [][]float64 `json:"features"`
			} `json:"graphs"`
			Degrees []int64 `json:"degrees"`
		}
		if err := json.Unmarshal(text, &content); err != nil {
			t.Fatal(err)
		}
		var graphs []graph.Graph
		var want []float64
		for _, g := range content.Graphs {
			one := graph.Graph{NumVertices: g.NumNodes}
			for _, e := range g.Edges {
				one.AddArc(e[0], e[1])
			}
			graphs = append(graphs, one)
			want = append(want, slices.Concat(g.Features...)...)
		}
		b, err := graph.NewBatch(graphs)
		if err != nil {
			t.Fatal(err)
		}
		d := (&Dataset{Batch: b}).DegreesAsLabels()
		if !slices.Equal(d.LabelNames, codeNames(content.Degrees)) || !slices.Equal(d.LabelCodes, d.LabelNames) {
			t.Errorf("labels %v, want %v", d.LabelNames, content.Degrees)
		}
		if got := AppendLabels(d.Batch); got.AttributeDim != len(content.Degrees) || !slices.Equal(got.Attributes, want) {
			t.Errorf("one-hot %v, want %v", got.Attributes, want)
		}
	})
}

func TestGoldenStandardisation(t *testing.T) {
	const tolerance = 1e-6 // absolute: one vertex is rounding noise
	testfiles.Golden(t, "", testfiles.OfKind("preprocessing"), func(t *testing.T, text []byte) {
		var content struct {
			Raw       [][][]float64 `json:"raw"`
			Mean      []float64     `json:"mean"`
			Scale     []float64     `json:"scale"`
			Processed [][][]float64 `json:"processed"`
		}
		if err := json.Unmarshal(text, &content); err != nil {
			t.Fatal(err)
		}
		var graphs []graph.Graph
		var want []float64
		for g, rows := range content.Raw {
			graphs = append(graphs, graph.Graph{NumVertices: len(rows), Attributes: slices.Concat(rows...),
				AttributeDim: len(rows[0])})
			want = append(want, slices.Concat(content.Processed[g]...)...)
		}
		b, err := graph.NewBatch(graphs)
		if err != nil {
			t.Fatal(err)
		}
		s := FitStandardisation(b)
		for c := range content.Mean {
			if math.Abs(s.Mean[c]-content.Mean[c]) > 1e-12 || math.Abs(s.Scale[c]-content.Scale[c]) > 1e-12 {
				t.Errorf("column %d: mean %v, scale %v, want %v, %v", c, s.Mean[c], s.Scale[c], content.Mean[c], content.Scale[c])
			}
		}
		got, err := s.Apply(b)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range got.Attributes {
			if math.Abs(x-want[i]) > tolerance {
				t.Errorf("value %d: %v, want %v", i, x, want[i])
			}
		}
	})
}

func attributes(values []float64, width int) *graph.Batch {
	n := int32(len(values) / width)
	b := graph.FromAdjacency([]int32{0, n}, make([][]int32, n))
	b.Attributes, b.AttributeDim = values, width
	return b
}

func TestStandardisationOfOnePartAppliesToAnother(t *testing.T) {
	s := FitStandardisation(attributes([]float64{1, 7, 3, 7}, 2))
	if !slices.Equal(s.Mean, []float64{2, 7}) || !slices.Equal(s.Scale, []float64{1, 1}) {
		t.Fatalf("mean %v, scale %v", s.Mean, s.Scale)
	}
	b, err := s.Apply(attributes([]float64{5, 11, 2, 7}, 2))
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0.6, 0.8, 0, 0}; !slices.EqualFunc(b.Attributes, want,
		func(x, y float64) bool { return math.Abs(x-y) < 1e-15 }) {
		t.Errorf("attributes %v, want %v", b.Attributes, want)
	}
	_, err = s.Apply(attributes([]float64{1}, 1))
	wantError(t, err, "1 attributes, the statistics are of 2")
	huge := attributes([]float64{math.MaxFloat64, 0, -math.MaxFloat64, math.MaxFloat64}, 1)
	_, err = FitStandardisation(huge).Apply(huge)
	wantError(t, err, "the attributes of vertex 0 are too large")
}

// A column of one value, whatever the value, becomes exactly zero, and no input makes NaN.
func TestStandardisationOfConstantAndEmptyColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 100 {
		x := random.NormFloat64() * math.Pow(10, float64(random.IntN(12)-6))
		b, err := FitStandardisation(attributes(slices.Repeat([]float64{x}, 1+random.IntN(50)), 1)).Apply(
			attributes([]float64{x}, 1))
		if err != nil || b.Attributes[0] != 0 {
			t.Fatalf("%v becomes %v, %v", x, b.Attributes, err)
		}
	}
	empty := graph.FromAdjacency([]int32{0, 0}, nil)
	empty.AttributeDim = 2
	if s := FitStandardisation(empty); !slices.Equal(s.Scale, []float64{1, 1}) {
		t.Errorf("scale %v of no vertices", s.Scale)
	}
}

func TestAppendLabels(t *testing.T) {
	b := attributes([]float64{1, 2, 3}, 1)
	b.Labels, b.NumLabels = []int32{1, 0, 1}, 2
	if got, want := AppendLabels(b), []float64{1, 0, 1, 2, 1, 0, 3, 0, 1}; got.AttributeDim != 3 ||
		!slices.Equal(got.Attributes, want) {
		t.Errorf("attributes %v, want %v", got.Attributes, want)
	}
	if b.AttributeDim != 1 {
		t.Error("the batch that was given changed")
	}
}

func TestAlignLabels(t *testing.T) {
	b := attributes([]float64{0, 0, 0, 0}, 1)
	b.Labels, b.NumLabels = []int32{0, 1, 2, 1}, 3
	d := &Dataset{Batch: b, LabelCodes: []string{"1", "2", "3"}, LabelNames: []string{"C", "C", "2"}}
	aligned, unknown := d.AlignLabels([]string{"3", "9", "2", "1"})
	if !slices.Equal(aligned.Batch.Labels, []int32{3, 2, 0, 2}) || aligned.Batch.NumLabels != 4 || unknown != nil {
		t.Errorf("labels %v of %d, unknown %v", aligned.Batch.Labels, aligned.Batch.NumLabels, unknown)
	}
	if !slices.Equal(aligned.LabelCodes, []string{"3", "9", "2", "1"}) ||
		!slices.Equal(aligned.LabelNames, []string{"2", "9", "C", "C"}) {
		t.Errorf("codes %v, names %v", aligned.LabelCodes, aligned.LabelNames)
	}
	aligned, unknown = d.AlignLabels([]string{"2"})
	if !slices.Equal(aligned.Batch.Labels, []int32{1, 0, 1, 0}) || aligned.Batch.NumLabels != 2 ||
		!slices.Equal(unknown, []string{"1", "3"}) {
		t.Errorf("labels %v of %d, unknown %v", aligned.Batch.Labels, aligned.Batch.NumLabels, unknown)
	}
}

func TestMissingAttributes(t *testing.T) {
	b := attributes([]float64{1, 4, 2, 0, 3, 0}, 2)
	d := &Dataset{Batch: b, Missing: []int{2, 3, 5}}
	missing := d.MissingAsNaN()
	same := func(x, y float64) bool { return math.Abs(x-y) < 1e-15 || math.IsNaN(x) && math.IsNaN(y) }
	nan := math.NaN()
	if want := []float64{1, 4, nan, nan, 3, nan}; !slices.EqualFunc(missing.Batch.Attributes, want, same) {
		t.Errorf("attributes %v, want %v", missing.Batch.Attributes, want)
	}
	if b.Attributes[2] != 2 {
		t.Error("the batch that was given changed")
	}
	s := FitStandardisation(missing.Batch)
	if !slices.Equal(s.Mean, []float64{2, 4}) || !slices.Equal(s.Scale, []float64{1, 1}) {
		t.Errorf("mean %v and scale %v of the values that are known", s.Mean, s.Scale)
	}
	got, err := s.Apply(missing.Batch)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{-1, 0, nan, nan, 1, nan}; !slices.EqualFunc(got.Attributes, want, same) {
		t.Errorf("standardised %v, want %v", got.Attributes, want)
	}
	empty := attributes([]float64{nan, nan}, 1)
	if s := FitStandardisation(empty); s.Mean[0] != 0 || s.Scale[0] != 1 {
		t.Errorf("mean %v and scale %v of no values", s.Mean, s.Scale)
	}
}

// Attributes that are merely standardised keep the norms that those divided by them lose.
func TestStandardisedAttributesKeepTheirNorms(t *testing.T) {
	b, err := graph.NewBatch([]graph.Graph{{NumVertices: 3, AttributeDim: 2, Attributes: []float64{0, 1, 2, 5, 4, 3}}})
	if err != nil {
		t.Fatal(err)
	}
	d := &Dataset{Name: "X", Batch: b}
	rows := map[Features][]float64{}
	for _, f := range []Features{AttributeFeatures, StandardisedAttributes} {
		e, err := FitEncoding(d, f, nil)
		if err == nil {
			err = e.Check()
		}
		if err != nil {
			t.Fatal(err)
		}
		shown, err := e.Apply(d)
		if err != nil {
			t.Fatal(err)
		}
		rows[f] = shown.Attributes
	}
	root := math.Sqrt(1.5) // of columns 0, 2, 4 and 1, 5, 3
	want := []float64{-root, -root, 0, root, root, 0}
	for i, v := range rows[StandardisedAttributes] {
		if math.Abs(v-want[i]) > 1e-14 {
			t.Errorf("entry %d is %g, want %g", i, v, want[i])
		}
	}
	if got := rows[AttributeFeatures][0]; math.Abs(got+math.Sqrt(0.5)) > 1e-14 {
		t.Errorf("%g of a vertex divided by its norm", got)
	}
}
