package render

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
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
