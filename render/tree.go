package render

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// TreeNode is a node of a decision tree. A split has two children, a leaf none.
type TreeNode struct {
	Lines   []string // text in the box
	No, Yes int      // children of a split, by index; 0 for a leaf

	// PointsTo is the number of levels up to the ancestor whose subset the node uses, 0 for none; Subset names
	// the subset at the arrow.
	PointsTo int
	Subset   string

	Share float64 // of the root's examples that reach the node, 0 to 1: the strength of the line to it
	Value float64 // of a leaf: its colour, on a scale to the largest magnitude of all leaves
}

// Measures of a drawn tree in pixels.
const (
	treeText    = 11.0
	treeLine    = 14.0
	treePadding = 7.0
	treeGap     = 14.0 // between boxes of one level
	treeLevel   = 54.0 // between levels, for the lines and their names
	treeWidest  = 190.0
	treeArrow   = 13.0 // an arrow head starts so far outside of a box
)

// Tree writes a decision tree as an SVG document: every split with its criterion, children left for no and right for
// yes, and a dashed arrow to the ancestor whose subset it uses (TREE-G, figure 7). nodes[0] is the root; children come
// after their parents. It returns an error for nodes that make no tree and for values that are not finite.
func Tree(w io.Writer, title string, nodes []TreeNode) error {
	t := &treePicture{nodes: slices.Clone(nodes), text: newTypesetter()}
	if err := t.check(); err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	t.measure()
	t.place(0, treeGap)
	_, err := w.Write(t.document(title).buf.Bytes())
	return err
}

// treePicture is a tree with its boxes.
type treePicture struct {
	nodes  []TreeNode
	text   typesetter
	parent []int
	depth  []int
	boxes  []treeBox
	rows   []float64 // top of every level
	width  float64
	height float64
}

type treeBox struct{ x, y, width, height float64 } // x is the middle

func (t *treePicture) check() error {
	if len(t.nodes) == 0 {
		return errors.New("no nodes")
	}
	t.parent, t.depth = make([]int, len(t.nodes)), make([]int, len(t.nodes))
	for i := 1; i < len(t.nodes); i++ {
		t.parent[i] = -1
	}
	for i, n := range t.nodes {
		switch {
		case i > 0 && t.parent[i] < 0:
			return fmt.Errorf("node %d has no parent before it", i)
		case !finite(n.Share) || !finite(n.Value):
			return fmt.Errorf("node %d has the share %v and the value %v, only finite values can be drawn", i, n.Share, n.Value)
		case n.PointsTo < 0 || n.PointsTo > t.depth[i]:
			return fmt.Errorf("node %d points %d levels up from depth %d", i, n.PointsTo, t.depth[i])
		case (n.No == 0) != (n.Yes == 0):
			return fmt.Errorf("node %d has one child", i)
		case n.No == 0:
			continue
		}
		for _, c := range []int{n.No, n.Yes} {
			if c <= i || c >= len(t.nodes) || t.parent[c] >= 0 {
				return fmt.Errorf("node %d has the child %d", i, c)
			}
			t.parent[c], t.depth[c] = i, t.depth[i]+1
		}
	}
	return nil
}

// measure decides the size of every box and the top of every level.
func (t *treePicture) measure() {
	t.boxes = make([]treeBox, len(t.nodes))
	var tallest []float64
	for i := range t.nodes {
		n, b := &t.nodes[i], &t.boxes[i]
		var lines []string
		for _, line := range n.Lines {
			lines = append(lines, t.text.wrap(line, treeText, treeWidest, false)...)
		}
		n.Lines = lines
		for _, line := range lines {
			b.width = max(b.width, t.text.width(line, treeText, false))
		}
		b.width = max(b.width, 24) + 2*treePadding
		b.height = treeLine*float64(max(len(lines), 1)) + 2*treePadding - 3
		for len(tallest) <= t.depth[i] {
			tallest = append(tallest, 0)
		}
		tallest[t.depth[i]] = max(tallest[t.depth[i]], b.height)
	}
	y := 0.0
	for _, high := range tallest {
		t.rows = append(t.rows, y)
		y += high + treeLevel
	}
	t.height = y - treeLevel
}

// place puts the branch below node i to the right of left and returns its right end.
func (t *treePicture) place(i int, left float64) (right float64) {
	n, b := &t.nodes[i], &t.boxes[i]
	b.y = t.rows[t.depth[i]]
	if n.No == 0 {
		b.x = left + b.width/2
		t.width = max(t.width, left+b.width+treeGap)
		return left + b.width + treeGap
	}
	middle := t.place(n.No, left)
	right = t.place(n.Yes, middle)
	b.x = (t.boxes[n.No].x + t.boxes[n.Yes].x) / 2
	if over := left + b.width/2 - b.x; over > 0 { // a wide split over narrow leaves
		t.shift(i, over)
		right += over
	}
	right = max(right, b.x+b.width/2+treeGap)
	t.width = max(t.width, right)
	return right
}

// shift moves a branch to the right.
func (t *treePicture) shift(i int, by float64) {
	t.boxes[i].x += by
	t.width = max(t.width, t.boxes[i].x+t.boxes[i].width/2+treeGap)
	if n := &t.nodes[i]; n.No != 0 {
		t.shift(n.No, by)
		t.shift(n.Yes, by)
	}
}

