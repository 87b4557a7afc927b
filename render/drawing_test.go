package render

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
)

func TestEveryShapeFitsItsPage(t *testing.T) {
	path := func(n int) []int32 { return cycle(n)[:2*n-2] }
	r := rand.New(rand.NewPCG(5, 5))
	var tangled []int32
	for range 80 {
		tangled = append(tangled, int32(r.IntN(40)), int32(r.IntN(40)))
	}
	for _, test := range []struct {
		name string
		n    int
		ends []int32
	}{
		{"no vertex", 0, nil}, {"one vertex", 1, nil}, {"seven isolated vertices", 7, nil}, {"one edge", 2, []int32{0, 1}},
		{"C6", 6, cycle(6)}, {"K6", 6, complete(6)}, {"K40", 40, complete(40)}, {"path of 1000", 1000, path(1000)},
		{"disconnected", 9, []int32{0, 1, 1, 2, 4, 5, 5, 6, 6, 4}}, {"loops", 3, []int32{0, 0, 0, 1, 2, 2}},
		{"random", 40, tangled},
	} {
		for _, directed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s directed=%v", test.name, directed), func(t *testing.T) {
				nodes := drawn(t, Drawing{Batch: batchOf(t, test.n, directed, test.ends...), Title: test.name}, Style{})
				if got := len(discs(t, nodes)); got != test.n {
					t.Errorf("%d discs for %d vertices", got, test.n)
				}
			})
		}
	}
}

func TestRingOfSixIsARegularHexagon(t *testing.T) {
	all := discs(t, drawn(t, Drawing{Batch: batchOf(t, 6, false, cycle(6)...)}, Style{}))
	shortest, longest := math.Inf(1), 0.0
	for v := range 6 {
		d := math.Hypot(all[v].x-all[(v+1)%6].x, all[v].y-all[(v+1)%6].y)
		shortest, longest = min(shortest, d), max(longest, d)
	}
	if longest > 1.01*shortest { // coordinates have two decimals
		t.Errorf("sides from %.2f to %.2f pixels", shortest, longest)
	}
}

func TestSameInputSameBytes(t *testing.T) {
	d := nitrobenzene(t)
	d.Contributions = []float64{0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8, 0.9}
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := Grid(w, "twice", []Drawing{d, {Batch: d.Batch}}, 2, Style{}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two documents of the same drawing differ")
	}
}

func TestNamesStandInTheirDiscs(t *testing.T) {
	nodes := drawn(t, nitrobenzene(t), Style{})
	names := named(nodes, "text", "vertex")
	if len(names) != 9 || names[6].text != "N" || names[7].text != "O" {
		t.Fatalf("%d names", len(names))
	}
	for i, c := range named(nodes, "circle", "vertex") {
		if names[i].number(t, "x") != c.number(t, "cx") || names[i].attributes["text-anchor"] != "middle" {
			t.Errorf("name %d is not centred", i)
		}
		if math.Abs(names[i].number(t, "y")-c.number(t, "cy")) > c.number(t, "r") {
			t.Errorf("name %d is outside its disc", i)
		}
	}
}

func TestLongNamesStandBelowTheirDiscs(t *testing.T) {
	b := batchOf(t, 6, false, complete(6)...)
	d := Drawing{Batch: b, Names: []string{"Ada Lovelace", "Grace", "Barbara", "Katherine", "Hedy",
		"a name that is far too long to be shown in full"}}
	nodes := drawn(t, d, Style{})
	names := named(nodes, "text", "vertex")
	if len(names) != 6 {
		t.Fatalf("%d of 6 names shown", len(names))
	}
	if !strings.HasSuffix(names[5].text, "…") {
		t.Errorf("long name shown as %q", names[5].text)
	}
	if titles := named(nodes, "title", "vertex"); titles[5].text != "vertex 5: "+d.Names[5] {
		t.Errorf("the tooltip is %q", titles[5].text)
	}
}

