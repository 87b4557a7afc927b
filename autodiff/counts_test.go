package autodiff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// countsOf counts all graphs of a batch for a network.
func countsOf(t *testing.T, n *KernelNetwork, b *graph.Batch) *Counts {
	t.Helper()
	layer := n.opt.Layers[0]
	walks := layer.Route == graph.Walks
	classes := b.PathClasses(b.Labels, nil, layer.Size, layer.AllLengths, walks, 1)
	s := b.PathSequences(classes, b.Labels, layer.Size, layer.AllLengths, walks, 1<<20)
	c, err := n.Count(b, classes.Class, s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// counted prepares counted graphs with classes 0, 1, 0, ...
func counted(t *testing.T, n *KernelNetwork, c *Counts, graphs []int, rows *tensor.Dense) *Batch {
	t.Helper()
	classes := make([]int32, len(graphs))
	for i := range classes {
		classes[i] = int32(i % 2)
	}
	b, err := n.PrepareCounted(c, graphs, rows, Targets{Classes: classes})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A batch of counted graphs gives what the same graphs give vertex by vertex, graphs without a path among them.
func TestCountsChangesNothing(t *testing.T) {
	whole := rings(t)
	pools := []engine.Pooling{engine.Sum, engine.Mean, engine.Max}
	for _, sizes := range [][]int{{3}, {3, 1}, {2, 1, 1}} {
		for _, route := range []graph.Route{graph.Paths, graph.Walks} {
			for _, local := range pools {
				for _, global := range pools {
					for _, all := range []bool{false, true} {
						t.Run(fmt.Sprint(sizes, " ", route, local, global, all), func(t *testing.T) {
							e := enginetest.Open(t, 1)
							opt := Options{Layers: layers(all, route, local, sizes...), GlobalPooling: global,
								Loss: CrossEntropy, Epsilon: 0.01, asGiven: true}
							opt.Layers[0].Kernel.SumExponent = all
							n := example(t, e, tensor.Float64, opt, 2)
							c := countsOf(t, n, whole)
							for _, pick := range [][]int{{0, 1, 2}, {2}, {2, 0, 2}, {1}} {
								plain := labels(t, e, tensor.Float64, whole.Select(pick))
								want := numbers(t, n, prepare(t, n, whole.Select(pick), plain))
								got := numbers(t, n, counted(t, n, c, pick, plain.Rows))
								if err := closeTo(got, want, 1e-11); err != nil {
									t.Errorf("graphs %v: %v", pick, err)
								}
							}
						})
					}
				}
			}
		}
	}
}

// The bits of a batch of counted graphs depend neither on the other graphs, nor on the number of workers,
// nor on the batches before.
func TestCountsHasNoMemory(t *testing.T) {
	whole := rings(t)
	for _, sizes := range [][]int{{3}, {3, 1}} {
		opt := Options{Layers: layers(true, graph.Paths, engine.Mean, sizes...), Loss: CrossEntropy, Epsilon: 0.01,
			asGiven: true}
		var want []float64
		for workers := 1; workers <= 3; workers++ {
			e := enginetest.Open(t, workers)
			n := example(t, e, tensor.Float32, opt, 2)
			rows := labels(t, e, tensor.Float32, whole).Rows
			c := countsOf(t, n, whole)
			if workers > 1 {
				numbers(t, n, counted(t, n, c, []int{1}, rows))
			}
			for name, b := range map[string]*Batch{
				"of all graphs":   counted(t, n, c, []int{2, 0, 2}, rows),
				"of these graphs": counted(t, n, countsOf(t, n, whole.Select([]int{2, 0, 2})), []int{0, 1, 2}, rows),
			} {
				got := numbers(t, n, b)
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("%v, %d workers, counts %s: %v, want %v", sizes, workers, name, got, want)
				}
			}
		}
	}
}

func TestCountsThatDoesNotFit(t *testing.T) {
	e, whole := enginetest.Open(t, 1), rings(t)
	opt := Options{Layers: layers(true, graph.Paths, engine.Sum, 3, 2), Loss: CrossEntropy, Epsilon: 0.01}
	if c := countsOf(t, example(t, e, tensor.Float64, opt, 2), whole); c != nil {
		t.Error("counts for a network whose second layer looks at paths")
	}
	opt.Layers = opt.Layers[:1]
	n := example(t, e, tensor.Float64, opt, 2)
	rows, c := labels(t, e, tensor.Float64, whole).Rows, countsOf(t, n, whole)
	classes := whole.PathClasses(whole.Labels, nil, 3, true, false, 1)
	sequences := whole.PathSequences(classes, whole.Labels, 3, true, false, 1<<20)
	short := slices.Clone(classes.Class)
	short[1] = short[1][1:]
	check := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want: %s", err, want)
		}
	}
	_, err := n.Count(whole, short, sequences)
	check(err, "classes of 9 vertices, the graphs have 10")
	_, err = n.Count(whole, classes.Class, nil)
	check(err, "no sequences")
	_, err = n.PrepareCounted(c, []int{0}, upload(t, e, tensor.Float64, normal(1, 8), 2, 4), Targets{})
	check(err, "the network wants 3 columns")
	_, err = n.PrepareCounted(c, nil, rows, Targets{})
	check(err, "no graphs")
	_, err = n.PrepareCounted(c, []int{3}, rows, Targets{})
	check(err, "graph 3 of 3")
	_, err = n.PrepareCounted(c, []int{0}, rows, Targets{Classes: []int32{0, 1}})
	check(err, "2 items for 1")
}
