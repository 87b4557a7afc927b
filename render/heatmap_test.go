package render

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// panels are matrices of the given columns whose largest value, 1, stands in the first row and last column.
func panels(rows int, columns ...int) []HeatMap {
	var maps []HeatMap
	for _, c := range columns {
		m := HeatMap{Title: "layer " + string(rune('1'+len(maps))), Columns: c, Values: make([]float64, rows*c)}
		for i := range m.Values {
			m.Values[i] = float64(i%5) / 10
		}
		m.Values[c-1] = 1
		maps = append(maps, m)
	}
	return maps
}

func TestHeatMaps(t *testing.T) {
	rows := []string{"mutagen", "non-mutagen <&>", "other"}
	chart := Chart{Title: "States & classes", X: Axis{Label: "state"}, Y: Axis{Label: "mean frequency"}}
	f, err := HeatMaps(chart, rows, panels(3, 20, 20, 12))
	nodes := svgOf(t, f, err)
	for _, want := range append(rows, "States & classes", "state", "mean frequency", "layer 1", "layer 3", "0", "1", "5") {
		if !hasText(nodes, want) {
			t.Errorf("the heat maps do not say %q", want)
		}
	}
	if root := nodes[0]; root.attributes["aria-label"] != "States & classes" {
		t.Errorf("attributes %v", root.attributes)
	}
	var out bytes.Buffer
	if err := f.WritePNG(&out); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	dark := 0
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if r, g, b, _ := picture.At(x, y).RGBA(); r>>8 == 0x08 && g>>8 == 0x30 && b>>8 == 0x6b {
				dark++
			}
		}
	}
	if dark < 100 {
		t.Errorf("%d pixels of the darkest blue, want those of the three largest cells", dark)
	}
	if dir := os.Getenv("GROVE_PICTURES"); dir != "" {
		if err := f.Save(filepath.Join(dir, "heatmaps.png")); err != nil {
			t.Fatal(err)
		}
	}
}

// Wide panels stand one below the other, narrow ones side by side, and the page grows with its rows.
func TestHeatMapsFitThePage(t *testing.T) {
	side := func(rows int, columns ...int) *Figure {
		f, err := HeatMaps(Chart{}, make([]string, rows), panels(rows, columns...))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if one, four := side(5, 10).height, side(5, 10, 10, 10, 10).height; four > 1.5*one {
		t.Errorf("four narrow panels make a page of height %v, one %v", four, one)
	}
	if one, four := side(5, 60).height, side(5, 60, 60, 60, 60).height; four < 2*one {
		t.Errorf("four wide panels make a page of height %v, one %v", four, one)
	}
	if few, many := side(2, 10).height, side(30, 10).height; many < few+100 {
		t.Errorf("30 rows make a page of height %v, 2 rows %v", many, few)
	}
}

func TestHeatMapsRefuseWhatCannotBeDrawn(t *testing.T) {
	low := -1.0
	for want, draw := range map[string]func() (*Figure, error){
		"at least one row": func() (*Figure, error) { return HeatMaps(Chart{}, nil, panels(1, 2)) },
		"one panel":        func() (*Figure, error) { return HeatMaps(Chart{}, []string{"a"}, nil) },
		"for 2 rows of 2":  func() (*Figure, error) { return HeatMaps(Chart{}, []string{"a", "b"}, panels(1, 2)) },
		"row 0, column 0": func() (*Figure, error) {
			return HeatMaps(Chart{}, []string{"a"}, []HeatMap{{Columns: 1, Values: []float64{low}}})
		},
		"NaN": func() (*Figure, error) {
			return HeatMaps(Chart{}, []string{"a"}, []HeatMap{{Columns: 1, Values: []float64{math.NaN()}}})
		},
		"a chart of 10":       func() (*Figure, error) { return HeatMaps(Chart{Width: 10}, []string{"a"}, panels(1, 2)) },
		"5000 rows: a chart ": func() (*Figure, error) { return HeatMaps(Chart{}, make([]string, 5000), panels(5000, 2)) },
	} {
		if _, err := draw(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := HeatMaps(Chart{}, []string{"a"}, []HeatMap{{Columns: 2, Values: []float64{0, 0}}}); err != nil {
		t.Errorf("nothing but zeros: %v", err)
	}
}

// Kinds colour the vertices and fill the legend, whatever their names are.
func TestKindsColourVertices(t *testing.T) {
	b, err := graph.NewBatch([]graph.Graph{{NumVertices: 3, Labels: []int32{0, 0, 1},
		Arcs: graph.ArcList{From: []int32{0, 1}, To: []int32{1, 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	d := Drawing{Batch: b, Names: []string{"C", "N", "C"}, Kinds: []int{11, 2, 11}, Kind: "state"}
	var out bytes.Buffer
	if err := Graph(&out, d, Style{}); err != nil {
		t.Fatal(err)
	}
	nodes := parse(t, out.Bytes())
	for _, want := range []string{"C", "N", "state 2", "state 11"} {
		if !hasText(nodes, want) {
			t.Errorf("the drawing does not say %q", want)
		}
	}
	colours := kindsOf([]Drawing{d})
	if !slices.Equal(colours.order, []string{"state 2", "state 11"}) || colours.colour(&d, 0, 0) != categorical()[11] ||
		colours.colour(&d, 1, 0) != categorical()[2] {
		t.Errorf("kinds %v, colours %v and %v", colours.order, colours.colour(&d, 0, 0), colours.colour(&d, 1, 0))
	}
	for want, kinds := range map[string][]int{"2 kinds for 3 vertices": {1, 2}, "vertex 1 is of kind -1": {0, -1, 0}} {
		d.Kinds = kinds
		if err := Graph(&out, d, Style{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
