package render

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// node is one element of a parsed SVG document with its offset from all translations above it.
type node struct {
	name       string
	attributes map[string]string
	text       string
	parents    []string // class or name of the elements around it
	dx, dy     float64
}

func (n *node) number(t *testing.T, attribute string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(n.attributes[attribute], 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		t.Fatalf("%s of %s is %q", attribute, n.name, n.attributes[attribute])
	}
	return x
}

// parse reads an SVG document as XML and fails the test where it is not well-formed.
func parse(t *testing.T, svg []byte) []*node {
	t.Helper()
	for _, bad := range []string{"NaN", "Inf", "%!"} {
		if bytes.Contains(svg, []byte(bad)) {
			t.Fatalf("the document contains %q", bad)
		}
	}
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	var nodes, open []*node
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nodes
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				n.attributes[a.Name.Local] = a.Value
			}
			if len(open) > 0 {
				above := open[len(open)-1]
				n.dx, n.dy = above.dx, above.dy
				n.parents = append(slices.Clone(above.parents), above.name, above.attributes["class"])
			}
			if shift, found := strings.CutPrefix(n.attributes["transform"], "translate("); found {
				x, y, _ := strings.Cut(strings.TrimSuffix(shift, ")"), " ")
				dx, _ := strconv.ParseFloat(x, 64)
				dy, _ := strconv.ParseFloat(y, 64)
				n.dx, n.dy = n.dx+dx, n.dy+dy
			}
			nodes, open = append(nodes, n), append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(token)
			}
		}
	}
}

func named(nodes []*node, name, parent string) []*node {
	var out []*node
	for _, n := range nodes {
		if n.name == name && (parent == "" || slices.Contains(n.parents, parent)) {
			out = append(out, n)
		}
	}
	return out
}

// disc is the circle of a vertex on the page.
type disc struct{ x, y, r float64 }

func discs(t *testing.T, nodes []*node) []disc {
	t.Helper()
	var out []disc
	for _, c := range named(nodes, "circle", "vertex") {
		out = append(out, disc{c.dx + c.number(t, "cx"), c.dy + c.number(t, "cy"), c.number(t, "r")})
	}
	return out
}

// checkPage fails the test where anything is drawn outside the viewBox or two discs overlap. Discs of
// different drawings are compared too.
func checkPage(t *testing.T, nodes []*node) {
	t.Helper()
	box := strings.Fields(nodes[0].attributes["viewBox"])
	width, _ := strconv.ParseFloat(box[2], 64)
	height, _ := strconv.ParseFloat(box[3], 64)
	within := func(what string, x, y, reach float64) {
		t.Helper()
		if x-reach < 0 || y-reach < 0 || x+reach > width || y+reach > height {
			t.Errorf("%s at (%v, %v) leaves the page of %v x %v", what, x, y, width, height)
		}
	}
	all := discs(t, nodes)
	for i, a := range all {
		within("a disc", a.x, a.y, a.r)
		if i > 1500 {
			continue
		}
		for j, b := range all[:i] {
			if d := math.Hypot(a.x-b.x, a.y-b.y); d < a.r+b.r {
				t.Fatalf("discs %d and %d overlap: %.2f apart, radii %.2f and %.2f", j, i, d, a.r, b.r)
			}
		}
	}
	for _, n := range nodes {
		switch n.name {
		case "line":
			within("a line", n.dx+n.number(t, "x1"), n.dy+n.number(t, "y1"), 0)
			within("a line", n.dx+n.number(t, "x2"), n.dy+n.number(t, "y2"), 0)
		case "text":
			// The typesetter's width includes a reserve; the true one must be on the page.
			half := newTypesetter().width(n.text, n.number(t, "font-size"), n.attributes["font-weight"] == "bold") / spare / 2
			x := n.dx + n.number(t, "x")
			switch n.attributes["text-anchor"] {
			case "middle":
			case "end":
				x -= half
			default:
				x += half
			}
			within("text "+n.text, x, n.dy+n.number(t, "y"), 0)
			within("text "+n.text, x-half, n.dy+n.number(t, "y"), 0)
			within("text "+n.text, x+half, n.dy+n.number(t, "y"), 0)
		case "rect":
			within("a box", n.dx+number0(t, n, "x")+n.number(t, "width"), n.dy+number0(t, n, "y")+n.number(t, "height"), 0)
		}
	}
}

func number0(t *testing.T, n *node, attribute string) float64 {
	if _, present := n.attributes[attribute]; !present {
		return 0
	}
	return n.number(t, attribute)
}

// drawn renders one drawing and checks the page.
func drawn(t *testing.T, d Drawing, style Style) []*node {
	t.Helper()
	var svg bytes.Buffer
	if err := Graph(&svg, d, style); err != nil {
		t.Fatal(err)
	}
	nodes := parse(t, svg.Bytes())
	checkPage(t, nodes)
	return nodes
}

func batchOf(t testing.TB, n int, directed bool, ends ...int32) *graph.Batch {
	t.Helper()
	g := graph.Graph{NumVertices: n, Directed: directed}
	for i := 0; i+1 < len(ends); i += 2 {
		g.AddArc(ends[i], ends[i+1])
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func cycle(n int) []int32 {
	var ends []int32
	for v := range n {
		ends = append(ends, int32(v), int32((v+1)%n))
	}
	return ends
}

func complete(n int) []int32 {
	var ends []int32
	for u := range n {
		for v := range u {
			ends = append(ends, int32(u), int32(v))
		}
	}
	return ends
}

// nitrobenzene is a benzene ring, vertices 0 to 5, with a nitro group: N is 6, O are 7 and 8.
func nitrobenzene(t testing.TB) Drawing {
	b := batchOf(t, 9, false, append(cycle(6), 0, 6, 6, 7, 6, 8)...)
	d := Drawing{Batch: b, Title: "Nitrobenzene", Names: strings.Fields("C C C C C C N O O")}
	for u := range int32(9) {
		for _, v := range b.Neighbors(u) {
			switch {
			case u < 6 && v < 6:
				d.BondOrders = append(d.BondOrders, Aromatic)
			case u == 8 || v == 8:
				d.BondOrders = append(d.BondOrders, Double)
			default:
				d.BondOrders = append(d.BondOrders, Single)
			}
		}
	}
	return d
}
