package dataset

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/grove-graph/grove/columnar"
	"github.com/grove-graph/grove/internal/testfiles"
)

// onDisk returns the path of a file that was written.
func onDisk(t *testing.T, name string, raw []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// inBatches returns the path of a columnar file with the rows of another one, so many in a batch.
func inBatches(t *testing.T, path string, rows int64) string {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := columnar.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(r.Schema()))
	for {
		batch, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for from := int64(0); from < batch.NumRows(); from += rows {
			if err := w.Write(batch.NewSlice(from, min(from+rows, batch.NumRows()))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return onDisk(t, "x.arrow", out.Bytes())
}

// wantSameStore fails where a store at path does not hold what the whole data set there does.
func wantSameStore(t *testing.T, path string, how Reading) {
	t.Helper()
	want, err := how.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := how.OpenStore(path)
	if err != nil || s == nil {
		t.Fatalf("%s is no store: %v", path, err)
	}
	defer s.Close()
	got, pieces := s.Head().empty(), 0
	if err := s.Each(func(d *Dataset) error {
		pieces++
		return got.extend(d)
	}); err != nil {
		t.Fatal(err)
	}
	if pieces < 2 || s.NumGraphs() != want.NumGraphs() || !s.HasVertices() {
		t.Errorf("%d pieces of %d graphs, want %d", pieces, s.NumGraphs(), want.NumGraphs())
	}
	head := s.Head()
	got.Splits, got.Notes, got.Skipped = head.Splits, head.Notes, head.Skipped
	wantSameFields(t, path, numbers(got), numbers(want))
	if head.NumGraphs() != 0 || len(head.Classes) != len(want.Classes) || len(head.Targets) != len(want.Targets) {
		t.Errorf("a head of %d graphs, %d classes, %d targets", head.NumGraphs(), len(head.Classes), len(head.Targets))
	}
	n, draw := want.NumGraphs(), rand.New(rand.NewPCG(1, 2))
	for _, list := range [][]int{{n - 1}, {0, 1}, {n - 1, 0, n / 2, n / 2, 1}, draw.Perm(n), {}} {
		some, err := s.Select(list)
		if err != nil {
			t.Fatal(err)
		}
		part := want.Select(list)
		if len(list) == 0 {
			part = got.empty()
		}
		wantSameFields(t, path, numbers(some), numbers(part))
		some = s.Head().empty()
		if err := s.EachOf(list, some.extend); err != nil {
			t.Fatal(err)
		}
		wantSameFields(t, path, numbers(some), numbers(part))
	}
	for _, wrong := range []int{-1, n} {
		if _, err := s.Select([]int{wrong}); err == nil {
			t.Errorf("graph %d of %d", wrong, n)
		}
	}
}

// numbers returns a data set to compare: with a number for every target that is not known, and a list of arcs where
// there are none.
func numbers(d *Dataset) *Dataset {
	e, b := *d, *d.Batch
	b.Col, e.Batch = append([]int32{}, b.Col...), &b
	e.Targets = append([]float64(nil), d.Targets...)
	for i, v := range e.Targets {
		if math.IsNaN(v) {
			e.Targets[i] = math.MaxFloat64
		}
	}
	return &e
}

// A file of which some rows are in memory at a time gives the data set that is read as a whole, in any order, whatever
// is known of the graphs.
func TestColumnsStayOnDisk(t *testing.T) {
	write := func(format Format, d *Dataset) string {
		dir := t.TempDir()
		if err := writeAs(dir, format, d); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, d.Name+"."+strings.ToLower(string(format)))
	}
	published, err := Open(testfiles.Data(t, "tu", "MUTAG"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		d := randomDataset(t, rand.New(rand.NewPCG(uint64(i), 9)))
		if d.Task.PerVertex() || d.NumGraphs() < 2 || d.Batch.NumVertices() == 0 {
			continue
		}
		wantSameStore(t, inBatches(t, write(ParquetFormat, d), 1), Reading{})
	}
	wantSameStore(t, inBatches(t, write(ArrowFormat, published), 50), Reading{})
	many := mustSynth(t, "molecules", SynthOptions{Graphs: 9000, Seed: 4})
	for _, format := range []Format{ParquetFormat, ArrowFormat} {
		wantSameStore(t, write(format, many), Reading{})
	}
	values, words := arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Float64)), arrow.BinaryTypes.String
	missing := rowsAs(t, "", `[
		{"from": [0], "to": [1], "attributes": [[1, null], [2, 4]], "split published": "train", "grade": "a"},
		{"from": [], "to": [], "attributes": [], "split published": "test", "grade": "b"},
		{"from": [0], "to": [0], "attributes": [[null, 0.5]], "split published": "train", "grade": null},
		{"from": [], "to": [], "attributes": [[7, 0.25]], "split published": null, "grade": "a"}]`,
		ends(field("attributes", values), field("split published", words), field("grade", words))...)
	wantSameStore(t, inBatches(t, onDisk(t, "missing.arrow", missing), 1), Reading{})
	molecules := rowsAs(t, "", `[
		{"id": "ethanol", "smiles": "CCO", "active": "yes", "mass": 46.07},
		{"id": "x", "smiles": "C(", "active": "no", "mass": 1},
		{"id": "salt", "smiles": "[Na+].[Cl-]", "active": "no", "mass": null},
		{"id": "benzene", "smiles": "c1ccccc1", "active": null, "mass": 78}]`,
		field("id", words), field("smiles", words), field("active", words), field("mass", arrow.PrimitiveTypes.Float64))
	path := inBatches(t, onDisk(t, "molecules.arrow", molecules), 1)
	for _, m := range []Molecules{
		{SkipInvalid: true}, {SkipInvalid: true, Hydrogens: true, Attributes: []AtomAttribute{AtomCharge, AtomRing}},
	} {
		wantSameStore(t, path, Reading{Molecules: m})
	}
	if _, err := (Reading{}).OpenStore(path); err == nil || !strings.HasPrefix(err.Error(), path+":2: SMILES \"C(\"") {
		t.Errorf("a wrong molecule: %v", err)
	}
}

// What is not to be read some rows at a time is no store, and what is damaged an error.
func TestNoStoreOfColumns(t *testing.T) {
	whole := rowsAs(t, "", `[{"from": [0], "to": [1], "vertex_class": [0, 1]}]`,
		ends(field("vertex_class", arrow.ListOf(arrow.PrimitiveTypes.Int64)))...)
	for name, path := range map[string]string{
		"vertices":   onDisk(t, "v.arrow", whole),
		"another":    testfiles.Data(t, "tu", "MUTAG"),
		"compressed": onDisk(t, "v.arrow.gz", []byte(compress(string(whole)))),
	} {
		if s, err := (Reading{}).OpenStore(path); s != nil || err != nil {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	wrong := rowsAs(t, "", `[{"from": [0], "to": [1], "vertices": 2}, {"from": [2], "to": [1], "vertices": 2}]`,
		ends(field("vertices", arrow.PrimitiveTypes.Int64))...)
	_, err := (Reading{}).OpenStore(onDisk(t, "w.arrow", wrong))
	wantError(t, err, "w.arrow: row 2, column from: 2 is none of the 2 from 0 to 1")
	_, err = (Reading{}).OpenStore(filepath.Join(t.TempDir(), "nothing.parquet"))
	wantError(t, err, "nothing.parquet")
}
