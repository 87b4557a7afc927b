package render

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

func svgOf(t *testing.T, f *Figure, err error) []*node {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := f.WriteSVG(w); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two documents of the same figure differ")
	}
	return parse(t, first.Bytes())
}

func hasText(nodes []*node, want string) bool {
	for _, n := range nodes {
		if n.name == "text" && n.text == want {
			return true
		}
	}
	return false
}

func TestAccuracyCurves(t *testing.T) {
	c := Curve{Name: "path 4 <σ 0.6>", Marked: []int{3}}
	for i := range 8 {
		c.X = append(c.X, math.Pow(10, float64(i-5)))
		c.Y = append(c.Y, 80+float64(i%4))
		c.Deviation = append(c.Deviation, 2)
	}
	f, err := AccuracyCurves("MUTAG & friends", []Curve{c, {Name: "one", X: []float64{1}, Y: []float64{85}}})
	nodes := svgOf(t, f, err)
	for _, want := range []string{"MUTAG & friends", "C", "accuracy (%)", "path 4 <σ 0.6>: 83.0", "one", "0.01", "1e−4"} {
		if !hasText(nodes, want) {
			t.Errorf("the plot does not say %q", want)
		}
	}
	if root := nodes[0]; root.attributes["role"] != "img" || root.attributes["aria-label"] != "MUTAG & friends" {
		t.Errorf("attributes %v", root.attributes)
	}
	if titles := named(nodes, "title", ""); len(titles) != 1 || titles[0].text != "MUTAG & friends" {
		t.Error("the document has no title")
	}
}

func TestLinesOverFewNumbersTickAtThem(t *testing.T) {
	f, err := Lines(Chart{X: Axis{Label: "filters", Log: true}, Y: Axis{Label: "seconds", Log: true}},
		[]Curve{{Name: "GCKN", X: []float64{16, 32, 64, 128}, Y: []float64{0.01, 0.02, 0.04, 0.08},
			Deviation: []float64{0.001, 0.03, 0.001, 0.08}}})
	nodes := svgOf(t, f, err)
	for _, want := range []string{"16", "32", "64", "128", "0.01"} {
		if !hasText(nodes, want) {
			t.Errorf("no tick at %s", want)
		}
	}
}

func TestPlotsOfExtremeNumbers(t *testing.T) {
	for _, curve := range []Curve{
		{X: []float64{1}, Y: []float64{0}}, {X: []float64{0, 1}, Y: []float64{5, 5}},
		{X: []float64{-huge, huge}, Y: []float64{huge, -huge}},
		{X: []float64{1, 1 + 1e-15}, Y: []float64{1, 1 + 1e-15}}, {X: []float64{0, 1}, Y: []float64{1e-310, 0}},
	} {
		f, err := Lines(Chart{}, []Curve{curve})
		svgOf(t, f, err)
	}
	logs := Chart{X: Axis{Log: true}, Y: Axis{Log: true}}
	for _, curve := range []Curve{
		{X: []float64{tiny, huge}, Y: []float64{huge, tiny}}, {X: []float64{1}, Y: []float64{1}},
		{X: []float64{1, 2}, Y: []float64{3, 3.0000001}, Deviation: []float64{9, 3}},
	} {
		f, err := Lines(logs, []Curve{curve})
		svgOf(t, f, err)
	}
	lo, hi := 10.0, 20.0
	f, err := Lines(Chart{Y: Axis{Min: &lo}, X: Axis{Max: &hi}},
		[]Curve{{X: []float64{30, 40}, Y: []float64{1, 2}, Deviation: []float64{1, 1}, Marked: []int{0}, Name: "outside"}})
	svgOf(t, f, err)
}

func TestManyCurves(t *testing.T) {
	var curves []Curve
	for i := range 25 {
		curves = append(curves, Curve{Name: fmt.Sprint("setting ", i), X: []float64{1, 2, 3},
			Y: []float64{1, 2, 2 + 0.001*float64(i)}})
	}
	f, err := Lines(Chart{}, curves)
	svgOf(t, f, err)
}

