package dataset

import (
	"encoding/json"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

func mustSynth(t *testing.T, kind string, opt SynthOptions) *Dataset {
	t.Helper()
	d, err := Synth(kind, opt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSynthDependsOnTheSeedAlone(t *testing.T) {
	for _, kind := range SynthKinds() {
		opt := SynthOptions{Seed: 7, Graphs: min(kind.Defaults.Graphs, 20)}
		a, b := mustSynth(t, kind.Name, opt), mustSynth(t, kind.Name, opt)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two data sets of one seed differ", kind.Name)
		}
		opt.Seed = 8
		if kind.Name != "rings-cliques" && slices.Equal(a.Batch.Col, mustSynth(t, kind.Name, opt).Batch.Col) {
			t.Errorf("%s: the seed changes nothing", kind.Name)
		}
	}
}

func TestSynthKeepsSizesAndBalancesClasses(t *testing.T) {
	for _, kind := range SynthKinds() {
		d := mustSynth(t, kind.Name, SynthOptions{Seed: 1})
		if d.NumGraphs() != kind.Defaults.Graphs || d.Batch.Directed {
			t.Errorf("%s: %d graphs, directed %v", kind.Name, d.NumGraphs(), d.Batch.Directed)
		}
		mean := float64(d.Batch.NumVertices()) / float64(d.NumGraphs())
		if math.Abs(mean/float64(kind.Defaults.Vertices)-1) > 0.1 {
			t.Errorf("%s: %.1f vertices in a graph, asked for %d", kind.Name, mean, kind.Defaults.Vertices)
		}
		if want := kind.Defaults.Degree; want > 0 {
			if mean := float64(d.Batch.NumArcs()) / float64(d.Batch.NumVertices()); math.Abs(mean/want-1) > 0.1 {
				t.Errorf("%s: mean degree %.2f, asked for %.2f", kind.Name, mean, want)
			}
		}
		if sizes := d.ClassSizes(); slices.Max(sizes)-slices.Min(sizes) > 1 {
			t.Errorf("%s: classes of sizes %v", kind.Name, sizes)
		}
		if !symmetric(d.Batch.RowPtr, d.Batch.Col) {
			t.Errorf("%s: an arc without its reverse", kind.Name)
		}
	}
}

func TestSynthIsWrittenAndRead(t *testing.T) {
	for _, kind := range SynthKinds() {
		want := mustSynth(t, kind.Name, SynthOptions{Seed: 3, Graphs: min(kind.Defaults.Graphs, 30)})
		dir := t.TempDir()
		if err := Write(dir, want); err != nil {
			t.Errorf("%s: %v", kind.Name, err)
			continue
		}
		got, err := Open(dir)
		if err != nil {
			t.Errorf("%s: %v", kind.Name, err)
			continue
		}
		got.Name, got.Notes = want.Name, nil // a vertex task takes the name of its folder
		if kind.Name == "block-model" {
			for _, s := range append(got.Splits, want.Splits...) {
				slices.Sort(s.Train)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read %+v, wrote %+v", kind.Name, got.Summary(), want.Summary())
		}
	}
}

func TestSynthRefusesSizesThatMakeNoSense(t *testing.T) {
	tests := []struct {
		kind string
		opt  SynthOptions
		want string
	}{
		{"proteins", SynthOptions{}, "synth proteins: unknown kind, the kinds are molecules, red-isolated"},
		{"molecules", SynthOptions{Graphs: -1}, "synth molecules: -1 graphs"},
		{"molecules", SynthOptions{Vertices: -5}, "-5 vertices"},
		{"red-isolated", SynthOptions{Vertices: 10, Degree: 12}, "a mean degree of 12 among 10 vertices"},
		{"red-isolated", SynthOptions{Degree: math.NaN()}, "a mean degree of NaN"},
		{"red-isolated", SynthOptions{Graphs: 2, Vertices: 2, Degree: 1}, "among 1000000 drawn"},
		{"block-model", SynthOptions{Vertices: 20, Communities: 21}, "21 communities of 20 vertices"},
		{"block-model", SynthOptions{Graphs: 2}, "2 graphs: this kind has one"},
		{"block-model", SynthOptions{Vertices: 10000000, Communities: 100}, "8000000000 attributes, more than"},
		{"power-law", SynthOptions{Graphs: 1000000, Vertices: 1000000}, "too many arcs"},
		{"rings-cliques", SynthOptions{Graphs: 4, Vertices: 100000}, "too many arcs"},
	}
	for _, test := range tests {
		_, err := Synth(test.kind, test.opt)
		wantError(t, err, test.want)
	}
}

func TestSynthOfSmallestSizes(t *testing.T) {
	for _, kind := range SynthKinds() {
		for n := 1; n <= 5; n++ {
			opt := SynthOptions{Graphs: 1, Vertices: n, Degree: 0.01, Communities: 1}
			if _, err := Synth(kind.Name, opt); err != nil && n > 1 {
				t.Errorf("%s of one graph of %d vertices: %v", kind.Name, n, err)
			}
		}
	}
}

// onRing reports whether v lies on a cycle: one of its edges can be left out without cutting it off.
func onRing(d *Dataset, v int32) bool {
	b := d.Batch
	for _, u := range b.Neighbors(v) {
		seen := map[int32]bool{u: true}
		for queue := []int32{u}; len(queue) > 0; queue = queue[1:] {
			for _, w := range b.Neighbors(queue[0]) {
				back := queue[0] == u && w == v
				if w == v && !back {
					return true
				}
				if !back && !seen[w] {
					seen[w] = true
					queue = append(queue, w)
				}
			}
		}
	}
	return false
}

func TestMoleculesKeepValencesAndPlantTheMotif(t *testing.T) {
	d := mustSynth(t, "molecules", SynthOptions{Graphs: 300, Seed: 5})
	b := d.Batch
	valence := map[string]int{"C": 4, "N": 3, "O": 2, "F": 1, "S": 2, "Cl": 1, "Br": 1}
	name := func(v int32) string { return d.LabelNames[b.Labels[v]] }
	for v := range int32(b.NumVertices()) {
		if b.Degree(v) > valence[name(v)] || b.Degree(v) == 0 {
			t.Fatalf("%s with %d neighbours", name(v), b.Degree(v))
		}
	}
	counts := [2]map[string]int{{}, {}}
	for g := range d.NumGraphs() {
		from, to := b.Vertices(g)
		found := 0
		for v := from; v < to; v++ {
			counts[d.Classes[g]][name(v)]++
			if name(v) != "N" {
				continue
			}
			var oxygens, carbons []int32
			for _, u := range b.Neighbors(v) {
				switch {
				case name(u) == "O" && b.Degree(u) == 1:
					oxygens = append(oxygens, u)
				case name(u) == "C" && onRing(d, u):
					carbons = append(carbons, u)
				}
			}
			if len(oxygens) == 2 && len(carbons) == 1 {
				found++
				for _, u := range append(append(oxygens, carbons...), v) {
					if !d.Motif.Vertices[u] {
						t.Fatalf("graph %d: vertex %d is in the motif", g, u)
					}
				}
			}
		}
		vertices, arcs := 0, 0
		for v := from; v < to; v++ {
			if d.Motif.Vertices[v] {
				vertices++
			}
		}
		for a := b.RowPtr[from]; a < b.RowPtr[to]; a++ {
			if d.Motif.Arcs[a] {
				arcs++
			}
		}
		if class := d.Classes[g]; found != class || vertices != 4*class || arcs != 6*class {
			t.Fatalf("graph %d of class %d: %d nitro groups on a ring, motif of %d vertices and %d arcs",
				g, class, found, vertices, arcs)
		}
	}
	total := b.NumVertices() / 2
	for atom := range valence {
		if difference := math.Abs(float64(counts[0][atom] - counts[1][atom])); difference > 0.03*float64(total) {
			t.Errorf("%s: %d atoms in class 0, %d in class 1", atom, counts[0][atom], counts[1][atom])
		}
	}
	if share := float64(counts[0]["C"]+counts[1]["C"]) / float64(b.NumVertices()); share < 0.6 || share > 0.85 {
		t.Errorf("%.0f percent of the atoms are carbon", 100*share)
	}
}

func TestRedIsolatedMarksTheVertex(t *testing.T) {
	d := mustSynth(t, "red-isolated", SynthOptions{Graphs: 50, Seed: 9})
	for g := range 50 {
		from, to := d.Batch.Vertices(g)
		alone, marked := 0, 0
		for v := from; v < to; v++ {
			if d.LabelNames[d.Batch.Labels[v]] == "red" && d.Batch.Degree(v) == 0 {
				alone++
				if d.Motif.Vertices[v] {
					marked++
				}
			}
		}
		if (alone == 1) != (d.Classes[g] == 1) || marked != d.Classes[g] {
			t.Errorf("graph %d of class %d: %d red isolated vertices, %d marked", g, d.Classes[g], alone, marked)
		}
	}
}

func TestGoldenRedIsolated(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("synthetic_tasks"), func(t *testing.T, text []byte) {
		var content struct {
			First []string `json:"prng_seed0_first4"`
			Task  struct {
				Seed        uint64         `json:"seed"`
				Graphs      int            `json:"n_graphs"`
				Vertices    int            `json:"n_vertices"`
				EdgeShare   float64        `json:"p_edge"`
				RedShare    float64        `json:"p_red"`
				CheckFields []string       `json:"check_fields"`
				First20     [][]int        `json:"first_20"`
				Totals      map[string]int `json:"totals"`
			} `json:"red_isolated"`
		}
		if err := json.Unmarshal(text, &content); err != nil {
			t.Fatal(err)
		}
		random := splitMix(0)
		for i, want := range content.First {
			if got := strconv.FormatUint(random.next(), 10); got != want {
				t.Errorf("random number %d is %s, want %s", i, got, want)
			}
		}
		task := content.Task
		if task.RedShare != redShare {
			t.Fatalf("share of red vertices %v, want %v", redShare, task.RedShare)
		}
		kind, opt, err := synthesis("red-isolated", SynthOptions{Seed: task.Seed, Graphs: task.Graphs,
			Vertices: task.Vertices, Degree: task.EdgeShare * float64(task.Vertices-1)}, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		var draws []int
		s := growing{kind: kind, opt: opt}
		next := redIsolatedGraphs(opt, func(n int) { draws = append(draws, n) })
		if err := s.draw(next, opt.Graphs); err != nil {
			t.Fatal(err)
		}
		d, err := s.finish(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		byDefault := mustSynth(t, "red-isolated", SynthOptions{Seed: task.Seed})
		if !slices.Equal(byDefault.Batch.Col, d.Batch.Col) {
			t.Error("the default options do not give the graphs of the file")
		}
		totals := map[string]int{}
		for g := range task.Graphs {
			one := d.Select([]int{g})
			row := map[string]int{"attempts": draws[g], "edges": one.Batch.NumArcs() / 2, "isolated": one.Batch.Isolated(),
				"label": d.Classes[g]}
			for v, label := range one.Batch.Labels {
				if label == 1 {
					row["red"]++
					if one.Batch.Degree(int32(v)) == 0 {
						row["red_isolated"]++
					}
				}
			}
			for field, value := range row {
				totals[field] += value
			}
			if g < len(task.First20) {
				for i, field := range task.CheckFields {
					if row[field] != task.First20[g][i] {
						t.Errorf("graph %d: %s is %d, want %d", g, field, row[field], task.First20[g][i])
					}
				}
			}
		}
		for field, want := range task.Totals {
			if totals[field] != want {
				t.Errorf("total of %s is %d, want %d", field, totals[field], want)
			}
		}
	})
}

// The degrees of class 0 have a far longer tail than those of class 1.
func TestPowerLawClassesDifferInTheirTail(t *testing.T) {
	d := mustSynth(t, "power-law", SynthOptions{Graphs: 2, Vertices: 20000, Degree: 6, Seed: 2})
	largest := [2]int{}
	for g := range 2 {
		from, to := d.Batch.Vertices(g)
		for v := from; v < to; v++ {
			largest[g] = max(largest[g], d.Batch.Degree(v))
		}
	}
	if largest[0] < 5*largest[1] {
		t.Errorf("largest degrees %v", largest)
	}
}

func TestBlockModelJoinsCommunities(t *testing.T) {
	d := mustSynth(t, "block-model", SynthOptions{Vertices: 4000, Communities: 5, Degree: 12, Seed: 4})
	between := 0
	for u := range int32(4000) {
		for _, v := range d.Batch.Neighbors(u) {
			if d.VertexClasses[u] != d.VertexClasses[v] {
				between++
			}
		}
	}
	if share := float64(between) / float64(d.Batch.NumArcs()); math.Abs(share-mixing) > 0.02 {
		t.Errorf("%.3f of the edges join communities, want %.3f", share, mixing)
	}
	all := slices.Sorted(slices.Values(slices.Concat(d.Splits[0].Train, d.Splits[0].Validation, d.Splits[0].Test)))
	if len(all) != 4000 || len(slices.Compact(all)) != 4000 {
		t.Error("a vertex is in none or in several parts of the split")
	}
}

func TestRingsAndCliquesAreWhatTheyAreCalled(t *testing.T) {
	d := mustSynth(t, "rings-cliques", SynthOptions{Graphs: 40})
	girths := d.Batch.Girths()
	for g := range 40 {
		one := d.Batch.Select([]int{g})
		n, edges := one.NumVertices(), one.NumArcs()/2
		_, components := one.Components()
		good := components == 1
		switch d.Classes[g] {
		case 0:
			good = good && girths[g] == n && edges == n
		case 1:
			good = good && edges == n*(n-1)/2
		default:
			good = good && girths[g] == 3
		}
		if !good {
			t.Errorf("graph %d of class %d: %d vertices, %d edges, girth %d, %d components",
				g, d.Classes[g], n, edges, girths[g], components)
		}
	}
}

// Large inputs are generated for measurements: what it takes grows with their size and no faster.
func TestSynthTakesMemoryInProportionToTheSize(t *testing.T) {
	for kind, opt := range map[string]SynthOptions{
		"molecules":   {Graphs: 1000},
		"power-law":   {Graphs: 1, Vertices: 4000, Degree: 10},
		"block-model": {Vertices: 4000, Degree: 10, Communities: 2},
		"communities": {Vertices: 4000, Degree: 10, Communities: 2},
	} {
		arcs, bytes := 0, uint64(0)
		for _, factor := range []int{1, 8} {
			larger := opt
			if kind == "molecules" {
				larger.Graphs *= factor
			} else {
				larger.Vertices *= factor
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d := mustSynth(t, kind, larger)
			runtime.ReadMemStats(&after)
			if factor == 1 {
				arcs, bytes = d.Batch.NumArcs(), after.TotalAlloc-before.TotalAlloc
				continue
			}
			perArc, largerPerArc := float64(bytes)/float64(arcs),
				float64(after.TotalAlloc-before.TotalAlloc)/float64(d.Batch.NumArcs())
			if largerPerArc > 1.5*perArc {
				t.Errorf("%s: %.0f bytes are allocated for an arc of the small data set, %.0f of one 8 times as large",
					kind, perArc, largerPerArc)
			}
		}
	}
}

func TestPowerLawGraphHasHubs(t *testing.T) {
	b := mustSynth(t, "power-law", SynthOptions{Graphs: 1, Vertices: 50000, Degree: 10, Seed: 2}).Batch
	most, beyond := 0, [2]int{}
	for v := range int32(b.NumVertices()) {
		most = max(most, b.Degree(v))
		for i, degree := range []int{20, 80} {
			if b.Degree(v) >= degree {
				beyond[i]++
			}
		}
	}
	// The share of vertices with at least d neighbours falls like d^-2: 16 times from 20 to 80.
	if ratio := float64(beyond[0]) / float64(beyond[1]); most < 500 || ratio < 12 || ratio > 22 {
		t.Errorf("the largest degree is %d; %d vertices have 20 neighbours or more, %d have 80", most, beyond[0], beyond[1])
	}
}
