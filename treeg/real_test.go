package treeg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
)

// openReal reads a public data set.
func openReal(t testing.TB, name string) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Open(testfiles.Data(t, "tu", name))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func BenchmarkFit(b *testing.B) {
	for _, name := range []string{"MUTAG", "PTC_MR", "PROTEINS"} {
		b.Run(name, func(b *testing.B) {
			d := openReal(b, name)
			d.Batch.Attributes, d.Batch.AttributeDim = nil, 0
			opt := Defaults(Graphs, Boosting)
			opt.Constant = false
			e := openCPU(b, 1)
			for b.Loop() {
				m, err := Fit(context.Background(), e, d.Batch, Targets{Classes: d.Classes}, opt, nil)
				if err != nil {
					b.Fatal(err)
				}
				_ = m
			}
		})
	}
}

func BenchmarkPredict(b *testing.B) {
	d := openReal(b, "MUTAG")
	opt := Defaults(Graphs, Boosting)
	opt.Constant = false
	e := openCPU(b, 1)
	m, err := Fit(context.Background(), e, d.Batch, Targets{Classes: d.Classes}, opt, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := m.Scores(context.Background(), d.Batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*188/b.Elapsed().Seconds(), "graphs/s")
}

func BenchmarkCora(b *testing.B) {
	set := openNode(b, "Cora")
	var train []int
	for _, s := range set.Splits {
		if s.Name == "planetoid" {
			train = s.Train
		}
	}
	opt := Defaults(Vertices, Boosting)
	opt.Estimators = 20
	for b.Loop() {
		if _, err := Fit(context.Background(), openCPU(b, 1), set.Batch, Targets{Classes: set.VertexClasses, Train: train}, opt, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// planted is a citation-like graph with Gaussian attributes; a vertex is of class 1 if the neighbours whose attribute 7
// is positive have a positive sum of attribute 3.
func planted(n, edges, width int) (*graph.Batch, []int) {
	r := rand.New(rand.NewPCG(8, 8))
	g := graph.Graph{NumVertices: n, AttributeDim: width, Attributes: make([]float64, n*width)}
	for i := range g.Attributes {
		g.Attributes[i] = r.NormFloat64()
	}
	for i := range edges {
		u := 1 + i*(n-1)/edges
		v := r.IntN(u)
		if len(g.Arcs.From) > 0 && r.IntN(2) == 0 { // as likely as it has neighbours
			v = int(g.Arcs.To[r.IntN(len(g.Arcs.To))])
		}
		if v != u {
			g.AddArc(int32(u), int32(v))
		}
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		panic(err)
	}
	classes := make([]int, n)
	for v := range classes {
		sum := 0.0
		for _, u := range b.Neighbors(int32(v)) {
			if x := b.Attribute(u); x[7] > 0 {
				sum += x[3]
			}
		}
		if sum > 0 {
			classes[v] = 1
		}
	}
	return b, classes
}

func BenchmarkPlanted(b *testing.B) {
	batch, classes := planted(170000, 600000, width())
	opt := Defaults(Vertices, Boosting)
	opt.Estimators, opt.Growth, opt.MaxLeaves, opt.MaxDepth, opt.Constant = 20, LevelWise, 0, 6, false
	if trees := os.Getenv("TREES"); trees != "" {
		fmt.Sscan(trees, &opt.Estimators)
	}
	var train, test []int
	for v := range classes {
		if v%100 < 54 {
			train = append(train, v)
		} else {
			test = append(test, v)
		}
	}
	for b.Loop() {
		start := time.Now()
		m, err := Fit(context.Background(), openCPU(b, 1), batch, Targets{Classes: classes, Train: train}, opt, func(stage string, done, total int) {
			fmt.Println(stage, done, time.Since(start))
		})
		if err != nil {
			b.Fatal(err)
		}
		start = time.Now()
		predicted, err := m.Classes(context.Background(), batch)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Println(batch.NumArcs(), accuracy(predicted, classes, train), accuracy(predicted, classes, test), time.Since(start))
	}
}

func width() int {
	w := 128
	if s := os.Getenv("WIDTH"); s != "" {
		fmt.Sscan(s, &w)
	}
	return w
}
