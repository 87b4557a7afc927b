package render

import (
	"cmp"
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
	treeLevel   = 58.0 // between levels, for the lines and their names
	treeName    = 29.0 // from the boxes of a level down to the names of the branches
	treeSubset  = 18.0 // between levels, for the names of subsets
	treeWidest  = 190.0
	treeArrow   = 9.0 // length of an arrow head
	treeCorner  = 5.0 // radius of an arrow's corners
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
	nodes   []TreeNode
	text    typesetter
	parent  []int
	depth   []int
	boxes   []treeBox
	rows    []float64 // top of every level
	bottoms []float64 // of the tallest box of every level
	width   float64
	height  float64
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
	for l, high := range tallest {
		if l > 0 {
			y += treeLevel
		}
		if slices.ContainsFunc(t.nodes, func(n TreeNode) bool { return n.PointsTo > 0 }) {
			y += treeSubset * min(float64(l), 1)
		}
		t.rows, t.bottoms = append(t.rows, y), append(t.bottoms, y+high)
		y += high
	}
	t.height = y
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
	lines := t.text.wrap(title, titleSize, max(t.width, leastWidth), true)
	top := margin + 1.3*titleSize*float64(len(lines))
	width := max(t.width+2*margin, leastWidth)
	height := top + t.height + 2*margin
	label := cmp.Or(title, "Decision tree")
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
	for i := range t.nodes {
		for _, b := range t.children(i) {
			from, to := t.boxes[i], t.boxes[b.child]
			share := min(max(t.nodes[b.child].Share, 0), 1)
			doc.element("line", "x1", px(from.x), "y1", px(from.y+from.height), "x2", px(to.x), "y2", px(to.y),
				"stroke", "#8d949e", "stroke-width", px(1+4*share))
			t.label(doc, b.name, b.x, b.y, "#3a3f45")
		}
	}
}

// branch is the line from a split to a child, with its name and the place of that.
type branch struct {
	child int
	name  string
	x, y  float64 // middle of the base line
}

// children returns the branches below a node. All names of a level stand at one height.
func (t *treePicture) children(i int) (all []branch) {
	n, from := t.nodes[i], t.boxes[i]
	if n.No == 0 {
		return nil
	}
	for k, c := range []int{n.No, n.Yes} {
		to := t.boxes[c]
		y := t.bottoms[t.depth[i]] + treeName
		start := from.y + from.height
		all = append(all, branch{c, []string{"no", "yes"}[k], from.x + (to.x-from.x)*(y-4-start)/(to.y-start), y})
	}
	return all
}

// label sets a word with a rim that parts it from lines.
func (t *treePicture) label(doc *document, word string, x, y float64, ink string) {
	doc.text("text", word, "x", px(x), "y", px(y), "font-size", px(treeText-1), "text-anchor", "middle", "fill", ink,
		"stroke", "#ffffff", "stroke-width", "3", "paint-order", "stroke")
}

// labelBox returns the place of a word.
func (t *treePicture) labelBox(word string, x, y float64) rectangle {
	half := t.text.width(word, treeText-1, false) / 2
	return rectangle{x - half, y - 9, x + half, y + 3}
}

// subset returns the place of the name of the subset of a node: on its box, away from the line to its parent.
func (t *treePicture) subset(i int) (x, y float64) {
	side := 0.25
	if t.nodes[t.parent[i]].No == i {
		side = -side
	}
	return t.boxes[i].x + side*t.boxes[i].width, t.boxes[i].y - 5
}