func TestTooltipsAndDescription(t *testing.T) {
	d := nitrobenzene(t)
	d.Contributions = make([]float64, 9)
	d.Contributions[6] = -0.123456789
	d.Measure = "contribution to class 1"
	nodes := drawn(t, d, Style{})
	titles := named(nodes, "title", "vertex")
	if want := "vertex 6: N, contribution to class 1 -0.12346"; titles[6].text != want {
		t.Errorf("tooltip %q, want %q", titles[6].text, want)
	}
	root := nodes[0]
	if root.attributes["role"] != "img" || root.attributes["aria-label"] != "Nitrobenzene: 9 vertices, 9 edges" {
		t.Errorf("role %q, label %q", root.attributes["role"], root.attributes["aria-label"])
	}
	labelled := batchOf(t, 2, false, 0, 1)
	labelled.Labels, labelled.NumLabels = []int32{3, 0}, 4
	if titles := named(drawn(t, Drawing{Batch: labelled}, Style{}), "title",
		"vertex"); titles[0].text != "vertex 0: label 3" {
		t.Errorf("tooltip %q", titles[0].text)
	}
}

func TestContributionsColourTheDiscs(t *testing.T) {
	b := batchOf(t, 5, false, 0, 1, 1, 2, 2, 3, 3, 4)
	nodes := drawn(t, Drawing{Batch: b, Contributions: []float64{-2, -1, 0, 1, 2}, Negative: "class 0",
		Positive: "class 1"}, Style{})
	var fills []string
	for _, c := range named(nodes, "circle", "vertex") {
		fills = append(fills, c.attributes["fill"])
	}
	if want := []string{"#762a83", "#c2a5cf", "#f7f7f7", "#a6dba0", "#1b7837"}; !slices.Equal(fills, want) {
		t.Errorf("fills %v, want %v", fills, want)
	}
	var words []string
	for _, n := range named(nodes, "text", "legend") {
		words = append(words, n.text)
	}
	if want := []string{"contribution", "0", "−2", "+2", "← class 0", "class 1 →"}; !slices.Equal(words, want) {
		t.Errorf("legend %q, want %q", words, want)
	}
	if nodes := drawn(t, Drawing{Batch: b, Contributions: []float64{-2, -1, 0, 1, 2}},
		Style{NoLegend: true}); len(named(nodes, "rect", "legend")) > 0 {
		t.Error("a legend in spite of NoLegend")
	}
}

func TestExtremeContributions(t *testing.T) {
	b := batchOf(t, 3, false, 0, 1, 1, 2)
	for _, values := range [][]float64{{0, 0, 0}, {math.MaxFloat64, -math.MaxFloat64, 1}, {5e-324, 0, -5e-324}} {
		drawn(t, Drawing{Batch: b, Contributions: values, ArcScores: []float64{values[0], values[1], values[1], values[2]}},
			Style{})
		drawn(t, Drawing{Batch: b, Contributions: values}, Style{Limit: 1e-3})
	}
}

func TestTextInDiscsHasContrast(t *testing.T) {
	var grounds []colour
	for i := range 201 {
		grounds = append(grounds, diverging(float64(i-100)/100))
	}
	grounds = append(grounds, categorical()...)
	for symbol := range strings.FieldsSeq(symbols) {
		grounds = append(grounds, elementColour(symbol))
	}
	for _, ground := range grounds {
		if ratio := contrast(ground, onTop(ground)); ratio < 4 {
			t.Errorf("text on %v has a contrast of %.2f", ground, ratio)
		}
	}
}

