package dataset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// edgeText writes a table of random edges.
func edgeText(edges, vertices int, row func(u, v int) string) string {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range edges {
		text.WriteString(row(random.IntN(vertices), random.IntN(vertices)))
	}
	return text.String()
}

// BenchmarkEdges reads a million edges between a hundred thousand vertices, from a file that is in memory.
func BenchmarkEdges(b *testing.B) {
	const edges, vertices = 1 << 20, 100000
	for _, c := range []struct {
		name, file, head, foot string
		open                   func(f folder, file string, how Reading) (*Dataset, error)
		row                    func(u, v int) string
	}{
		{"numbers", "x.csv", "source,target\n", "", openEdges, func(u, v int) string { return fmt.Sprintf("%d,%d\n", u, v) }},
		{"weights", "x.csv", "source,target,weight\n", "", openEdges, func(u, v int) string {
			return fmt.Sprintf("%d,%d,%.3f\n", u, v, float64(u)/7)
		}},
		{"words", "x.csv", "source,target\n", "", openEdges, func(u, v int) string {
			return fmt.Sprintf("person-%d,person-%d\n", u, v)
		}},
		{"graphs", "x.tsv", "graph\tsrc\tdst\tlabel\n", "", openEdges, func(u, v int) string {
			return fmt.Sprintf("%d\t%d\t%d\tknows\n", u/50, u%50, v%50)
		}},
		{"json", "x.json", `{"edges": [`, `{"source": 0, "target": 0}], "nodes": [` + nodeList(vertices) + "]}", openLinks,
			func(u, v int) string { return fmt.Sprintf(`{"source": %d, "target": %d}, `, u, v) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := c.head + edgeText(edges, vertices, c.row) + c.foot
			f := files{c.file: text}.folder()
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.open(f, c.file, Reading{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(edges)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
		})
	}
}

// nodeList lists vertices as node-link JSON does.
func nodeList(n int) string {
	nodes := make([]string, n)
	for v := range nodes {
		nodes[v] = fmt.Sprintf(`{"id": %d}`, v)
	}
	return strings.Join(nodes, ", ")
}