func TestDots(t *testing.T) {
	values := []float64{93.1, 88, 88, 88, 100, 94.7}
	f, err := Dots(Chart{Title: "MUTAG", X: Axis{Label: "accuracy (%) of each fold"}}, values, 92, 4.5,
		&Reference{"most frequent class", 86.5})
	nodes := svgOf(t, f, err)
	for _, want := range []string{"mean 92.0 ± 4.5", "most frequent class", "1", "6", "90"} {
		if !hasText(nodes, want) {
			t.Errorf("the plot does not say %q", want)
		}
	}
	for _, far := range []string{"0", "50", "60"} {
		if hasText(nodes, far) {
			t.Errorf("the axis reaches to %s, far from all values", far)
		}
	}
	f, err = Dots(Chart{}, values, 92, 4.5, &Reference{"most frequent class", 50})
	if hasText(svgOf(t, f, err), "most frequent class") {
		t.Error("a reference far from all values is drawn")
	}
	f, err = Dots(Chart{Width: 300}, make([]float64, 200), 0, 0, nil)
	svgOf(t, f, err)
}

func TestStackedDotsDoNotOverlap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		at := make([]vg.Length, 1+rng.IntN(120))
		for i := range at {
			at[i] = vg.Length(rng.IntN(20) * 7)
		}
		radius, height := (&dots{}).stacks(at, 150)
		for i := range at {
			if height[i] > 150 {
				t.Errorf("a dot at height %v", height[i])
			}
			for j := range i {
				if math.Hypot(float64(at[i]-at[j]), float64(height[i]-height[j])) < 2*float64(radius) {
					t.Fatalf("dots %d and %d overlap", i, j)
				}
			}
		}
	}
}