func (t *treePicture) document(title string) *document {
	doc := &document{}
	lines := t.text.wrap(title, titleSize, max(t.width, narrowest), true)
	top := margin + 1.3*titleSize*float64(len(lines))
	width := max(t.width+2*margin, narrowest)
	height := top + t.height + 2*margin
	label := title
	if label == "" {
		label = "Decision tree"
	}
	doc.open("svg", "xmlns", "http://www.w3.org/2000/svg", "viewBox", "0 0 "+px(width)+" "+px(height),
		"width", px(width), "height", px(height), "role", "img", "aria-label", label,
		"style", "max-width:100%;height:auto", "font-family", fontStack)
	doc.text("title", label)
	doc.element("rect", "width", px(width), "height", px(height), "rx", "6", "fill", "#ffffff")
	for i, line := range lines {
		doc.text("text", line, "x", px(width/2), "y", px(margin+1.3*titleSize*float64(i)+0.95*titleSize),
			"font-size", px(titleSize), "font-weight", "bold", "text-anchor", "middle", "fill", "#1c1c1c")
	}
	doc.open("g", "transform", "translate("+px((width-t.width)/2)+" "+px(top+margin/2)+")")
	t.branches(doc)
	t.pointers(doc)
	t.splits(doc)
	doc.close("g")
	doc.close("svg")
	return doc
}

// branches draws the lines from splits to their children with their names.
func (t *treePicture) branches(doc *document) {
	for i, n := range t.nodes {
		if n.No == 0 {
			continue
		}
		from := t.boxes[i]
		for _, c := range []int{n.No, n.Yes} {
			to, name := t.boxes[c], "no"
			if c == n.Yes {
				name = "yes"
			}
			x, y := from.x, from.y+from.height
			share := min(max(t.nodes[c].Share, 0), 1)
			doc.element("line", "x1", px(x), "y1", px(y), "x2", px(to.x), "y2", px(to.y),
				"stroke", "#8d949e", "stroke-width", px(1+4*share))
			doc.text("text", name, "x", px(x+0.45*(to.x-x)), "y", px(y+0.45*(to.y-y)),
				"font-size", px(treeText-1), "text-anchor", "middle",
				"fill", "#3a3f45", "stroke", "#ffffff", "stroke-width", "3", "paint-order", "stroke")
		}
	}
}

// pointers draws the dashed arrows to the ancestors whose subsets are used, each beside the lines of the tree.
func (t *treePicture) pointers(doc *document) {
	for i, n := range t.nodes {
		if n.PointsTo == 0 {
			continue
		}
		a := i
		for range n.PointsTo {
			a = t.parent[a]
		}
		from, to := t.boxes[i], t.boxes[a]
		side := 1.0
		if from.x < to.x {
			side = -1
		}
		x0, y0 := from.x+side*from.width/2, from.y+from.height/2
		x1, y1 := to.x+side*to.width/2, to.y+to.height/2
		bow := max(math.Abs(x0-x1)*0.2, 24)
		path := fmt.Sprintf("M%s %sC%s %s %s %s %s %s", px(x0), px(y0), px(x0+side*bow), px(y0-0.3*(y0-y1)),
			px(x1+side*(bow+treeArrow)), px(y1), px(x1+side*treeArrow), px(y1))
		doc.element("path", "d", path, "fill", "none", "stroke", "#b4551d", "stroke-width", "1.4", "stroke-dasharray", "5 4")
		tip, end := px(x1+side*2), px(x1+side*treeArrow)
		points := fmt.Sprintf("%s,%s %s,%s %s,%s", tip, px(y1), end, px(y1-4.5), end, px(y1+4.5))
		doc.element("polygon", "points", points, "fill", "#b4551d")
		doc.text("text", n.Subset, "x", px(x0+side*5), "y", px(y0-4), "font-size", px(treeText-1),
			"text-anchor", map[float64]string{1: "start", -1: "end"}[side],
			"fill", "#b4551d", "stroke", "#ffffff", "stroke-width", "3", "paint-order", "stroke")
	}
}

// splits draws the boxes.
func (t *treePicture) splits(doc *document) {
	largest := 0.0
	for _, n := range t.nodes {
		if n.No == 0 {
			largest = max(largest, math.Abs(n.Value))
		}
	}
	for i, n := range t.nodes {
		b := t.boxes[i]
		fill, ink, corner := rgb(0xf4f6f9), rgb(0x1c1c1c), "3"
		if n.No == 0 {
			scaled := 0.0
			if largest > 0 {
				scaled = n.Value / largest
			}
			fill, corner = diverging(0.8*scaled), "11"
			ink = onTop(fill)
		}
		doc.open("g", "class", "node")
		doc.element("rect", "x", px(b.x-b.width/2), "y", px(b.y), "width", px(b.width), "height", px(b.height), "rx", corner,
			"fill", fill.String(), "stroke", "#6b7078", "stroke-width", "1")
		for k, line := range n.Lines {
			doc.text("text", line, "x", px(b.x), "y", px(b.y+treePadding+treeLine*float64(k)+0.8*treeText),
				"font-size", px(treeText), "text-anchor", "middle", "fill", ink.String())
		}
		doc.close("g")
	}
}