// pointers draws the dashed arrows to the ancestors whose subsets are used, around boxes and names.
func (t *treePicture) pointers(doc *document) {
	const ink = "#b4551d"
	ways := t.ways()
	for i, n := range t.nodes {
		if n.PointsTo == 0 {
			continue
		}
		x, y := t.subset(i)
		t.label(doc, n.Subset, x, y, ink)
		way := ways[i]
		if way == nil {
			continue
		}
		last := len(way) - 1
		tip := [2]float64{way[last][0], way[last][1] - clearance + 1}
		way[last][1] = tip[1] + treeArrow - 2
		doc.element("path", "d", rounded(way), "fill", "none", "stroke", ink, "stroke-width", "1.4",
			"stroke-dasharray", "5 4")
		end := px(tip[1] + treeArrow)
		doc.element("polygon", "points", px(tip[0])+","+px(tip[1])+" "+px(tip[0]-4.5)+","+end+" "+px(tip[0]+4.5)+","+end,
			"fill", ink)
	}
}

// ways returns for every node that uses a subset the corners of the way from its name to the lower edge of the
// ancestor.
func (t *treePicture) ways() map[int][][2]float64 {
	r := t.router()
	ways := map[int][][2]float64{}
	for i, n := range t.nodes {
		if n.PointsTo == 0 {
			continue
		}
		a := i
		for range n.PointsTo {
			a = t.parent[a]
		}
		x, y := t.subset(i)
		var to []point
		for _, port := range t.ports(a) {
			to = append(to, r.pointAt(port, t.boxes[a].y+t.boxes[a].height+clearance))
		}
		ways[i] = r.way(r.pointAt(x, t.labelBox(n.Subset, x, y).top-clearance), to)
	}
	return ways
}

// ports returns where arrows may meet the lower edge of a box.
func (t *treePicture) ports(i int) (xs []float64) {
	b := t.boxes[i]
	for _, share := range []float64{0.1, 0.18, 0.26, 0.34, 0.42} {
		xs = append(xs, b.x-share*b.width, b.x+share*b.width)
	}
	return xs
}

// router knows the boxes and names, and the lanes between them: above and below the names of branches, and beside all.
func (t *treePicture) router() *router {
	var obstacles []rectangle
	var xs, ys []float64
	add := func(o rectangle) {
		obstacles = append(obstacles, o)
		for _, away := range []float64{clearance + 1, clearance + 4} {
			xs = append(xs, o.left-away, o.right+away)
		}
	}
	for i, b := range t.boxes {
		add(rectangle{b.x - b.width/2, b.y, b.x + b.width/2, b.y + b.height})
		for _, c := range t.children(i) {
			add(t.labelBox(c.name, c.x, c.y))
		}
		if t.nodes[i].PointsTo > 0 {
			x, y := t.subset(i)
			o := t.labelBox(t.nodes[i].Subset, x, y)
			add(o)
			xs, ys = append(xs, x), append(ys, o.top-clearance)
		}
		xs, ys = append(xs, t.ports(i)...), append(ys, b.y+b.height+clearance)
	}
	for l := 0; l+1 < len(t.rows); l++ {
		ys = append(ys, t.bottoms[l]+treeName-9-clearance)
		for y := t.bottoms[l] + treeName + 3 + clearance; y <= t.rows[l+1]-treeSubset; y += 4 {
			ys = append(ys, y)
		}
	}
	return newRouter(obstacles, xs, ys)
}

// rounded returns a path through corners, which are rounded.
func rounded(corners [][2]float64) string {
	path := "M" + px(corners[0][0]) + " " + px(corners[0][1])
	toward := func(a, b [2]float64) (at [2]float64) { // a corner's radius from a
		length := math.Hypot(b[0]-a[0], b[1]-a[1])
		share := min(treeCorner, length/2) / max(length, 1e-9)
		return [2]float64{a[0] + share*(b[0]-a[0]), a[1] + share*(b[1]-a[1])}
	}
	for k := 1; k+1 < len(corners); k++ {
		corner := corners[k]
		in, out := toward(corner, corners[k-1]), toward(corner, corners[k+1])
		path += fmt.Sprintf("L%s %sC%s %s %s %s %s %s", px(in[0]), px(in[1]), px(corner[0]), px(corner[1]), px(corner[0]),
			px(corner[1]), px(out[0]), px(out[1]))
	}
	last := corners[len(corners)-1]
	return path + "L" + px(last[0]) + " " + px(last[1])
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
