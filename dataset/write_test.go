package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// randomDataset draws small graphs with any of the data that the TU format holds.
func randomDataset(t testing.TB, random *rand.Rand) *Dataset {
	t.Helper()
	graphs := 1 + random.IntN(6)
	offsets := []int32{0}
	for g := range graphs {
		n := random.IntN(6)
		if g == graphs-1 {
			n++ // the format holds no empty graph at the end
		}
		offsets = append(offsets, offsets[g]+int32(n))
	}
	n := int(offsets[graphs])
	arcLabels, weights := random.IntN(2) == 0, random.IntN(2) == 0
	var arcs graph.ArcList
	for g := range graphs {
		size := int(offsets[g+1] - offsets[g])
		for u := range size {
			for v := range u {
				if random.IntN(3) > 0 {
					continue
				}
				arcs.From = append(arcs.From, offsets[g]+int32(u))
				arcs.To = append(arcs.To, offsets[g]+int32(v))
				if arcLabels {
					arcs.Labels = append(arcs.Labels, int32(random.IntN(3)))
				}
				if weights {
					arcs.Weights = append(arcs.Weights, random.NormFloat64())
				}
			}
		}
	}
	d := &Dataset{Name: "R-1_x"}
	codes := make([]int64, len(arcs.Labels))
	for i, l := range arcs.Labels {
		codes[i] = int64(7 * l)
	}
	if arcLabels && len(codes) > 0 {
		ids, distinct := enumerate(codes)
		arcs.Labels, d.ArcLabelNames = ids, codeNames(distinct)
	}
	b, err := graph.FromArcs(offsets, arcs, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d.Batch = b
	codes = nil
	for range graphs {
		codes = append(codes, int64(random.IntN(5)-2))
	}
	d.Classes, d.ClassNames = classIndices(codes)
	if random.IntN(2) == 0 {
		d.TargetNames = []string{"target 1", "target 2"}
		for range 2 * graphs {
			d.Targets = append(d.Targets, random.NormFloat64()*math.Pow(10, float64(random.IntN(40)-20)))
		}
		if random.IntN(2) == 0 {
			d.Classes, d.ClassNames, d.Task = nil, nil, GraphRegression
		}
	}
	if random.IntN(2) == 0 {
		codes = nil
		for range n {
			codes = append(codes, int64(random.IntN(4)*10-20))
		}
		ids, distinct := enumerate(codes)
		b.Labels, b.NumLabels = ids, len(distinct)
		d.LabelCodes, d.LabelNames = codeNames(distinct), codeNames(distinct)
		if random.IntN(2) == 0 {
			d.LabelNames = []string{"C", "10", "C", "2"}[:len(distinct)] // one name twice, and one like a code
		}
	}
	if random.IntN(2) == 0 {
		b.AttributeDim = 1 + random.IntN(3)
		for range n * b.AttributeDim {
			b.Attributes = append(b.Attributes, random.NormFloat64())
		}
	}
	if random.IntN(2) == 0 {
		d.Motif = &Motif{Vertices: make([]bool, n), Arcs: make([]bool, b.NumArcs())}
		for u := range int32(n) {
			d.Motif.Vertices[u] = random.IntN(2) == 0
			for _, v := range b.Neighbors(u) {
				if random.IntN(3) == 0 {
					d.Motif.markEdge(b, u, v)
				}
			}
		}
	}
	return d
}

func TestTUWrittenAndReadIsTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	dir := t.TempDir() // of one data set after the other: what is left over must not be read
	for i := range 200 {
		want := randomDataset(t, random)
		if err := WriteTU(dir, want); err != nil {
			t.Fatal(err)
		}
		got, err := OpenTU(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Batch.ArcWeights) == 0 { // nothing to read in a file of no arcs
			want.Batch.ArcWeights = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("case %d: read %+v %+v, wrote %+v %+v", i, got, got.Batch, want, want.Batch)
		}
	}
}

func TestNodeTaskWrittenAndReadIsTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	dir := filepath.Join(t.TempDir(), "task")
	for i := range 200 {
		n := 3 + random.IntN(8)
		var arcs graph.ArcList
		for range random.IntN(3 * n) {
			arcs.From = append(arcs.From, int32(random.IntN(n)))
			arcs.To = append(arcs.To, int32(random.IntN(n)))
		}
		directed := random.IntN(2) == 0
		b, err := graph.FromArcs([]int32{0, int32(n)}, arcs, graph.BuildOptions{Directed: directed})
		if err != nil {
			t.Fatal(err)
		}
		want := &Dataset{Name: "task", Batch: b}
		density := []float64{0, 0.1, 1}[random.IntN(3)]
		if density > 0 {
			b.AttributeDim = 5
			b.Attributes = make([]float64, 5*n)
			for p := range b.Attributes {
				if random.Float64() < density {
					b.Attributes[p] = random.NormFloat64()
				}
			}
		}
		if random.IntN(2) == 0 {
			want.Task, want.TargetNames = NodeRegression, []string{"a", "b c"}
			for range 2 * n {
				want.Targets = append(want.Targets, random.NormFloat64())
			}
		} else {
			want.Task, want.ClassNames = NodeClassification, []string{"0", "3"}
			want.VertexClasses = []int{0, 1}
			for range n - 2 {
				want.VertexClasses = append(want.VertexClasses, random.IntN(3)-1)
			}
		}
		if random.IntN(2) == 0 {
			want.Splits = []Split{{"0", Fold{[]int{1}, []int{0}, []int{2}}}, {"1", Fold{[]int{2}, nil, []int{0}}}}
		}
		if err := WriteNode(dir, want); err != nil {
			t.Fatal(err)
		}
		direction := Undirected
		if directed {
			direction = Directed
		}
		got, err := OpenNode(dir, direction)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("case %d: read %+v %+v, wrote %+v %+v", i, got, got.Batch, want, want.Batch)
		}
		if got, err = Open(dir); err != nil || (!directed && got.Batch.Directed) {
			t.Fatalf("case %d: an undirected task is detected as directed, %v", i, err)
		}
	}
}

