package render

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

func manyMeasurements() []Measurement {
	var all []Measurement
	for i := range 45 {
		all = append(all, Measurement{
			Name: fmt.Sprintf("operation-%d 17 %%", i), Group: []string{"bytes", "multiply-adds", "exponentials"}[i%3],
			Intensity: math.Pow(10, float64(i%9)/6), Rate: 1e9 * (1 + float64(i%7)),
		})
	}
	return all
}

func TestRooflineShowsRoofsAndEveryMeasurement(t *testing.T) {
	all := manyMeasurements()
	f, err := Roofline(Chart{Title: "a & b", X: Axis{Label: "operations per byte"}}, Roof{"copy 10 GB/s", 1e10},
		[]Roof{{"float32 200 G", 2e11}, {"tf32 800 G", 8e11}}, all)
	nodes := svgOf(t, f, err)
	for _, want := range []string{"a & b", "operations per byte", "copy 10 GB/s", "float32 200 G", "tf32 800 G", "bytes",
		"multiply-adds"} {
		if !hasText(nodes, want) {
			t.Errorf("the plot does not say %q", want)
		}
	}
	for _, m := range all {
		if !hasText(nodes, m.Name) {
			t.Errorf("the plot does not name %s", m.Name)
		}
	}
	var svg bytes.Buffer
	if err := f.WriteSVG(&svg); err != nil || strings.Contains(svg.String(), "NaN") {
		t.Errorf("error %v, or a place that is not a number", err)
	}
}

func TestLabelsDoNotOverlap(t *testing.T) {
	l := &placer{
		handler: text.Plain{Fonts: font.NewCache(liberation.Collection())},
		bounds:  vg.Rectangle{Max: vg.Point{X: 900, Y: 600}},
	}
	canvas := draw.New(vgimg.New(900, 600))
	var points []vg.Point
	for i := range 50 { // in three heaps
		points = append(points, vg.Point{X: vg.Length(150 + 300*(i%3) + i%7), Y: vg.Length(200 + 5*(i%11))})
	}
	for _, p := range points {
		l.blockPoint(p, 4)
	}
	for i, p := range points {
		before := len(l.taken)
		l.beside(canvas, fmt.Sprintf("label of point %d", i), colour{}, p)
		box := l.taken[len(l.taken)-1]
		if box.Min.X < 0 || box.Min.Y < 0 || box.Max.X > 900 || box.Max.Y > 600 {
			t.Errorf("label %d at %v leaves the canvas", i, box)
		}
		for _, other := range l.taken[:before] {
			if overlap(box, other) {
				t.Fatalf("label %d at %v lies on what is at %v", i, box, other)
			}
		}
	}
}

func TestBadRooflinesAreRefused(t *testing.T) {
	good := []Measurement{{"x", "g", 1, 1e9}}
	roof, peaks := Roof{"copy", 1e10}, []Roof{{"peak", 1e11}}
	for _, c := range []struct {
		name  string
		roof  Roof
		peaks []Roof
		all   []Measurement
	}{
		{"no measurement", roof, peaks, nil},
		{"no peak", roof, nil, good},
		{"no bandwidth", Roof{"copy", 0}, peaks, good},
		{"a peak that is not a number", roof, []Roof{{"peak", math.NaN()}}, good},
		{"an operation that moves nothing", roof, peaks, []Measurement{{"x", "g", math.Inf(1), 1}}},
		{"an operation without arithmetic", roof, peaks, []Measurement{{"x", "g", 0, 1}}},
	} {
		if _, err := Roofline(Chart{}, c.roof, c.peaks, c.all); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
	if _, err := Roofline(Chart{Width: 1}, roof, peaks, good); err == nil {
		t.Error("a chart of one point width was accepted")
	}
	if _, err := Roofline(Chart{}, roof, peaks, good); err != nil {
		t.Errorf("a single measurement: %v", err)
	}
}