func TestKindsHaveColoursOfTheirOwn(t *testing.T) {
	b := batchOf(t, 4, false, 0, 1, 1, 2, 2, 3)
	size := int32(len(categorical()))
	b.Labels, b.NumLabels = []int32{0, size, 2 * size, 0}, 2*int(size)+1 // the same place in the palette
	nodes := drawn(t, Drawing{Batch: b}, Style{})
	c := named(nodes, "circle", "vertex")
	if c[0].attributes["fill"] == c[1].attributes["fill"] || c[1].attributes["fill"] == c[2].attributes["fill"] ||
		c[0].attributes["fill"] != c[3].attributes["fill"] {
		t.Error("labels and colours do not correspond")
	}
	if swatches := named(nodes, "rect", "legend"); len(swatches) != 3 {
		t.Errorf("%d swatches for 3 labels", len(swatches))
	}
	many := batchOf(t, 40, false, cycle(40)...)
	for v := range int32(40) {
		many.Labels = append(many.Labels, v)
	}
	many.NumLabels = 40
	texts := named(drawn(t, Drawing{Batch: many}, Style{}), "text", "legend")
	if last := texts[len(texts)-1]; last.text != "other" || len(texts) != len(categorical())+1 {
		t.Errorf("%d entries, the last is %q", len(texts), last.text)
	}
}

func TestBondOrdersAndScores(t *testing.T) {
	d := nitrobenzene(t)
	lines := named(drawn(t, d, Style{}), "line", "edges")
	if want := 6*2 + 2 + 2; len(lines) != want { // aromatic 2 each, one double, two single
		t.Errorf("%d lines, want %d", len(lines), want)
	}
	d.BondOrders = nil
	d.ArcScores = make([]float64, d.Batch.NumArcs())
	d.ArcScores[0], d.ArcScores[1] = 1, -1
	nodes := drawn(t, d, Style{})
	titles := named(nodes, "title", "edges")
	if len(titles) != 9 || titles[0].text != "edge 0–1, score 0.5" { // the arc back has score 0
		t.Errorf("%d edges, the first says %q", len(titles), titles[0].text)
	}
	lines = named(nodes, "line", "edges")
	if lines[0].number(t, "stroke-width") <= lines[3].number(t, "stroke-width") {
		t.Error("a strong edge is not wider than a weak one")
	}
}

func TestDirectedArcsHaveHeads(t *testing.T) {
	b := batchOf(t, 3, true, 0, 1, 1, 0, 1, 2, 2, 2)
	nodes := drawn(t, Drawing{Batch: b}, Style{})
	if heads := named(nodes, "polygon", "edges"); len(heads) != 3 {
		t.Errorf("%d heads, want two on 0-1 and one on 1-2", len(heads))
	}
	if loops := named(nodes, "path", "edges"); len(loops) != 1 {
		t.Errorf("%d loops, want 1", len(loops))
	}
}

func TestHighlightMarksVerticesAndEdgesBetween(t *testing.T) {
	d := nitrobenzene(t)
	d.Highlight = []int{6, 7, 8}
	nodes := drawn(t, d, Style{})
	if c, l := len(named(nodes, "circle", "highlight")), len(named(nodes, "line", "highlight")); c != 3 || l != 2 {
		t.Errorf("%d vertices and %d edges marked, want 3 and 2", c, l)
	}
}

func TestNamesAndTitlesAreEscaped(t *testing.T) {
	evil := "<script>alert(\"x\" & 'y')</script>\x00\x1b]]>\xff"
	b := batchOf(t, 2, false, 0, 1)
	d := Drawing{Batch: b, Title: evil, Caption: evil, Names: []string{evil, "<&>"}, Contributions: []float64{1, 2},
		Measure: evil, Negative: evil, Positive: evil}
	nodes := drawn(t, d, Style{})
	if scripts := named(nodes, "script", ""); len(scripts) > 0 {
		t.Error("a name became an element")
	}
	var svg bytes.Buffer
	if err := Grid(&svg, evil, []Drawing{d, d, d}, 2, Style{}); err != nil {
		t.Fatal(err)
	}
	checkPage(t, parse(t, svg.Bytes()))
}