func TestBadPlotsAreRefused(t *testing.T) {
	one := []float64{1}
	nan, zero, five := math.NaN(), 0.0, 5.0
	for _, test := range []struct {
		chart  Chart
		curves []Curve
		want   string
	}{
		{Chart{}, nil, "at least one curve"},
		{Chart{}, []Curve{{Name: "a"}}, `curve "a": no points`},
		{Chart{}, []Curve{{X: one}}, "1 values of x and 0 of y"},
		{Chart{}, []Curve{{X: one, Y: one, Deviation: []float64{1, 2}}}, "2 deviations for 1 points"},
		{Chart{}, []Curve{{X: one, Y: one, Deviation: []float64{-1}}}, "deviation of point 0 is -1"},
		{Chart{}, []Curve{{X: one, Y: []float64{math.NaN()}}}, "point 0 is (1, NaN)"},
		{Chart{}, []Curve{{X: one, Y: []float64{math.Inf(1)}}}, "point 0 is (1, +Inf)"},
		{Chart{}, []Curve{{X: []float64{2, 1}, Y: []float64{1, 2}}}, "x must ascend"},
		{Chart{}, []Curve{{X: one, Y: one, Marked: []int{1}}}, "marked point 1"},
		{Chart{X: Axis{Log: true}}, []Curve{{X: []float64{0}, Y: one}}, "logarithmic axis"},
		{Chart{Y: Axis{Min: &nan}}, []Curve{{X: one, Y: one}}, "the y axis cannot end at NaN"},
		{Chart{X: Axis{Min: &zero, Log: true}}, []Curve{{X: one, Y: one}}, "the x axis cannot end at 0"},
		{Chart{X: Axis{Min: &five, Max: &zero}}, []Curve{{X: one, Y: one}}, "ends at 0 before it starts at 5"},
		{Chart{Width: 5}, []Curve{{X: one, Y: one}}, "between 160 and 10000"},
	} {
		if _, err := Lines(test.chart, test.curves); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
	for _, test := range []struct {
		chart           Chart
		values          []float64
		mean, deviation float64
		want            string
	}{
		{Chart{}, nil, 0, 0, "at least one value"},
		{Chart{X: Axis{Log: true}}, one, 1, 0, "linear axis"},
		{Chart{}, []float64{math.Inf(1)}, 1, 0, "value 0 is +Inf"},
		{Chart{}, one, nan, 0, "a mean of NaN"},
		{Chart{}, one, 1, -1, "a deviation of -1"},
	} {
		_, err := Dots(test.chart, test.values, test.mean, test.deviation, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}

func TestSaveByExtension(t *testing.T) {
	f, err := Lines(Chart{Title: "saved"}, []Curve{{X: []float64{1, 2}, Y: []float64{3, 4}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.svg", "a.png", "a.PNG"} {
		if err := f.Save(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	file, err := os.Open(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 1280 || size.Y != 800 {
		t.Errorf("the picture has %v pixels, want 1280 x 800", size)
	}
	if err := f.Save(filepath.Join(dir, "a.gif")); err == nil || !strings.Contains(err.Error(), ".svg or .png") {
		t.Errorf("error %v", err)
	}
	if err := f.Save(filepath.Join(dir, "missing", "a.svg")); err == nil {
		t.Error("a file in a missing folder was written")
	}
}

func TestSeparateKeepsDistanceAndOrder(t *testing.T) {
	for _, wanted := range [][]float64{{50}, {50, 50, 50}, {0, 1, 99, 100}, {10, 40, 42, 44, 90}, {3, 1, 2}} {
		placed := separate(wanted, 10, 0, 100)
		for i := range wanted {
			if placed[i] < 0 || placed[i] > 100 {
				t.Errorf("%v: %v lies outside", wanted, placed[i])
			}
			for j := range wanted {
				if i != j && math.Abs(placed[i]-placed[j]) < 10-1e-9 {
					t.Errorf("%v: %v and %v are too near", wanted, placed[i], placed[j])
				}
				if wanted[i] < wanted[j] && placed[i] > placed[j] {
					t.Errorf("%v: order changed to %v", wanted, placed)
				}
			}
		}
	}
	if got := separate([]float64{20, 60}, 10, 0, 100); got[0] != 20 || got[1] != 60 {
		t.Errorf("positions without a clash moved to %v", got)
	}
}

func TestTicks(t *testing.T) {
	labels := func(ticks []plot.Tick) string {
		var all []string
		for _, tick := range ticks {
			if tick.Label != "" {
				all = append(all, tick.Label)
			}
		}
		return strings.Join(all, " ")
	}
	for _, test := range []struct{ got, want string }{
		{labels(linearTicks(68.2, 91)), "70 75 80 85 90"},
		{labels(linearTicks(-0.3, 0.25)), "−0.3 −0.2 −0.1 0.0 0.1 0.2"},
		{labels(logTicks(1e-6, 1e4)), "1e−6 1e−4 0.01 1 100 10000"},
		{labels(logTicks(0.8, 7)), "1 2 5"},
	} {
		if test.got != test.want {
			t.Errorf("ticks %q, want %q", test.got, test.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{number(0, 3), "0"}, {number(-0.12345, 3), "−0.123"}, {number(12.3456, 3), "12.3"}, {number(1234.5, 3), "1234"},
		{number(2, 3), "2"},
		{number(1e-7, 3), "1e−7"}, {number(math.MaxFloat64, 3), "1.8e308"}, {signedNumber(0.5, 3), "+0.5"},
		{reading(88.34), "88.3"},
		{reading(0.0123), "0.0123"}, {power(1e-6), "1e−6"}, {power(0.001), "0.001"}, {fixed(math.Copysign(0, -1), 1), "0.0"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

func TestWrap(t *testing.T) {
	text := newTypesetter()
	for _, line := range text.wrap(strings.Repeat("word ", 40)+strings.Repeat("x", 300), 12, 200, false) {
		if text.width(line, 12, false) > 200 {
			t.Errorf("line %q is too wide", line)
		}
	}
	if got := text.wrap("one\ntwo", 12, 200, false); len(got) != 2 {
		t.Errorf("lines %q", got)
	}
	if got := text.wrap("", 12, 200, false); len(got) != 0 {
		t.Errorf("lines %q of nothing", got)
	}
}

func ExampleTextBars() {
	_ = TextBars(os.Stdout, []string{"fold 1", "fold 10"}, []float64{75, 100}, 50, 100, 8)
	// Output:
	// fold 1   ████       75.0
	// fold 10  ████████  100.0
}

func TestTextBarsTakeAnything(t *testing.T) {
	var out bytes.Buffer
	if err := TextBars(&out, []string{"a", "bb"}, []float64{math.Inf(1), 200}, 0, 100, 4); err != nil {
		t.Fatal(err)
	}
	if err := TextBars(&out, []string{"c"}, []float64{0}, -1e308, 1e308, 4); err != nil { // whose difference overflows
		t.Fatal(err)
	}
	if want := "a             -\nbb  ████  200.0\nc  ██      0.0\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
