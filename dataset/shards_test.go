package dataset

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/grove-graph/grove/split"
)

// richSet returns data with everything that a store can hold.
func richSet(t testing.TB, graphs int) *Dataset {
	t.Helper()
	d, err := Synth("molecules", SynthOptions{Graphs: graphs, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	b, rng := *d.Batch, rand.New(rand.NewPCG(1, 1))
	b.AttributeDim = 2
	for range 2 * b.NumVertices() {
		b.Attributes = append(b.Attributes, rng.NormFloat64())
	}
	for range b.NumArcs() {
		b.ArcWeights, b.ArcTypes = append(b.ArcWeights, rng.Float64()), append(b.ArcTypes, rng.Int32N(3))
	}
	return d.WithBatch(&b)
}

// sameGraphs fails unless two data sets hold the same graphs with the same targets.
func sameGraphs(t *testing.T, got, want *Dataset) {
	t.Helper()
	if !reflect.DeepEqual(got.Batch, want.Batch) {
		t.Errorf("other graphs: %d vertices and %d arcs, want %d and %d", got.Batch.NumVertices(),
			got.Batch.NumArcs(), want.Batch.NumVertices(), want.Batch.NumArcs())
	}
	if !reflect.DeepEqual(got.Classes, want.Classes) || !reflect.DeepEqual(got.Targets, want.Targets) {
		t.Errorf("targets %v %v, want %v %v", got.Classes, got.Targets, want.Classes, want.Targets)
	}
	if got.Name != want.Name || got.Task != want.Task || !reflect.DeepEqual(got.ClassNames, want.ClassNames) ||
		!reflect.DeepEqual(got.LabelCodes, want.LabelCodes) || !reflect.DeepEqual(got.LabelNames, want.LabelNames) ||
		!reflect.DeepEqual(got.ArcLabelNames, want.ArcLabelNames) ||
		!reflect.DeepEqual(got.TargetNames, want.TargetNames) {
		t.Errorf("%s: other names", got.Name)
	}
}

// Graphs come from a store as they went in, in any order, whether it was written in one piece or in many.
func TestShardsGiveGraphsBack(t *testing.T) {
	classified := richSet(t, 40)
	plain := classified.WithBatch(AppendLabels(classified.Batch))
	plain.Batch.Labels, plain.Batch.ArcLabels, plain.Batch.ArcWeights, plain.Batch.ArcTypes = nil, nil, nil, nil
	plain.Batch.NumLabels, plain.LabelCodes, plain.LabelNames = 0, nil, nil
	targets := *classified
	targets.Task, targets.Classes, targets.ClassNames, targets.TargetNames = GraphRegression, nil, nil,
		[]string{"a", "b"}
	for range 40 {
		targets.Targets = append(targets.Targets, float64(len(targets.Targets)), math.Pi)
	}
	both := targets
	both.Task, both.Classes, both.ClassNames = GraphClassification, classified.Classes, classified.ClassNames
	for name, d := range map[string]*Dataset{
		"classes": classified, "attributes alone": plain, "targets": &targets, "classes and targets": &both,
	} {
		t.Run(name, func(t *testing.T) {
			for pieces := 1; pieces <= 4; pieces++ {
				dir := filepath.Join(t.TempDir(), "store")
				w, err := NewShardWriter(dir)
				if err != nil {
					t.Fatal(err)
				}
				w.limit = 4000 // a few graphs
				for p := range pieces {
					var some []int
					for g := p * 40 / pieces; g < (p+1)*40/pieces; g++ {
						some = append(some, g)
					}
					if err := w.Append(d.Select(some)); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				s := openShards(t, dir)
				if len(s.files) < 3 || s.NumGraphs() != 40 {
					t.Errorf("%d files, %d graphs", len(s.files), s.NumGraphs())
				}
				all := make([]int, 40)
				for i := range all {
					all[i] = i
				}
				for _, selection := range [][]int{all, {39, 0, 17, 17, 3}} {
					got, err := s.Select(selection)
					if err != nil {
						t.Fatal(err)
					}
					sameGraphs(t, got, d.Select(selection))
				}
				if head := s.Head(); !reflect.DeepEqual(head.Classes, d.Classes) ||
					!reflect.DeepEqual(head.Targets, d.Targets) {
					t.Errorf("head %v %v", head.Classes, head.Targets)
				}
				if _, err := s.Select([]int{40}); err == nil || !strings.Contains(err.Error(), "graph 40 of 40") {
					t.Errorf("a graph too many: %v", err)
				}
			}
		})
	}
}

func openShards(t *testing.T, dir string) *Shards {
	t.Helper()
	s, err := OpenShards(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// A range of a store is the data set of its graphs, and reads no file without any of them.
func TestRangesOfAStore(t *testing.T) {
	d, dir := richSet(t, 40), filepath.Join(t.TempDir(), "store")
	w, err := NewShardWriter(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.limit = 4000
	if err := errors.Join(w.Append(d), w.Close()); err != nil {
		t.Fatal(err)
	}
	files := len(openShards(t, dir).files)
	for from := 0; from <= 40; from += 3 {
		for to := from; to <= 42; to += 7 {
			s, err := OpenShardsRange(dir, from, to)
			if err != nil {
				t.Fatal(err)
			}
			want := d.Select(split.All(40)[from:min(to, 40)])
			if s.NumGraphs() != want.NumGraphs() || to < from+7 && len(s.files) > files/2 {
				t.Errorf("%d to %d: %d graphs in %d of %d files", from, to, s.NumGraphs(), len(s.files), files)
			}
			got, err := s.Select(split.All(s.NumGraphs()))
			if err != nil {
				t.Fatal(err)
			}
			if want.NumGraphs() > 0 {
				sameGraphs(t, got, want)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := OpenShardsRange(dir, 41, 50); err == nil || !strings.Contains(err.Error(), "graphs 41 to 50 of 40") {
		t.Errorf("behind the end: %v", err)
	}
}

// What cannot be stored is refused.
func TestShardWriterRefuses(t *testing.T) {
	dir := t.TempDir()
	d := richSet(t, 4)
	if err := WriteShards(dir, d); err != nil {
		t.Fatal(err)
	}
	if err := WriteShards(dir, d); err == nil || !strings.Contains(err.Error(), "a data set already (shards format)") {
		t.Errorf("a second store: %v", err)
	}
	w, err := NewShardWriter(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("a store of nothing")
	}
	if err := w.Append(d); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(d.WithBatch(AppendLabels(d.Batch))); err == nil ||
		!strings.Contains(err.Error(), "are not those of the pieces") {
		t.Errorf("other attributes: %v", err)
	}
	vertices, err := Synth("block-model", SynthOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(vertices); err == nil {
		t.Error("a task on vertices was stored")
	}
}

// Wherever a byte changes or a file ends too early, an error says so, or nothing has changed.
func TestShardsAreChecked(t *testing.T) {
	dir := t.TempDir()
	d := richSet(t, 3)
	if err := WriteShards(dir, d); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"00000.graphs", shardIndex} {
		path := filepath.Join(dir, name)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		silent := 0
		for at := range raw {
			changed := append([]byte(nil), raw...)
			changed[at] ^= 0x41
			if at%7 == 0 {
				changed = changed[:at]
			}
			if err := os.WriteFile(path, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := readAllShards(dir); err == nil {
				silent++
			}
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if name != shardIndex && silent > 0 {
			t.Errorf("%d of %d changes were not found", silent, len(raw))
		}
	}
	if err := readAllShards(dir); err != nil {
		t.Error(err)
	}
	if _, err := OpenShards(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no store of shards") {
		t.Errorf("an empty folder: %v", err)
	}
}

func readAllShards(dir string) error {
	s, err := OpenShards(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	for g := range s.NumGraphs() {
		if _, err := s.Select([]int{g}); err != nil {
			return err
		}
	}
	return nil
}

// FuzzShardRecord wants records of any content to be refused or to make a sound graph.
func FuzzShardRecord(f *testing.F) {
	d := richSet(f, 2)
	h := headOf(d)
	dir := f.TempDir()
	if err := WriteShards(dir, d); err != nil {
		f.Fatal(err)
	}
	s, err := OpenShards(dir)
	if err != nil {
		f.Fatal(err)
	}
	defer s.Close()
	for g := range 2 {
		raw := make([]byte, s.lengths[g])
		if _, err := s.files[0].ReadAt(raw, s.starts[g]); err != nil {
			f.Fatal(err)
		}
		f.Add(raw[:len(raw)-4])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := s.empty()
		if err := h.decode(got.Batch, sealed(body)); err != nil {
			return
		}
		b := got.Batch
		n := b.NumVertices()
		if b.NumGraphs() != 1 || int(b.RowPtr[n]) != b.NumArcs() || len(b.Labels) != n ||
			len(b.Attributes) != 2*n || len(b.ArcWeights) != b.NumArcs() {
			t.Fatalf("%+v", b)
		}
		for _, v := range b.Col {
			if v < 0 || int(v) >= n {
				t.Fatalf("arc to %d of %d vertices", v, n)
			}
		}
	})
}

// The encoding of a store is that of its graphs in memory, to the bit.
func TestShardsFitTheEncodingOfTheirGraphs(t *testing.T) {
	for _, graphs := range []int{3, 200} {
		d := richSet(t, graphs)
		dir := filepath.Join(t.TempDir(), "store")
		if err := WriteShards(dir, d); err != nil {
			t.Fatal(err)
		}
		s := openShards(t, dir)
		s.piece = 10000 // a few graphs
		for _, features := range []Features{AutoFeatures, DegreeFeatures, AttributeFeatures, AttributesAndLabels,
			RawAttributes} {
			want, err := FitEncoding(d, features, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := FitStoredEncoding(s, features, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d graphs, %s: %+v, want %+v", graphs, features, got, want)
			}
			some := []int{0, 2}
			if want, err = FitEncoding(d, features, some); err != nil {
				t.Fatal(err)
			}
			if got, err = FitStoredEncoding(s, features, some); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("of a part, %s: %+v, want %+v, %v", features, got, want, err)
			}
		}
		whole, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		sameGraphs(t, whole, d)
	}
	bare := richSet(t, 3)
	bare.Batch.Attributes, bare.Batch.AttributeDim = nil, 0
	dir := filepath.Join(t.TempDir(), "store")
	if err := WriteShards(dir, bare); err != nil {
		t.Fatal(err)
	}
	if _, err := FitStoredEncoding(openShards(t, dir), AttributeFeatures, nil); err == nil ||
		!strings.Contains(err.Error(), "no attributes") {
		t.Errorf("attributes of a store without any: %v", err)
	}
}
