package dataset

import (
	"fmt"

	"github.com/grove-graph/grove/graph"
)

// WalkCountOptions say which graphs [WalkCounts] draws. The zero value of a field stands for its default.
type WalkCountOptions struct {
	Seed      uint64
	Graphs    int     // default 500
	Vertices  int     // of a graph, default 20
	EdgeShare float64 // probability of an arc from one vertex to another, default 0.15
	RedShare  float64 // probability that a vertex is red; 0: drawn evenly for each graph
	Shades    bool    // vertices show a number, positive where they are red, and not whether they are
	Length    int     // of the walks that are counted, default 2
}

// WalkCounts generates the tasks of the TREE-G paper's appendix E: random directed graphs of red and other vertices
// (label 1 and 0, or shades), with four numbers to predict. With A the adjacency matrix, A_ij = 1 for an arc from j
// to i, P = A^d for walks of length d and r the indicator of the red vertices they are
//
//	start   1'P r             walks that start in a red vertex
//	same    sum_{i red} P_ii  walks that start and end in the same red vertex
//	end     r'P 1             walks that end in a red vertex
//	between r'P r             walks that start and end in red vertices
//
// The stream of random numbers is that of the golden file synthetic_tasks; sizes, probabilities and length are not in
// the paper.
func WalkCounts(opt WalkCountOptions) (*Dataset, error) {
	opt.complete()
	if opt.Graphs < 1 || opt.Vertices < 1 || opt.Length < 1 || opt.Length > 8 ||
		!(opt.EdgeShare >= 0 && opt.EdgeShare <= 1) || !(opt.RedShare >= 0 && opt.RedShare <= 1) {
		return nil, fmt.Errorf("walk counts: %d graphs of %d vertices, shares %g and %g, walks of %d: want positive sizes, "+
			"shares from 0 to 1 and walks of at most 8", opt.Graphs, opt.Vertices, opt.EdgeShare, opt.RedShare, opt.Length)
	}
	random := splitMix(opt.Seed)
	d := &Dataset{Name: "walk_counts", Task: GraphRegression, TargetNames: []string{"start", "same", "end", "between"}}
	var list []graph.Graph
	for range opt.Graphs {
		g, counts := opt.draw(&random)
		list = append(list, g)
		for _, count := range counts {
			d.Targets = append(d.Targets, float64(count))
		}
	}
	var err error
	if d.Batch, err = graph.NewBatch(list); err != nil {
		return nil, err
	}
	if !opt.Shades {
		d.Batch.NumLabels, d.LabelCodes, d.LabelNames = 2, []string{"0", "1"}, []string{"other", "red"}
	}
	return d, nil
}

// complete puts the defaults in place of zeros.
func (o *WalkCountOptions) complete() {
	for _, size := range []struct {
		of        *int
		byDefault int
	}{{&o.Graphs, 500}, {&o.Vertices, 20}, {&o.Length, 2}} {
		if *size.of == 0 {
			*size.of = size.byDefault
		}
	}
	if o.EdgeShare == 0 {
		o.EdgeShare = 0.15
	}
}

// draw draws one graph and counts its walks.
func (o *WalkCountOptions) draw(random *splitMix) (g graph.Graph, counts [4]int) {
	n := o.Vertices
	g = graph.Graph{NumVertices: n, Directed: true}
	if o.Shades {
		g.AttributeDim = 1
	}
	share := o.RedShare
	if share == 0 {
		share = random.uniform()
	}
	red := make([]bool, n)
	for v := range red {
		u := random.uniform()
		red[v] = u < share
		switch {
		case o.Shades:
			g.Attributes = append(g.Attributes, shade(u, share))
		case red[v]:
			g.Labels = append(g.Labels, 1)
		default:
			g.Labels = append(g.Labels, 0)
		}
	}
	heads := make([][]int, n)
	for tail := range n {
		for head := range n {
			if head != tail && random.uniform() < o.EdgeShare {
				g.AddArc(int32(tail), int32(head))
				heads[tail] = append(heads[tail], head)
			}
		}
	}
	for start := range n {
		for end, walks := range walksFrom(heads, start, o.Length) {
			for k, counted := range [4]bool{red[start], red[start] && start == end, red[end], red[start] && red[end]} {
				if counted {
					counts[k] += walks
				}
			}
		}
	}
	return g, counts
}

// shade turns the number that was drawn for the colour of a vertex into that of its shade: seven in ten red vertices
// are light, 0.2, and three are dark, 1; those of others are negative.
func shade(u, share float64) float64 {
	red := u < share
	if !red {
		u, share = u-share, 1-share
	}
	x := 0.2
	if u > 0.7*share {
		x = 1
	}
	if red {
		return x
	}
	return -x
}

// walksFrom returns the number of walks of a length from start to every vertex.
func walksFrom(heads [][]int, start, length int) []int {
	walks := make([]int, len(heads))
	walks[start] = 1
	for range length {
		next := make([]int, len(heads))
		for v, count := range walks {
			for _, head := range heads[v] {
				next[head] += count
			}
		}
		walks = next
	}
	return walks
}
