package nystrom_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

// holds wants the golden files that hold a word in quotes.
func holds(word string) func(raw []byte) bool {
	return func(raw []byte) bool { return bytes.Contains(raw, []byte(`"`+word+`"`)) }
}

// numbers flattens nested lists.
type numbers []float64

func (n *numbers) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(fmt.Appendf(nil, "[%s]", strings.NewReplacer("[", "", "]", "").Replace(string(text))),
		(*[]float64)(n))
}

// engines under test, with the tolerance of their dtype: rounding of a few hundred additions.
func engines() []testEngine {
	return []testEngine{
		{"reference", engine.Reference{}, tensor.Float64, 1e-10},
		{"cpu", engine.NewCPU(1), tensor.Float64, 1e-10},
		{"cpu3", engine.NewCPU(3), tensor.Float64, 1e-10},
		{"cpu float32", engine.NewCPU(2), tensor.Float32, 1e-5},
	}
}

type testEngine struct {
	name      string
	engine    engine.Engine
	dtype     tensor.Dtype
	tolerance float64
}

type goldenClusters struct {
	Name        string
	Points      [][][]float64
	NClusters   int       `json:"n_clusters"`
	InitIndices []int     `json:"init_indices"`
	MaxIters    int       `json:"max_iters"`
	Tolerance   float64   `json:"tolerance"`
	Objective   []float64 `json:"objective_per_iteration"`
	NIterations int       `json:"n_iterations"`
	FirstUpdate numbers   `json:"centroids_after_first_update"`
	Centroids   numbers   `json:"centroids"`
	Assignment  []int32   `json:"final_assignment"`
	Final       float64   `json:"final_objective"`
	FirstIndex  int       `json:"first_index"`
	Draws       numbers   `json:"draws"`
	Chosen      []int     `json:"chosen_indices"`
}

func TestGoldenKMeans(t *testing.T) {
	testfiles.Golden(t, "", holds("spherical_kmeans"), func(t *testing.T, content []byte) {
		file := testfiles.Decode[struct{ Cases []goldenClusters }](t, content)
		for _, c := range file.Cases {
			for _, e := range engines() {
				t.Run(c.Name+"/"+e.name, func(t *testing.T) { c.check(t, e) })
			}
		}
	})
}

func (c goldenClusters) check(t *testing.T, e testEngine) {
	n, p, d := len(c.Points), len(c.Points[0]), len(c.Points[0][0])
	var values []float64
	var rows []int32
	for _, point := range c.Points {
		for _, vector := range point {
			rows = append(rows, int32(len(rows)))
			values = append(values, vector...)
		}
	}
	points := nystrom.Points{Points: engine.Points{Table: table(e, n*p, d, values), Size: p}}
	if p > 1 {
		points.Rows = rows
	}
	options := nystrom.KMeansOptions{MaxIterations: c.MaxIters, Tolerance: c.Tolerance, Init: c.InitIndices}
	if c.Draws != nil {
		draws := slices.Concat([]float64{(float64(c.FirstIndex) + 0.5) / float64(n)}, c.Draws)
		options.Init = nil
		options.Source = func() float64 {
			u := draws[0]
			draws = draws[1:]
			return u
		}
	}
	got, err := nystrom.KMeans(context.Background(), e.engine, points, c.NClusters, options)
	if err != nil {
		t.Fatal(err)
	}
	if c.Draws != nil && !slices.Equal(got.Init, c.Chosen) {
		t.Errorf("k-means++ chose the points %v, want %v", got.Init, c.Chosen)
	}
	if got.Iterations != c.NIterations {
		t.Errorf("%d iterations, want %d", got.Iterations, c.NIterations)
	}
	near(t, "objective", got.Objective, c.Objective, e.tolerance)
	near(t, "final objective", []float64{got.FinalObjective}, []float64{c.Final}, e.tolerance)
	if !slices.Equal(got.Assignment, c.Assignment) {
		t.Errorf("assignment %v, want %v", got.Assignment, c.Assignment)
	}
	near(t, "anchors", byCluster(got.Anchors), c.Centroids, e.tolerance)

	options.Init, options.MaxIterations = c.InitIndices, 1
	if got, err = nystrom.KMeans(context.Background(), e.engine, points, c.NClusters, options); err != nil {
		t.Fatal(err)
	}
	near(t, "anchors after the first update", byCluster(got.Anchors), c.FirstUpdate, e.tolerance)
}

