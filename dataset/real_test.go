package dataset

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// published are the figures of the table in the README of the data, counted from the files (the isolated
// vertices of REDDIT-BINARY are counted here only).
type published struct {
	graphs, vertices, edges                 int
	labels, arcLabels, attributes, isolated int
	maxDegree                               int // 0: not given
	classes                                 string
}

func TestPublishedDataSetsHaveTheirPublishedSizes(t *testing.T) {
	tests := map[string]published{
		"tu/MUTAG":         {188, 3371, 3721, 7, 4, 0, 0, 0, "-1 (63), 1 (125)"},
		"tu/PTC_MR":        {344, 4915, 5054, 18, 4, 0, 0, 0, "-1 (192), 1 (152)"},
		"tu/PTC":           {344, 8792, 8931, 19, 0, 0, 0, 0, "0 (192), 1 (152)"},
		"tu/NCI1":          {4110, 122747, 132753, 37, 0, 0, 428, 4, "0 (2053), 1 (2057)"},
		"tu/PROTEINS":      {1113, 43471, 81044, 3, 0, 1, 5, 25, "1 (663), 2 (450)"},
		"tu/ENZYMES":       {600, 19580, 37282, 3, 0, 18, 106, 9, "1 (100), 2 (100), 3 (100), 4 (100), 5 (100), 6 (100)"},
		"tu/AIDS":          {2000, 31385, 32390, 38, 3, 4, 210, 6, "0 (400), 1 (1600)"},
		"tu/BZR":           {405, 14479, 15535, 10, 0, 3, 0, 0, "-1 (319), 1 (86)"},
		"tu/COX2":          {467, 19252, 20289, 8, 0, 3, 0, 0, "-1 (365), 1 (102)"},
		"tu/CPDB":          {684, 17226, 17539, 23, 3, 0, 1, 5, "0 (343), 1 (341)"},
		"tu/DD":            {1178, 334925, 843046, 82, 0, 0, 0, 19, "1 (691), 2 (487)"},
		"tu/SYNTHETICnew":  {300, 30000, 58875, 0, 0, 1, 0, 9, "-1 (150), 1 (150)"},
		"tu/IMDB-BINARY":   {1000, 19773, 96531, 0, 0, 0, 0, 0, "0 (500), 1 (500)"},
		"tu/IMDB-MULTI":    {1500, 19502, 98903, 0, 0, 0, 0, 0, "1 (500), 2 (500), 3 (500)"},
		"tu/REDDIT-BINARY": {2000, 859254, 995508, 0, 0, 0, 21, 0, "-1 (1000), 1 (1000)"},
		"text/COLLAB":      {5000, 372474, 12286079, 0, 0, 0, 0, 0, "0 (2600), 1 (775), 2 (1625)"},
		"node/Cora": {1, 2708, 5278, 0, 0, 1433, 0, 0,
			"0 (351), 1 (217), 2 (418), 3 (818), 4 (426), 5 (298), 6 (180)"},
		"node/Citeseer": {1, 3327, 4552, 0, 0, 3703, 48, 0, "0 (249), 1 (590), 2 (668), 3 (701), 4 (596), 5 (508)"},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && (want.edges > 500_000 || want.attributes > 1000) {
				t.Skip("large")
			}
			d, err := Open(testfiles.Data(t, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			s := d.Summary()
			var classes []string
			for c, size := range s.ClassSizes {
				classes = append(classes, fmt.Sprintf("%s (%d)", s.ClassNames[c], size))
			}
			got := published{s.Graphs, s.Vertices, s.Arcs / 2, s.Labels, s.ArcLabels, s.Attributes, s.Isolated, s.MaxDegree,
				strings.Join(classes, ", ")}
			if want.maxDegree == 0 {
				got.maxDegree = 0
			}
			if got != want || s.Directed || s.EmptyGraphs > 0 {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestPublishedVertexTasks(t *testing.T) {
	tests := []struct {
		name                       string
		directed                   bool
		arcs, unlabelled           int
		splits                     string
		train, validation, testing int
	}{
		{"Cora", false, 10556, 0, "planetoid", 140, 500, 1000},
		{"Citeseer", false, 9104, 15, "planetoid", 120, 500, 1000},
		{"Cornell", true, 298, 0, "0 1 2 3 4 5 6 7 8 9", 87, 59, 37},
		{"Actor", true, 30019, 0, "0 1 2 3 4 5 6 7 8 9", 3648, 2432, 1520},
		{"County", false, 18966, 17, "", 0, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := Open(testfiles.Data(t, "node", test.name))
			if err != nil {
				t.Fatal(err)
			}
			s := d.Summary()
			if s.Directed != test.directed || s.Arcs != test.arcs || s.Unlabelled != test.unlabelled ||
				strings.Join(s.Splits, " ") != test.splits {
				t.Errorf("%+v", s)
			}
			if len(d.Splits) > 0 {
				f := d.Splits[0]
				if len(f.Train) != test.train || len(f.Validation) != test.validation || len(f.Test) != test.testing {
					t.Errorf("split of %d, %d, %d vertices", len(f.Train), len(f.Validation), len(f.Test))
				}
			}
		})
	}
}

func TestNCI1TakesLittleMemory(t *testing.T) {
	d, err := Open(testfiles.Data(t, "tu", "NCI1"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes := d.Batch.Bytes(); bytes > 20e6 {
		t.Errorf("%d bytes", bytes)
	}
}

func TestPublishedFolds(t *testing.T) {
	tests := []struct {
		name           string
		graphs, tested int
		inner          bool
	}{
		{"MUTAG", 188, 18, true}, {"PTC_MR", 344, 34, true}, {"PTC", 344, 34, true},
		{"NCI1", 4110, 411, true}, {"PROTEINS", 1113, 111, true}, {"ENZYMES", 600, 60, false},
		{"DD", 1178, 117, false}, {"IMDB-BINARY", 1000, 100, false}, {"IMDB-MULTI", 1500, 150, false},
		{"REDDIT-BINARY", 2000, 200, false}, {"COLLAB", 5000, 500, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := testfiles.Data(t, "folds", test.name)
			folds, err := ReadFolds(dir, test.graphs)
			if err != nil {
				t.Fatal(err)
			}
			if len(folds) != 10 {
				t.Fatalf("%d folds", len(folds))
			}
			for k, f := range folds {
				if len(f.Test) != test.tested || len(f.Train)+len(f.Test) != test.graphs {
					t.Errorf("fold %d: %d and %d graphs", k+1, len(f.Train), len(f.Test))
				}
			}
			inner, err := ReadInnerFolds(dir, test.graphs, folds)
			if (err == nil) != test.inner {
				t.Errorf("inner folds: %v", err)
			}
			for k, f := range inner {
				if len(f.Train)+len(f.Validation) != len(folds[k].Train) {
					t.Errorf("inner fold %d: %d and %d of %d graphs", k+1, len(f.Train), len(f.Validation), len(folds[k].Train))
				}
			}
		})
	}
}

// The translated folds of MUTAG are the golden ones.
func TestGoldenFolds(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("folds"), func(t *testing.T, text []byte) {
		var content struct {
			Tests [][]int `json:"test_folds_tu"`
		}
		if err := json.Unmarshal(text, &content); err != nil {
			t.Fatal(err)
		}
		folds, err := ReadFolds(testfiles.Data(t, "folds", "MUTAG"), 188)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range content.Tests {
			if got := slices.Sorted(slices.Values(folds[k].Test)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("fold %d: %v, want %v", k+1, got, want)
			}
		}
	})
}

func TestGoldenDatasetCounts(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("dataset_counts"), func(t *testing.T, text []byte) {
		var content struct {
			Sets map[string]struct {
				Graphs   int       `json:"num_graphs"`
				Nodes    int       `json:"num_nodes"`
				Edges    int       `json:"num_undirected_edges"`
				Isolated int       `json:"num_isolated_nodes"`
				Labels   int       `json:"num_label_columns"`
				Paths    []int64   `json:"total_paths_by_number_of_nodes"`
				Walks    []int64   `json:"total_walks_by_number_of_nodes"`
				First30  [][]int64 `json:"per_graph_path_counts_first_30"`
			} `json:"datasets"`
		}
		if err := json.Unmarshal(text, &content); err != nil {
			t.Fatal(err)
		}
		for name, want := range content.Sets {
			t.Run(name, func(t *testing.T) {
				d, err := OpenTU(testfiles.Data(t, "tu", name))
				if err != nil {
					t.Fatal(err)
				}
				b := d.Batch
				if b.NumGraphs() != want.Graphs || b.NumVertices() != want.Nodes || b.NumArcs() != 2*want.Edges ||
					b.Isolated() != want.Isolated || b.NumLabels != want.Labels {
					t.Errorf("%d graphs, %d vertices, %d arcs, %d isolated, %d labels",
						b.NumGraphs(), b.NumVertices(), b.NumArcs(), b.Isolated(), b.NumLabels)
				}
				size := len(want.Paths)
				counts := b.PathCounts(size)
				if got := columnSums(counts, size); !slices.Equal(got, want.Paths) {
					t.Errorf("paths %v, want %v", got, want.Paths)
				}
				if got := columnSums(b.WalkCounts(len(want.Walks)), len(want.Walks)); !slices.Equal(got, want.Walks) {
					t.Errorf("walks %v, want %v", got, want.Walks)
				}
				for g, row := range want.First30 {
					from, to := b.Vertices(g)
					if got := columnSums(counts[int(from)*size:int(to)*size], size); !slices.Equal(got, row) {
						t.Errorf("graph %d: paths %v, want %v", g, got, row)
					}
				}
			})
		}
	})
}

func columnSums[T int64 | float64](counts []T, columns int) []int64 {
	sums := make([]int64, columns)
	for i, c := range counts {
		sums[i%columns] += int64(c)
	}
	return sums
}

func BenchmarkReadNCI1(b *testing.B) { benchmarkRead(b, "tu", "NCI1") }

func BenchmarkReadCOLLAB(b *testing.B) { benchmarkRead(b, "text", "COLLAB") }

func benchmarkRead(b *testing.B, elements ...string) {
	dir := testfiles.Data(b, elements...)
	if _, err := os.Stat(dir); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		d, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(d.Batch.NumArcs()), "arcs")
	}
}
