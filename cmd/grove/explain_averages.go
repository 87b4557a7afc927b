package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
)

// classAverages are the means over the explained examples of one predicted class, of all in a regression.
type classAverages struct {
	Class    string        `json:"class,omitempty"`
	Examples int           `json:"n_examples"`
	By       string        `json:"by"`                 // what makes the kinds of vertices, or of edges that are examples
	Vertices []kindAverage `json:"vertices,omitempty"` // by kind, the most important first
	Edges    []kindAverage `json:"edges,omitempty"`    // by the labels of their ends, or by kind
}

// kindAverage is what a kind of vertices or edges holds of the importance.
type kindAverage struct {
	Kind       string  `json:"kind"`
	Importance float64 `json:"importance"` // mean over the examples of the sum over the kind
	Share      float64 `json:"share"`      // mean of the kind's share of the vertices or edges
	Ratio      float64 `json:"ratio"`      // importance by share: 1 where the kind is as important as others
}

// averages sums the importances up by predicted class and kind.
func (x *subject) averages(explained []importance) []classAverages {
	var all []classAverages
	byClass := map[string][]int{}
	for i := range explained {
		byClass[explained[i].Predicted] = append(byClass[explained[i].Predicted], i)
	}
	for class, members := range byClass {
		one := classAverages{Class: class, Examples: len(members), By: x.kindsBy()}
		vertices, edges := kindSums{}, kindSums{}
		for _, i := range members {
			kinds := x.kinds(i, &explained[i])
			n := float64(len(members) * len(kinds))
			for v, kind := range kinds {
				vertices.add(kind, explained[i].seen[v]/float64(len(members)), 1/n)
			}
			if explained[i].labels != nil && x.head.Task == model.GraphTask {
				edges.addEdges(x.d.Batch.Directed, &explained[i], len(members))
			}
		}
		one.Vertices, one.Edges = vertices.sorted(), edges.sorted()
		if x.head.Task == model.EdgeTask {
			one.Vertices, one.Edges = nil, one.Vertices
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b classAverages) int { return cmp.Compare(a.Class, b.Class) })
	return all
}

// kindsBy says what makes the kinds of vertices: their labels, or how far they are from the explained vertex or edge.
func (x *subject) kindsBy() string {
	switch {
	case x.head.Task != model.GraphTask:
		return "distance"
	case x.names != nil:
		return "label"
	}
	return "degree"
}

// kinds returns the kind of every vertex that the trees see in the graph of example i.
func (x *subject) kinds(i int, explained *importance) []string {
	b := x.seen
	from, to := b.Vertices(x.found[i].Graph)
	switch x.kindsBy() {
	case "label":
		return explained.labels
	case "distance":
		return distanceKinds(b, from, to, int32(x.examples[i]))
	}
	kinds := make([]string, to-from)
	for v := range kinds {
		kinds[v] = fmt.Sprint(b.Degree(from + int32(v)))
	}
	return kinds
}

// farthest is the last distance that is a kind of its own.
const farthest = 4

// distanceKinds names the number of arcs from a vertex to each vertex of its graph.
func distanceKinds(b *graph.Batch, from, to, vertex int32) []string {
	kinds := make([]string, to-from)
	for v := range kinds {
		kinds[v] = "farther"
	}
	kinds[vertex-from] = "itself"
	ring := []int32{vertex}
	for d := 1; d <= farthest; d++ {
		var next []int32
		for _, u := range ring {
			for _, v := range b.Neighbors(u) {
				if kinds[v-from] == "farther" {
					kinds[v-from] = model.Count(d, "arc")
					next = append(next, v)
				}
			}
		}
		ring = next
	}
	return kinds
}

// addEdges sums up the edges of a graph by the labels of their ends.
func (s kindSums) addEdges(directed bool, x *importance, examples int) {
	for _, e := range x.Edges {
		a, c := x.labels[e.From], x.labels[e.To]
		if !directed && a > c {
			a, c = c, a
		}
		s.add(a+" - "+c, e.Importance/float64(examples), 1/float64(len(x.Edges)*examples))
	}
}

// kindSums adds importances and shares up by kind.
type kindSums map[string]*kindAverage

func (s kindSums) add(kind string, importance, share float64) {
	if s[kind] == nil {
		s[kind] = &kindAverage{Kind: kind}
	}
	s[kind].Importance += importance
	s[kind].Share += share
}

// sorted lists the kinds, the most important first.
func (s kindSums) sorted() []kindAverage {
	var list []kindAverage
	for _, k := range s {
		k.Ratio = k.Importance / k.Share
		list = append(list, *k)
	}
	slices.SortFunc(list, func(a, b kindAverage) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// edgesBy says what makes the kinds of edges.
func (c *classAverages) edgesBy() string {
	if c.Vertices == nil {
		return c.By
	}
	return "labels"
}

// mostKinds bounds the kinds that are printed.
const mostKinds = 8

func (c *classAverages) print(w io.Writer) {
	what := "mean of " + model.Count(c.Examples, "example")
	if c.Class != "" {
		what += " predicted " + c.Class
	}
	fmt.Fprintf(w, "\n%s\n", what)
	for _, table := range []struct {
		what  string
		kinds []kindAverage
	}{{"vertices by " + c.By, c.Vertices}, {"edges by " + c.edgesBy(), c.Edges}} {
		if len(table.kinds) == 0 {
			continue
		}
		fmt.Fprintf(w, "  %-20s %12s %12s %8s\n", table.what, "importance", "share", "ratio")
		for _, k := range table.kinds[:min(mostKinds, len(table.kinds))] {
			fmt.Fprintf(w, "  %-20s %10.1f %% %10.1f %% %8.2f\n", k.Kind, 100*k.Importance, 100*k.Share, k.Ratio)
		}
	}
}