func TestGoldenKMeansStatistics(t *testing.T) {
	testfiles.Golden(t, "", holds("kmeans_mutag_statistics"), func(t *testing.T, content []byte) {
		data, err := dataset.Open(testfiles.Data(t, "tu", "MUTAG"))
		if err != nil {
			t.Fatal(err)
		}
		file := testfiles.Decode[struct {
			Cases []struct {
				PathNodes      int     `json:"path_nodes"`
				NClusters      int     `json:"n_clusters"`
				NPoints        int     `json:"n_points"`
				DistinctPoints int     `json:"distinct_points"`
				Mean           float64 `json:"objective_mean"`
				Deviation      float64 `json:"objective_std"`
			}
		}](t, content)
		eng := engine.NewCPU(2)
		for _, c := range file.Cases {
			t.Run(fmt.Sprintf("%d nodes, %d clusters", c.PathNodes, c.NClusters), func(t *testing.T) {
				var sequences []int32
				for u := range data.Batch.NumVertices() {
					data.Batch.VisitPaths(int32(u), c.PathNodes, func(path []int32) {
						for _, v := range path {
							if len(path) == c.PathNodes {
								sequences = append(sequences, data.Batch.Labels[v])
							}
						}
					})
				}
				rows, weights := nystrom.Distinct(sequences, c.PathNodes, nil)
				if len(sequences) != c.NPoints*c.PathNodes || len(weights) != c.DistinctPoints {
					t.Fatalf("%d paths, %d distinct; want %d and %d", len(sequences)/c.PathNodes, len(weights), c.NPoints,
						c.DistinctPoints)
				}
				points := nystrom.Points{Points: engine.Points{Table: identity(eng, data.Batch.NumLabels), Rows: rows,
					Size: c.PathNodes}, Weights: weights}
				mean := 0.0
				for seed := range uint64(8) {
					got, err := nystrom.KMeans(context.Background(), eng, points, c.NClusters, nystrom.KMeansOptions{Seed: seed})
					if err != nil {
						t.Fatal(err)
					}
					mean += got.FinalObjective / 8
				}
				if math.Abs(mean-c.Mean) > max(4*c.Deviation, 1e-6) {
					t.Errorf("mean objective %.6f, want %.6f within 4 x %.6f", mean, c.Mean, c.Deviation)
				}
			})
		}
	})
}

// near compares with a tolerance relative to the largest magnitude wanted.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	scale := 0.0
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance*scale) {
			t.Errorf("%s: number %d is %.12g, want %.12g", what, i, got[i], want[i])
			return
		}
	}
}

// table makes a matrix of the dtype under test.
func table(e testEngine, rows, cols int, values []float64) *tensor.Dense {
	out := e.engine.New(e.dtype, rows, cols)
	if err := e.engine.Convert(out, tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(values))); err != nil {
		panic(err)
	}
	return out
}

// identity returns the Float32 identity matrix.
func identity(eng engine.Engine, d int) *tensor.Dense {
	out := eng.New(tensor.Float32, d, d)
	for i := range d {
		out.Float32s()[i*d+i] = 1
	}
	return out
}

// float64s returns the elements of a tensor.
func float64s(t *tensor.Dense) []float64 {
	if t.Dtype() == tensor.Float64 {
		return t.Float64s()
	}
	var out []float64
	for _, v := range t.Float32s() {
		out = append(out, float64(v))
	}
	return out
}

// byCluster returns the elements of anchors (p x k x d) in the order k x p x d.
func byCluster(anchors *tensor.Dense) (out []float64) {
	p, k, d := anchors.Shape()[0], anchors.Shape()[1], anchors.Shape()[2]
	values := float64s(anchors)
	for f := range k {
		for j := range p {
			out = append(out, values[(j*k+f)*d:(j*k+f+1)*d]...)
		}
	}
	return out
}
