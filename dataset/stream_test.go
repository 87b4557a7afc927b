package dataset

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// joined returns the graphs of a stream as one data set, and the number of its pieces.
func joined(t *testing.T, s Stream) (*Dataset, int) {
	t.Helper()
	dir, pieces := filepath.Join(t.TempDir(), "joined"), 0
	w, err := NewShardWriter(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Each(func(d *Dataset) error {
		pieces++
		return w.Append(d)
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d, pieces
}

// What is generated piece by piece are the graphs that are generated as a whole.
func TestSynthStreamGivesTheGraphsOfSynth(t *testing.T) {
	for kind, opt := range map[string]SynthOptions{
		"molecules": {Graphs: 16000, Seed: 3}, "red-isolated": {Graphs: 3000, Seed: 3}, "power-law": {Graphs: 1500, Seed: 3},
		"rings-cliques": {Graphs: 4001, Vertices: 40, Seed: 3},
	} {
		want := mustSynth(t, kind, opt)
		s, err := SynthStream(kind, opt)
		if err != nil {
			t.Fatal(err)
		}
		got, pieces := joined(t, s)
		if pieces < 2 {
			t.Errorf("%s: one piece", kind)
		}
		sameGraphs(t, got, want)
		sum, err := SummaryOf(s)
		if err != nil {
			t.Fatal(err)
		}
		whole := want.Summary()
		if !reflect.DeepEqual(sum, whole) {
			t.Errorf("%s: summary %+v, want %+v", kind, sum, whole)
		}
	}
	few, err := SynthStream("molecules", SynthOptions{Graphs: 2, Seed: 9}) // not all labels occur
	if err != nil {
		t.Fatal(err)
	}
	got, _ := joined(t, few)
	sameGraphs(t, got, mustSynth(t, "molecules", SynthOptions{Graphs: 2, Seed: 9}))
	_, err = SynthStream("block-model", SynthOptions{})
	wantError(t, err, "synth block-model: a task on the vertices of one graph")
	_, err = SynthStream("proteins", SynthOptions{})
	wantError(t, err, "unknown kind")
	if _, err := SynthStream("molecules", SynthOptions{Graphs: 100_000_000}); err != nil {
		t.Errorf("more graphs than one batch holds: %v", err)
	}
}

// A folder in TU format reads the same piece by piece and as a whole, notes included.
func TestTUStreamGivesTheGraphsOfTheFolder(t *testing.T) {
	dirs := map[string]string{}
	for _, name := range []string{"MUTAG", "PROTEINS", "ENZYMES", "AIDS", "NCI1"} {
		dirs[name] = testfiles.Data(t, "tu", name)
	}
	rich := richSet(t, 9000)
	rich.Batch.ArcTypes = nil
	dirs["rich"] = filepath.Join(t.TempDir(), "rich")
	rich.Name = "rich"
	if err := WriteTU(dirs["rich"], rich); err != nil {
		t.Fatal(err)
	}
	for name, dir := range dirs {
		t.Run(name, func(t *testing.T) {
			want, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			want.Motif = nil
			s, closing, err := OpenStream(dir)
			if err != nil || s == nil {
				t.Fatalf("%v, %v", s, err)
			}
			defer func() {
				if err := closing(); err != nil {
					t.Error(err)
				}
			}()
			got, pieces := joined(t, s)
			if pieces < 2 && want.Batch.NumVertices() > streamed/4 {
				t.Error("one piece")
			}
			sameGraphs(t, got, want)
			sum, err := SummaryOf(s)
			if whole := want.Summary(); err != nil || !reflect.DeepEqual(sum, whole) {
				t.Errorf("summary %+v, want %+v, %v", sum, whole, err)
			}
		})
	}
}

// Arcs in any other order than by graph leave the folder to be read as a whole; what is damaged is said by file and
// line.
func TestTUStreamRefuses(t *testing.T) {
	write := func(files map[string]string) string {
		dir := t.TempDir()
		for kind, text := range files {
			if err := os.WriteFile(filepath.Join(dir, "X_"+kind+".txt"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	two := map[string]string{"A": "3, 4\n1, 2\n", "graph_indicator": "1\n1\n2\n2\n", "graph_labels": "0\n1\n"}
	if s, _, err := OpenStream(write(two)); s != nil || err != nil {
		t.Errorf("arcs of graph 2 before those of graph 1: %v, %v", s, err)
	}
	for want, change := range map[string][2]string{
		"X_A.txt:2: ": {"A", "1, 2\n2, 3\n3, 4\n"},
		"X_A.txt:1: vertex 5: the vertices are 1 to 4":            {"A", "1, 5\n"},
		"X_edge_labels.txt:2: 1 lines, but X_A.txt has 2":         {"edge_labels", "1\n"},
		"X_node_labels.txt:1: \"x\" is not a whole number":        {"node_labels", "x\n1\n2\n3\n"},
		"X_node_attributes.txt:2: 2 values, the first line has 1": {"node_attributes", "1\n1 2\n1\n1\n"},
		"X_graph_indicator.txt:3: graph 1 after graph 2":          {"graph_indicator", "1\n2\n1\n2\n"},
	} {
		files := map[string]string{"A": "1, 2\n3, 4\n", "graph_indicator": "1\n1\n2\n2\n", "graph_labels": "0\n1\n"}
		files[change[0]] = change[1]
		dir := write(files)
		s, _, err := OpenStream(dir)
		if err == nil {
			err = s.Each(func(*Dataset) error { return nil })
		}
		wantError(t, err, want)
		if _, whole := Open(dir); whole == nil || whole.Error() != err.Error() {
			t.Errorf("as a whole it says %v, piece by piece %v", whole, err)
		}
	}
}

// Stores written from a stream, and folders in TU format written from a store, have the bytes of those written at once.
func TestStreamsAreWrittenAsWholes(t *testing.T) {
	d := mustSynth(t, "molecules", SynthOptions{Graphs: 20000, Seed: 2})
	d.Name, d.Motif = "made", nil
	s, err := SynthStream("molecules", SynthOptions{Graphs: 20000, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, format := range []Format{StoreFormat, TUFormat} {
		whole, pieces := filepath.Join(dir, string(format), "a"), filepath.Join(dir, string(format), "b")
		if err := writeAs(whole, format, d); err != nil {
			t.Fatal(err)
		}
		out, err := NewOutput(pieces, false)
		if err != nil {
			t.Fatal(err)
		}
		from := Named(withoutMotif{s}, "made")
		if format == TUFormat {
			from = openShards(t, filepath.Join(dir, string(StoreFormat), "b"))
		}
		sum, err := out.WriteStream("", format, from)
		if err == nil {
			err = out.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := d.Summary(); !reflect.DeepEqual(sum, want) {
			t.Errorf("%s: %+v, want %+v", format, sum, want)
		}
		entries, err := os.ReadDir(whole)
		if err != nil || len(entries) < 2 {
			t.Fatal(entries, err)
		}
		for _, e := range entries {
			a, errA := os.ReadFile(filepath.Join(whole, e.Name()))
			b, errB := os.ReadFile(filepath.Join(pieces, e.Name()))
			if errA != nil || errB != nil || string(a) != string(b) {
				t.Errorf("%s: %s differs: %v %v", format, e.Name(), errA, errB)
			}
		}
	}
	out, err := NewOutput(filepath.Join(dir, "n"), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.WriteStream("", NodeFormat, s); err == nil || !strings.Contains(err.Error(), "no set of graphs") {
		t.Errorf("a stream as a vertex task: %v", err)
	}
}

type withoutMotif struct{ Stream }

func (w withoutMotif) Each(visit func(*Dataset) error) error {
	return w.Stream.Each(func(d *Dataset) error {
		bare := *d
		bare.Motif = nil
		return visit(&bare)
	})
}