func TestMissingValuesSurviveWriting(t *testing.T) {
	want, err := openNode(nodeTask.with("features.coo.csv", "-",
		"labels.csv", "node,x,y\n0,1,2\n1,,3\n2,4,\n3,,\n4,5,6\n",
		"features.csv", "node,attribute1\n0,1\n1,\n2,3\n3,\n4,2\n").folder(), Undirected)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := Write(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := OpenNode(dir, Undirected)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Missing, want.Missing) || got.HasTarget(1) || !got.HasTarget(4) {
		t.Errorf("missing %v, want %v", got.Missing, want.Missing)
	}
}

func TestWritersRefuseWhatTheirFormatCannotHold(t *testing.T) {
	oneGraph := func() *Dataset {
		b, err := graph.FromArcs([]int32{0, 2}, graph.ArcList{From: []int32{0}, To: []int32{1}}, graph.BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return &Dataset{Name: "X", Batch: b}
	}
	tests := []struct {
		change func(d *Dataset)
		write  func(string, *Dataset) error
		want   string
	}{
		{func(d *Dataset) { d.Name = "" }, WriteTU, `"" cannot name files`},
		{func(d *Dataset) { d.Name = "../X" }, WriteTU, `"../X" cannot name files`},
		{func(d *Dataset) { d.Batch.Directed = true }, WriteTU, "no directed graphs"},
		{func(d *Dataset) { d.Batch.ArcTypes = []int32{0, 0} }, WriteTU, "no arc types"},
		{func(d *Dataset) { d.Task = NodeRegression }, WriteTU, "no vertex tasks"},
		{func(d *Dataset) { d.Batch.Offsets = []int32{0, 2, 2} }, WriteTU,
			"has no vertices, which the format does not hold at the end"},
		{func(d *Dataset) { d.Batch.Offsets = []int32{0, 0, 2} }, WriteTU, "graph 0 has no vertices"},
		{func(d *Dataset) { d.Batch.Attributes, d.Batch.AttributeDim = []float64{1, math.NaN()}, 1 }, WriteTU,
			"NaN is not a finite number"},
		{func(d *Dataset) {}, WriteNode, "a graph task"},
		{func(d *Dataset) { d.Task, d.Batch.Labels = NodeClassification, []int32{0, 0} }, Write, "no vertex labels"},
		{func(d *Dataset) { d.Task, d.Batch.Offsets = NodeClassification, []int32{0, 1, 2} }, Write, "one graph, not 2"},
		{func(d *Dataset) { d.Task, d.Batch.ArcLabels = NodeClassification, []int32{0, 0} }, Write, "no arc data"},
	}
	for _, test := range tests {
		d := oneGraph()
		test.change(d)
		wantError(t, test.write(t.TempDir(), d), test.want)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	wantError(t, WriteTU(file, oneGraph()), "this is a file, not a folder")
}

func TestSelectKeepsWhatBelongsToTheGraphs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for range 100 {
		d := randomDataset(t, random)
		all := make([]int, d.NumGraphs())
		for g := range all {
			all[g] = g
			d.GraphIDs = append(d.GraphIDs, fmt.Sprint("graph ", g))
		}
		for v := range d.Batch.NumVertices() {
			d.VertexIDs = append(d.VertexIDs, fmt.Sprint("vertex ", v))
		}
		if got := d.Select(all); got.Batch.NumArcs() > 0 && !reflect.DeepEqual(got, d) {
			t.Fatalf("all graphs: %+v, want %+v", got, d)
		}
		g := random.IntN(d.NumGraphs())
		one := d.Select([]int{g, g})
		from, to := d.Batch.Vertices(g)
		size := int(to - from)
		if d.Classes != nil && (one.Classes[1] != d.Classes[g] || !reflect.DeepEqual(one.ClassNames, d.ClassNames)) {
			t.Fatalf("class %v of graph %d", one.Classes, g)
		}
		if d.Targets != nil && one.Targets[3] != d.Targets[2*g+1] {
			t.Fatalf("targets %v of graph %d", one.Targets, g)
		}
		if d.Motif != nil && (!slices.Equal(one.Motif.Vertices[size:], d.Motif.Vertices[from:to]) ||
			len(one.Motif.Arcs) != one.Batch.NumArcs()) {
			t.Fatalf("motif %v of graph %d", one.Motif, g)
		}
		if one.GraphIDs[1] != d.GraphIDs[g] || !slices.Equal(one.VertexIDs[size:], d.VertexIDs[from:to]) {
			t.Fatalf("graph %d is called %v, its vertices %v", g, one.GraphIDs, one.VertexIDs)
		}
	}
}
