package render

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func sampleTree() []TreeNode {
	return []TreeNode{
		{Lines: []string{"sum of C", "walks of 2", "> 14.5"}, No: 1, Yes: 2, Share: 1},
		{Lines: []string{"-0.8 <&>"}, Share: 0.25, Value: -0.8},
		{Lines: []string{"max of N in S+ of the parent, a rather long criterion that needs several lines", "> 0.5"}, No: 3,
			Yes: 4, PointsTo: 1, Subset: "S+", Share: 0.75},
		{Lines: []string{"0.5"}, Share: 0.5, Value: 0.5},
		{Lines: []string{"mean of 1"}, No: 5, Yes: 6, PointsTo: 2, Subset: "S−", Share: 0.25},
		{Lines: []string{"1"}, Share: 0.1, Value: 1},
		{Share: 0.15},
	}
}

func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTreeShowsSplitsAndPointers(t *testing.T) {
	var out bytes.Buffer
	if err := Tree(&out, "Tree 3", sampleTree()); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, out.Bytes())
	text := out.String()
	for want, count := range map[string]int{`class="node"`: 7, "stroke-dasharray": 2, ">yes<": 3, ">no<": 3, ">S+<": 1,
		"&lt;&amp;&gt;": 1, "Tree 3": 3} {
		if got := strings.Count(text, want); got != count {
			t.Errorf("%q occurs %d times, want %d", want, got, count)
		}
	}
	var again bytes.Buffer
	if err := Tree(&again, "Tree 3", sampleTree()); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("the same tree gives other bytes")
	}
}

// Boxes of one level do not overlap, and all lie on the page.
func TestTreeBoxesDoNotOverlap(t *testing.T) {
	p := &treePicture{nodes: sampleTree(), text: newTypesetter()}
	if err := p.check(); err != nil {
		t.Fatal(err)
	}
	p.measure()
	p.place(0, treeGap)
	for i, a := range p.boxes {
		if a.x-a.width/2 < 0 || a.x+a.width/2 > p.width || a.y+a.height > p.height+1e-9 {
			t.Errorf("box %d of %+v leaves the page of %g x %g", i, a, p.width, p.height)
		}
		for j, b := range p.boxes[:i] {
			if math.Abs(a.x-b.x) < (a.width+b.width)/2 && math.Abs(a.y+a.height/2-b.y-b.height/2) < (a.height+b.height)/2 {
				t.Errorf("boxes %d and %d overlap: %+v %+v", i, j, a, b)
			}
		}
	}
}

func TestTreeRefuses(t *testing.T) {
	for name, nodes := range map[string][]TreeNode{
		"nothing":           {},
		"one child":         {{No: 1}, {}},
		"a loop":            {{No: 1, Yes: 1}, {}},
		"a child too far":   {{No: 1, Yes: 2}, {}},
		"an orphan":         {{}, {}},
		"a pointer too far": {{No: 1, Yes: 2, PointsTo: 1}, {}, {}},
		"not a number":      {{Value: math.NaN()}},
	} {
		if err := Tree(io.Discard, "", nodes); err == nil {
			t.Errorf("%s is drawn", name)
		}
	}
}

// randomTree returns a tree whose splits often use the subset of an ancestor.
func randomTree(rng *rand.Rand, splits int) []TreeNode {
	words := strings.Fields("sum of C along walks of 2 from S+ of the grandparent > 14.5 mean in V N max 0.25 and into")
	nodes, depth, leaves := []TreeNode{{}}, []int{0}, []int{0}
	for range splits {
		at := rng.IntN(len(leaves))
		i := leaves[at]
		leaves = append(append(slices.Clone(leaves[:at]), leaves[at+1:]...), len(nodes), len(nodes)+1)
		nodes[i].No, nodes[i].Yes = len(nodes), len(nodes)+1
		nodes, depth = append(nodes, TreeNode{}, TreeNode{}), append(depth, depth[i]+1, depth[i]+1)
		if depth[i] > 0 && rng.IntN(3) > 0 {
			nodes[i].PointsTo, nodes[i].Subset = 1+rng.IntN(depth[i]), []string{"S+", "S-"}[rng.IntN(2)]
		}
	}
	for i := range nodes {
		line := words[:1+rng.IntN(len(words))]
		if nodes[i].No == 0 {
			line = line[:1]
		}
		nodes[i].Lines = []string{strings.Join(line, " ")}
	}
	return nodes
}

// flattened returns points along a path of the commands M, L and C, close to each other.
func flattened(t *testing.T, path string) (points [][2]float64) {
	t.Helper()
	for _, m := range regexp.MustCompile(`([MLC])([^MLC]*)`).FindAllStringSubmatch(path, -1) {
		xy := numbers(m[2])
		if m[1] == "M" {
			points = append(points, [2]float64{xy[0], xy[1]})
			continue
		}
		from := points[len(points)-1]
		for k := 1; k <= 50; k++ {
			s := float64(k) / 50
			at := [2]float64{}
			for axis := range at {
				if m[1] == "L" {
					at[axis] = from[axis] + s*(xy[axis]-from[axis])
				} else {
					at[axis] = (1-s)*(1-s)*(1-s)*from[axis] + 3*s*(1-s)*(1-s)*xy[axis] + 3*s*s*(1-s)*xy[2+axis] + s*s*s*xy[4+axis]
				}
			}
			points = append(points, at)
		}
	}
	return points
}

// The arrows of a drawing keep away from all boxes and words, and there is one for each node that uses a subset.
func TestTreeArrowsCrossNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	set := newTypesetter()
	for range 40 {
		nodes := randomTree(rng, 2+rng.IntN(20))
		var out bytes.Buffer
		if err := Tree(&out, "", nodes); err != nil {
			t.Fatal(err)
		}
		var places []rectangle
		var arrows []string
		for _, n := range parse(t, out.Bytes()) {
			number := func(name string) float64 {
				x, err := strconv.ParseFloat(n.attributes[name], 64)
				if err != nil {
					t.Fatalf("%s of %s: %v", name, n.name, err)
				}
				return x
			}
			switch {
			case n.name == "path":
				arrows = append(arrows, n.attributes["d"])
			case n.name == "rect" && n.attributes["x"] != "":
				x, y := number("x"), number("y")
				places = append(places, rectangle{x, y, x + number("width"), y + number("height")})
			case n.name == "text" && n.attributes["paint-order"] != "":
				x, y, size := number("x"), number("y"), number("font-size")
				half := set.width(n.text, size, false) / 2
				places = append(places, rectangle{x - half, y - 0.8*size, x + half, y + 0.2*size})
			}
		}
		pointers := 0
		for _, n := range nodes {
			if n.PointsTo > 0 {
				pointers++
			}
		}
		if len(arrows) != pointers {
			t.Errorf("%d arrows for %d pointers", len(arrows), pointers)
		}
		for _, arrow := range arrows {
			for _, at := range flattened(t, arrow) {
				for _, place := range places {
					if place.meets(at[0], at[1], at[0], at[1]) {
						t.Fatalf("the arrow %s crosses %v at %v", arrow, place, at)
					}
				}
			}
		}
	}
}
