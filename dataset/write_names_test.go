package dataset

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
)

// namedFormats are the formats in which graphs and vertices have names.
func namedFormats() []Format { return []Format{EdgeFormat, LinkFormat} }

// What is written in a format that holds everything but the motif is read back as it was.
func TestTablesAndJSONReadBackAsTheyWere(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	for i := range 60 {
		d := randomDataset(t, random)
		d.Motif = nil
		if i%2 == 0 {
			for v := range d.Batch.NumVertices() {
				d.VertexIDs = append(d.VertexIDs, []string{"a, b", "\"quoted\"", " ", "7", "-", "ä"}[v%6]+strconv.Itoa(v))
			}
			for g := range d.NumGraphs() {
				d.GraphIDs = append(d.GraphIDs, "graph "+strconv.Itoa(g))
			}
		}
		for _, format := range namedFormats() {
			dir := filepath.Join(t.TempDir(), d.Name)
			if err := writeAs(dir, format, d); err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			back, err := Open(dir)
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			if back.Digest() != d.Digest() || back.Name != d.Name || FormatOf(dir) != format ||
				!reflect.DeepEqual(back.LabelNames, d.LabelNames) {
				t.Fatalf("%d, %s: read %+v of\n%+v, want %+v of\n%+v", i, format, back, back.Batch, d, d.Batch)
			}
			if !reflect.DeepEqual(back.VertexIDs, d.VertexIDs) || !reflect.DeepEqual(back.GraphIDs, d.GraphIDs) {
				t.Fatalf("%s: names %q %q, want %q %q", format, back.GraphIDs, back.VertexIDs, d.GraphIDs, d.VertexIDs)
			}
		}
	}
}
