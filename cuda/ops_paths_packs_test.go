//go:build gpu

package cuda

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// The registers of a multiprocessor suffice for as many blocks of each kernel of the trie as packs are made for.
func TestResidentBlocksOfTheTrie(t *testing.T) {
	const registers, grain = 1 << 16, 8 // of a multiprocessor, and in which a thread gets its own
	check := func(name string, resident int) {
		rows := regexp.MustCompile(`(?m)^`+name+` +sm_\d+ +(\d+)`).FindAllStringSubmatch(resources, -1)
		if len(rows) == 0 {
			t.Errorf("kernels.resources.txt has no %s", name)
		}
		for _, row := range rows {
			used, _ := strconv.Atoi(row[1])
			if perBlock := (used + grain - 1) / grain * grain * 32 * warpsOfTrie; resident*perBlock > registers {
				t.Errorf("%s: %d blocks of %d registers a thread do not fit", name, resident, used)
			}
		}
	}
	for _, pool := range []engine.Pooling{engine.Sum, engine.Max} {
		for _, size := range []int{4, 8} {
			for _, q := range []int{wideFilters - 1, wideFilters} {
				p := &engine.PathPooling{Size: size, Pool: pool}
				single := (&pathWork[float32]{PathPooling: p, q: q}).trieShape()
				double := (&pathWork[float64]{PathPooling: p, q: q}).trieShape()
				check(fmt.Sprint(single.name, "_f32"), single.resident)
				check(fmt.Sprint(double.name, "_f64"), double.resident)
			}
		}
	}
}

// Every vertex is in one pack, small packs are whole graphs within their bytes, and only graphs that no block could
// hold are cut.
func TestPacksCoverEveryGraphOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	bytes := func(vertices, arcs int) int { return 100*vertices + 8*arcs }
	const small, largest = 5000, 20000
	for range 50 {
		graphs := make([]graph.Graph, rng.IntN(40))
		for i := range graphs {
			graphs[i].NumVertices = []int{0, 1, 7, 30, 45, 130, 400}[rng.IntN(7)]
			for v := int32(1); v < int32(graphs[i].NumVertices); v++ {
				graphs[i].AddArc(v, rng.Int32N(v))
			}
		}
		b, err := graph.NewBatch(graphs)
		if err != nil {
			t.Fatal(err)
		}
		p := packGraphs(b, []int{fewVertices, 100, manyVertices}[rng.IntN(3)], small, largest, bytes, nil)
		covered := make([]int, b.NumVertices())
		starts := map[int32]bool{}
		for _, o := range b.Offsets {
			starts[o] = true
		}
		for kind, list := range []packs{p.small, p.medium, p.large} {
			for i := range list.len() {
				from, to := list.bounds[2*i], list.bounds[2*i+1]
				arcs := int(b.RowPtr[to] - b.RowPtr[from])
				need := bytes(int(to-from), arcs)
				for v := from; v < to; v++ {
					covered[v]++
				}
				if kind < 2 && (!starts[from] || !starts[to] || int(to-from) > list.vertices || arcs > list.arcs) {
					t.Errorf("pack [%d, %d) is not a run of whole graphs within %d vertices and %d arcs", from, to, list.vertices,
						list.arcs)
				}
				if kind == 0 && need > small || kind == 1 && (need <= small || need > largest) {
					t.Errorf("pack of kind %d needs %d bytes", kind, need)
				}
				if kind == 2 && int(to-from) > pieceOfGraph {
					t.Errorf("piece of %d vertices", to-from)
				}
			}
		}
		for v, n := range covered {
			if n != 1 {
				t.Fatalf("vertex %d is in %d packs", v, n)
			}
		}
	}
}