func TestGridArrangesDrawings(t *testing.T) {
	var ds []Drawing
	for i := range 7 {
		d := nitrobenzene(t)
		d.Title, d.Caption = fmt.Sprintf("molecule %d", i), strings.Repeat("a long caption ", i)
		d.Contributions = []float64{1, 2, 3, 4, 5, 6, 7, 8, float64(-10 * i)}
		ds = append(ds, d)
	}
	ds = append(ds, Drawing{Batch: batchOf(t, 0, false)}, Drawing{Batch: batchOf(t, 30, false, complete(30)...)})
	for _, columns := range []int{1, 3, 4, 20} {
		var svg bytes.Buffer
		if err := Grid(&svg, "Nine graphs", ds, columns, Style{}); err != nil {
			t.Fatal(err)
		}
		nodes := parse(t, svg.Bytes())
		checkPage(t, nodes)
		if got := len(discs(t, nodes)); got != 7*9+30 {
			t.Errorf("%d columns: %d discs", columns, got)
		}
		legend := named(nodes, "text", "legend")
		if !slices.ContainsFunc(legend, func(n *node) bool { return n.text == "+60" }) {
			t.Errorf("%d columns: no shared scale up to 60", columns)
		}
	}
	var empty bytes.Buffer
	if err := Grid(&empty, "nothing", nil, 3, Style{}); err != nil {
		t.Fatal(err)
	}
	checkPage(t, parse(t, empty.Bytes()))
}

// The areas of discs are in proportion to the sizes, and no disc covers another or vanishes.
func TestSizesOfDiscs(t *testing.T) {
	d := nitrobenzene(t)
	d.Sizes, d.Size = []float64{1, 2, 2, 2, 2, 2, 3, 0, 50}, "importance"
	nodes := drawn(t, d, Style{})
	discs := named(nodes, "circle", "vertex")
	radius := func(v int) float64 { return discs[v].number(t, "r") }
	if got := radius(6) / radius(1); math.Abs(got-math.Sqrt(1.5)) > 0.02 {
		t.Errorf("sizes 3 and 2 have radii of ratio %v", got)
	}
	if radius(7) < 3 || radius(8) <= radius(6) {
		t.Errorf("radii %v, %v and %v of sizes 0, 3 and 50", radius(7), radius(6), radius(8))
	}
	for u := range discs {
		for v := range u {
			dx, dy := discs[u].number(t, "cx")-discs[v].number(t, "cx"), discs[u].number(t, "cy")-discs[v].number(t, "cy")
			if math.Hypot(dx, dy) < radius(u)+radius(v) {
				t.Errorf("discs %d and %d overlap", u, v)
			}
		}
	}
	if titles := named(nodes, "title", "vertex"); titles[8].text != "vertex 8: O, importance 50" {
		t.Errorf("tooltip %q", titles[8].text)
	}
}

