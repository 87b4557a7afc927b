package gckn

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/internal/cputime"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
)

// BenchmarkCora trains an epoch on all vertices of Cora, in one step and in batches, and on those of the training part
// that everybody uses.
func BenchmarkCora(b *testing.B) {
	d, err := dataset.Open(testfiles.Data(b, "node", "Cora"))
	if err != nil {
		b.Fatal(err)
	}
	for _, of := range []struct {
		name  string
		items []int
		size  int
		batch int
	}{{"all", nil, 4, 0}, {"all", nil, 4, 32}, {"split", d.Splits[0].Train, 3, 0}} {
		b.Run(fmt.Sprintf("%s/size=%d/batch=%d", of.name, of.size, of.batch), func(b *testing.B) {
			_, graphs, input, err := train.Encode(model.NewWork(d, engine.NewCPU(1)), "")
			if err != nil {
				b.Fatal(err)
			}
			network, err := Preset("gckn-path", of.size, 32, 0.6)
			if err != nil {
				b.Fatal(err)
			}
			network.Samples = 1000
			t := &Training{Options: DefaultSupervised(network)}
			t.Examples = train.Examples{Graphs: train.InMemory(graphs), Input: input, Targets: model.TargetsOf(d)}
			t.Train, t.Options.Epochs, t.Options.BatchSize = of.items, b.N+1, of.batch
			var spent []float64 // after the start, and after each epoch; the first lays the batches out
			t.Watch = func(autodiff.Record) { spent = append(spent, cputime.Seconds()) }
			if _, err := Supervise(context.Background(), engine.NewCPU(1), t); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric((spent[b.N+1]-spent[1])/float64(b.N), "cpu-s/epoch")
		})
	}
}

// BenchmarkCommunities trains epochs with a fan-out of 10 on generated graphs, a tenth of whose vertices is learned
// from, on all processors. Beside the CPU seconds of an epoch, scores included, it gives those of what comes before,
// the accuracy on the validation part, sampled too, and the memory that the process has taken from the system.
func BenchmarkCommunities(b *testing.B) {
	for _, n := range []int{10_000, 30_000, 100_000, 300_000, 1_000_000} {
		b.Run(fmt.Sprintf("arcs=%d", 10*n), func(b *testing.B) {
			d, err := dataset.Synth("communities", dataset.SynthOptions{Vertices: n})
			if err != nil {
				b.Fatal(err)
			}
			e := engine.NewCPU(runtime.GOMAXPROCS(0))
			_, graphs, input, err := train.Encode(model.NewWork(d, e), "")
			if err != nil {
				b.Fatal(err)
			}
			network, err := Preset("gckn-path", 3, 32, 0.6)
			if err != nil {
				b.Fatal(err)
			}
			network.Layers[0].Pooling, network.Samples = Mean, 30000
			t, spent := &Training{Options: DefaultSupervised(network)}, []float64{cputime.Seconds()}
			t.Examples = train.Examples{Graphs: train.InMemory(graphs), Input: input, Targets: model.TargetsOf(d)}
			t.Train, t.Validation = d.Splits[0].Train, d.Splits[0].Validation
			t.Options.Epochs, t.Options.BatchSize = b.N, 1024
			t.Options.FanOut, t.Options.PredictFanOut = []int{10}, []int{10}
			t.Watch = func(autodiff.Record) { spent = append(spent, cputime.Seconds()) }
			m, err := Supervise(context.Background(), e, t)
			if err != nil {
				b.Fatal(err)
			}
			seconds, scoring := 0.0, 0.0
			for _, r := range m.Records[1:] {
				seconds, scoring = seconds+r.Seconds+r.Waiting, scoring+r.Scoring
			}
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			b.ReportMetric((spent[b.N+1]-spent[1])/float64(b.N), "cpu-s/epoch")
			b.ReportMetric(seconds/float64(b.N), "s/epoch")
			b.ReportMetric(scoring/float64(b.N), "s/scoring")
			b.ReportMetric(spent[1]-spent[0], "cpu-s/start")
			b.ReportMetric(100*m.Records[m.Best].Scores[0], "%")
			b.ReportMetric(float64(memory.Sys)/(1<<30), "GiB")
		})
	}
}
