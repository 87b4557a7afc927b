package dataset

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSummaryTellsWhatIsThere(t *testing.T) {
	d, err := openTU(twoGraphs.folder())
	if err != nil {
		t.Fatal(err)
	}
	text := d.Summary().String()
	for _, want := range []string{
		"graphs             2\n", "vertices           5 (2 to 3 in a graph, mean 2.50)\n",
		"arcs               6, both directions of every edge\n",
		"classes            2: -1 (1), 1 (1)\n", "isolated vertices  0\n", "max degree         2\n", "attributes         2\n",
		"motif              known\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	object, err := json.Marshal(d.Summary())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"task":"graph classification"`, `"class_sizes":[1,1]`, `"components":2`} {
		if !strings.Contains(string(object), want) {
			t.Errorf("no %s in %s", want, object)
		}
	}
}

func TestSummaryTellsOfAttributesAndArcs(t *testing.T) {
	d := measured(t, "charge", "mass")
	d.Batch.ArcTypes = []int32{0, 1, 0, 2, 0, 0}
	d.Batch.ArcWeights = make([]float64, 6)
	text := d.Summary().String()
	for _, want := range []string{
		"attributes         2: charge, mass\n", "arc types          3\n", "arc weights        known\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestSummaryOfAVertexTask(t *testing.T) {
	d, err := openNode(nodeTask.folder(), DetectDirection)
	if err != nil {
		t.Fatal(err)
	}
	s := d.Summary()
	if s.Unlabelled != 1 || s.Isolated != 1 || s.MaxDegree != 2 || s.Components != 2 {
		t.Errorf("%+v", s)
	}
	for _, want := range []string{"unlabelled         1 vertices\n", "splits             9, 10, public\n",
		"note               undirected"} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
}

func TestSummaryOfNothing(t *testing.T) {
	d, err := openTextFile("0\n")
	if err != nil {
		t.Fatal(err)
	}
	if s := d.Summary(); s.Graphs != 0 || s.SmallestGraph != 0 || s.MaxDegree != 0 {
		t.Errorf("%+v", s)
	}
}