func TestBadDrawingsAreRefused(t *testing.T) {
	b := batchOf(t, 3, false, 0, 1, 1, 2)
	for _, test := range []struct {
		drawing Drawing
		style   Style
		want    string
	}{
		{Drawing{}, Style{}, "no batch"},
		{Drawing{Batch: b, Graph: 1}, Style{}, "graph 1 is not one of the 1 graphs"},
		{Drawing{Batch: b, Graph: -1}, Style{}, "graph -1"},
		{Drawing{Batch: b, Names: []string{"C"}}, Style{}, "1 names for 3 vertices"},
		{Drawing{Batch: b, Contributions: []float64{1, 2}}, Style{}, "2 contributions for 3 vertices"},
		{Drawing{Batch: b, Contributions: []float64{1, math.NaN(), 2}}, Style{}, "contribution of vertex 1 is NaN"},
		{Drawing{Batch: b, Contributions: []float64{1, 2, math.Inf(1)}}, Style{}, "contribution of vertex 2 is +Inf"},
		{Drawing{Batch: b, Sizes: []float64{1, 2}}, Style{}, "2 sizes for 3 vertices"},
		{Drawing{Batch: b, Sizes: []float64{1, -2, 0}}, Style{}, "size of vertex 1 is -2"},
		{Drawing{Batch: b, ArcScores: []float64{1}}, Style{}, "1 scores for 4 arcs"},
		{Drawing{Batch: b, ArcScores: []float64{1, 2, 3, math.Inf(-1)}}, Style{}, "score of arc 3 is -Inf"},
		{Drawing{Batch: b, BondOrders: []int{1, 1}}, Style{}, "2 bond orders for 4 arcs"},
		{Drawing{Batch: b, BondOrders: []int{1, 1, 5, 1}}, Style{}, "arc 2 has bond order 5"},
		{Drawing{Batch: b, Highlight: []int{3}}, Style{}, "highlighted vertex 3"},
		{Drawing{Batch: b}, Style{Limit: math.NaN()}, "limit of the colour scale"},
		{Drawing{Batch: b}, Style{Radius: -1}, "the radius is -1"},
	} {
		var svg bytes.Buffer
		err := Graph(&svg, test.drawing, test.style)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
		if svg.Len() > 0 {
			t.Errorf("%q: something was written", test.want)
		}
	}
	if err := Grid(&bytes.Buffer{}, "", []Drawing{{Batch: b}, {}}, 2, Style{}); err == nil ||
		!strings.Contains(err.Error(), "drawing 1") {
		t.Errorf("error %v does not name the drawing", err)
	}
	if err := Grid(&bytes.Buffer{}, "", nil, 0, Style{}); err == nil {
		t.Error("a grid of no columns was accepted")
	}
}

func TestStyleBoundsTheSize(t *testing.T) {
	b := batchOf(t, 30, false, cycle(30)...)
	root := drawn(t, Drawing{Batch: b}, Style{MaxWidth: 400, MaxHeight: 300})[0]
	if w := root.number(t, "width"); w > 400 {
		t.Errorf("width %v exceeds 400", w)
	}
	if h := root.number(t, "height"); h > 300+2*margin+30 {
		t.Errorf("height %v exceeds 300 and the text", h)
	}
}

func TestSecondGraphOfABatch(t *testing.T) {
	g := []graph.Graph{{NumVertices: 3}, {NumVertices: 2}}
	g[1].AddArc(0, 1)
	b, err := graph.NewBatch(g)
	if err != nil {
		t.Fatal(err)
	}
	nodes := drawn(t, Drawing{Batch: b, Graph: 1, Contributions: []float64{1, -1}, ArcScores: []float64{1, 1}}, Style{})
	if got := len(discs(t, nodes)); got != 2 {
		t.Errorf("%d discs, want 2", got)
	}
}

// What is positive throughout has a scale from zero on, and faded vertices are paler than others.
func TestScoresFromZeroAndFadedVertices(t *testing.T) {
	var g graph.Graph
	g.NumVertices = 3
	g.AddArc(0, 1)
	g.AddArc(1, 2)
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	d := Drawing{Batch: b, Names: []string{"O", "O", "O"}, ArcScores: []float64{1, 1, 0.5, 0.5}, Faded: []int{2}}
	var svg bytes.Buffer
	if err := Graph(&svg, d, Style{Limit: 1}); err != nil {
		t.Fatal(err)
	}
	if text := svg.String(); strings.Contains(text, "−1") || !strings.Contains(text, "+1") {
		t.Error("the scale does not run from 0 to 1")
	}
	full, pale := elementColour("O").String(), mix(elementColour("O"), rgb(0xffffff), 0.75).String()
	if n, m := strings.Count(svg.String(), `fill="`+full+`"`), strings.Count(svg.String(), `fill="`+pale+`"`); n != 2 ||
		m != 1 {
		t.Errorf("%d vertices in full colour and %d pale, want 2 and 1", n, m)
	}
	d.Faded = []int{3}
	if err := Graph(&svg, d, Style{}); err == nil || !strings.Contains(err.Error(), "faded vertex 3") {
		t.Errorf("error %v, want one that names the faded vertex", err)
	}
}
